# int dot_u8(x, w, words)
  .globl dot_u8
dot_u8:
  mv t0, a0
  li a0, 0
  slli a2, a2, 2
  add a2, t0, a2
1:
  lbu t1, 0(t0)
  lb t2, 0(a1)
  addi t0, t0, 1
  addi a1, a1, 1
  mul t1, t1, t2
  add a0, a0, t1
  bne t0, a2, 1b
  ret
