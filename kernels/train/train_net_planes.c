// kernels/train/train_net_planes.c: see train_net_planes.h.
//
// Step c of a core: its planes of c are there, those of c - 2 have left; those of c - 1 go out and
// those of c + 1 come in under one identifier, as the DMA has two for each core.
#include "train_net_planes.h"

#include <stddef.h>

#include "kernels/rt/rt.h"

// Places begin at 8 bytes, and a plane lies in them as it does outside: the DMA's fast way.
enum { ALIGN = 2 };

static uint32_t place_floats(uint32_t floats) {
  return (floats + ALIGN + ALIGN - 1) / ALIGN * ALIGN;
}

static uint32_t core_floats(const struct train_net *net) {
  return net->l1_bytes / 4 / rt_core_count() / ALIGN * ALIGN;
}

static uint32_t floats_of(const struct train_net_planes *p, uint32_t channels) {
  uint32_t floats = place_floats(p->scratch_floats);
  for (uint32_t i = 0; i < TRAIN_NET_LANES; i++) {
    const struct train_net_lane *l = &p->lane[i];
    if (l->array)
      floats += l->kept ? place_floats(l->floats * channels) : 2 * place_floats(l->floats);
  }
  return floats;
}

bool train_net_planes_fit(const struct train_net *net, const struct train_net_planes *p) {
  uint32_t cores = rt_core_count();
  return floats_of(p, (p->channels + cores - 1) / cores) <= core_floats(net);
}

float *train_net_planes_scratch(const struct train_net *net) {
  return net->l1 + rt_core_id() * core_floats(net);
}

// An array as this core moves it.
struct lane {
  char *ext, *place[2];
  uint32_t bytes;
  uint8_t number;
  bool out;
};

struct run {
  struct lane lane[TRAIN_NET_LANES];
  uint32_t moving, kept; // the first lanes are those that move, the last are kept
  float *at[TRAIN_NET_LANES];
};

// `place` where ext is 4 bytes behind a multiple of 8: likewise.
static char *beside(float *place, const char *ext) {
  return (char *)place + ((uintptr_t)ext & 4);
}

static void plan(struct run *r, const struct train_net *net, const struct train_net_planes *p,
                 struct rt_range mine) {
  float *l1 = train_net_planes_scratch(net) + place_floats(p->scratch_floats);
  r->moving = 0;
  r->kept = TRAIN_NET_LANES;
  for (uint32_t i = 0; i < TRAIN_NET_LANES; i++) {
    const struct train_net_lane *from = &p->lane[i];
    r->at[i] = NULL;
    if (!from->array)
      continue;
    struct lane *to = &r->lane[from->kept ? --r->kept : r->moving++];
    uint32_t count = from->kept ? (mine.end - mine.begin) * from->floats : from->floats;
    to->ext = (char *)(uintptr_t)(from->array + mine.begin * from->floats);
    to->bytes = count * 4;
    to->number = (uint8_t)i;
    to->out = from->out;
    to->place[0] = (char *)l1;
    l1 += place_floats(count);
    if (from->kept) {
      to->place[0] = beside((float *)(void *)to->place[0], to->ext);
      r->at[i] = (float *)(void *)to->place[0];
      continue;
    }
    to->place[1] = (char *)l1;
    l1 += place_floats(count);
  }
}

// What is kept, in one way.
static void move_kept(const struct run *r, bool out) {
  for (uint32_t i = r->kept; i < TRAIN_NET_LANES; i++) {
    const struct lane *l = &r->lane[i];
    if (l->out != out)
      continue;
    if (out)
      rt_dma_also_out(l->ext, l->place[0], l->bytes);
    else
      rt_dma_also_in(l->place[0], l->ext, l->bytes);
  }
}

// Plane c of what is read, or of what is written.
static inline void move(const struct run *r, uint32_t c, bool out) {
  for (const struct lane *l = r->lane, *end = l + r->moving; l < end; l++) {
    char *ext = l->ext + c * l->bytes, *place = beside((float *)(void *)l->place[c % 2], ext);
    if (l->out != out)
      continue;
    if (out)
      rt_dma_also_out(ext, place, l->bytes);
    else
      rt_dma_also_in(place, ext, l->bytes);
  }
}

static inline void find(struct run *r, uint32_t c) {
  for (const struct lane *l = r->lane, *end = l + r->moving; l < end; l++)
    r->at[l->number] =
        (float *)(void *)beside((float *)(void *)l->place[c % 2], l->ext + c * l->bytes);
}

static inline void find_kept(struct run *r, const struct train_net_planes *p) {
  for (uint32_t i = r->kept; i < TRAIN_NET_LANES; i++) {
    uint8_t n = r->lane[i].number;
    r->at[n] += p->lane[n].floats;
  }
}

static void stream(struct run *r, const struct train_net_planes *p, uint32_t count, void *state) {
  unsigned open = rt_dma_open();
  move_kept(r, false);
  move(r, 0, false);
  for (uint32_t c = 0; c < count; c++) {
    rt_dma_wait(open);
    open = rt_dma_open();
    if (c > 0)
      move(r, c - 1, true);
    if (c + 1 < count)
      move(r, c + 1, false);
    find(r, c);
    p->compute(state, r->at);
    find_kept(r, p);
  }
  rt_dma_wait(open);
  open = rt_dma_open();
  move(r, count - 1, true);
  move_kept(r, true);
  rt_dma_wait(open);
}

void train_net_planes(const struct train_net *net, const struct train_net_planes *p, void *state) {
  struct rt_range mine = rt_share(p->channels);
  struct run r;
  if (mine.begin < mine.end) {
    plan(&r, net, p, mine);
    stream(&r, p, mine.end - mine.begin, state);
  }
  rt_barrier();
}
