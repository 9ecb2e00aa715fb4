// fmin.s, fmax.s, fsgnj.s, fsgnjn.s, fsgnjx.s, fclass.s
#include "selfcheck.h"

.macro class bits, want
        fload fa1, \bits
        fsflags zero
        fclass.s a0, fa1
        expect a0, \want
        frflags t5
        expect t5, 0
.endm
        begin
        f2n fmin.s, 0x3f800000, 0x40000000, 0x3f800000
        f2n fmin.s, 0x40000000, 0x3f800000, 0x3f800000
        f2n fmin.s, 0xbf800000, 0xc0000000, 0xc0000000
        f2n fmax.s, 0x3f800000, 0x40000000, 0x40000000
        f2n fmax.s, 0xbf800000, 0xc0000000, 0xbf800000
        f2n fmin.s, 0x00000000, 0x80000000, 0x80000000
        f2n fmin.s, 0x80000000, 0x00000000, 0x80000000
        f2n fmax.s, 0x00000000, 0x80000000, 0x00000000
        f2n fmax.s, 0x80000000, 0x00000000, 0x00000000
        f2n fmin.s, 0xff800000, 0x00000001, 0xff800000
        f2n fmax.s, 0x7f800000, 0x7f7fffff, 0x7f800000
        f2n fmin.s, 0x7fc00001, 0x3f800000, 0x3f800000
        f2n fmax.s, 0x3f800000, 0xffc00001, 0x3f800000
        f2n fmin.s, 0x7f800001, 0x3f800000, 0x3f800000, 0x10
        f2n fmax.s, 0x3f800000, 0x7f800001, 0x3f800000, 0x10
        f2n fmin.s, 0xffc12345, 0x7fc00000, 0x7fc00000
        f2n fmax.s, 0xff812345, 0x7fc00000, 0x7fc00000, 0x10
        f2n fsgnj.s,  0x3f800000, 0xc0000000, 0xbf800000
        f2n fsgnj.s,  0xbf800000, 0x40000000, 0x3f800000
        f2n fsgnjn.s, 0x3f800000, 0xc0000000, 0x3f800000
        f2n fsgnjn.s, 0x3f800000, 0x40000000, 0xbf800000
        f2n fsgnjx.s, 0xbf800000, 0xc0000000, 0x3f800000
        f2n fsgnjx.s, 0x3f800000, 0xc0000000, 0xbf800000
        f2n fsgnj.s,  0x7f812345, 0x80000000, 0xff812345  // signalling NaNs pass as they are
        f2n fsgnjn.s, 0xffc12345, 0xff800001, 0x7fc12345
        f2n fsgnjx.s, 0x80000000, 0xffffffff, 0x00000000
        class 0xff800000, 0x001
        class 0xc0490fdb, 0x002
        class 0x80800000, 0x002
        class 0x807fffff, 0x004
        class 0x80000000, 0x008
        class 0x00000000, 0x010
        class 0x00000001, 0x020
        class 0x00800000, 0x040
        class 0x7f7fffff, 0x040
        class 0x7f800000, 0x080
        class 0x7f800001, 0x100
        class 0xffbfffff, 0x100
        class 0x7fc00000, 0x200
        class 0xffffffff, 0x200
        end
