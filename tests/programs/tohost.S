// A program as test suites make them: it prints through `tohost`, writes a signature, and ends by an
// ecall whose handler, 4-byte aligned, stores STATUS << 1 | 1 there.
        .section .text.init, "ax"
        .globl _start
_start: j begin
        .balign 4
handler:
        li t0, STATUS << 1 | 1
1:      la t1, tohost
        sw t0, 0(t1)
        sw zero, 4(t1)
        j 1b
begin:  la t0, handler
        csrw mtvec, t0
        la t0, call
        la t1, tohost
        sw t0, 0(t1)
        la t1, fromhost
1:      lw t2, 0(t1)            // the host has answered
        beqz t2, 1b
        la t0, call             // ... with the length
        lw t2, 0(t0)
        la t0, begin_signature
        sw t2, 0(t0)
        ecall
        unimp

        .section .tohost, "aw"
        .balign 64
        .globl tohost, fromhost
tohost: .dword 0
        .balign 64
fromhost:
        .dword 0

        .data
        .balign 64
call:   .dword 64, 1, text, 6, 0, 0, 0, 0 // write
text:   .ascii "hello\n"
        .balign 16
        .globl begin_signature, end_signature
begin_signature:
        .word 0, 0xcafe0123, 0, 0
end_signature:
