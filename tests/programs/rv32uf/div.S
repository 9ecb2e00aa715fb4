// fdiv.s, fsqrt.s
#include "selfcheck.h"
        begin
        f2 fdiv.s, 0x40c00000, 0x40000000, 0x40400000, 0           // 6 / 2
        f2 fdiv.s, 0x3f800000, 0x40400000, 0x3eaaaaab, 1           // 1 / 3
        f2 fdiv.s, 0x3f800000, 0x40400000, 0x3eaaaaaa, 1, rtz
        f2 fdiv.s, 0xbf800000, 0x40400000, 0xbeaaaaab, 1, rdn
        f2 fdiv.s, 0xbf800000, 0x40400000, 0xbeaaaaaa, 1, rup
        f2 fdiv.s, 0x3f800000, 0x40400000, 0x3eaaaaab, 1, rmm
        f2 fdiv.s, 0x3f800000, 0x00000000, 0x7f800000, 8
        f2 fdiv.s, 0xbf800000, 0x00000000, 0xff800000, 8
        f2 fdiv.s, 0x00000000, 0x80000000, 0x7fc00000, 0x10
        f2 fdiv.s, 0x7f800000, 0xff800000, 0x7fc00000, 0x10
        f2 fdiv.s, 0x7f800000, 0x80000000, 0xff800000, 0
        f2 fdiv.s, 0xbf800000, 0x7f800000, 0x80000000, 0
        f2 fdiv.s, 0x80000000, 0x3f800000, 0x80000000, 0
        f2 fdiv.s, 0x7f7fffff, 0x3f000000, 0x7f800000, 5
        f2 fdiv.s, 0x00800000, 0x40000000, 0x00400000, 0
        f2 fdiv.s, 0x00800001, 0x40000000, 0x00400000, 3
        f2 fdiv.s, 0x00000001, 0x7f7fffff, 0x00000000, 3
        f2 fdiv.s, 0x00000001, 0x7f7fffff, 0x00000001, 3, rup
        f2 fdiv.s, 0x3f800000, 0x00000001, 0x7f800000, 5
        f2 fdiv.s, 0x7f800001, 0x3f800000, 0x7fc00000, 0x10
        f2 fdiv.s, 0x3f800000, 0xffffffff, 0x7fc00000, 0
        f1 fsqrt.s, 0x40800000, 0x40000000, 0
        f1 fsqrt.s, 0x40000000, 0x3fb504f3, 1
        f1 fsqrt.s, 0x40000000, 0x3fb504f4, 1, rup
        f1 fsqrt.s, 0x40400000, 0x3fddb3d7, 1
        f1 fsqrt.s, 0x40400000, 0x3fddb3d7, 1, rtz
        f1 fsqrt.s, 0x00000001, 0x1a3504f3, 1                      // 2^-149
        f1 fsqrt.s, 0x00000004, 0x1ab504f3, 1
        f1 fsqrt.s, 0x7f7fffff, 0x5f7fffff, 1
        f1 fsqrt.s, 0x7f7fffff, 0x5f800000, 1, rup
        f1 fsqrt.s, 0x80000000, 0x80000000, 0
        f1 fsqrt.s, 0x7f800000, 0x7f800000, 0
        f1 fsqrt.s, 0xbf800000, 0x7fc00000, 0x10
        f1 fsqrt.s, 0x80000001, 0x7fc00000, 0x10
        f1 fsqrt.s, 0xff800000, 0x7fc00000, 0x10
        f1 fsqrt.s, 0xff800001, 0x7fc00000, 0x10
        f1 fsqrt.s, 0xffc00001, 0x7fc00000, 0
        end
