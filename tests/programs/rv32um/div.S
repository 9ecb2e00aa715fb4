// div, divu, rem, remu, with division by zero and the overflow of the least number over -1
#include "selfcheck.h"
        begin
        rr div,  20, 6, 3
        rr div,  -20, 6, -3
        rr div,  20, -6, -3
        rr div,  -20, -6, 3
        rr div,  0x80000000, 1, 0x80000000
        rr div,  0x80000000, -1, 0x80000000
        rr div,  0x80000000, 3, 0xd5555556
        rr div,  0x7fffffff, 0x80000000, 0
        rr div,  17, 0, -1
        rr div,  0x80000000, 0, -1
        rr div,  0, 0, -1
        rr_same div, -77, 1
        rr divu, 20, 6, 3
        rr divu, -20, 6, 0x2aaaaaa7
        rr divu, 20, -6, 0
        rr divu, 0xffffffff, 0x80000000, 1
        rr divu, 0x80000000, 0xffffffff, 0
        rr divu, 0xffffffff, 1, 0xffffffff
        rr divu, 17, 0, 0xffffffff
        rr divu, 0, 0, 0xffffffff
        rr rem,  20, 6, 2
        rr rem,  -20, 6, -2
        rr rem,  20, -6, 2
        rr rem,  -20, -6, -2
        rr rem,  0x80000000, -1, 0
        rr rem,  0x80000000, 3, -2
        rr rem,  0x7fffffff, 0x80000000, 0x7fffffff
        rr rem,  17, 0, 17
        rr rem,  0x80000000, 0, 0x80000000
        rr_same rem, -77, 0
        rr remu, 20, 6, 2
        rr remu, -20, 6, 2
        rr remu, 20, -6, 20
        rr remu, 0xffffffff, 0x80000000, 0x7fffffff
        rr remu, 0x80000000, 0xffffffff, 0x80000000
        rr remu, 17, 0, 17
        rr remu, 0, 0, 0
        end
