// slt, sltu, slti, sltiu
#include "selfcheck.h"
        begin
        rr slt,  3, 7, 1
        rr slt,  7, 3, 0
        rr slt,  0x80000000, 0x7fffffff, 1
        rr slt,  0x7fffffff, 0x80000000, 0
        rr slt,  -1, 0, 1
        rr_same slt, 0x80000000, 0
        rr sltu, 3, 7, 1
        rr sltu, 0x80000000, 0x7fffffff, 0
        rr sltu, 0x7fffffff, 0x80000000, 1
        rr sltu, 0, 0xffffffff, 1
        rr_same sltu, 0xffffffff, 0
        ri slti,  5, 6, 1
        ri slti,  5, 5, 0
        ri slti,  0x80000000, -2048, 1
        ri slti,  -2049, -2048, 1
        ri slti,  5, -1, 0
        ri sltiu, 5, 6, 1
        ri sltiu, 5, -1, 1           // the immediate is sign-extended, then unsigned
        ri sltiu, 0xffffffff, -1, 0
        ri sltiu, 0xfffff7ff, -2048, 1
        ri sltiu, 0, 1, 1            // seqz
        end
