// kernels/train/train_net_planes.c: see train_net_planes.h.
//
// Step c of a core: its planes of c come in and those of c - 2 go out, at one place and under one
// identifier, while those of c - 1 are computed at the other. What is kept comes in at the first
// step and goes out at the last.
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
  char *ext;        // what moves next
  char *place[2];   // of even planes and of odd ones
  uint32_t bytes;   // of a move
  uint32_t command; // to the DMA
};

// One that is kept: lane `number`; bytes from channel to channel.
struct kept {
  struct lane lane;
  uint32_t number, step;
  bool out;
};

struct run {
  struct lane lane[2 * TRAIN_NET_EACH]; // what comes begins before the middle, what leaves behind
  struct lane *first, *end;
  struct kept kept[TRAIN_NET_EACH], *kept_end;
  float *at[2][TRAIN_NET_LANES]; // of even planes and of odd ones
};

// `place`, or 4 bytes behind it: as `ext` lies.
static char *beside(float *place, const char *ext) {
  return (char *)place + ((uintptr_t)ext & 4);
}

static void plan_lane(struct lane *to, const struct train_net_lane *from, uint32_t bytes,
                      uint32_t begin, float *place) {
  to->ext = (char *)(uintptr_t)from->array + begin * from->bytes;
  to->bytes = bytes;
  to->command = dma_command_word(bytes, !from->out);
  to->place[0] = to->place[1] = beside(place, to->ext);
}

// The next one's place.
static float *plan_kept(struct run *r, const struct train_net_lane *from, uint32_t number,
                        struct rt_range mine, float *l1) {
  struct kept *to = r->kept_end++;
  plan_lane(&to->lane, from, (mine.end - mine.begin) * from->bytes, mine.begin, l1);
  to->number = number;
  to->step = from->bytes;
  to->out = from->out;
  r->at[0][number] = (float *)(void *)to->lane.place[0];
  r->at[1][number] = (float *)(void *)(to->lane.place[0] + from->bytes);
  return l1 + place_floats(to->lane.bytes);
}

static float *plan_moving(struct run *r, const struct train_net_lane *from, uint32_t number,
                          uint32_t begin, float *l1) {
  struct lane *to = from->out ? r->end++ : --r->first;
  uint32_t floats = place_floats(from->bytes);
  plan_lane(to, from, from->bytes, begin, l1);
  to->place[1] = beside(l1 + floats, to->ext + to->bytes);
  r->at[0][number] = (float *)(void *)to->place[0];
  r->at[1][number] = (float *)(void *)to->place[1];
  return l1 + 2 * floats;
}

static void plan(struct run *r, const struct train_net *net, const struct train_net_planes *p,
                 struct rt_range mine) {
  float *l1 = train_net_planes_scratch(net) + place_floats(4 * p->scratch_floats);
  for (uint32_t i = 0; i < TRAIN_NET_LANES; i++) {
    const struct train_net_lane *from = &p->lane[i];
    r->at[0][i] = r->at[1][i] = NULL;
    if (from->array)
      l1 = from->kept ? plan_kept(r, from, i, mine, l1) : plan_moving(r, from, i, mine.begin, l1);
  }
}

static inline void move(struct run *r, uint32_t c, uint32_t count) {
  uint32_t slot = c % 2;
  struct lane *middle = r->lane + TRAIN_NET_EACH, *end = c > 1 ? r->end : middle;
  for (struct lane *lane = c < count ? r->first : middle; lane < end; lane++) {
    dma_also(lane->command, lane->place[slot], lane->ext);
    lane->ext += lane->bytes;
  }
}

// Out of line: the loop between kernels is to be short.
static __attribute__((noinline)) void move_kept(const struct run *r, bool out) {
  for (const struct kept *k = r->kept; k < r->kept_end; k++) {
    if (k->out == out)
      dma_also(k->lane.command, k->lane.place[0], k->lane.ext);
  }
}

static void clear_scratch(const struct train_net *net, const struct train_net_planes *p) {
  if (p->scratch_floats)
    rt_zero_words(train_net_planes_scratch(net), p->scratch_floats);
}

void train_net_planes(const struct train_net *net, const struct train_net_planes *p, void *state) {
  struct rt_range mine = rt_share(p->channels);
  uint32_t count = mine.end - mine.begin;
  struct run r;
  r.first = r.end = r.lane + TRAIN_NET_EACH;
  r.kept_end = r.kept;
  if (count)
    plan(&r, net, p, mine);
  rt_barrier();
  if (count == 0)
    return;
  for (uint32_t c = 0; c != count + 2; c++) {
    unsigned open = dma_open();
    move(&r, c, count);
    if (__builtin_expect(c - 1 < count, true)) {
      float **at = r.at[(c + 1) % 2];
      p->compute(state, at);
      for (const struct kept *k = r.kept; k < r.kept_end; k++)
        at[k->number] = (float *)(void *)((char *)at[k->number] + 2 * k->step);
    } else {
      move_kept(&r, c > 0);
      if (c == 0)
        clear_scratch(net, p);
    }
    dma_wait(open);
  }
}
