// tests/kernels/target/l3_main.c: moves a pattern out to L3 and back, at odd places and in pieces,
// several at a time, while the other cores wait at the barrier. Argument 0: 1: a transfer of no
// bytes, 2: one beyond L3.
#include "kernels/rt/rt.h"

enum { BYTES = 3001, PIECES = 7, L3_AT = 0x1235 };
static uint8_t from[BYTES], to[BYTES + 8];

static int round_trip(void) {
  struct rt_l3 transfer[PIECES];
  uint32_t each = BYTES / PIECES + 1;
  for (uint32_t i = 0; i < BYTES; i++)
    from[i] = (uint8_t)(i * 37 + (i >> 8));
  for (uint32_t i = 0; i < sizeof to; i++)
    to[i] = 0x5a;
  for (unsigned p = 0; p < PIECES; p++) {
    uint32_t at = p * each, bytes = at + each < BYTES ? each : BYTES - at;
    transfer[p] = rt_l3_out(L3_AT + at, from + at, bytes);
  }
  rt_l3_wait(transfer[PIECES - 1]);
  if (!rt_l3_done(transfer[0]) || !rt_l3_room(true))
    return 2;
  for (unsigned p = 0; p < PIECES; p++) {
    uint32_t at = p * each, bytes = at + each < BYTES ? each : BYTES - at;
    transfer[p] = rt_l3_in(to + 3 + at, L3_AT + at, bytes);
  }
  if (rt_l3_done(transfer[PIECES - 1]))
    return 3; // it is asynchronous
  for (unsigned p = PIECES; p-- > 0;)
    rt_l3_wait(transfer[p]);
  for (uint32_t i = 0; i < sizeof to; i++) {
    uint8_t want = i < 3 || i >= 3 + BYTES ? 0x5a : from[i - 3];
    if (to[i] != want)
      return 4;
  }
  return 0;
}

int main(void) {
  int wrong = 0;
  if (rt_core_id() == 0) {
    int which = rt_argument_number(0, 0);
    if (which == 1)
      rt_l3_in(to, 0, 0);
    if (which == 2)
      rt_l3_wait(rt_l3_in(to, 8 << 20, 4));
    wrong = round_trip();
  }
  rt_barrier();
  return wrong;
}
