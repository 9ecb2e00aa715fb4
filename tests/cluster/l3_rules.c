// tests/cluster/l3_rules.c: L3 behind the uDMA: its registers, bytes, events, and its own clock.
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "guest.h"
#include "soc/hyper.h"

Suite *l3_rules_suite(void);

static struct guest g;

enum {
  RESET = GUEST_L2 + 0x80,
  HYPER = 0x1a102180,
  ITC = 0x1a109800,
  L3 = 0x60000000,
  FC = 1, // beside one core of the cluster
  BYTES = 600
};

// s0: the channels, s1: the interrupt controller with line 26 (events of the SoC) in its mask.
static void begin(void) {
  guest_begin(&g);
  li(&g, S0, HYPER);
  li(&g, S1, ITC);
  li(&g, T1, 1 << 26);
  sw(&g, T1, 0, S1);
}

static void start(bool to_l2, uint32_t l2, uint32_t l3, uint32_t bytes) {
  int channel = to_l2 ? 0 : 0x10;
  li(&g, T1, l3);
  sw(&g, T1, 0x20, S0);
  li(&g, T1, l2);
  sw(&g, T1, channel, S0);
  li(&g, T1, bytes);
  sw(&g, T1, channel + 4, S0);
  li(&g, T1, 1 << 4);
  sw(&g, T1, channel + 8, S0);
}

// Sleeps until an event of the SoC; its number.
static void event(int rd) {
  word(&g, 0x10500073); // wfi
  li(&g, T1, 1 << 26);
  sw(&g, T1, 0x14, S1);
  lw(&g, rd, 0x24, S1);
}

static struct pulpsim *load(const char *settings) {
  struct pulpsim *sim = guest_boot(&g, RESET, 1, settings, PULPSIM_FAST);
  uint8_t bytes[BYTES];
  for (unsigned i = 0; i < BYTES; i++)
    bytes[i] = (uint8_t)(i * 7 + 1);
  ck_assert(pulpsim_write(sim, L3 + 100, bytes, BYTES));
  return sim;
}

static void check_bytes(const struct pulpsim *sim, uint32_t at, unsigned count) {
  uint8_t bytes[BYTES];
  ck_assert(pulpsim_read(sim, at, bytes, count));
  for (unsigned i = 0; i < count; i++)
    ck_assert_uint_eq(bytes[i], (uint8_t)(i * 7 + 1));
}

START_TEST(bytes_go_to_l2_and_back) {
  begin();
  start(true, GUEST_DATA, 100, BYTES);
  lw(&g, A2, 8, S0); // under way
  event(A0);
  lw(&g, A3, 8, S0); // no more
  start(false, GUEST_DATA, 0x1000, BYTES - 1);
  event(A1);
  guest_exit(&g);
  struct pulpsim *sim = load("");
  guest_run(sim);
  check_bytes(sim, GUEST_DATA, BYTES);
  check_bytes(sim, L3 + 0x1000, BYTES - 1);
  ck_assert_uint_eq(guest_word(sim, L3 + 0x1000 + BYTES - 1) & 0xff, 0);
  ck_assert_uint_eq(pulpsim_register(sim, FC, A0), HYPER_EVENT_TO_L2);
  ck_assert_uint_eq(pulpsim_register(sim, FC, A1), HYPER_EVENT_FROM_L2);
  ck_assert_uint_eq(pulpsim_register(sim, FC, A2), 1 << 4);
  ck_assert_uint_eq(pulpsim_register(sim, FC, A3), 0);
  pulpsim_free(sim);
}
END_TEST

START_TEST(one_more_waits_and_a_third_is_refused) {
  unsigned transfers = (unsigned)_i;
  begin();
  for (uint32_t n = 0; n < transfers; n++)
    start(true, GUEST_DATA + 0x400 * n, 100, BYTES);
  lw(&g, A2, 8, S0);
  event(A0);
  event(A1);
  guest_exit(&g);
  struct pulpsim *sim = load("");
  if (transfers == 3) {
    guest_fails(sim, "another L3 transfer of a channel than it has room for");
  } else {
    guest_run(sim);
    check_bytes(sim, GUEST_DATA, BYTES);
    check_bytes(sim, GUEST_DATA + 0x400, BYTES);
    ck_assert_uint_eq(pulpsim_register(sim, FC, A2), 3 << 4);
  }
  pulpsim_free(sim);
}
END_TEST

static uint64_t cycles(uint32_t bytes, const char *settings) {
  begin();
  start(true, GUEST_DATA, 0, bytes);
  event(A0);
  guest_exit(&g);
  struct pulpsim *sim = load(settings);
  guest_run(sim);
  uint64_t n = pulpsim_stats(sim)->cycles;
  pulpsim_free(sim);
  return n;
}

// Only the ratio of the clocks counts: cycles are the cluster's.
START_TEST(the_interface_has_a_clock_of_its_own) {
  static const struct {
    const char *settings;
    unsigned cycles_per_256_bytes;
  } row[] = {
      {"soc.cluster_clock_mhz=50 l3.clock_mhz=50", 128},
      {"soc.cluster_clock_mhz=100 l3.clock_mhz=50", 256},
      {"soc.cluster_clock_mhz=400 l3.clock_mhz=50", 1024},
      {"soc.cluster_clock_mhz=400 l3.clock_mhz=200", 256},
      {"soc.cluster_clock_mhz=100 l3.clock_mhz=50 l3.bytes_per_clock=1", 512},
      {"soc.cluster_clock_mhz=100 l3.clock_mhz=50 l3.latency=99", 256},
  };
  uint64_t once = cycles(256, row[_i].settings), twice = cycles(512, row[_i].settings);
  ck_assert_uint_eq(twice - once, row[_i].cycles_per_256_bytes);
}
END_TEST

START_TEST(the_latency_is_in_its_clocks) {
  const char *none = "soc.cluster_clock_mhz=300 l3.clock_mhz=100 l3.latency=0",
             *some = "soc.cluster_clock_mhz=300 l3.clock_mhz=100 l3.latency=40";
  ck_assert_uint_eq(cycles(64, some) - cycles(64, none), 40 * 3);
}
END_TEST

// The controller loads one word a hundred times while 600 bytes arrive: cycles in which the uDMA
// has its bank.
static uint64_t waits(const char *settings, bool transfer) {
  begin();
  if (transfer)
    start(true, GUEST_DATA + 0x1000, 0, BYTES);
  for (unsigned i = 0; i < 100; i++)
    lw(&g, A0, 0, S9);
  if (transfer)
    event(A1);
  guest_exit(&g);
  struct pulpsim *sim = load(settings);
  guest_run(sim);
  uint64_t n = guest_stalls(sim, FC, "l2_wait");
  pulpsim_free(sim);
  return n;
}

// A word in every cycle, or in every fourth, goes round the four banks, and three loads of four, or
// 15 of 16, find theirs free; a word that would come faster waits for the port, which is the SoC's.
START_TEST(words_take_their_banks_of_l2) {
  const char *every = "l3.clock_mhz=200 l3.latency=0", *fourth = "l3.latency=0",
             *faster = "l3.clock_mhz=400 l3.bytes_per_clock=16 l3.latency=0";
  ck_assert_uint_eq(waits(every, false), 0);
  ck_assert_uint_eq(waits(every, true), 32);
  ck_assert_uint_eq(waits(faster, true), 32);
  ck_assert_uint_eq(waits(fourth, true), 7);
  ck_assert_uint_eq(cycles(512, faster) - cycles(256, faster), 64);
}
END_TEST

START_TEST(what_is_not_there_is_refused) {
  static const struct {
    uint32_t l2, l3, bytes;
  } row[] = {{GUEST_DATA, 8 << 20, 4},
             {GUEST_DATA, (8 << 20) - 4, 8},
             {0x20000000, 0, 4},
             {GUEST_DATA, 0, 0}};
  begin();
  start(true, row[_i].l2, row[_i].l3, row[_i].bytes);
  event(A0);
  guest_exit(&g);
  struct pulpsim *sim = load("");
  guest_fails(sim, "L3 transfer outside");
  pulpsim_free(sim);
}
END_TEST

// ---- the eight channels

enum { CHANNELS = 0x1a102480, SELECT = 0x420, FREE = 0x424, STATUS = 0x24 };

struct rows {
  uint32_t bytes, stride;
};

static void put(int offset, uint32_t value) {
  li(&g, T1, value);
  sw(&g, T1, offset, S2);
}

// `bytes` in rows, between L3 and the start of the data in L2.
static void start_channel(unsigned channel, bool to_l2, uint32_t l3, uint32_t bytes,
                          const struct rows *in_l3, const struct rows *in_l2, uint32_t command) {
  int at = 0x80 * (int)channel;
  li(&g, S2, CHANNELS);
  put(at + 0x18, command);
  put(at + 0x1c, l3);
  for (int side = 0; side < 2; side++) {
    const struct rows *r = side ? in_l2 : in_l3;
    put(at + 0x28 + 12 * side, r != NULL);
    put(at + 0x2c + 12 * side, r ? r->bytes : 0);
    put(at + 0x30 + 12 * side, r ? r->stride : 0);
  }
  at += to_l2 ? 0 : 0x0c;
  put(at, GUEST_DATA);
  put(at + 4, bytes);
  put(at + 8, 1 << 4);
}

// The byte of L3 that row after row of `r` has as its number `i`.
static unsigned of_row(const struct rows *r, unsigned i) {
  return i / r->bytes * r->stride + i % r->bytes;
}

START_TEST(channels_carry_rows) {
  static const struct rows hundreds = {100, 200}, fifties = {50, 100};
  uint8_t in[300], back[150];
  begin();
  start_channel(0, true, 100, sizeof in, &hundreds, NULL, 5);
  lw(&g, A2, FREE, S2);
  lw(&g, A3, STATUS, S2);
  event(A0);
  lw(&g, A4, STATUS, S2);
  start_channel(1, false, 0x1000, sizeof back, NULL, &fifties, 1);
  lw(&g, A5, FREE, S2);
  event(A1);
  guest_exit(&g);
  struct pulpsim *sim = load("");
  guest_run(sim);
  ck_assert(pulpsim_read(sim, GUEST_DATA, in, sizeof in));
  ck_assert(pulpsim_read(sim, L3 + 0x1000, back, sizeof back));
  for (unsigned i = 0; i < sizeof in; i++)
    ck_assert_uint_eq(in[i], (uint8_t)(of_row(&hundreds, i) * 7 + 1));
  for (unsigned i = 0; i < sizeof back; i++)
    ck_assert_uint_eq(back[i], in[of_row(&fifties, i)]);
  static const uint32_t wanted[] = {34, 35, 1, 1 << 1 | 1, 0, 0}; // a0 and on
  for (unsigned i = 0; i < sizeof wanted / sizeof *wanted; i++)
    ck_assert_uint_eq(pulpsim_register(sim, FC, A0 + i), wanted[i]);
  pulpsim_free(sim);
}
END_TEST

static uint64_t row_cycles(uint32_t row) {
  begin();
  start_channel(2, true, 0, 300, &(struct rows){row, 400}, NULL, 5);
  event(A0);
  guest_exit(&g);
  struct pulpsim *sim = load("soc.cluster_clock_mhz=300 l3.clock_mhz=100 l3.latency=40");
  guest_run(sim);
  uint64_t n = pulpsim_stats(sim)->cycles;
  pulpsim_free(sim);
  return n;
}

START_TEST(each_row_has_its_latency) {
  ck_assert_uint_eq(row_cycles(100) - row_cycles(300), 2 * 40 * 3);
}
END_TEST

// Three rows of 100 bytes, 200 apart, reach over 500: to the last byte of L3, and one further.
START_TEST(rows_end_with_the_memory) {
  static const struct rows hundreds = {100, 200};
  begin();
  start_channel(3, true, (8 << 20) - 500 + (uint32_t)_i, 300, &hundreds, NULL, 5);
  event(A0);
  guest_exit(&g);
  struct pulpsim *sim = load("");
  if (_i)
    guest_fails(sim, "L3 transfer outside");
  else
    guest_run(sim);
  pulpsim_free(sim);
}
END_TEST

START_TEST(what_channels_have_not_is_refused) {
  static const struct rows far = {4, 4 << 20};
  static const struct {
    const struct rows *rows;
    uint32_t command, select;
    const char *says;
  } row[] = {{NULL, 5, 1, "transfer of HyperFlash, which nobody models"},
             {NULL, 4, 0, "access to a register of HyperRAM, which nobody models"},
             {&far, 5, 0, "L3 transfer outside"}};
  begin();
  li(&g, S2, CHANNELS);
  put(SELECT, row[_i].select);
  start_channel(7, true, 0, 12, row[_i].rows, NULL, row[_i].command);
  event(A0);
  guest_exit(&g);
  struct pulpsim *sim = load("");
  guest_fails(sim, row[_i].says);
  pulpsim_free(sim);
}
END_TEST

// As the command's --load FILE@ADDRESS: L1, L2, L3, over the edge, and nowhere.
START_TEST(files_are_placed_before_the_start) {
  static const struct {
    uint32_t address;
    bool fits;
  } row[] = {{GUEST_TCDM + 3, true},
             {GUEST_DATA, true},
             {L3 + 5, true},
             {L3 + (8 << 20) - 9000, true},
             {L3 + (8 << 20) - 8999, false},
             {0x40000000, false}};
  enum { SIZE = 9000 };
  char path[] = "/tmp/pulpsim-load-XXXXXX";
  FILE *f = fdopen(mkstemp(path), "wb");
  for (unsigned i = 0; i < SIZE; i++)
    fputc((int)(i * 7 + 1) & 255, f);
  fclose(f);
  begin();
  guest_exit(&g);
  struct pulpsim *sim = guest_boot(&g, RESET, 1, "", PULPSIM_FAST);
  struct pulpsim_error error = {""};
  bool loaded = pulpsim_load_file(sim, path, row[_i].address, &error);
  unlink(path);
  ck_assert_int_eq(loaded, row[_i].fits);
  if (loaded)
    check_bytes(sim, row[_i].address, BYTES);
  else
    ck_assert_msg(strstr(error.text, "does not fit") != NULL, "%s", error.text);
  ck_assert(!pulpsim_load_file(sim, path, GUEST_DATA, &error));
  ck_assert_msg(strstr(error.text, "cannot be read: No such file") != NULL, "%s", error.text);
  pulpsim_free(sim);
}
END_TEST

Suite *l3_rules_suite(void) {
  Suite *s = suite_create("l3_rules");
  TCase *t = tcase_create("rules");
  tcase_add_test(t, bytes_go_to_l2_and_back);
  tcase_add_loop_test(t, one_more_waits_and_a_third_is_refused, 2, 4);
  tcase_add_loop_test(t, the_interface_has_a_clock_of_its_own, 0, 6);
  tcase_add_test(t, the_latency_is_in_its_clocks);
  tcase_add_test(t, words_take_their_banks_of_l2);
  tcase_add_loop_test(t, what_is_not_there_is_refused, 0, 4);
  tcase_add_test(t, channels_carry_rows);
  tcase_add_loop_test(t, rows_end_with_the_memory, 0, 2);
  tcase_add_test(t, each_row_has_its_latency);
  tcase_add_loop_test(t, what_channels_have_not_is_refused, 0, 3);
  tcase_add_loop_test(t, files_are_placed_before_the_start, 0, 6);
  suite_add_tcase(s, t);
  return s;
}
