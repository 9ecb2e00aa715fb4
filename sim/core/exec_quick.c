// Quick executors for any host, and the choice among those for this one.
#define QUICK(name) quick_##name
#include "core/exec_quick.h"

#include "isa/host_cpu.h"

void exec_choose_quick(struct uop *u, unsigned length) {
  for (; length > 0; length--, u++) {
    enum isa_class cls = isa_ops[u->op].cls;
    bool rounds = cls == ISA_CLASS_FP_ADDMUL || cls == ISA_CLASS_FP_DOTP;
    uop_exec *quick = host_cpu_has_avx2() ? avx2_table[u->op] : NULL;
    if (!quick)
      quick = quick_table[u->op];
    if (quick && (!rounds || u->imm2 == FP_DYN))
      u->exec = quick;
  }
}
