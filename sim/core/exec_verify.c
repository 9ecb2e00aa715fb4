#include "core/exec_verify.h"

#include <stdlib.h>

#include "core/block_parts.h"
#include "core/loop_exit.h"
#include "engine/limit.h"
#include "engine/out_of_memory.h"

void exec_list(struct core *c, struct block *b) {
  uint32_t bit = UINT32_C(1) << c->index;
  if (b->listed & bit)
    return;
  b->listed |= bit;
  if (c->dirty_count == c->dirty_room) {
    unsigned room = c->dirty_room ? 2 * c->dirty_room : LIMIT(256, 1);
    c->dirty = must_have(realloc(c->dirty, room * sizeof *c->dirty));
    c->dirty_room = room;
  }
  c->dirty[c->dirty_count++] = b;
}

static const uint32_t no_epoch = UINT32_MAX - 1;

void exec_clock_next(struct core *c) {
  c->clock_next = true;
  c->code_epoch = &no_epoch; // so that the next block is looked at
}

void exec_settle(struct core *c) {
  c->settles = true;
  if (c->phase == CORE_CLOCKED)
    return;
  c->clock_at_jump = true;
  c->code_epoch = &no_epoch;
}

void exec_unsettle(struct core *c) {
  if (c->clock_at_jump && !c->clock_next)
    c->code_epoch = c->cache_epoch;
  c->settles = c->clock_at_jump = false;
}

// A core runs folded only where no instruction fetch can miss. That is so in runs that its private
// cache holds whole: then it is behind a redirection that the cycle model takes over, where the
// state of the fetch is known, not in the middle of a line, where that depends on every wait since.
static bool run_is_resident(struct core *c, struct block *b) {
  uint32_t start = b->pc;
  uint32_t reach =
      c->model == CORE_CV32E40P ? prefetch_reach(b->run_end) : prefetch_ri5cy_reach(b->run_end);
  struct loop_starts loops = {.first = UINT32_MAX};
  if (b->run_loops)
    loops = block_loop_starts(c->blocks, b, c->index);
  if (loops.first < start)
    start = loops.first;
  // A loop that leads elsewhere is not a run.
  if (b->run_irregular || loops.last > b->run_last ||
      !c->host->resident(c->host->self, c, start, reach))
    return false;
  return loops.first > loops.last || !loop_exit_is_unknown(c, b) ||
         exec_verify_wide(c, block_find(c->blocks, b->run_end));
}

static bool is_clocked_next(const struct core *c) {
  return c->clock_next || (c->clock_at_jump ? c->always_clocked : core_stays_clocked(c));
}

bool exec_verify_wide(struct core *c, struct block *b) {
  if (is_clocked_next(c))
    return false;
  if (b->wide[c->index] == *c->cache_epoch)
    return true;
  if (b->irregular || b->run_of_fetch)
    return false;
  if (c->host->resident && !run_is_resident(c, b))
    return false;
  exec_list(c, b);
  b->wide[c->index] = *c->cache_epoch;
  if (!b->ends_at_once)
    b->verified[c->index] = *c->cache_epoch;
  return true;
}

// Or, if a block is entered by a redirection, as long as none of its accesses waits: then the state
// of the fetch is known throughout, and what it asks for is known in advance.
bool exec_verify(struct core *c, struct block *b) {
  if (b->ends_at_once)
    return false;
  if (exec_verify_wide(c, b))
    return true;
  if (is_clocked_next(c) || b->irregular || !c->host->resident)
    return false;
  uint32_t reach = block_reach(c->blocks, b);
  if (reach == BLOCK_REACHES_ANYWHERE || !c->host->resident(c->host->self, c, b->pc, reach))
    return false;
  exec_list(c, b);
  b->verified[c->index] = *c->cache_epoch;
  return true;
}

// What waits in front of a jump lets the fetch get ahead.
static bool has_waited_lately(const struct core *c, cycle_t t) {
  enum { LATELY = 8 };
  const struct wait *w = core_last_wait(c, 0);
  cycle_t end = w->valid > w->grant ? w->valid : w->grant;
  if (w->since + w->hold > end)
    end = w->since + w->hold;
  return t < end + LATELY;
}

bool exec_settles_at(struct core *c, struct block *b, cycle_t t) {
  return !has_waited_lately(c, t) || !exec_verify(c, b);
}

bool exec_must_be_clocked(struct core *c, struct block *b) {
  return !exec_verify_wide(c, b);
}
