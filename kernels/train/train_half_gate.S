// kernels/train/train_half_gate.S: see train_half_gate.h; C twin: train_half_gate.c. Three slots a
// pair for ReLU, five for its gradient, four for a mask: two pairs a pass, so that no load is waited
// for.
#include "train_gate.inc"
#include "train_half.inc"

  gate train_half_relu          // a0 = x, a1 = words
  srli  t3, a1, 1
  andi  a1, a1, 1
  beqz  t3, relu_odd
  lp_setup 0, t3, relu_odd
  lw    t0, 0(a0)
  lw    t1, 4(a0)
  pv_max_sci_h t0, t0, 0
  pv_max_sci_h t1, t1, 0
  p_sw_post t0, a0, 4
  p_sw_post t1, a0, 4
relu_odd:
  beqz  a1, relu_done
  lw    t0, 0(a0)
  pv_max_sci_h t0, t0, 0
  sw    t0, 0(a0)
relu_done:
  ret
  gate_end train_half_relu

  gate train_half_gate          // a0 = x, a1 = out, a2 = words
  srli  t3, a2, 1
  andi  a2, a2, 1
  beqz  t3, gate_odd
  lp_setup 0, t3, gate_odd
  p_lw_post t0, a1, 4
  p_lw_post t1, a1, 4
  lw    t4, 0(a0)
  lw    t5, 4(a0)
  pv_cmpgt_sci_h t0, t0, 0
  pv_cmpgt_sci_h t1, t1, 0
  and   t4, t4, t0
  and   t5, t5, t1
  p_sw_post t4, a0, 4
  p_sw_post t5, a0, 4
gate_odd:
  beqz  a2, gate_done
  lw    t0, 0(a1)
  lw    t4, 0(a0)
  pv_cmpgt_sci_h t0, t0, 0
  and   t4, t4, t0
  sw    t4, 0(a0)
gate_done:
  ret
  gate_end train_half_gate

  gate train_half_mask          // a0 = x, a1 = out, a2 = pair, a3 = words
  srli  t3, a3, 1
  andi  a3, a3, 1
  beqz  t3, mask_odd
  lp_setup 0, t3, mask_odd
  p_lw_post t0, a1, 4
  p_lw_post t1, a1, 4
  pv_cmpgt_sci_h t0, t0, 0
  pv_cmpgt_sci_h t1, t1, 0
  and   t0, t0, a2
  and   t1, t1, a2
  p_sw_post t0, a0, 4
  p_sw_post t1, a0, 4
mask_odd:
  beqz  a3, mask_done
  lw    t0, 0(a1)
  pv_cmpgt_sci_h t0, t0, 0
  and   t0, t0, a2
  sw    t0, 0(a0)
mask_done:
  ret
  gate_end train_half_mask

// a0 = x, a1 = words; two slots a pair, and one for the pointer of two
.macro sum T, one
  gate train_half_sum_\T
  fmv.w.x f10, x0
  fmv.w.x f11, x0
  li    t0, \one * 0x10001
  fmv.w.x f0, t0
  srli  t3, a1, 1
  andi  a1, a1, 1
  beqz  t3, odd_\T
  lp_setup 0, t3, odd_\T
  flw   f12, 0(a0)
  flw   f13, 4(a0)
  addi  a0, a0, 8
  dot_\T 10, 12, 0
  dot_\T 11, 13, 0
odd_\T:
  beqz  a1, done_\T
  flw   f12, 0(a0)
  dot_\T 10, 12, 0
done_\T:
  fadd.s f10, f10, f11
  ret
  gate_end train_half_sum_\T
.endm
  sum h, 0x3c00
  sum ah, 0x3f80
