// fcvt.w.s, fcvt.wu.s, fcvt.s.w, fcvt.s.wu, fmv.x.w, fmv.w.x
#include "selfcheck.h"
        begin
        fx1 fcvt.w.s,  0x40200000, 2, 1                // 2.5
        fx1 fcvt.w.s,  0x40600000, 4, 1                // 3.5
        fx1 fcvt.w.s,  0x40200000, 2, 1, rtz
        fx1 fcvt.w.s,  0x40200000, 2, 1, rdn
        fx1 fcvt.w.s,  0x40200000, 3, 1, rup
        fx1 fcvt.w.s,  0x40200000, 3, 1, rmm
        fx1 fcvt.w.s,  0xc0200000, -2, 1
        fx1 fcvt.w.s,  0xc0200000, -3, 1, rdn
        fx1 fcvt.w.s,  0xc0200000, -2, 1, rup
        fx1 fcvt.w.s,  0xc0200000, -3, 1, rmm
        fx1 fcvt.w.s,  0x3effffff, 0, 1                // just below a half
        fx1 fcvt.w.s,  0x00000001, 1, 1, rup
        fx1 fcvt.w.s,  0x80000001, -1, 1, rdn
        fx1 fcvt.w.s,  0x4effffff, 0x7fffff80, 0
        fx1 fcvt.w.s,  0x4f000000, 0x7fffffff, 0x10
        fx1 fcvt.w.s,  0xcf000000, 0x80000000, 0
        fx1 fcvt.w.s,  0xcf000001, 0x80000000, 0x10
        fx1 fcvt.w.s,  0x7f800000, 0x7fffffff, 0x10
        fx1 fcvt.w.s,  0xff800000, 0x80000000, 0x10
        fx1 fcvt.w.s,  0xffc00000, 0x7fffffff, 0x10
        fx1 fcvt.w.s,  0x80000000, 0, 0
        fx1 fcvt.wu.s, 0x40200000, 2, 1
        fx1 fcvt.wu.s, 0x4f7fffff, 0xffffff00, 0
        fx1 fcvt.wu.s, 0x4f800000, 0xffffffff, 0x10
        fx1 fcvt.wu.s, 0x4f000000, 0x80000000, 0
        fx1 fcvt.wu.s, 0xbf800000, 0, 0x10
        fx1 fcvt.wu.s, 0xbf000000, 0, 1                // -0.5: to zero, inexact only
        fx1 fcvt.wu.s, 0xbf000000, 0, 0x10, rdn        // -0.5 rounded down is -1
        fx1 fcvt.wu.s, 0xbf400000, 0, 1, rtz
        fx1 fcvt.wu.s, 0xff800000, 0, 0x10
        fx1 fcvt.wu.s, 0x7f800001, 0xffffffff, 0x10
        xf1 fcvt.s.w,  0, 0x00000000, 0
        xf1 fcvt.s.w,  -7, 0xc0e00000, 0
        xf1 fcvt.s.w,  0x01000001, 0x4b800000, 1       // 2^24 + 1
        xf1 fcvt.s.w,  0x01000001, 0x4b800001, 1, rup
        xf1 fcvt.s.w,  0x01000003, 0x4b800002, 1
        xf1 fcvt.s.w,  0x7fffffff, 0x4f000000, 1
        xf1 fcvt.s.w,  0x7fffffff, 0x4effffff, 1, rtz
        xf1 fcvt.s.w,  0x80000000, 0xcf000000, 0
        xf1 fcvt.s.w,  0x80000001, 0xceffffff, 1, rup
        xf1 fcvt.s.wu, 0xffffffff, 0x4f800000, 1
        xf1 fcvt.s.wu, 0xffffffff, 0x4f7fffff, 1, rdn
        xf1 fcvt.s.wu, 0x80000000, 0x4f000000, 0
        xf1 fcvt.s.wu, 0x01000001, 0x4b800001, 1, rmm
        // moves carry every bit
        li a1, 0x7f812345
        fmv.w.x fa1, a1
        fmv.x.w a0, fa1
        expect a0, 0x7f812345
        frflags a0
        fsflags zero
        fmv.s fa2, fa1
        fmv.x.w a0, fa2
        expect a0, 0x7f812345
        frflags a0
        expect a0, 0
        end
