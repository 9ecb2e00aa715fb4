// kernels/train/train_half_row.S: see train_half_row.h; C twin: train_half_row.c. Two slots an
// element, three a zero, as a loop has three instructions at least.
#include "train_gate.inc"

.macro zeros count, end
  beqz  \count, \end
  lp_setup 0, \count, \end
  p_sh_post zero, a0, 2
  nop
  nop
\end:
.endm

  gate train_half_row           // a0 = to, a1 = from, a2 = count, a3 = stride, a4 = before, a5 = behind
  zeros a4, row_before
  srli  t0, a2, 1
  andi  a2, a2, 1
  beqz  t0, row_pairs
  lp_setup 0, t0, row_pairs
  p_lh_rrpost t1, a1, a3
  p_lh_rrpost t2, a1, a3
  p_sh_post t1, a0, 2
  p_sh_post t2, a0, 2
row_pairs:
  beqz  a2, row_odd
  lh    t1, 0(a1)
  p_sh_post t1, a0, 2
row_odd:
  zeros a5, row_done
  ret
  gate_end train_half_row
