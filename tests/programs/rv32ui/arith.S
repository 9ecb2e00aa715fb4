// add, sub, addi, lui, auipc
#include "selfcheck.h"
        begin
        rr add, 3, 7, 10
        rr add, 0x7fffffff, 1, 0x80000000
        rr add, 0xffffffff, 0x80000000, 0x7fffffff
        rr add, 0x12345678, 0x9abcdef0, 0xacf13568
        rr_same add, 0x40000001, 0x80000002
        rr sub, 3, 7, -4
        rr sub, 0x80000000, 1, 0x7fffffff
        rr sub, 0, 0x80000000, 0x80000000
        rr_same sub, 0x12345678, 0
        ri addi, 5, 2047, 2052
        ri addi, 5, -2048, -2043
        ri addi, 0x7fffffff, 1, 0x80000000
        lui a0, 0x12345
        expect a0, 0x12345000
        lui a0, 0xfffff
        expect a0, 0xfffff000
        lui a0, 0x80000
        expect a0, 0x80000000
        // auipc twice, four bytes apart, differ by four and by the upper immediate
        .option push
        .option norvc
        auipc a1, 0
        auipc a2, 0x7f
        .option pop
        sub a0, a2, a1
        expect a0, 0x7f004
        .option push
        .option norvc
        auipc a1, 0
        auipc a2, 0xfffff
        .option pop
        sub a0, a1, a2
        expect a0, 0xffc
        // x0 stays zero
        li a1, 17
        add zero, a1, a1
        addi zero, a1, 3
        lui zero, 0x55555
        expect zero, 0
        end
