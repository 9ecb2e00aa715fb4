#include "stretch_program.h"

#include "stretch_body.h"
#include "stretch_loop.h"
#include "stretch_round.h"

static void set_up(struct stretch *s) {
  line_li(s->l, TEMP, 5 << 16);
  stretch_store(s, 2, TEMP, S11, 0);
  line_li(s->l, TEMP, (1u << s->what.cores) - 1);
  stretch_store(s, 2, TEMP, S11, 0x200);
  stretch_store(s, 2, TEMP, S11, 0x20c);
  line_li(s->l, TEMP, GUEST_TCDM + OWN);
  stretch_op_imm(s, 7, A0, T5, 31); // andi
  stretch_op_imm(s, 1, A0, A0, 7);  // slli
  line_put_r(s->l, 0, 0, OWN_ROW, TEMP, A0);
  line_put_r(s->l, 0, 0, TARGET, OWN_ROW, ZERO);
  line_li(s->l, SUM, 0);
  line_put_r(s->l, 0x20, 0, TO_SHARED, S10, OWN_ROW);
  stretch_op_imm(s, 7, T5, T5, 31);
  line_put(s->l, 0x32001073); // csrw mcountinhibit, x0
  stretch_write_code(s, 3);
  for (unsigned i = 0; i < 16; i++) {
    line_li(s->l, A0,
            GUEST_TCDM +
                (stretch_below(s, 3) ? stretch_shared_word(s) : 4 * (32 + stretch_below(s, 200))));
    stretch_store(s, 2, A0, S10, POINTERS + 4 * i);
  }
  for (int i = 0; i < LINE_DATA; i++)
    line_li(s->l, A0 + i,
            stretch_below(s, 3) ? stretch_below(s, 1000) : (uint32_t)(s->l->random >> 8));
  line_li(s->l, A6, 23 + stretch_below(s, 8));
  line_li(s->l, CHOSEN, 0);
  if (!s->what.floats)
    return;
  line_li(s->l, TEMP, 0x6000);
  line_put(s->l, 0x30000073 | 2u << 12 | (uint32_t)TEMP << 15); // csrs mstatus, temp
  for (unsigned f = 0; f < 9; f++) {
    line_li(s->l, TEMP, 0x3f800000 + (stretch_below(s, 4) << 23));
    line_put(s->l, 0xf0000053 | (uint32_t)TEMP << 15 | f << 7);
  }
}

static void leave(struct stretch *s) {
  line_li(s->l, TEMP, GUEST_TCDM + LEFT);
  stretch_op_imm(s, 1, CHOSEN, T5, 7);
  line_put_r(s->l, 0, 0, TEMP, TEMP, CHOSEN);
  for (int i = 0; i < 8; i++)
    stretch_store(s, 2, A0 + i, TEMP, (uint32_t)(4 * i));
  stretch_store(s, 2, TARGET, TEMP, 32);
  stretch_store(s, 2, TURNS, TEMP, 36);
  stretch_store(s, 2, SUM, TEMP, 84);
  line_put(s->l, 0xb00025f3); // csrr a1, mcycle
  stretch_store(s, 2, A1, TEMP, 40);
  if (!s->what.floats)
    return;
  line_put(s->l, 0x001025f3); // csrr a1, fflags
  stretch_store(s, 2, A1, TEMP, 44);
  for (unsigned f = 0; f < 9; f++) {
    line_put(s->l, 0xe0000053 | f << 15 | (uint32_t)A1 << 7); // fmv.x.w
    stretch_store(s, 2, A1, TEMP, 48 + 4 * f);
  }
}

static void maybe_trap(struct stretch *s) {
  static const uint32_t words[] = {0x00100073, 0x00000000, 0x00002003};
  if (stretch_below(s, 6))
    return;
  unsigned place = stretch_only(s, stretch_below(s, s->what.cores));
  line_put(s->l, words[stretch_below(s, 3)]);
  stretch_only_end(s, place);
}

void stretch_program(struct guest *g, const struct stretch_program *what) {
  static struct line line;
  struct stretch all = {.l = &line, .what = *what}, *s = &all;
  line_begin(s->l, what->seed, what->corev);
  guest_begin(g);
  if (s->what.streams)
    stretch_stream_choose(s->l, &s->stream, OWN, TRANSFER);
  set_up(s);
  stretch_load(s, 2, ZERO, T6, 32);
  line_li(s->l, ROUNDS, s->what.streams ? STRETCH_STREAM_ROUNDS : 6 + stretch_below(s, 8));
  unsigned again = s->l->count;
  if (s->what.streams)
    stretch_stream_of_round(s);
  else if (stretch_below(s, 2))
    stretch_transfer(s);
  stretch_loops(s);
  switch (stretch_below(s, 4)) {
  case 0:
    stretch_change(s);
    break;
  case 1:
    stretch_barrier(s);
    break;
  case 2:
    stretch_rarely(s);
    break;
  default:
    break;
  }
  stretch_op_imm(s, 0, ROUNDS, ROUNDS, -1);
  line_loop_while(s->l, ROUNDS, again);
  leave(s);
  bool all_stay = stretch_below(s, 6);
  unsigned place = all_stay ? 0 : stretch_all_but(s, stretch_below(s, s->what.cores));
  stretch_loops(s);
  leave(s);
  maybe_trap(s);
  if (!all_stay)
    line_replace(s->l, place, line_jal(line_distance(s->l, place)));
  line_end(s->l, g);
  meet(g);
  guest_end(g);
}
