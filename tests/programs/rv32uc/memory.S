// compressed loads and stores, with the smallest and the largest offsets
#include "selfcheck.h"
        begin
        la s0, data
        c.lw a0, 0(s0)
        expect a0, 0x01234567
        c.lw a5, 4(s0)
        expect a5, 0x89abcdef
        c.lw s1, 124(s0)
        expect s1, 0x7c7c7c7c
        c.lw a0, 64(s0)
        expect a0, 0x40404040
        li a0, 0x5555aaaa
        la a1, space
        c.sw a0, 0(a1)
        c.sw a1, 124(a1)
        c.sw a0, 64(a1)
        lw a2, 0(a1)
        expect a2, 0x5555aaaa
        lw a2, 64(a1)
        expect a2, 0x5555aaaa
        lw a2, 124(a1)
        sub a2, a2, a1
        expect a2, 0
        // the base register as destination
        c.lw s0, 4(s0)
        expect s0, 0x89abcdef
        // around sp
        mv t3, sp
        la sp, data
        c.lwsp a0, 0(sp)
        expect a0, 0x01234567
        c.lwsp t4, 124(sp)
        expect t4, 0x7c7c7c7c
        c.lwsp s11, 252(sp)
        expect s11, 0xfcfcfcfc
        la sp, space
        li t4, 0x13572468
        c.swsp t4, 4(sp)
        c.swsp zero, 64(sp)
        c.swsp t4, 252(sp)
        lw a0, 4(sp)
        expect a0, 0x13572468
        lw a0, 64(sp)
        expect a0, 0
        lw a0, 252(sp)
        expect a0, 0x13572468
        mv sp, t3
        end
        .data
        .balign 16
data:   .word 0x01234567, 0x89abcdef
        .fill 14, 4, 0
        .word 0x40404040
        .fill 14, 4, 0
        .word 0x7c7c7c7c
        .fill 31, 4, 0
        .word 0xfcfcfcfc
        .balign 16
space:  .fill 64, 4, 0xffffffff
