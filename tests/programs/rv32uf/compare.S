// feq.s (quiet), flt.s, fle.s (signalling)
#include "selfcheck.h"
        begin
        fx2 feq.s, 0x3f800000, 0x3f800000, 1, 0
        fx2 feq.s, 0x3f800000, 0x3f800001, 0, 0
        fx2 feq.s, 0x00000000, 0x80000000, 1, 0
        fx2 feq.s, 0x7f800000, 0xff800000, 0, 0
        fx2 feq.s, 0x7fc00000, 0x7fc00000, 0, 0
        fx2 feq.s, 0x7f800001, 0x3f800000, 0, 0x10
        fx2 flt.s, 0x3f800000, 0x3f800001, 1, 0
        fx2 flt.s, 0x3f800001, 0x3f800000, 0, 0
        fx2 flt.s, 0xbf800000, 0xbf800001, 0, 0
        fx2 flt.s, 0xbf800001, 0xbf800000, 1, 0
        fx2 flt.s, 0x80000000, 0x00000000, 0, 0
        fx2 flt.s, 0x80000001, 0x00000001, 1, 0
        fx2 flt.s, 0xff800000, 0x7f800000, 1, 0
        fx2 flt.s, 0x7fc00000, 0x3f800000, 0, 0x10
        fx2 flt.s, 0x3f800000, 0x7f800001, 0, 0x10
        fx2 fle.s, 0x3f800000, 0x3f800000, 1, 0
        fx2 fle.s, 0x3f800001, 0x3f800000, 0, 0
        fx2 fle.s, 0x00000000, 0x80000000, 1, 0
        fx2 fle.s, 0x7f800000, 0x7f800000, 1, 0
        fx2 fle.s, 0x7f800000, 0x7f7fffff, 0, 0
        fx2 fle.s, 0xffc00000, 0xffc00000, 0, 0x10
        fx2 fle.s, 0x7f812345, 0x3f800000, 0, 0x10
        end
