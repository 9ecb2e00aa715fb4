// Quick executors for any host, and the choice among those for this one.
#define QUICK(name) quick_##name
#include "core/exec_quick.h"

#include "core/exec_host.h"

// NULL: there is none.
static const struct quick *quick_of(const struct uop *u) {
  enum isa_class cls = isa_ops[u->op].cls;
  bool rounds = cls == ISA_CLASS_FP_ADDMUL || cls == ISA_CLASS_FP_DOTP;
  if (rounds && u->imm2 != FP_DYN)
    return NULL;
  const struct quick *q =
      exec_host_has_avx2() && avx2_table[u->op].one ? &avx2_table[u->op] : &quick_table[u->op];
  return q->one ? q : NULL;
}

// Whether four in a row have one second operand, which none but the last may write.
static bool is_column(const struct uop *u) {
  for (unsigned i = 1; i < 4; i++)
    if (u[i].rs2 != u->rs2 || u[i - 1].rd == u->rs2)
      return false;
  return true;
}

// The first of several executes all of them. The others are quick, too, if only in name: none of
// them says what it has computed (exec_forward()).
static unsigned quicken(struct uop *u, unsigned length) {
  const struct quick *q = quick_of(u);
  if (!q)
    return 1;
  unsigned same = 1;
  while (same < length && same < 4 && quick_of(&u[same]) == q)
    same++;
  if (!q->two || same < 2) {
    u->exec = q->one;
    return 1;
  }
  for (unsigned i = 1; i < same; i++)
    u[i].exec = q->one;
  if (same < 4) {
    u->exec = q->two;
    return 2;
  }
  u->exec = is_column(u) ? q->column : q->four;
  return 4;
}

void exec_choose_quick(struct uop *u, unsigned length) {
  for (unsigned i = 0; i < length;)
    i += quicken(&u[i], length - i);
}
