// kernels/train/train_gate.S: see train_gate.h; C twin: train_gate.c. Three slots an element for
// ReLU and bias, five for the gradient, four for the mask: two elements a pass of a hardware loop (four
// of the mask), so that no load is waited for.
#include "train_gate.inc"

  gate train_gate_relu          // a0 = x, a1 = rows, a2 = columns, a3 = step
  slli  t2, a2, 2
  sub   a3, a3, t2              // from the end of a row to the next
  srli  t3, a2, 1
  andi  a2, a2, 1
relu_row:
  beqz  t3, relu_odd
  lp_setup 0, t3, relu_odd
  lw    t0, 0(a0)
  lw    t1, 4(a0)
  p_max t0, t0, x0
  p_max t1, t1, x0
  p_sw_post t0, a0, 4
  p_sw_post t1, a0, 4
relu_odd:
  addi  a1, a1, -1
  beqz  a2, relu_next
  lw    t0, 0(a0)
  p_max t0, t0, x0
  p_sw_post t0, a0, 4
relu_next:
  add   a0, a0, a3
  bnez  a1, relu_row
  ret
  gate_end train_gate_relu

  gate train_gate_grad          // a0 = x, a1 = out, a2 = rows, a3 = columns, a4 = step
  slli  t2, a3, 2
  sub   a4, a4, t2
  srli  t3, a3, 1
  andi  a3, a3, 1
grad_row:
  beqz  t3, grad_odd
  lp_setup 0, t3, grad_odd
  p_lw_post t0, a1, 4
  p_lw_post t1, a1, 4
  lw    t4, 0(a0)
  lw    t5, 4(a0)
  slt   t0, x0, t0
  slt   t1, x0, t1
  mul   t4, t4, t0
  mul   t5, t5, t1
  p_sw_post t4, a0, 4
  p_sw_post t5, a0, 4
grad_odd:
  addi  a2, a2, -1
  beqz  a3, grad_next
  p_lw_post t0, a1, 4
  lw    t4, 0(a0)
  slt   t0, x0, t0
  mul   t4, t4, t0
  p_sw_post t4, a0, 4
grad_next:
  add   a0, a0, a4
  add   a1, a1, a4
  bnez  a2, grad_row
  ret
  gate_end train_gate_grad

  gate train_gate_bias          // a0 = x, a1 = bias, a2 = rows, a3 = columns, a4 = step
  slli  t2, a3, 2
  sub   a4, a4, t2
  srli  t3, a3, 1
  andi  a3, a3, 1
bias_row:
  flw   ft2, 0(a1)
  addi  a1, a1, 4
  beqz  t3, bias_odd
  lp_setup 0, t3, bias_odd
  flw   ft0, 0(a0)
  flw   ft1, 4(a0)
  fadd.s ft0, ft0, ft2
  fadd.s ft1, ft1, ft2
  fsw   ft0, 0(a0)
  fsw   ft1, 4(a0)
  addi  a0, a0, 8
bias_odd:
  addi  a2, a2, -1
  beqz  a3, bias_next
  flw   ft0, 0(a0)
  fadd.s ft0, ft0, ft2
  fsw   ft0, 0(a0)
  addi  a0, a0, 4
bias_next:
  add   a0, a0, a4
  bnez  a2, bias_row
  ret
  gate_end train_gate_bias

  gate train_gate_mask          // a0 = x, a1 = out, fa0 = value, a2 = count
  fmv.x.w a3, fa0
  srli  t6, a2, 2
  andi  a2, a2, 3
  beqz  t6, mask_few
  lp_setup 0, t6, mask_few
  p_lw_post t0, a1, 4
  p_lw_post t1, a1, 4
  p_lw_post t2, a1, 4
  p_lw_post t3, a1, 4
  slt   t0, x0, t0
  slt   t1, x0, t1
  slt   t2, x0, t2
  slt   t3, x0, t3
  mul   t0, t0, a3
  mul   t1, t1, a3
  mul   t2, t2, a3
  mul   t3, t3, a3
  p_sw_post t0, a0, 4
  p_sw_post t1, a0, 4
  p_sw_post t2, a0, 4
  p_sw_post t3, a0, 4
mask_few:
  beqz  a2, mask_end
  addi  a2, a2, -1
  p_lw_post t0, a1, 4
  slt   t0, x0, t0
  mul   t0, t0, a3
  p_sw_post t0, a0, 4
  j     mask_few
mask_end:
  ret
  gate_end train_gate_mask
