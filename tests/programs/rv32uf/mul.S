// fmul.s: rounding, underflow before and after rounding, overflow, zeros, infinities, NaNs
#include "selfcheck.h"
        begin
        f2 fmul.s, 0x40400000, 0xc0a00000, 0xc1700000, 0           // 3 * -5
        f2 fmul.s, 0x3f800001, 0x3f800001, 0x3f800002, 1
        f2 fmul.s, 0x3f800001, 0x3f800001, 0x3f800003, 1, rup
        f2 fmul.s, 0x3fc00000, 0x3f800001, 0x3fc00002, 1           // a tie: to even
        f2 fmul.s, 0x3fc00000, 0x3f800001, 0x3fc00001, 1, rtz
        f2 fmul.s, 0x3fc00000, 0x3f800003, 0x3fc00004, 1
        f2 fmul.s, 0x3fc00000, 0x3f800003, 0x3fc00005, 1, rmm
        f2 fmul.s, 0x00800000, 0x3f000000, 0x00400000, 0           // subnormal and exact
        f2 fmul.s, 0x00800001, 0x3f000000, 0x00400000, 3
        f2 fmul.s, 0x00800001, 0x3f000000, 0x00400001, 3, rup
        f2 fmul.s, 0x00000001, 0x3f000000, 0x00000000, 3
        f2 fmul.s, 0x00000001, 0x3f000000, 0x00000001, 3, rup
        f2 fmul.s, 0x80000001, 0x3f000000, 0x80000001, 3, rmm
        f2 fmul.s, 0x00000003, 0x3f000000, 0x00000002, 3
        // rounds up to the least normal number: tiny or not depends on the bits beyond
        f2 fmul.s, 0x00ffffff, 0x3f000000, 0x00800000, 3
        f2 fmul.s, 0x3f7fffff, 0x00800000, 0x00800000, 3
        f2 fmul.s, 0x3f7fffff, 0x00800001, 0x00800000, 1
        f2 fmul.s, 0x7f000000, 0x40000000, 0x7f800000, 5
        f2 fmul.s, 0x7f000000, 0x40000000, 0x7f7fffff, 5, rtz
        f2 fmul.s, 0x7f000000, 0xc0000000, 0xff7fffff, 5, rup
        f2 fmul.s, 0x00000000, 0xbf800000, 0x80000000, 0
        f2 fmul.s, 0x7f800000, 0xbf800000, 0xff800000, 0
        f2 fmul.s, 0x7f800000, 0x00000000, 0x7fc00000, 0x10
        f2 fmul.s, 0x80000000, 0xff800000, 0x7fc00000, 0x10
        f2 fmul.s, 0x7fc54321, 0x00000000, 0x7fc00000, 0
        f2 fmul.s, 0xff800001, 0x7fc00000, 0x7fc00000, 0x10
        end
