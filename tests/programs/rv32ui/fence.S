// fence does nothing visible; fence.i makes stored code run
#include "selfcheck.h"
        begin
        fence rw, rw
        fence
        li a0, 0
        la a1, patched
        lw a2, 0(a1)
        li t5, 10
        // addi a0, a0, 1 becomes addi a0, a0, 3, then 5, ... : the immediate is in bits 31:20
1:      jalr a1
        li a3, 2<<20
        add a2, a2, a3
        sw a2, 0(a1)
        fence.i
        addi t5, t5, -1
        bnez t5, 1b
        expect a0, 100
        end
        .section .patched, "awx", @progbits
        .balign 4
        .option norvc
patched:
        addi a0, a0, 1
        ret
