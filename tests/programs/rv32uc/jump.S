// c.j, c.jal, c.jr, c.jalr, c.beqz, c.bnez; targets at 0 and 2 mod 4, 32-bit instructions there
#include "selfcheck.h"
        begin
        li a0, 0
        c.j 1f
        c.addi a0, 1
1:      expect a0, 0
        // the link of a compressed jump is two bytes on
        check
        la a1, 2f
        c.jal 3f
2:      j failed
3:      sub a0, ra, a1
        expect a0, 0
        la a1, 4f
        la a2, 5f
        c.jalr a2
4:      j failed
5:      sub a0, ra, a1
        expect a0, 0
        check
        la a1, 6f
        c.jr a1
        j failed
6:
        li a0, 0
        c.beqz a0, 7f
        j failed
7:      check
        c.bnez a0, failed_near
        li a5, 0x100
        c.bnez a5, 8f
        j failed
failed_near:
        j failed
8:      check
        c.beqz a5, failed_near
        // a loop of three instructions of both sizes, starting at 0 and at 2 mod 4
        li a0, 0
        li a1, 50
        .balign 4
9:      c.add a0, a1
        .option norvc
        addi a0, a0, 100
        .option rvc
        c.addi a1, -1
        c.bnez a1, 9b
        expect a0, 6275
        li a0, 0
        li a1, 50
        .balign 4
        c.nop
10:     .option norvc
        addi a0, a0, 100
        .option rvc
        c.add a0, a1
        c.addi a1, -1
        c.bnez a1, 10b
        expect a0, 6275
        // the ends of the offsets: c.beqz 254 bytes, c.j 2046 bytes forwards; both backwards
        li a0, 0
        c.beqz a0, 11f
        .rept 126
        c.addi a0, 1
        .endr
11:     expect a0, 0
        c.j 12f
        .rept 1022
        c.addi a0, 1
        .endr
12:     expect a0, 0
        li a1, 3
        c.j 14f
13:     c.addi a0, 1
        c.j 15f
        .rept 100
        c.ebreak
        .endr
14:     c.beqz a0, 13b
        j failed
15:     expect a0, 1
        end
