// tests/cluster/dma_rules.c: the DMA moves the right bytes, in the time it takes in the RTL, and
// tells whom it should (dma.tsv, dma2.tsv, dma3.tsv).
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "guest.h"
#include "tests/often.h"

Suite *dma_rules_suite(void);

enum {
  TO_TCDM = 1 << 17,
  INCREMENT = 1 << 18,
  EXT_2D = 1 << 19,
  EVENT = 1 << 20,
  IRQ = 1 << 21,
  BROADCAST = 1 << 22,
  TCDM_2D = 1 << 23
};

struct transfer {
  uint32_t bytes, tcdm, ext; // offsets into the two memories
  bool to_tcdm;
  uint32_t ext_row, ext_stride, tcdm_row, tcdm_stride; // 0: one dimension
};

static struct guest g;

// The words of a transfer go to A1..A7 and then, one after the other, to the DMA.
static void issue(const struct transfer *t, uint32_t flags) {
  uint32_t word[7];
  int n = 0;
  word[n++] = t->bytes | flags | INCREMENT | (t->to_tcdm ? TO_TCDM : 0) |
              (t->ext_row ? EXT_2D : 0) | (t->tcdm_row ? TCDM_2D : 0);
  word[n++] = GUEST_TCDM + t->tcdm;
  word[n++] = GUEST_DATA + t->ext;
  if (t->ext_row)
    word[n++] = t->ext_row, word[n++] = t->ext_stride;
  if (t->tcdm_row)
    word[n++] = t->tcdm_row, word[n++] = t->tcdm_stride;
  for (int i = 0; i < n; i++)
    li(&g, A1 + i, word[i]);
  lw(&g, A0, 0, S7);
  for (int i = 0; i < n; i++)
    sw(&g, A1 + i, 0, S7);
  mark(&g, ZERO);
}

static void wait_for_event(void) {
  li(&g, T1, 0x100);
  sw(&g, T1, 0, S11);
  elw(&g, T2, 0x3c, S11);
  mark(&g, ZERO);
}

// ---- data

static uint8_t pattern(uint32_t i) {
  return (uint8_t)(i * 151 + (i >> 8) * 7 + 3);
}

// Where byte `i` of a transfer lies on a side.
static uint32_t place(uint32_t i, uint32_t row, uint32_t stride) {
  return row ? i / row * stride + i % row : i;
}

enum { SPAN = 4096 };

static void fill(struct pulpsim *sim, uint32_t address, bool with_pattern) {
  uint8_t bytes[SPAN];
  for (uint32_t i = 0; i < SPAN; i++)
    bytes[i] = with_pattern ? pattern(i) : 0xee;
  ck_assert(pulpsim_write(sim, address, bytes, SPAN));
}

static void check_bytes(struct pulpsim *sim, const struct transfer *t) {
  uint8_t expected[SPAN], found[SPAN];
  memset(expected, 0xee, SPAN);
  for (uint32_t i = 0; i < t->bytes; i++) {
    uint32_t tcdm = t->tcdm + place(i, t->tcdm_row, t->tcdm_stride);
    uint32_t ext = t->ext + place(i, t->ext_row, t->ext_stride);
    expected[t->to_tcdm ? tcdm : ext] = pattern(t->to_tcdm ? ext : tcdm);
  }
  ck_assert(pulpsim_read(sim, t->to_tcdm ? GUEST_TCDM : GUEST_DATA, found, SPAN));
  for (uint32_t i = 0; i < SPAN; i++)
    check_often(found[i] == expected[i], "%u bytes tcdm %u ext %u %s: byte %u is %02x, not %02x",
                t->bytes, t->tcdm, t->ext, t->to_tcdm ? "in" : "out", i, found[i], expected[i]);
}

static void check_transfer(const struct transfer *t) {
  guest_begin(&g);
  issue(t, EVENT);
  wait_for_event();
  guest_end(&g);
  struct pulpsim *sim = guest_load(&g, 1, "cluster.dma.memory_latency=3");
  fill(sim, GUEST_TCDM, !t->to_tcdm);
  fill(sim, GUEST_DATA, t->to_tcdm);
  guest_run(sim);
  check_bytes(sim, t);
  pulpsim_free(sim);
}

START_TEST(every_byte_arrives_whatever_the_alignment) {
  static const uint32_t sizes[] = {1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 31, 64, 65, 255, 256, 257, 600};
  const unsigned count = sizeof sizes / sizeof *sizes;
  for (unsigned k = 0; k < 5; k++) { // over all alignments every size comes many times
    struct transfer t = {.bytes = sizes[((unsigned)_i * 5 + k) % count],
                         .tcdm = (uint32_t)_i & 7,
                         .ext = 8 + ((uint32_t)_i >> 3 & 7),
                         .to_tcdm = _i >> 6 & 1};
    check_transfer(&t);
  }
}
END_TEST

START_TEST(rows_and_strides_on_either_side) {
  srand((unsigned)_i);
  for (unsigned k = 0; k < 20; k++) {
    struct transfer t = {
        .to_tcdm = rand() & 1, .tcdm = (uint32_t)rand() % 64, .ext = (uint32_t)rand() % 64};
    uint32_t row = 1 + (uint32_t)rand() % 60, rows = 1 + (uint32_t)rand() % 20;
    t.bytes = row * rows;
    if (_i & 1)
      t.ext_row = row, t.ext_stride = row + (uint32_t)rand() % 40;
    if (_i & 2) {
      t.tcdm_row = _i & 1 ? 1 + (uint32_t)rand() % 60 : row;
      t.tcdm_stride = t.tcdm_row + (uint32_t)rand() % 20;
      if ((t.bytes / t.tcdm_row + 1) * t.tcdm_stride > SPAN - 64)
        continue;
    }
    check_transfer(&t);
  }
}
END_TEST

// ---- time

// Cycles from the last word of the command (in EX) to the event, aligned.
static uint64_t rtl_cycles(uint32_t bytes, unsigned latency, bool to_tcdm) {
  uint64_t n = (bytes + 7) / 8, bursts = (bytes + 255) / 256;
  return n == 1 ? 15 + latency : 15 + latency + n + (to_tcdm ? 2 : 3) * (bursts - 1);
}

START_TEST(aligned_transfers_take_the_cycles_of_the_rtl) {
  static const unsigned latencies[] = {1, 4, 15};
  unsigned latency = latencies[_i % 3];
  bool to_tcdm = _i / 3 & 1;
  for (uint32_t bytes = 4; bytes <= 4096; bytes *= 2) {
    struct transfer t = {.bytes = bytes, .to_tcdm = to_tcdm};
    guest_begin(&g);
    issue(&t, EVENT);
    wait_for_event();
    guest_end(&g);
    char settings[64];
    snprintf(settings, sizeof settings, "cluster.dma.memory_latency=%u", latency);
    struct pulpsim *sim = guest_load(&g, 1, settings);
    guest_run(sim);
    uint64_t last_word = guest_mark(sim, 0, 0) - 1;
    uint64_t event = guest_mark(sim, 0, 1) - 5; // marker in EX: event + 4 in ID
    ck_assert_msg(event - last_word == rtl_cycles(bytes, latency, to_tcdm),
                  "%u bytes: %llu, RTL %llu", bytes, (unsigned long long)(event - last_word),
                  (unsigned long long)rtl_cycles(bytes, latency, to_tcdm));
    pulpsim_free(sim);
  }
}
END_TEST

// ---- identifiers, status, events

START_TEST(identifiers_are_the_lowest_free_and_stay_until_freed) {
  guest_begin(&g);
  struct transfer t = {.bytes = 64, .to_tcdm = true};
  lw(&g, S0, 4, S7); // nothing
  issue(&t, EVENT);
  lw(&g, S1, 4, S7); // running and allocated
  addi(&g, S2, A0, 0);
  wait_for_event();
  lw(&g, S3, 4, S7); // allocated
  issue(&t, EVENT);
  wait_for_event();
  addi(&g, A2, A0, 0); // the second identifier
  li(&g, T1, 1);
  sw(&g, T1, 4, S7); // free the first
  lw(&g, A3, 4, S7);
  lw(&g, A4, 0, S7); // allocate again: the first
  struct pulpsim *sim = guest_finish(&g, 1, "");
  const int reg[] = {S0, S1, S2, S3, A2, A3, A4};
  const uint32_t expected[] = {0, 0x10001, 0, 0x10000, 1, 0x20000, 0};
  for (unsigned i = 0; i < 7; i++)
    ck_assert_uint_eq(pulpsim_register(sim, 0, (unsigned)reg[i]), expected[i]);
  pulpsim_free(sim);
}
END_TEST

START_TEST(events_go_to_whom_the_command_says) {
  static const struct {
    uint32_t flags, own, others;
  } cases[] = {{0, 0, 0},
               {EVENT, 0x100, 0},
               {IRQ, 0x200, 0},
               {EVENT | BROADCAST, 0x100, 0x100},
               {EVENT | IRQ | BROADCAST, 0x300, 0x300}};
  guest_begin(&g);
  meet(&g);
  unsigned second = only(&g, 1);
  struct transfer t = {.bytes = 32, .to_tcdm = true};
  issue(&t, cases[_i].flags);
  end_only(&g, second);
  nops(&g, 100);
  lw(&g, A6, 0x1c, S11);
  struct pulpsim *sim = guest_finish(&g, 3, "");
  for (unsigned i = 0; i < 3; i++)
    ck_assert_uint_eq(pulpsim_register(sim, i, A6), i == 1 ? cases[_i].own : cases[_i].others);
  pulpsim_free(sim);
}
END_TEST

START_TEST(cores_issue_at_once_and_all_are_served) {
  guest_begin(&g);
  struct transfer t = {.bytes = 64, .to_tcdm = true};
  meet(&g);
  issue(&t, EVENT);
  wait_for_event();
  struct pulpsim *sim = guest_finish(&g, 8, "cluster.dma.memory_latency=4");
  for (unsigned i = 1; i < 8; i++) // 64 bytes each, ten cycles apart
    ck_assert_uint_eq(guest_mark(sim, i, 1) - guest_mark(sim, i - 1, 1), 10);
  pulpsim_free(sim);
}
END_TEST

// As the RTL of a cluster built with one core, where its third load never returns.
START_TEST(no_more_transfers_than_there_are_identifiers) {
  enum { TRANSFERS = 3 };
  struct transfer t = {.bytes = 64, .to_tcdm = true};
  guest_begin(&g);
  for (unsigned i = 0; i < TRANSFERS; i++) {
    issue(&t, 0);
    if (i == 1) {
      nops(&g, 400);
      li(&g, T1, _i == 1); // the first one is free
      sw(&g, T1, 4, S7);
    }
  }
  guest_end(&g);
  struct pulpsim *sim = guest_load(&g, 1, "cluster.dma.transfers=2");
  enum pulpsim_state state = pulpsim_run(sim, 100000);
  ck_assert_int_eq(state, _i == 1 ? PULPSIM_EXITED : PULPSIM_DEADLOCK);
  if (_i == 0)
    ck_assert_msg(strstr(pulpsim_reason(sim), "waits for a transfer of the DMA, and nobody frees"),
                  "%s", pulpsim_reason(sim));
  pulpsim_free(sim);
}
END_TEST

// The arbiters of both tables of descriptions point to different ports once one of them has been
// asked alone: of ports that then want a place in both, each gets one, which is lost (mchan
// `ctrl_fsm`, `twd_trans_queue`).
START_TEST(ports_that_ask_for_both_tables_at_once_deadlock) {
  struct transfer rows = {.bytes = 64, .to_tcdm = true, .ext_row = 16, .ext_stride = 32};
  struct transfer both = rows;
  both.tcdm_row = 8;
  both.tcdm_stride = 16;
  guest_begin(&g);
  unsigned first = only(&g, 0);
  issue(_i == 0 ? &rows : &both, EVENT);
  wait_for_event();
  end_only(&g, first);
  nops(&g, 400);
  meet(&g);
  issue(&both, EVENT);
  wait_for_event();
  guest_end(&g);
  struct pulpsim *sim = guest_load(&g, 8, "");
  enum pulpsim_state state = pulpsim_run(sim, 100000);
  if (_i == 0) {
    ck_assert_int_eq(state, PULPSIM_DEADLOCK);
    ck_assert_msg(strstr(pulpsim_reason(sim), "the DMA has lost its memory for 2D transfers"), "%s",
                  pulpsim_reason(sim));
  } else { // both pointers went on together
    ck_assert_int_eq(state, PULPSIM_EXITED);
  }
  pulpsim_free(sim);
}
END_TEST

// ---- version 6, bad transfers

START_TEST(version_6_has_its_own_command_word) {
  guest_begin(&g);
  const uint32_t word[] = {12u | 1u << 16 | 1u << 17 | 1u << 18 | 1u << 19, GUEST_TCDM, GUEST_DATA,
                           4u | 16u << 16};
  lw(&g, A0, 0, S7);
  for (unsigned i = 0; i < 4; i++) {
    li(&g, T1, word[i]);
    sw(&g, T1, 0, S7);
  }
  wait_for_event();
  guest_end(&g);
  struct pulpsim *sim = guest_load(&g, 1, "cluster.dma.version=6");
  fill(sim, GUEST_DATA, true);
  guest_run(sim);
  for (uint32_t i = 0; i < 12; i++) {
    uint32_t word_found = guest_word(sim, GUEST_TCDM + (i & ~3u));
    ck_assert_uint_eq(word_found >> 8 * (i & 3) & 255, pattern(i / 4 * 16 + i % 4));
  }
  pulpsim_free(sim);
}
END_TEST

START_TEST(a_transfer_to_nowhere_is_refused) {
  static const struct transfer bad[] = {
      {.bytes = 64, .ext = 0x10000000},      // no memory there
      {.bytes = 0x20000, .to_tcdm = true},   // longer than what is left of TCDM
      {.bytes = 64, .tcdm = 0x1fff0},        // over the end of TCDM
      {.bytes = 64, .ext = 0x1f0000 - 0x20}, // over the end of L2
      {.bytes = 64, .ext_row = 8, .ext_stride = 0x100000},
  };
  struct transfer t = bad[_i];
  if (_i == 1)
    t.tcdm = 16;
  guest_begin(&g);
  issue(&t, EVENT);
  wait_for_event();
  guest_end(&g);
  struct pulpsim *sim = guest_load(&g, 1, "");
  guest_fails(sim, "DMA transfer outside");
  pulpsim_free(sim);
}
END_TEST

Suite *dma_rules_suite(void) {
  Suite *s = suite_create("dma_rules");
  TCase *t = tcase_create("rules");
  tcase_set_timeout(t, 120);
  tcase_add_loop_test(t, every_byte_arrives_whatever_the_alignment, 0, 128);
  tcase_add_loop_test(t, rows_and_strides_on_either_side, 1, 16);
  tcase_add_loop_test(t, aligned_transfers_take_the_cycles_of_the_rtl, 0, 6);
  tcase_add_test(t, identifiers_are_the_lowest_free_and_stay_until_freed);
  tcase_add_loop_test(t, events_go_to_whom_the_command_says, 0, 5);
  tcase_add_test(t, cores_issue_at_once_and_all_are_served);
  tcase_add_loop_test(t, no_more_transfers_than_there_are_identifiers, 0, 2);
  tcase_add_loop_test(t, ports_that_ask_for_both_tables_at_once_deadlock, 0, 2);
  tcase_add_test(t, version_6_has_its_own_command_word);
  tcase_add_loop_test(t, a_transfer_to_nowhere_is_refused, 0, 5);
  suite_add_tcase(s, t);
  return s;
}
