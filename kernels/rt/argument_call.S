// kernels/rt/argument_call.S: the host call behind rt_argument(), see argument.c.
#include "platform.h"

  .text
  .balign 4
  .globl rt_argument_call
  .type rt_argument_call, @function
rt_argument_call:
  li    a7, RT_HOST_ARGUMENT
  ecall
  ret
