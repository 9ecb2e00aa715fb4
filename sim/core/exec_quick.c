// Quick executors for any host, and the choice among those for this one.
#define QUICK(name) quick_##name
#define QUICK_DOTS  0
#include "core/exec_quick.h"

#include <stdlib.h>

// PULPSIM_PORTABLE in the environment keeps to the instructions that every host has.
static bool host_has_avx2(void) {
#if defined __x86_64__ && defined __GNUC__
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
         __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
         !getenv("PULPSIM_PORTABLE");
#else
  return false;
#endif
}

uop_exec *exec_quick_function(const struct uop *u) {
  static int avx2 = -1;
  if (avx2 < 0)
    avx2 = host_has_avx2();
  enum isa_class cls = isa_ops[u->op].cls;
  bool rounds = cls == ISA_CLASS_FP_ADDMUL || cls == ISA_CLASS_FP_DOTP;
  if (u->flags & UOP_BOUNDARY || (rounds && u->imm2 != FP_DYN))
    return NULL;
  return avx2 && avx2_table[u->op] ? avx2_table[u->op] : quick_table[u->op];
}
