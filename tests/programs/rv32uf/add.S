// fadd.s, fsub.s: rounding in all modes, cancellation, signs of zero, infinities, NaNs, overflow
#include "selfcheck.h"
        begin
        f2 fadd.s, 0x3f800000, 0x40000000, 0x40400000, 0           // 1 + 2
        f2 fadd.s, 0x3f800000, 0x33800000, 0x3f800000, 1           // half an ulp: to even
        f2 fadd.s, 0x3f800001, 0x33800000, 0x3f800002, 1
        f2 fadd.s, 0x3f800000, 0x33800000, 0x3f800000, 1, rtz
        f2 fadd.s, 0x3f800000, 0x33800000, 0x3f800000, 1, rdn
        f2 fadd.s, 0x3f800000, 0x33800000, 0x3f800001, 1, rup
        f2 fadd.s, 0x3f800000, 0x33800000, 0x3f800001, 1, rmm
        f2 fadd.s, 0xbf800000, 0xb3800000, 0xbf800001, 1, rdn
        f2 fadd.s, 0xbf800000, 0xb3800000, 0xbf800000, 1, rup
        f2 fadd.s, 0xbf800000, 0xb3800000, 0xbf800001, 1, rmm
        f2 fadd.s, 0x3f800000, 0x00000001, 0x3f800001, 1, rup      // far below
        f2 fadd.s, 0x3f800000, 0x80000001, 0x3f7fffff, 1, rtz
        f2 fadd.s, 0x3f800000, 0x00000001, 0x3f800000, 1
        f2 fsub.s, 0x3f800000, 0x3f7fffff, 0x33800000, 0           // cancellation is exact
        f2 fsub.s, 0x3f800000, 0x3f800000, 0x00000000, 0
        f2 fsub.s, 0x3f800000, 0x3f800000, 0x80000000, 0, rdn
        f2 fadd.s, 0x80000000, 0x80000000, 0x80000000, 0
        f2 fadd.s, 0x00000000, 0x80000000, 0x00000000, 0
        f2 fadd.s, 0x00000000, 0x80000000, 0x80000000, 0, rdn
        f2 fsub.s, 0x80000000, 0x00000000, 0x80000000, 0
        f2 fadd.s, 0x00800000, 0x80000001, 0x007fffff, 0           // into the subnormals: exact
        f2 fadd.s, 0x007fffff, 0x00000001, 0x00800000, 0
        f2 fadd.s, 0x7f7fffff, 0x7f7fffff, 0x7f800000, 5
        f2 fadd.s, 0x7f7fffff, 0x7f7fffff, 0x7f7fffff, 5, rtz
        f2 fadd.s, 0x7f7fffff, 0x7f7fffff, 0x7f7fffff, 5, rdn
        f2 fadd.s, 0xff7fffff, 0xff7fffff, 0xff800000, 5, rdn
        f2 fadd.s, 0xff7fffff, 0xff7fffff, 0xff7fffff, 5, rup
        f2 fadd.s, 0x7f7fffff, 0x73000000, 0x7f800000, 5           // half an ulp beyond the largest
        f2 fadd.s, 0x7f7fffff, 0x72ffffff, 0x7f7fffff, 1
        f2 fadd.s, 0x7f800000, 0xff7fffff, 0x7f800000, 0
        f2 fadd.s, 0x7f800000, 0xff800000, 0x7fc00000, 0x10
        f2 fsub.s, 0xff800000, 0xff800000, 0x7fc00000, 0x10
        f2 fsub.s, 0xff800000, 0x7f800000, 0xff800000, 0
        f2 fadd.s, 0xffc12345, 0x3f800000, 0x7fc00000, 0           // quiet NaN: canonical
        f2 fadd.s, 0x3f800000, 0x7f800001, 0x7fc00000, 0x10        // signalling
        end
