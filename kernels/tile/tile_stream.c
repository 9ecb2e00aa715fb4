#include "tile_stream.h"

#include "kernels/rt/rt.h"

#ifdef __riscv

static RT_L1_BSS struct rt_l3 last;

static void start(struct tile_stream *s) {
  const struct tile_piece *p = &s->pieces[s->started++];
  last = rt_l3_in(s->l2 + p->l2, s->l3 + p->l3, p->bytes);
}

// As much as the interface's queue takes.
void tile_stream_go_on(struct tile_stream *s) {
  while (s->started < s->count && s->pieces[s->started].after <= s->done && rt_l3_room(false))
    start(s);
}

void tile_stream_begin(struct tile_stream *s, uint8_t *l2, uint32_t l3) {
  bool same = s->kept && s->l2 == l2 && s->l3 == l3;
  s->l2 = l2;
  s->l3 = l3;
  s->started = s->there = same ? s->keeps : 0;
  s->done = 0;
  s->kept = false;
  tile_stream_go_on(s);
}

void tile_stream_end(struct tile_stream *s) {
  s->kept = true;
}

// Transfers end in order: the piece is there when no later start is more than its lead behind.
static struct rt_l3 transfer_of(const struct tile_stream *s, uint32_t piece) {
  struct rt_l3 transfer = last;
  transfer.number -= s->started - 1 - piece;
  return transfer;
}

bool tile_stream_there(struct tile_stream *s, uint32_t piece) {
  if (piece < s->there)
    return true;
  if (s->started <= piece || !rt_l3_done(transfer_of(s, piece)))
    return false;
  s->there = (uint16_t)(piece + 1);
  return true;
}

// The pieces before it are done with, or will be without another wait: their places are free.
void tile_stream_wait(struct tile_stream *s, uint32_t piece) {
  if (piece < s->there)
    return;
  while (s->started <= piece)
    start(s);
  rt_l3_wait(transfer_of(s, piece));
  s->there = (uint16_t)(piece + 1);
  tile_stream_go_on(s);
}

void tile_stream_step(struct tile_stream *s) {
  s->done++;
  tile_stream_go_on(s);
}

#endif
