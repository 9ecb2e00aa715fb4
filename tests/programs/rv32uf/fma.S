// fmadd.s, fmsub.s, fnmsub.s, fnmadd.s: one rounding, signs of exact zeros, invalid operations
#include "selfcheck.h"
        begin
        f3 fmadd.s,  0x40000000, 0x40400000, 0x40800000, 0x41200000, 0    // 2 * 3 + 4 = 10
        f3 fmsub.s,  0x40000000, 0x40400000, 0x40800000, 0x40000000, 0    // 2 * 3 - 4 = 2
        f3 fnmsub.s, 0x40000000, 0x40400000, 0x40800000, 0xc0000000, 0    // -(2 * 3) + 4
        f3 fnmadd.s, 0x40000000, 0x40400000, 0x40800000, 0xc1200000, 0    // -(2 * 3) - 4
        // (1 + 2^-23)^2 - (1 + 2^-22) = 2^-46 exactly, which two roundings would lose
        f3 fmadd.s,  0x3f800001, 0x3f800001, 0xbf800002, 0x28800000, 0
        f3 fmsub.s,  0x3f800001, 0x3f800001, 0x3f800002, 0x28800000, 0
        f3 fnmsub.s, 0x3f800001, 0x3f800001, 0x3f800002, 0xa8800000, 0
        f3 fnmadd.s, 0x3f800001, 0x3f800001, 0xbf800002, 0xa8800000, 0
        // a tie broken by an addend far below it
        f3 fmadd.s,  0x3fc00000, 0x3f800001, 0x00000001, 0x3fc00002, 1
        f3 fmadd.s,  0x3fc00000, 0x3f800001, 0x80000001, 0x3fc00001, 1
        f3 fmadd.s,  0x3fc00000, 0x3f800003, 0x00000001, 0x3fc00005, 1
        f3 fmadd.s,  0x3fc00000, 0x3f800003, 0x80000001, 0x3fc00004, 1
        f3 fmadd.s,  0x3f800000, 0x3f800000, 0x33000000, 0x3f800000, 1
        f3 fmadd.s,  0x3f800000, 0x3f800000, 0x33000000, 0x3f800001, 1, rup
        f3 fnmadd.s, 0x3f800000, 0x3f800000, 0x33000000, 0xbf800001, 1, rdn
        f3 fnmadd.s, 0x3f800000, 0x3f800000, 0x33000000, 0xbf800000, 1, rtz
        f3 fmadd.s,  0x3f800000, 0x3f800000, 0x33800000, 0x3f800001, 1, rmm
        // zeros
        f3 fmadd.s,  0x3f800000, 0x3f800000, 0xbf800000, 0x00000000, 0
        f3 fmadd.s,  0x3f800000, 0x3f800000, 0xbf800000, 0x80000000, 0, rdn
        f3 fmsub.s,  0x3f800000, 0x3f800000, 0x3f800000, 0x00000000, 0
        f3 fnmadd.s, 0x00000000, 0x3f800000, 0x00000000, 0x80000000, 0
        f3 fnmsub.s, 0x00000000, 0x3f800000, 0x00000000, 0x00000000, 0
        f3 fmadd.s,  0x80000000, 0x3f800000, 0x80000000, 0x80000000, 0
        // the product overflows, the sum does not
        f3 fmadd.s,  0x7f000000, 0x40000000, 0xff7fffff, 0x73800000, 0
        f3 fmadd.s,  0x7f000000, 0x40000000, 0x00000000, 0x7f800000, 5
        // underflow
        f3 fmadd.s,  0x00800000, 0x33800000, 0x80000000, 0x00000000, 3
        f3 fmadd.s,  0x00800000, 0x33800000, 0x00000001, 0x00000002, 3, rup
        f3 fmadd.s,  0x00800001, 0x3f000000, 0x00000001, 0x00400002, 3
        // infinities and NaNs
        f3 fmadd.s,  0x7f800000, 0x3f800000, 0xff800000, 0x7fc00000, 0x10
        f3 fmsub.s,  0x7f800000, 0x3f800000, 0xff800000, 0x7f800000, 0
        f3 fmadd.s,  0x7f800000, 0x00000000, 0x3f800000, 0x7fc00000, 0x10
        f3 fmadd.s,  0x7f800000, 0x00000000, 0x7fc00000, 0x7fc00000, 0x10
        f3 fmadd.s,  0x3f800000, 0x00000000, 0xffc00001, 0x7fc00000, 0
        f3 fmadd.s,  0x3f800000, 0x3f800000, 0x7f800001, 0x7fc00000, 0x10
        f3 fnmadd.s, 0x3f800000, 0xff800000, 0x3f800000, 0x7f800000, 0
        // a destination that is also a source
        fload fa1, 0x40000000
        fload fa0, 0x40400000
        fmadd.s fa0, fa1, fa0, fa0
        fmv.x.w a0, fa0
        expect a0, 0x41100000
        end
