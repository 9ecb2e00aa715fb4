// The instruction WORD with rounding mode MODE in frm (both from the command line): to be refused.
// Exit status 1 if it is not.
        .text
        .globl _start
_start: fsrmi MODE
        .word WORD
        li a0, 1
        li a7, 93
        ecall
