// jal and jalr: link, distance, the ignored lowest bit, rd the same as rs1
#include "selfcheck.h"
        begin
        check
        la a1, 1f
        .option push
        .option norvc
        jal a0, 2f
1:      j failed
2:      .option pop
        sub a0, a0, a1
        expect a0, 0
        // jalr with an offset
        check
        la a1, 3f-16
        la a2, 4f
        .option push
        .option norvc
        jalr a0, 16(a1)
4:      j failed
        .option pop
3:      sub a0, a0, a2
        expect a0, 0
        // the lowest bit of the target is dropped
        check
        la a1, 5f
        jalr a0, 1(a1)
        j failed
5:      check
        la a2, 6f
        addi a2, a2, 1
        jr a2
        j failed
6:
        // rd = rs1: the target is read before the link is written
        la a0, 7f
        la a2, 8f
        check
        jalr a0, a0
8:      j failed
7:      sub a0, a0, a2
        expect a0, 0
        // a call chain through ra
        li a0, 1
        call double
        call double
        jal ra, double
        expect a0, 8
        // backwards, and farther than a branch reaches
        check
        li a0, 0
        j 10f
9:      addi a0, a0, 1
        j 11f
        .rept 3000
        ebreak
        .endr
10:     j 9b
        j failed
11:     expect a0, 1
        end
double: add a0, a0, a0
        ret
