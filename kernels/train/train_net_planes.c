// kernels/train/train_net_planes.c: see train_net_planes.h.
//
// Step c of a core: its planes of c come in and those of c - 2 go out, at one place and under one
// identifier, while those of c - 1 are computed at the other. What is kept comes in at the first
// step and goes out at the last.
//
// A kernel takes all of its core's instruction cache: what runs between two planes is one loop.
#include "train_net_planes.h"

#include <stddef.h>

#include "kernels/rt/dma.h"
#include "kernels/rt/rt.h"

// Floats of a place, which begins at 8 bytes; a plane lies in it as it does outside: the DMA's fast
// way.
enum { ALIGN = 2 };

static uint32_t place_floats(uint32_t bytes) {
  return (bytes + 15) / 8 * 2;
}

static uint32_t core_floats(const struct train_net *net, uint32_t cores) {
  return net->l1_bytes / 4 / cores / ALIGN * ALIGN;
}

static uint32_t floats_of(const struct train_net_planes *p, uint32_t channels) {
  uint32_t floats = place_floats(4 * p->scratch_floats);
  for (uint32_t i = 0; i < TRAIN_NET_LANES; i++) {
    const struct train_net_lane *l = &p->lane[i];
    if (l->array)
      floats += l->kept ? place_floats(l->bytes * channels) : 2 * place_floats(l->bytes);
  }
  return floats;
}

bool train_net_planes_fit_on(const struct train_net *net, const struct train_net_planes *p,
                             uint32_t cores) {
  return floats_of(p, (p->channels + cores - 1) / cores) <= core_floats(net, cores);
}

bool train_net_planes_fit(const struct train_net *net, const struct train_net_planes *p) {
  return train_net_planes_fit_on(net, p, rt_core_count());
}

float *train_net_planes_scratch(const struct train_net *net) {
  return net->l1 + rt_core_id() * core_floats(net, rt_core_count());
}

// An array as this core moves it.
struct lane {
  char *ext;      // what moves next
  char *place[2]; // of even planes and of odd ones
  uint32_t bytes; // of a move
  uint32_t step;  // kept: bytes from channel to channel
  uint32_t turn;  // the first step that moves it out, or that no longer moves it in
  uint16_t number;
  bool out;
};

struct run {
  struct lane lane[TRAIN_NET_LANES], *end;
  float *at[TRAIN_NET_LANES];
};

// `place`, or 4 bytes behind it: as `ext` lies.
static char *beside(float *place, const char *ext) {
  return (char *)place + ((uintptr_t)ext & 4);
}

static void plan(struct run *r, const struct train_net *net, const struct train_net_planes *p,
                 struct rt_range mine) {
  uint32_t count = mine.end - mine.begin;
  float *l1 = train_net_planes_scratch(net) + place_floats(4 * p->scratch_floats);
  r->end = r->lane;
  for (uint32_t i = 0; i < TRAIN_NET_LANES; i++) {
    const struct train_net_lane *from = &p->lane[i];
    struct lane *to = r->end;
    r->at[i] = NULL;
    if (!from->array)
      continue;
    bool kept = from->kept;
    to->ext = (char *)(uintptr_t)from->array + mine.begin * from->bytes;
    to->bytes = kept ? count * from->bytes : from->bytes;
    to->step = kept ? from->bytes : 0;
    to->turn = from->out ? kept ? count + 1 : 2 : kept ? 1 : count;
    to->number = (uint16_t)i;
    to->out = from->out;
    to->place[0] = to->place[1] = beside(l1, to->ext);
    l1 += place_floats(to->bytes);
    if (!kept) {
      to->place[1] = beside(l1, to->ext + to->bytes);
      l1 += place_floats(to->bytes);
    }
    r->end++;
  }
}

// What moves at step `c`, and where that finds its planes.
static inline void move(struct run *r, uint32_t c) {
  uint32_t slot = c % 2;
  for (struct lane *l = r->lane; l < r->end; l++) {
    r->at[l->number] = (float *)(void *)(l->place[!slot] + (c - 1) * l->step);
    if ((c < l->turn) == l->out)
      continue;
    if (l->out)
      dma_also_out(l->ext, l->place[slot], l->bytes);
    else
      dma_also_in(l->place[slot], l->ext, l->bytes);
    l->ext += l->bytes;
  }
}

void train_net_planes(const struct train_net *net, const struct train_net_planes *p, void *state) {
  struct rt_range mine = rt_share(p->channels);
  uint32_t count = mine.end - mine.begin;
  struct run r;
  if (count)
    plan(&r, net, p, mine);
  rt_barrier();
  for (uint32_t c = 0; c < count + 2 && count; c++) {
    unsigned open = rt_dma_open();
    move(&r, c);
    if (c - 1 < count)
      p->compute(state, r.at);
    else if (c == 0 && p->scratch_floats)
      rt_zero_words(train_net_planes_scratch(net), p->scratch_floats);
    rt_dma_wait(open);
  }
}
