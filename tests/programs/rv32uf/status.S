// fflags, frm, fcsr: accumulation, the dynamic rounding mode, reads and writes of each part
#include "selfcheck.h"
        begin
        fscsr zero
        frcsr a0
        expect a0, 0
        // flags accumulate until they are cleared
        fload fa1, 0x3f800000
        fload fa2, 0x40400000
        fload fa3, 0x00000000
        fdiv.s fa0, fa1, fa2
        frflags a0
        expect a0, 1
        fdiv.s fa0, fa1, fa3
        frflags a0
        expect a0, 9
        fadd.s fa0, fa1, fa2
        frflags a0
        expect a0, 9
        fsqrt.s fa0, fa0
        fsub.s fa3, fa3, fa1
        fsqrt.s fa0, fa3
        frflags a0
        expect a0, 0x19
        frcsr a0
        expect a0, 0x19
        // the rounding mode of an instruction that leaves it to frm
        .macro dynamic mode, want
        li a1, \mode
        fsrm a0, a1
        fdiv.s fa0, fa1, fa2, dyn
        fmv.x.w a0, fa0
        expect a0, \want
        frrm a0
        expect a0, \mode
        .endm
        dynamic 0, 0x3eaaaaab
        dynamic 1, 0x3eaaaaaa
        dynamic 2, 0x3eaaaaaa
        dynamic 3, 0x3eaaaaab
        dynamic 4, 0x3eaaaaab
        // a static mode does not look at frm
        fsrmi 3
        fdiv.s fa0, fa1, fa2, rtz
        fmv.x.w a0, fa0
        expect a0, 0x3eaaaaaa
        // parts of fcsr
        li a1, 0x5f
        fscsr a0, a1
        expect a0, 0x79
        frcsr a0
        expect a0, 0x5f
        frrm a0
        expect a0, 2
        fsflagsi a0, 5
        expect a0, 0x1f
        frcsr a0
        expect a0, 0x45
        fsrmi a0, 4
        expect a0, 2
        frcsr a0
        expect a0, 0x85
        csrsi fflags, 0x12
        csrci fflags, 0x01
        frcsr a0
        expect a0, 0x96
        csrrc a0, fcsr, a0
        expect a0, 0x96
        frcsr a0
        expect a0, 0
        // bits above the eighth are not kept
        li a1, 0xffffff00
        fscsr a1
        frcsr a0
        expect a0, 0
        fsflags a1
        frflags a0
        expect a0, 0
        end
