// mul, mulh, mulhu, mulhsu
#include "selfcheck.h"
        begin
        rr mul, 7, 6, 42
        rr mul, 0x12345678, 0x9abcdef0, 0x242d2080
        rr mul, 0xffffffff, 0xffffffff, 1
        rr mul, 0x80000000, 0xffffffff, 0x80000000
        rr mul, 0x00010001, 0xffff0000, 0xffff0000
        rr_same mul, 0x00010001, 0x00020001
        rr mulh, 0x12345678, 0x9abcdef0, 0xf8cc93d6
        rr mulh, 0x80000000, 0x80000000, 0x40000000
        rr mulh, 0x80000000, 0x7fffffff, 0xc0000000
        rr mulh, 0xffffffff, 0xffffffff, 0
        rr mulh, 0xffffffff, 2, 0xffffffff
        rr_same mulh, 0x7fffffff, 0x3fffffff
        rr mulhu, 0x12345678, 0x9abcdef0, 0x0b00ea4e
        rr mulhu, 0x80000000, 0x80000000, 0x40000000
        rr mulhu, 0xffffffff, 0xffffffff, 0xfffffffe
        rr mulhu, 0xffffffff, 2, 1
        rr_same mulhu, 0x7fffffff, 0x3fffffff
        rr mulhsu, 0x12345678, 0x9abcdef0, 0x0b00ea4e
        rr mulhsu, 0x9abcdef0, 0x12345678, 0xf8cc93d6
        rr mulhsu, 0x80000000, 0x80000000, 0xc0000000
        rr mulhsu, 0xffffffff, 0xffffffff, 0xffffffff
        rr mulhsu, 2, 0xffffffff, 1
        rr mulhsu, 0xffffffff, 2, 0xffffffff
        rr_same mulhsu, 0xffffffff, 0xffffffff
        end
