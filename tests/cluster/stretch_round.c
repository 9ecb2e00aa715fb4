#include "stretch_round.h"

unsigned stretch_only(struct stretch *s, unsigned core) {
  line_li(s->l, TEMP, core);
  line_put(s->l, 0);
  return s->l->count - 2;
}

void stretch_only_end(struct stretch *s, unsigned place) {
  line_replace(s->l, place, line_branch(1, TEMP, T5, line_distance(s->l, place)));
}

unsigned stretch_all_but(struct stretch *s, unsigned core) {
  line_li(s->l, TEMP, core);
  line_put(s->l, line_branch(1, TEMP, T5, 8));
  line_put(s->l, 0);
  return s->l->count - 2;
}

void stretch_barrier(struct stretch *s) {
  if (stretch_below(s, 2))
    stretch_load(s, 2, ZERO, T6, 32); // the test device's
  else
    line_put_i(s->l, s->l->corev ? 0x0b : 0x03, s->l->corev ? 3 : 6, A0, S11,
               0x21c); // the event unit's
}

// To or from words that cores access, always or in chosen rounds, or beside them.
static void start_transfer(struct stretch *s) {
  bool shared = stretch_below(s, 4) == 0;
  uint32_t l1 =
      GUEST_TCDM + (shared ? (uint32_t)SHARED : (uint32_t)TRANSFER) + 4 * stretch_below(s, 8);
  stretch_load(s, 2, A0, S7, 0);
  line_li(s->l, A1,
          (4 + 4 * stretch_below(s, shared ? 8 : 250)) | (uint32_t)stretch_below(s, 2) << 17 |
              1u << 18 | 1u << 20);
  stretch_store(s, 2, A1, S7, 0);
  line_li(s->l, A1, l1);
  if (!shared && stretch_below(s, 2)) {
    stretch_choose(s);
    line_put_r(s->l, 0x20, 0, TEMP, ZERO, CHOSEN);
    line_li(s->l, A2, (uint32_t)OWN - (uint32_t)TRANSFER);
    line_put_r(s->l, 0, 7, TEMP, TEMP, A2);
    line_put_r(s->l, 0, 0, A1, A1, TEMP);
  }
  stretch_store(s, 2, A1, S7, 0);
  line_li(s->l, A1, GUEST_DATA + 0x100);
  stretch_store(s, 2, A1, S7, 0);
}

void stretch_stream_of_round(struct stretch *s) {
  stretch_barrier(s);
  unsigned place = stretch_only(s, stretch_below(s, s->what.cores));
  stretch_stream_start(s->l, &s->stream, ROUNDS, TEMP);
  stretch_only_end(s, place);
  stretch_barrier(s);
}

void stretch_transfer(struct stretch *s) {
  if (stretch_below(s, 3))
    stretch_barrier(s);
  unsigned place = stretch_only(s, stretch_below(s, s->what.cores));
  start_transfer(s);
  stretch_only_end(s, place);
}

void stretch_write_code(struct stretch *s, int number) {
  line_li(s->l, A1, (uint32_t)number << 20 | (uint32_t)A3 << 15 | (uint32_t)A3 << 7 | 0x13);
  line_li(s->l, TEMP, GUEST_TCDM + CODE);
  stretch_store(s, 2, A1, TEMP, 0);
  line_li(s->l, A1, 0x00008067);
  stretch_store(s, 2, A1, TEMP, 4);
  line_put(s->l, 0x0000100f); // fence.i
}

static void change_something(struct stretch *s) {
  unsigned place = stretch_only(s, stretch_below(s, s->what.cores));
  switch (stretch_below(s, 4)) {
  case 0:
  case 1:
    line_li(s->l, A1, GUEST_TCDM + stretch_shared_word(s));
    stretch_store(s, 2, A1, S10, POINTERS + 4 * stretch_below(s, 16));
    break;
  case 2:
    stretch_store(s, 2, ROUNDS, S10, stretch_shared_word(s));
    break;
  default:
    stretch_write_code(s, (int)stretch_below(s, 100));
    break;
  }
  stretch_only_end(s, place);
}

void stretch_change(struct stretch *s) {
  stretch_barrier(s);
  if (stretch_below(s, 2)) {
    stretch_choose(s);
    unsigned place = stretch_skip(s);
    change_something(s);
    stretch_skip_end(s, place, CHOSEN);
  } else {
    change_something(s);
  }
  stretch_barrier(s);
  line_put(s->l, 0x0000100f);
}
