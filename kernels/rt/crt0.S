// kernels/rt/crt0.S: every core starts here, at the ELF's entry, and ends in rt_exit().
//
// gp and tp are used by nobody on this platform (no small-data area, no threads), so leaf
// assembly may take them as two more scratch registers.
#include "platform.h"

  .section .text.start, "ax"
  .globl _start
  .type _start, @function
_start:
  csrr  t0, mhartid
  andi  t0, t0, 31            // hart id = cluster << 5 | core
  li    t1, 0x2000            // mstatus.FS = initial: float registers usable
  csrs  mstatus, t1
  lui   t1, %hi(__stack_size)
  addi  t1, t1, %lo(__stack_size)
  mul   t2, t0, t1
  la    sp, __stack_top       // core i: [top - (i+1)*size, top - i*size)
  sub   sp, sp, t2
  sub   t1, sp, t1
  la    t2, __l1_end
  bltu  t1, t2, no_stack
#ifdef RT_LIBC
  la    t1, __tls_size        // thread-local data of the core, above its stack
  mv    t2, sp
  sub   sp, sp, t1
  mv    tp, sp
  la    t3, __tdata_source
  la    t4, __tdata_size
  add   t4, t4, t3
  mv    t5, tp
1:bgeu  t3, t4, 2f
  lw    t6, 0(t3)
  sw    t6, 0(t5)
  addi  t3, t3, 4
  addi  t5, t5, 4
  j     1b
2:bgeu  t5, t2, 3f
  sw    zero, 0(t5)
  addi  t5, t5, 4
  j     2b
3:
#endif
  li    a7, RT_HOST_CORES
  ecall                       // a0 = cores that run
  call  rt_start              // does not return
  .size _start, . - _start

// More cores than stacks fit above the program's data in L1. There is no stack to call on.
no_stack:
  li    t1, RT_STDOUT
  slli  t0, t0, 3
  add   t1, t1, t0            // the core's own register: lines stay whole
  la    t2, no_stack_text
1:lbu   t3, 0(t2)
  beqz  t3, 2f
  sw    t3, 0(t1)
  addi  t2, t2, 1
  j     1b
2:li    t1, RT_EXIT
  li    t3, RT_EXIT_VALID | RT_STACK_ERROR
  sw    t3, 0(t1)
3:j     3b

  .section .rodata
no_stack_text:
  .asciz "rt: no room in L1 for a stack per core: fewer cores or smaller data\n"
