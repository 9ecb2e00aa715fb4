#include "cluster/mchan_memo.h"

static uint16_t step_if(unsigned queues, enum mchan_stage stage) {
  return queues >> stage & 1 ? UINT16_MAX : 0;
}

static mchan_lanes steps_of(bool to_tcdm, unsigned pushed, unsigned popped) {
  mchan_lanes steps;
  steps[LANE_ASK0] = step_if(popped, MCHAN_BEAT0);
  steps[LANE_ASK1] = step_if(popped, MCHAN_BEAT1);
  steps[LANE_END0] = step_if(popped, MCHAN_READ0);
  steps[LANE_END1] = step_if(popped, MCHAN_READ1);
  steps[LANE_BEATS] = step_if(pushed, MCHAN_BEAT0);
  steps[LANE_EXT] = step_if(popped, to_tcdm ? MCHAN_REPLY : MCHAN_DATA);
  steps[LANE_TAKEN] = step_if(popped, to_tcdm ? MCHAN_DATA : MCHAN_WORD0);
  steps[LANE_GIVEN] = step_if(pushed, to_tcdm ? MCHAN_WORD0 : MCHAN_DATA);
  return steps;
}

static bool is_rare(bool to_tcdm, unsigned moves) {
  unsigned replies = to_tcdm ? 0 : FIFO(MCHAN_REPLY); // to TCDM, those are the words
  return moves & (FIFO_BURSTS | FIFO_DONES | FIFO(MCHAN_ADDRESS) | replies);
}

static struct mchan_cycle decide(bool to_tcdm, const struct mchan_control *c) {
  struct mchan_cycle y = {.next = *c};
  mchan_bus_decide(to_tcdm, c, &y);
  mchan_tcdm_decide(to_tcdm, c, &y);
  mchan_align_decide(to_tcdm, c, &y);
  fifos_clock(&y.next, y.pushed, y.popped);
  y.rare = is_rare(to_tcdm, y.pushed | y.popped);
  y.steps = steps_of(to_tcdm, y.pushed, y.popped);
  y.offers = (uint8_t)mchan_tcdm_offers(to_tcdm, &y.next);
  return y;
}

// Those that come often are found first. Where nothing has been noted yet all is zero: nothing
// happens in a channel that holds nothing.
__attribute__((noinline)) const struct mchan_cycle *mchan_find(const struct mchan *d,
                                                               struct mchan_channel *ch) {
  uint64_t was = mchan_control_bits(&ch->control);
  struct mchan_seen *set = ch->memo.set[d->computes ? 0 : mchan_set_of(was)], second = set[1];
  if (d->computes || mchan_control_bits(&second.was) != was) {
    set[1] = (struct mchan_seen){ch->control, decide(mchan_to_tcdm(d, ch), &ch->control)};
    return &set[1].cycle;
  }
  set[1] = set[0];
  set[0] = second;
  return &set[0].cycle;
}
