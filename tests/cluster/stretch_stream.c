#include "stretch_stream.h"

enum { IN = 1 << 17, INCREMENT = 1 << 18, EVENT = 1 << 20, ROWS = 1 << 23 }; // see mchan.h
enum { OUT = 0x1000 };                                                       // of L2's data

static struct stretch_deviation deviate(struct line *l, unsigned by, bool surely) {
  unsigned mask = (2u << line_below(l, 2)) - 1;
  struct stretch_deviation d = {.mask = mask, .when = line_below(l, mask + 1)};
  d.by = surely || line_below(l, 2) ? by : 0;
  return d;
}

// Rows that lie on each other are accessed again and again.
static void choose_rows(struct line *l, struct stretch_stream *s) {
  s->row = 32u << line_below(l, 4);
  s->stride = (unsigned[]){0, s->row, s->row / 2, s->row - 4}[line_below(l, 4)];
  s->step = deviate(l, 4 + 4 * line_below(l, 3), true);
}

void stretch_stream_choose(struct line *l, struct stretch_stream *s, uint32_t own, uint32_t apart) {
  *s = (struct stretch_stream){.inwards = line_below(l, 2), .first = GUEST_DATA + OUT};
  s->bytes = 600 + 4 * line_below(l, 750);
  bool shared = line_below(l, 2);
  if (line_below(l, 3))
    choose_rows(l, s);
  uint32_t ahead = s->row ? 0 : 64 * line_below(l, 8);
  s->l1 = GUEST_TCDM + (shared ? own - ahead : apart) + 4 * line_below(l, 8);
  s->length = deviate(l, 4 + 4 * line_below(l, 40), false);
  s->place = deviate(l, 4 + 4 * line_below(l, 16), false);
  if (s->bytes > 3600 - 256)
    s->bytes -= 256;
}

// `rd` = `value`, or what it is in the chosen rounds.
static void li_of_round(struct line *l, int rd, uint32_t value, const struct stretch_deviation *d,
                        int rounds, int temp) {
  line_li(l, rd, value);
  if (!d->by)
    return;
  line_put_i(l, 0x13, 7, temp, rounds, (int)d->mask);
  line_put_i(l, 0x13, 0, temp, temp, -(int)d->when);
  line_put_i(l, 0x13, 3, temp, temp, 1); // sltiu: is 0
  line_put_r(l, 0x20, 0, temp, 0, temp);
  line_put_i(l, 0x13, 7, temp, temp, (int)d->by);
  line_put_r(l, 0, 0, rd, rd, temp);
}

static void tell(struct line *l, int rs) {
  line_put_s(l, 2, rs, S7, 0);
}

void stretch_stream_start(struct line *l, const struct stretch_stream *s, int rounds, int temp) {
  uint32_t flags = INCREMENT | EVENT | (s->inwards ? IN : 0) | (s->row ? ROWS : 0);
  line_put_i(l, 0x03, 2, A0, S7, 0);
  li_of_round(l, A1, s->bytes | flags, &s->length, rounds, temp);
  tell(l, A1);
  li_of_round(l, A1, s->l1, &s->place, rounds, temp);
  tell(l, A1);
  if (s->inwards) { // other data in the next round
    line_put_i(l, 0x13, 7, A2, rounds, 3);
    line_put_i(l, 0x13, 1, A2, A2, 8);
    line_li(l, A1, GUEST_L2);
  } else {
    line_put_i(l, 0x13, 1, A2, rounds, 12);
    line_li(l, A1, s->first);
  }
  line_put_r(l, 0, 0, A1, A1, A2);
  tell(l, A1);
  if (s->row) {
    line_li(l, A1, s->row);
    tell(l, A1);
    li_of_round(l, A1, s->stride, &s->step, rounds, temp);
    tell(l, A1);
  }
  for (int i = A0; i <= A2; i++)
    line_li(l, i, s->bytes);
}
