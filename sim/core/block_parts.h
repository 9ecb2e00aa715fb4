// sim/core/block_parts.h: the parts of block.h's implementation: block.c decodes, block_time.c
// folds.
#ifndef PULPSIM_BLOCK_PARTS_H
#define PULPSIM_BLOCK_PARTS_H

#include "cluster/icache_front.h"
#include "core/block.h"
#include "core/loop_table.h"
#include "core/prefetch_ri5cy.h"
#include "engine/limit.h"

enum { HASH_SIZE = LIMIT(4096, 2), IRREGULAR_HASH_SIZE = LIMIT(512, 2) };

struct block_cache {
  const struct isa_decoder *decoder;
  enum core_model model;
  struct fold *fold;
  struct code_source source;
  bool observed;
  bool runs_of_fetch; // some run of the code so far is one of the fetch, see struct block
  uint32_t built;     // so many times a block was built, see block_known()
  struct block *hash[HASH_SIZE];
  struct block *irregular[IRREGULAR_HASH_SIZE]; // those of block_irregular()
  struct block *all;                            // through `older`
  struct loop_table loops;
};

// RI5CY: a cache, which `front` is of, certainly lacks some of the line that `b` begins, or of
// what is fetched behind. NULL: there is no cache.
static inline bool block_misses(const struct block *b, const struct icache_front *front) {
  if (!front)
    return false;
  uint32_t first = b->pc >> front->line_shift;
  uint32_t last = (prefetch_ri5cy_reach(b->run_end) - 1) >> front->line_shift;
  return icache_front_covers(front, first) && icache_front_covers(front, last) &&
         !icache_front_holds_all(front, first, last);
}

static inline enum isa_class block_class(const struct uop *u) {
  return (enum isa_class)isa_ops[u->op].cls;
}

// Size of the instruction at a jump's target; 2 where it cannot be read, as of the zeros that the
// fetch finds there.
unsigned block_size_at(struct block_cache *cache, uint32_t pc);

// As far as it matters to the time of a jump to `pc`, the instruction there: a jalr may wait for a
// register, of any other only the size is felt.
uint32_t block_landing(struct block_cache *cache, uint32_t pc);

// Folds the time within a block whose micro-operations are complete: what each instruction waits
// for in ID, the way of a jump or branch to its target, what a jump hides.
void block_fold(struct block_cache *cache, struct block *b);

// A block like `b`, which nobody finds.
struct block *block_copy(struct block_cache *cache, const struct block *b);

// See block_reach().
uint32_t block_fold_reach(struct block_cache *cache, const struct block *b);

#endif
