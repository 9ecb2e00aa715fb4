// bench/expand.h: variables in a suite's text: ${name} is replaced by the value of `name`.
#ifndef BENCH_EXPAND_H
#define BENCH_EXPAND_H

#include "bench/pool.h"
#include "bench/tree.h"

enum { EXPAND_MAX = 6 };

// The variables of one case: each takes each value of its list; the combinations are counted
// through like the wheels of a mileage counter.
struct expand {
  struct pool *pool;
  size_t count;
  const char *name[EXPAND_MAX];
  node *list[EXPAND_MAX];
  size_t at[EXPAND_MAX];
  struct tree *tree;
};

void expand_begin(struct expand *e, struct pool *pool, struct tree *tree, node *over);
bool expand_next(struct expand *e); // false when all combinations have been

// A copy of `text` with the variables replaced; an unknown one is a mistake of the file.
const char *expand_text(struct expand *e, const char *text, const node *where);

#endif
