// Quick executors for any host, and the choice among those for this one.
#define QUICK(name) quick_##name
#include "core/exec_quick.h"

#include "isa/host_cpu.h"

// NULL: there is none.
static uop_exec *quick_of(const struct uop *u) {
  enum isa_class cls = isa_ops[u->op].cls;
  bool rounds = cls == ISA_CLASS_FP_ADDMUL || cls == ISA_CLASS_FP_DOTP;
  if (rounds && u->imm2 != FP_DYN)
    return NULL;
  return host_cpu_has_avx2() && avx2_table[u->op] ? avx2_table[u->op] : quick_table[u->op];
}

void exec_choose_quick(struct uop *u, unsigned length) {
  for (unsigned i = 0; i < length; i++)
    if (quick_of(&u[i]))
      u[i].exec = quick_of(&u[i]);
}
