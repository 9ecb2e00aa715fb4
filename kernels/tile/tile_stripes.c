#include "tile_stripes.h"

#include "kernels/rt/rt.h"

#ifdef __riscv

static struct rt_l3 last;
static uint32_t started, finished;

// The stream's core is the last.
static bool is_streams(void) {
  return rt_core_id() == rt_core_count() - 1;
}

// Into the description in L1.
static void take_places(const struct tile_places *p, struct tile_layer *l) {
  for (unsigned i = 0; i < TILE_INPUTS; i++)
    l->in[i] = p->in[i];
  l->out = p->out;
  l->piece = p->piece;
  l->ahead_piece = p->ahead_piece;
}

void tile_stripes_before(const struct tile_stripes *s, struct tile_work *k, uint32_t number) {
  if (is_streams()) {
    uint32_t pieces = s->meetings[number].arrive;
    if (s->places)
      take_places(&s->places[number], tile_description(k, number));
    if (pieces > 0)
      tile_stream_wait(k->weights, pieces - 1);
  }
  rt_barrier();
}

static void go(const struct tile_stream *w, const struct tile_stripe *p) {
  last = rt_l3_out(w->l3 + p->l3, w->l2 + p->l2, p->bytes);
}

static void meet(const struct tile_stripes *s, struct tile_stream *w,
                 const struct tile_meeting *m) {
  for (; started < m->leave; started++)
    go(w, &s->stripes[started]);
  if (m->gone == 0)
    return;
  if (finished < m->gone) { // transfers end in order
    struct rt_l3 transfer = last;
    transfer.number -= started - m->gone;
    rt_l3_wait(transfer);
    finished = m->gone;
  }
  tile_stream_step(w);
}

void tile_stripes_behind(const struct tile_stripes *s, struct tile_work *k, uint32_t number) {
  const struct tile_meeting *m = &s->meetings[number];
  if (number == 0 && is_streams())
    started = finished = 0;
  if (m->leave == 0)
    return;
  if (is_streams())
    meet(s, k->weights, m);
  rt_barrier();
}

#endif
