// What a noted stretch does to the banks.
#include "core/stretch_parts.h"

// One access, asked for and granted in these cycles, the latter `cycles` if in none before.
static void count_access(struct stretch_counts *n, unsigned port, unsigned bank, unsigned asks,
                         unsigned grant, unsigned cycles) {
  bool granted = grant < cycles;
  unsigned lost = (granted ? grant : cycles) - asks;
  n->banks |= UINT32_C(1) << bank;
  n->bank[bank].grants = (uint16_t)(n->bank[bank].grants + granted);
  n->bank[bank].conflicts = (uint16_t)(n->bank[bank].conflicts + lost);
  n->denied[port] = (uint16_t)(n->denied[port] + lost);
}

static void count_lane(const struct stretch *s, unsigned i, unsigned cycles,
                       struct stretch_counts *n) {
  const uint32_t *access = stretch_accesses(s, i);
  const struct stretch_wait *wait = stretch_waits(s, i), *end = wait + s->lane[i].waits;
  for (unsigned k = 0; k < s->lane[i].accesses; k++) {
    unsigned asks = access[k] >> NOTES_WORD_BITS;
    bool waits = wait < end && wait->access == k;
    if (asks >= cycles)
      break;
    count_access(n, i, notes_word(access[k]), asks, waits ? wait->grant : asks, cycles);
    wait += waits;
  }
}

// Who asks: by cycle and bank.
typedef uint32_t asking[STRETCH_CYCLES][STRETCH_BANKS];

static void ask(asking by, unsigned port, unsigned bank, unsigned from, unsigned to) {
  for (unsigned cycle = from; cycle <= to; cycle++)
    by[cycle][bank] |= UINT32_C(1) << port;
}

static void ask_for_lane(const struct stretch *s, unsigned i, unsigned cycles, asking by) {
  const uint32_t *access = stretch_accesses(s, i);
  const struct stretch_wait *wait = stretch_waits(s, i), *end = wait + s->lane[i].waits;
  for (unsigned k = 0; k < s->lane[i].accesses; k++) {
    unsigned from = access[k] >> NOTES_WORD_BITS, to = from;
    if (wait < end && wait->access == k)
      to = wait++->grant;
    ask(by, i, notes_word(access[k]), from, to < cycles ? to : cycles - 1);
  }
}

void stretch_move_pointers(const struct stretch *s, unsigned cycles, unsigned dma_port,
                           unsigned banks, uint8_t *pointer) {
  asking by = {0};
  for (uint32_t m = s->cores; m; m &= m - 1)
    ask_for_lane(s, first_of(m), s->cycles, by);
  const struct stretch_dma *d = stretch_dma(s);
  for (unsigned i = 0; i < s->dma_cycles; i++)
    for (unsigned m = d[i].asks; m; m &= m - 1)
      ask(by, dma_port + first_of(m), d[i].bank[first_of(m)], d[i].cycle, d[i].cycle);
  for (unsigned cycle = 0; cycle < cycles; cycle++)
    for (unsigned b = 0; b < banks; b++)
      if (by[cycle][b])
        pointer[b] = tcdm_next_pointer_lic(by[cycle][b], pointer[b]);
}

void stretch_count(const struct stretch *s, unsigned cycles, unsigned dma_port,
                   struct stretch_counts *n) {
  memset(n, 0, sizeof *n);
  for (uint32_t m = s->cores; m; m &= m - 1)
    count_lane(s, first_of(m), cycles, n);
  const struct stretch_dma *d = stretch_dma(s);
  for (unsigned i = 0; i < s->dma_cycles && d[i].cycle < cycles; i++)
    for (unsigned m = d[i].asks; m; m &= m - 1) {
      unsigned k = first_of(m);
      bool wins = d[i].wins >> k & 1;
      count_access(n, dma_port + k, d[i].bank[k], d[i].cycle, d[i].cycle + !wins, d[i].cycle + 1u);
    }
}
