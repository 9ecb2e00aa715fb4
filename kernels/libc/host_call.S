// kernels/libc/host_call.S: int host_call(int number, int a, int b, int c).
  .text
  .globl host_call
  .type host_call, @function
host_call:
  mv    a7, a0
  mv    a0, a1
  mv    a1, a2
  mv    a2, a3
  ecall
  ret
  .size host_call, . - host_call
