// flw, fsw, c.flw, c.fsw, c.flwsp, c.fswsp; NaNs pass as they are
#include "selfcheck.h"
        begin
        la s0, data
        .option norvc
        flw fa0, 0(s0)
        fmv.x.w a0, fa0
        expect a0, 0x7f812345
        flw ft11, 4(s0)
        fmv.x.w a0, ft11
        expect a0, 0xc0490fdb
        flw ft0, 2(s0)                  // not aligned
        fmv.x.w a0, ft0
        expect a0, 0x0fdb7f81
        la s1, space
        fsw fa0, 0(s1)
        fsw ft11, 5(s1)                 // not aligned
        fsw ft11, -4(s1)
        lw a0, 0(s1)
        expect a0, 0x7f812345
        lw a0, 4(s1)
        expect a0, 0x490fdbff
        lw a0, 8(s1)
        expect a0, 0xffffffc0
        lw a0, -4(s1)
        expect a0, 0xc0490fdb
        .option rvc
        c.flw fa5, 0(s0)
        fmv.x.w a0, fa5
        expect a0, 0x7f812345
        c.flw fs0, 124(s0)
        fmv.x.w a0, fs0
        expect a0, 0x7c7c7c7c
        c.fsw fs0, 16(s1)
        c.fsw fa5, 124(s1)
        lw a0, 16(s1)
        expect a0, 0x7c7c7c7c
        lw a0, 124(s1)
        expect a0, 0x7f812345
        mv t3, sp
        la sp, data
        c.flwsp ft10, 4(sp)
        c.flwsp ft2, 252(sp)
        fmv.x.w a0, ft10
        expect a0, 0xc0490fdb
        fmv.x.w a0, ft2
        expect a0, 0xfcfcfcfc
        la sp, space
        c.fswsp ft10, 0(sp)
        c.fswsp ft2, 252(sp)
        lw a0, 0(sp)
        expect a0, 0xc0490fdb
        lw a0, 252(sp)
        expect a0, 0xfcfcfcfc
        mv sp, t3
        end
        .data
        .balign 16
data:   .word 0x7f812345, 0xc0490fdb
        .fill 29, 4, 0
        .word 0x7c7c7c7c
        .fill 31, 4, 0
        .word 0xfcfcfcfc
        .balign 16
        .word 0, 0, 0, 0
space:  .fill 64, 4, 0xffffffff
