// tests/programs/selfcheck.h: macros of the self-checking programs (GNU assembler, preprocessed).
//
// A program is `begin`, checks, `end`. Each check has a number, counted in gp from 1; the first
// that fails ends the program with its number as exit status (system call 93), the end with 0.
// Results are checked in a0 or fa0. Besides gp, checks use a1 to a3, fa1 to fa3, t5 and t6.

.macro begin
        .text
        .option norelax
        .globl _start
_start:
        li gp, 0
.endm

// The next check; for code that jumps to `failed` by itself.
.macro check
        addi gp, gp, 1
.endm

.macro expect reg, want
        addi gp, gp, 1
        li t6, \want
        beq \reg, t6, 1f
        j failed
1:
.endm

.macro end
        li a0, 0
        li a7, 93
        ecall
failed:
        mv a0, gp
        li a7, 93
        ecall
.endm

// op rd, rs1, rs2: with three registers, and with rd the same as each source
.macro rr op, a, b, want
        li a1, \a
        li a2, \b
        \op a0, a1, a2
        expect a0, \want
        li a0, \a
        \op a0, a0, a2
        expect a0, \want
        li a0, \b
        \op a0, a1, a0
        expect a0, \want
.endm

// op rd, rs1, rs1
.macro rr_same op, a, want
        li a1, \a
        \op a0, a1, a1
        expect a0, \want
.endm

// op rd, rs1, imm
.macro ri op, a, imm, want
        li a1, \a
        \op a0, a1, \imm
        expect a0, \want
        li a0, \a
        \op a0, a0, \imm
        expect a0, \want
.endm

// op rd, rs1
.macro r1 op, a, want
        li a1, \a
        \op a0, a1
        expect a0, \want
.endm

// --- floats: operands and results are encodings; `flags` is what fflags is to be after the
// instruction. Operations that round take the mode as their last argument.
.macro fload reg, bits
        li t6, \bits
        fmv.w.x \reg, t6
.endm

.macro fexpect want, flags
        fmv.x.w t5, fa0
        expect t5, \want
        frflags t5
        expect t5, \flags
.endm

.macro f1 op, a, want, flags, rm=rne
        fload fa1, \a
        fsflags zero
        \op fa0, fa1, \rm
        fexpect \want, \flags
.endm

.macro f2 op, a, b, want, flags, rm=rne
        fload fa1, \a
        fload fa2, \b
        fsflags zero
        \op fa0, fa1, fa2, \rm
        fexpect \want, \flags
.endm

.macro f3 op, a, b, c, want, flags, rm=rne
        fload fa1, \a
        fload fa2, \b
        fload fa3, \c
        fsflags zero
        \op fa0, fa1, fa2, fa3, \rm
        fexpect \want, \flags
.endm

// no rounding mode
.macro f2n op, a, b, want, flags=0
        fload fa1, \a
        fload fa2, \b
        fsflags zero
        \op fa0, fa1, fa2
        fexpect \want, \flags
.endm

// result in an x register
.macro fx2 op, a, b, want, flags
        fload fa1, \a
        fload fa2, \b
        fsflags zero
        \op a0, fa1, fa2
        expect a0, \want
        frflags t5
        expect t5, \flags
.endm

.macro fx1 op, a, want, flags, rm=rne
        fload fa1, \a
        fsflags zero
        \op a0, fa1, \rm
        expect a0, \want
        frflags t5
        expect t5, \flags
.endm

// operand in an x register
.macro xf1 op, a, want, flags, rm=rne
        li a1, \a
        fsflags zero
        \op fa0, a1, \rm
        fexpect \want, \flags
.endm
