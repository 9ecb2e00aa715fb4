// tests/cluster/dma_random.c: transfers at random, with cores in the DMA's way: both engines move
// the same bytes in the same cycles, whatever comes together.
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "guest.h"

Suite *dma_random_suite(void);

enum { CORES = 6, DRIVERS = 3, TRANSFERS = 5, MARKS = TRANSFERS + 1, SPAN = 0x4000, AREA = 2048 };

static struct guest g;

static uint32_t below(uint32_t n) {
  return (uint32_t)rand() % n;
}

// One transfer of `core`, in areas of its own. Not in two dimensions on both sides: ports that ask
// for those at once may deadlock.
static void issue(unsigned core) {
  bool ext_2d = below(3) == 0, tcdm_2d = !ext_2d && below(4) == 0, long_one = below(3) == 0;
  uint32_t bytes = 1 + below(long_one ? AREA - 64 : 300), word[7];
  unsigned n = 0;
  if (ext_2d || tcdm_2d)
    bytes = 1 + below(200);
  word[n++] = bytes | below(2) << 17 | 1u << 18 | (uint32_t)ext_2d << 19 | 1u << 20 |
              (uint32_t)tcdm_2d << 23;
  word[n++] = GUEST_TCDM + core * AREA + below(32);
  word[n++] = GUEST_DATA + core * AREA + below(32);
  if (ext_2d)
    word[n++] = 1 + below(40), word[n++] = below(8) + 40;
  if (tcdm_2d)
    word[n++] = 1 + below(40), word[n++] = below(8) + 40;
  lw(&g, A0, 0, S7);
  for (unsigned i = 0; i < n; i++) {
    li(&g, T1, word[i]);
    sw(&g, T1, 0, S7);
  }
  mark(&g, ZERO);
}

// Until none of the transfers is under way.
static void wait_for_all(void) {
  unsigned top = g.count;
  lw(&g, S1, 4, S7);
  word(&g, 16u << 20 | S1 << 15 | 1u << 12 | S1 << 7 | 0x13); // slli s1, s1, 16
  loop_while(&g, S1, top);
  mark(&g, ZERO);
}

// The others get in the way of the DMA, where it leaves their bytes alone.
static void disturb(void) {
  for (unsigned i = 0; i < 60; i++) {
    int offset = (int)(4 * below(500));
    if (below(3))
      lw(&g, S2, offset, S3);
    else
      sw(&g, S2, offset, S3);
  }
}

static void program(void) {
  guest_begin(&g);
  li(&g, S3, GUEST_TCDM + 0xe000);
  meet(&g);
  for (unsigned core = 0; core < DRIVERS; core++) {
    unsigned place = only(&g, core);
    for (unsigned i = 0; i < TRANSFERS; i++) {
      issue(core);
      nops(&g, below(20));
    }
    wait_for_all();
    end_only(&g, place);
  }
  for (unsigned i = 0; i < 10; i++)
    disturb();
  meet(&g);
  guest_end(&g);
}

static void run(const char *settings, enum pulpsim_engine engine, uint64_t marks[DRIVERS][MARKS],
                uint8_t bytes[2][SPAN]) {
  static const uint32_t address[] = {GUEST_TCDM, GUEST_DATA};
  uint8_t pattern[SPAN];
  struct pulpsim *sim = guest_load_on(&g, CORES, settings, engine);
  for (unsigned i = 0; i < SPAN; i++)
    pattern[i] = (uint8_t)(i * 151 + (i >> 8) * 7);
  ck_assert(pulpsim_write(sim, address[0], pattern, SPAN));
  ck_assert(pulpsim_write(sim, address[1], pattern + 1, SPAN - 1));
  guest_run(sim);
  for (unsigned core = 0; core < DRIVERS; core++)
    for (unsigned i = 0; i < MARKS; i++)
      marks[core][i] = guest_mark(sim, core, i);
  for (unsigned side = 0; side < 2; side++)
    ck_assert(pulpsim_read(sim, address[side], bytes[side], SPAN));
  pulpsim_free(sim);
}

START_TEST(both_engines_move_the_same) {
  static const char *const arbiters[] = {"lic", "xbar"};
  static uint64_t marks[2][DRIVERS][MARKS];
  static uint8_t bytes[2][2][SPAN];
  char settings[128];
  srand((unsigned)_i);
  unsigned banks = 1u << (1 + below(4)), latency = 1 + below(25);
  snprintf(settings, sizeof settings,
           "cluster.dma.memory_latency=%u cluster.tcdm.banks=%u cluster.tcdm.arbiter=%s", latency,
           banks, arbiters[_i % 2]);
  program();
  run(settings, PULPSIM_FAST, marks[0], bytes[0]);
  run(settings, PULPSIM_PLAIN, marks[1], bytes[1]);
  for (unsigned core = 0; core < DRIVERS; core++)
    for (unsigned i = 0; i < MARKS; i++)
      ck_assert_msg(marks[0][core][i] == marks[1][core][i], "%s: mark %u of core %u: %llu and %llu",
                    settings, i, core, (unsigned long long)marks[0][core][i],
                    (unsigned long long)marks[1][core][i]);
  ck_assert_msg(memcmp(bytes[0], bytes[1], sizeof bytes[0]) == 0, "%s: bytes differ", settings);
}
END_TEST

Suite *dma_random_suite(void) {
  Suite *s = suite_create("dma_random");
  TCase *t = tcase_create("engines");
  tcase_set_timeout(t, 120);
  tcase_add_loop_test(t, both_engines_move_the_same, 0, 40);
  suite_add_tcase(s, t);
  return s;
}
