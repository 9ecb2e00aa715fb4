// kernels/train/train_net_stretches.c: see train_net_stretches.h.
//
// At step c stretch c comes in and c - 2 goes out, at one place, while c - 1 is computed at the
// other. An array's transfers are the work of one core.
#include "train_net_stretches.h"

#include <stddef.h>

#include "kernels/rt/dma.h"
#include "kernels/rt/rt.h"

// An array as its core moves it.
struct array {
  char *ext, *place[2]; // what moves next; of even stretches and of odd ones
  uint32_t bytes, left; // of a stretch; of all that is to be moved
  bool out;
};

struct run {
  struct array array[TRAIN_NET_ARRAYS], *end; // of this core
  float *at[2][TRAIN_NET_ARRAYS];             // its part of even stretches and of odd ones
  uint32_t each, items, stretches;            // items of a core in a stretch; of a stretch
};

// A core's first items are computed twice, before anything else moves: code that comes beside a
// transfer is three times as slow.
enum { FIRST = 8 };

// Places begin at 8 bytes; an array lies in them as it does outside: the DMA's fast way.
static uint32_t place_bytes(uint32_t bytes) {
  return (bytes + 4 + 7) / 8 * 8;
}

// Items of a core in a stretch for which two places have room; a command has less than 64 kB.
static uint32_t most_items(const struct train_net *net, const struct train_net_stretches *s) {
  enum { MOST = 0xfff8, LOST = 16 };
  uint32_t bytes = 0, room = net->l1_bytes / 2 < MOST ? net->l1_bytes / 2 : MOST;
  for (uint32_t i = 0; i < TRAIN_NET_ARRAYS; i++) {
    bytes += s->of[i].array ? s->of[i].bytes : 0;
    room -= room < LOST ? room : LOST;
  }
  return rt_per_core(room / bytes);
}

// As few stretches as there is room for, one as long as the other. Each has an even number of
// items, and each of an even number of cores an odd one, as they begin at different banks then.
static bool divide(struct run *r, const struct train_net *net, const struct train_net_stretches *s,
                   uint32_t count) {
  uint32_t cores = rt_core_count(), most = most_items(net, s);
  most -= most && (most + cores) % 2 == 0;
  if (most == 0)
    return false;
  r->stretches = (count + cores * most - 1) / (cores * most);
  r->each = rt_per_core((count + r->stretches - 1) / r->stretches + cores - 1);
  r->each += (r->each + cores) % 2 == 0;
  r->items = r->each * cores;
  return true;
}

static void plan(struct run *r, const struct train_net *net, const struct train_net_stretches *s,
                 uint32_t count) {
  char *l1 = (char *)net->l1;
  uint32_t id = rt_core_id(), cores = rt_core_count();
  r->end = r->array;
  for (uint32_t i = 0, next = 0; i < TRAIN_NET_ARRAYS; i++) {
    uint32_t bytes = s->of[i].bytes, step = place_bytes(r->items * bytes);
    char *ext = (char *)(uintptr_t)s->of[i].array, *place = l1 + ((uintptr_t)ext & 4);
    r->at[0][i] = r->at[1][i] = NULL;
    if (!ext)
      continue;
    r->at[0][i] = (float *)(void *)(place + id * r->each * bytes);
    r->at[1][i] = (float *)(void *)(place + step + id * r->each * bytes);
    l1 += 2 * step;
    if (next == id)
      *r->end++ =
          (struct array){ext, {place, place + step}, r->items * bytes, count * bytes, s->of[i].out};
    next = next + 1 < cores ? next + 1 : 0;
  }
}

static void move(struct run *r, uint32_t c) {
  for (struct array *a = r->array; a < r->end; a++) {
    uint32_t bytes = a->left < a->bytes ? a->left : a->bytes;
    if (bytes == 0 || (a->out && c < 2))
      continue;
    if (a->out)
      dma_also_out(a->ext, a->place[c % 2], bytes);
    else
      dma_also_in(a->place[c % 2], a->ext, bytes);
    a->ext += bytes;
    a->left -= bytes;
  }
}

enum kernel_status train_net_stretches(const struct train_net *net,
                                       const struct train_net_stretches *s, uint32_t count,
                                       const void *state) {
  struct run r;
  if (!divide(&r, net, s, count))
    return KERNEL_REFUSE(KERNEL_BAD_SHAPE);
  plan(&r, net, s, count);
  bool moves = r.end > r.array;
  int32_t left = (int32_t)(count - rt_core_id() * r.each), each = (int32_t)r.each;
  for (uint32_t c = 0; c < r.stretches + 2; c++) {
    rt_barrier(); // what step c - 1 brought and computed is there
    if (c == 1 && left > 0)
      s->compute(state, r.at[0], (uint32_t)(left < FIRST ? left : FIRST));
    unsigned open = moves ? rt_dma_open() : 0;
    if (moves)
      move(&r, c);
    if (c > 0 && left > 0) {
      s->compute(state, r.at[(c - 1) % 2], (uint32_t)(left < each ? left : each));
      left -= (int32_t)r.items;
    }
    if (moves)
      rt_dma_wait(open);
  }
  return KERNEL_OK;
}
