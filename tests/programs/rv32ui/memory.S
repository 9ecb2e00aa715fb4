// loads and stores of all sizes, sign extension, offsets, addresses that are not aligned
#include "selfcheck.h"

.macro load op, offset, want
        \op a0, \offset(s0)
        expect a0, \want
.endm
        begin
        la s0, data
        load lw,  0, 0x80ff7f01
        load lw,  4, 0x89abcdef
        load lh,  0, 0x7f01
        load lh,  2, 0xffff80ff
        load lhu, 2, 0x80ff
        load lb,  0, 1
        load lb,  1, 0x7f
        load lb,  2, -1
        load lb,  3, 0xffffff80
        load lbu, 2, 0xff
        load lbu, 3, 0x80
        // not aligned: inside a word, and from one word into the next
        load lh,  1, 0xffffff7f
        load lhu, 3, 0xef80
        load lh,  3, 0xffffef80
        load lw,  1, 0xef80ff7f
        load lw,  2, 0xcdef80ff
        load lw,  3, 0xabcdef80
        // the ends of the offset
        la s0, data+2048
        load lw, -2048, 0x80ff7f01
        la s0, data-2047
        load lbu, 2047, 0x01
        // the base register as destination
        la a0, data
        lw a0, 4(a0)
        expect a0, 0x89abcdef
        // stores leave their neighbours alone
        la s0, space
        li a1, 0x11223344
        li a2, 0xaabbccdd
        sw a1, 0(s0)
        sw a1, 4(s0)
        sb a2, 1(s0)
        load lw, 0, 0x1122dd44
        sh a2, 2(s0)
        load lw, 0, 0xccdddd44
        sb a2, 3(s0)
        load lw, 0, 0xdddddd44
        load lw, 4, 0x11223344
        // not aligned
        sw a1, 0(s0)
        sh a2, 3(s0)
        load lw, 0, 0xdd223344
        load lw, 4, 0x112233cc
        sw a2, 1(s0)
        load lw, 0, 0xbbccdd44
        load lw, 4, 0x112233aa
        sw a1, 2(s0)
        load lw, 0, 0x3344dd44
        load lw, 4, 0x11221122
        sw a2, 3(s0)
        load lw, 0, 0xdd44dd44
        load lw, 4, 0x11aabbcc
        sh a1, 1(s0)
        load lw, 0, 0xdd334444
        // negative offset
        addi s0, s0, 8
        sw a1, -4(s0)
        load lw, -4, 0x11223344
        end
        .data
        .balign 16
data:   .word 0x80ff7f01, 0x89abcdef
        .balign 16
space:  .word 0, 0, 0, 0
