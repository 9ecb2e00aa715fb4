// beq, bne, blt, bge, bltu, bgeu: taken and not, forwards and backwards
#include "selfcheck.h"

.macro taken op, a, b
        check
        li a1, \a
        li a2, \b
        li a0, 0
        j 3f
1:      addi a0, a0, 1
        j 5f
3:      \op a1, a2, 4f          // forwards
        j failed
4:      \op a1, a2, 1b          // backwards
        j failed
5:      expect a0, 1
.endm

.macro untaken op, a, b
        check
        li a1, \a
        li a2, \b
        li a0, 0
        \op a1, a2, failed_near\@
        addi a0, a0, 1
        j 1f
failed_near\@:
        j failed
1:      expect a0, 1
.endm
        begin
        taken   beq, 0x12345678, 0x12345678
        untaken beq, 0x12345678, 0x12345679
        taken   bne, 0, 0x80000000
        untaken bne, 0x80000000, 0x80000000
        taken   blt, 0x80000000, 0x7fffffff
        untaken blt, 0x7fffffff, 0x80000000
        untaken blt, 5, 5
        taken   bge, 0x7fffffff, 0x80000000
        taken   bge, 5, 5
        untaken bge, -1, 0
        taken   bltu, 0x7fffffff, 0x80000000
        untaken bltu, 0x80000000, 0x7fffffff
        untaken bltu, 5, 5
        taken   bgeu, 0x80000000, 0x7fffffff
        taken   bgeu, 5, 5
        untaken bgeu, 0, 0xffffffff
        // a loop
        li a0, 0
        li a1, 100
1:      add a0, a0, a1
        addi a1, a1, -1
        bnez a1, 1b
        expect a0, 5050
        // as far as a branch reaches: 4094 bytes forwards
        .option push
        .option norvc
        li a0, 0
        beq zero, zero, 2f
        .rept 1022
        addi a0, a0, 1
        .endr
        .option pop
2:      expect a0, 0
        end
