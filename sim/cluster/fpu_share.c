#include "cluster/fpu_share.h"

#include <string.h>

#include "cluster/rr_tree.h"

void fpu_share_init(struct fpu_share *s, unsigned cores, unsigned units) {
  memset(s, 0, sizeof *s);
  s->cores = cores;
  s->units = units < cores ? units : cores;
  s->leaves = rr_leaves(cores);
}

void fpu_share_ask(void *self, unsigned core, unsigned latency, cycle_t cycle) {
  struct fpu_share *s = self;
  if (cycle < s->cycle)
    return;
  if (cycle > s->cycle) {
    s->cycle = cycle;
    s->asks = s->divides = s->served = 0;
    s->decided = false;
  }
  uint32_t bit = UINT32_C(1) << core;
  s->asks |= bit;
  if (latency)
    s->divides |= bit;
  s->latency[core] = (uint8_t)latency;
}

// The counter has as many bits as the tree has levels, and also stops at the number of cores.
static unsigned winner(const struct fpu_share *s, uint32_t requests, uint8_t *pointer) {
  unsigned w = rr_winner(requests, *pointer);
  unsigned next = *pointer < s->cores ? *pointer + 1U : 0;
  *pointer = (uint8_t)(next & (s->leaves - 1));
  return w;
}

static void serve_sums(struct fpu_share *s) {
  uint32_t sums = s->asks & ~s->divides, of_unit[FPU_SHARE_CORES] = {0};
  if (s->units == s->cores) {
    s->served |= sums;
    return;
  }
  unsigned k = 0;
  for (uint32_t m = sums; m; m &= m - 1)
    of_unit[k++ % s->units] |= m & -m;
  for (unsigned u = 0; u < s->units && of_unit[u]; u++)
    s->served |= UINT32_C(1) << winner(s, of_unit[u], &s->pointer[u]);
}

static void decide(struct fpu_share *s) {
  s->decided = true;
  serve_sums(s);
  if (!s->divides || s->cycle < s->divider_free)
    return;
  unsigned w = winner(s, s->divides, &s->divider_pointer);
  s->served |= UINT32_C(1) << w;
  s->divider_free = s->cycle + s->latency[w] + 1;
}

bool fpu_share_served(void *self, unsigned core, cycle_t cycle) {
  struct fpu_share *s = self;
  if (s->cycle != cycle)
    return false;
  if (!s->decided)
    decide(s);
  return s->served >> core & 1;
}
