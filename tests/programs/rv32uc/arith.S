// compressed arithmetic; every instruction here is a 16-bit one, and odd ones put the rest at 2 mod 4
#include "selfcheck.h"

// c.op rd, rs2 with rd also a source
.macro cc op, a, b, want
        li a0, \a
        li a1, \b
        \op a0, a1
        expect a0, \want
.endm

.macro ci op, a, imm, want
        li a0, \a
        \op a0, \imm
        expect a0, \want
.endm
        begin
        c.nop
        ci c.addi, 100, 31, 131
        ci c.addi, 100, -32, 68
        ci c.addi, 0x7fffffff, 1, 0x80000000
        c.li a0, 31
        expect a0, 31
        c.li a0, -32
        expect a0, -32
        c.lui a0, 1
        expect a0, 0x1000
        c.lui a0, 31
        expect a0, 0x1f000
        c.lui a0, 0xfffe0
        expect a0, 0xfffe0000
        ci c.slli, 0x12345679, 1, 0x2468acf2
        ci c.slli, 0x12345679, 31, 0x80000000
        ci c.srli, 0x87654321, 1, 0x43b2a190
        ci c.srli, 0x87654321, 31, 1
        ci c.srai, 0x87654321, 4, 0xf8765432
        ci c.srai, 0x87654321, 31, -1
        ci c.andi, 0x12345678, 31, 0x18
        ci c.andi, 0x12345678, -32, 0x12345660
        cc c.sub, 3, 7, -4
        cc c.xor, 0xff00ff00, 0x0f0f0f0f, 0xf00ff00f
        cc c.or,  0xff00ff00, 0x0f0f0f0f, 0xff0fff0f
        cc c.and, 0xff00ff00, 0x0f0f0f0f, 0x0f000f00
        cc c.mv,  1, 0x12345678, 0x12345678
        cc c.add, 0x12345678, 0x9abcdef0, 0xacf13568
        // the other registers that the forms can name
        li s1, 0x1000
        li a5, 0x234
        c.or s1, a5
        expect s1, 0x1234
        li s11, 40
        li t4, 2
        c.add s11, t4
        c.slli s11, 4
        expect s11, 672
        // sp
        c.mv a2, sp
        li sp, 0x1000
        c.addi4spn a0, sp, 4
        expect a0, 0x1004
        c.addi4spn a5, sp, 1020
        expect a5, 0x13fc
        c.addi16sp sp, 496
        expect sp, 0x11f0
        c.addi16sp sp, -512
        expect sp, 0xff0
        c.mv sp, a2
        end
