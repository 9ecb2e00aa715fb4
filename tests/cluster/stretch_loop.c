#include "stretch_loop.h"

#include "stretch_body.h"

static void branch_loop(struct stretch *s, unsigned turns) {
  line_li(s->l, TURNS, turns);
  unsigned again = s->l->count;
  for (unsigned n = 3 + stretch_below(s, 8); n; n--)
    if (stretch_below(s, 10) == 0)
      stretch_rarely(s);
    else
      stretch_one(s);
  if (stretch_below(s, 3) == 0) { // a function in L1
    line_li(s->l, TEMP, GUEST_TCDM + CODE);
    line_put_i(s->l, 0x67, 0, 1, TEMP, 0);
  }
  stretch_op_imm(s, 0, TURNS, TURNS, -1);
  line_loop_while(s->l, TURNS, again);
}

static void align(struct stretch *s) {
  if (s->l->count & 1)
    line_put16(s->l, 0x0001);
}

static void body(struct stretch *s) {
  for (unsigned n = 2 + stretch_below(s, 5); n; n--)
    if (s->l->corev && stretch_below(s, 6) == 0)
      line_put(s->l, 0x00000013); // its loops hold no 16-bit instructions
    else
      stretch_one(s);
  stretch_op_imm(s, 0, TURNS, TURNS, 1);
  stretch_op_imm(s, 0, A5, A5, 1);
}

static bool has_halves(struct stretch *s, unsigned from) {
  for (unsigned i = from; i < s->l->count; i += 2)
    if ((s->l->half[i] & 3) != 3)
      return true;
  return false;
}

static void body_that_fits(struct stretch *s) {
  unsigned from = s->l->count;
  do {
    s->l->count = from;
    body(s);
  } while (line_distance(s->l, from) > 31 * 2 || (s->l->corev && has_halves(s, from)));
}

static void loop_at_once(struct stretch *s, unsigned turns) {
  unsigned at = s->l->count;
  line_put(s->l, 0);
  unsigned from = s->l->count;
  body_that_fits(s);
  uint32_t bytes = line_distance(s->l, from);
  uint32_t ending = s->l->corev ? (bytes / 4 + 1) << 15 | 0x462b : (bytes / 2) << 15 | 0x507b;
  line_replace(s->l, at, turns << 20 | ending);
}

// Set up by three instructions, the last of which, lp.endi, is left out in some rounds: then the
// body is gone through once.
static void loop_in_parts(struct stretch *s, unsigned turns) {
  unsigned start = s->l->count;
  line_put(s->l, 0);
  line_put(s->l, turns << 20 | 0x307b); // lp.counti
  stretch_choose(s);
  unsigned place = stretch_skip(s);
  line_put(s->l, 0);
  stretch_skip_end(s, place, CHOSEN);
  line_replace(s->l, start, (line_distance(s->l, start) / 2) << 20 | 0x007b); // lp.starti
  unsigned from = s->l->count;
  body_that_fits(s);
  line_replace(s->l, from - 2, (line_distance(s->l, from) / 2) << 20 | 0x107b);
}

static void hardware_loop(struct stretch *s, unsigned turns) {
  align(s);
  line_li(s->l, TURNS, 0);
  if (!s->l->corev && stretch_below(s, 3) == 0)
    loop_in_parts(s, turns);
  else
    loop_at_once(s, turns);
  line_plain(s->l);
}

void stretch_loops(struct stretch *s) {
  unsigned most = s->what.streams ? 18 : 30;
  for (unsigned n = 1 + stretch_below(s, 3); n; n--)
    if (stretch_below(s, 2))
      branch_loop(s, 6 + stretch_below(s, most));
    else
      hardware_loop(s, 6 + stretch_below(s, most));
}
