// and, or, xor, andi, ori, xori
#include "selfcheck.h"
        begin
        rr and, 0xff00ff00, 0x0f0f0f0f, 0x0f000f00
        rr or,  0xff00ff00, 0x0f0f0f0f, 0xff0fff0f
        rr xor, 0xff00ff00, 0x0f0f0f0f, 0xf00ff00f
        rr and, 0x12345678, 0, 0
        rr or,  0x12345678, 0, 0x12345678
        rr xor, 0x12345678, 0xffffffff, 0xedcba987
        rr_same and, 0xa5a5a5a5, 0xa5a5a5a5
        rr_same or,  0xa5a5a5a5, 0xa5a5a5a5
        rr_same xor, 0xa5a5a5a5, 0
        ri andi, 0xff00ff00, 0x70f, 0x700
        ri andi, 0xff00ff00, -241, 0xff00ff00
        ri ori,  0xff00ff00, 0x0f0, 0xff00fff0
        ri ori,  0x0f0f0f0f, -2048, 0xffffff0f
        ri xori, 0xff00ff00, 0x7ff, 0xff00f8ff
        ri xori, 0x12345678, -1, 0xedcba987
        end
