// tests/timing/timing_shared_fpu.c: four cores that share two float units, instruction by
// instruction as on the RTL (tests/cluster/rtl).
//
// tests/data/cluster/cores.tar.gz: programs of random_program.h and, per core, a hash over cycle
// and pc of every instruction that left ID within a limit of cycles.
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "archive.h"
#include "cluster/fpu_share.h"
#include "random_program.h"
#include "testbench.h"

Suite *timing_shared_fpu_suite(void);

enum { CORES = 4, UNITS = 2 };

static struct {
  struct testbench *bench;
  uint8_t image[RANDOM_PROGRAM_SIZE];
  uint64_t hash, count;            // of the model
  uint64_t instructions, expected; // of the RTL
} core[CORES];

static void mix(uint64_t *hash, uint64_t value) {
  for (unsigned i = 0; i < 8; i++)
    *hash = (*hash ^ (value >> 8 * i & 255)) * UINT64_C(0x100000001b3);
}

static void note(void *self, const struct core *c, const struct isa_insn *insn, uint32_t pc,
                 bool traps, cycle_t now) {
  unsigned i = *(const unsigned *)self;
  if (!testbench_seen(c, insn, traps))
    return;
  mix(&core[i].hash, now << 32 | pc);
  core[i].count++;
}

static void read_row(struct archive *a, const struct table *t, unsigned i) {
  size_t size;
  const uint8_t *code = archive_member(a, table_text(t, "program"), &size);
  ck_assert(code != NULL && size <= RANDOM_PROGRAM_DATA);
  memset(core[i].image, 0, sizeof core[i].image);
  memcpy(core[i].image, code, size);
  random_program_data(table_number(t, "seed"), core[i].image);
  core[i].hash = UINT64_C(0xcbf29ce484222325);
  core[i].count = 0;
  core[i].instructions = table_number(t, "instructions");
  core[i].expected = table_number(t, "trace");
}

static void run_set(cycle_t limit) {
  static struct testbench_result result[CORES];
  struct testbench *bench[CORES];
  uint8_t *image[CORES];
  struct fpu_share units;
  fpu_share_init(&units, CORES, UNITS);
  for (unsigned i = 0; i < CORES; i++) {
    bench[i] = core[i].bench;
    image[i] = core[i].image;
  }
  testbench_run_together(bench, CORES, &units, image, RANDOM_PROGRAM_SIZE, RANDOM_PROGRAM_ENTRY,
                         limit, result);
}

START_TEST(cores_on_shared_units_take_the_cycles_of_the_rtl) {
  static const unsigned number[CORES] = {0, 1, 2, 3};
  struct archive *a = archive_open("tests/data/cluster/cores.tar.gz");
  struct table *t = table_open(a, "cores.tsv");
  unsigned sets = 0;
  for (unsigned i = 0; i < CORES; i++) {
    core[i].bench = testbench_new("ri5cyfp");
    testbench_watch(core[i].bench, note, (void *)&number[i]);
  }
  while (table_next(t)) {
    unsigned i = (unsigned)table_number(t, "core");
    read_row(a, t, i);
    if (i + 1 < CORES)
      continue;
    run_set(table_number(t, "limit"));
    for (unsigned k = 0; k < CORES; k++)
      ck_assert_msg(core[k].count == core[k].instructions && core[k].hash == core[k].expected,
                    "set %s, core %u: %llu instructions, the RTL %llu, or other cycles",
                    table_text(t, "set"), k, (unsigned long long)core[k].count,
                    (unsigned long long)core[k].instructions);
    sets++;
  }
  ck_assert_uint_ge(sets, 10);
  for (unsigned i = 0; i < CORES; i++)
    testbench_free(core[i].bench);
  table_close(t);
  archive_close(a);
}
END_TEST

Suite *timing_shared_fpu_suite(void) {
  Suite *s = suite_create("timing_shared_fpu");
  TCase *c = tcase_create("generated programs");
  tcase_set_timeout(c, 120);
  tcase_add_test(c, cores_on_shared_units_take_the_cycles_of_the_rtl);
  suite_add_tcase(s, c);
  return s;
}
