// tests/timing/timing_words.c: words that no assembler emits and RI5CY executes all the same do
// what they do on its RTL.
//
// tests/data/timing/words.tsv: of each word, what it leaves in x12, of two sets of operands in x10,
// x11 and x12. Measured with tests/timing/rtl, the program below.
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "archive.h"
#include "testbench.h"

Suite *timing_words_suite(void);

enum { ENTRY = 0x80, IMAGE = 0x200, LIMIT = 200, WORDS = 174, SETS = 2 };
enum { STORE_X12 = 0x00c02023, STORE_END = 0x0004a023 }; // to 0; to x9
static const uint32_t end = UINT32_C(1) << 31;

static const uint32_t operand[SETS][3] = {{0x8f3c5a71, 0x03810206, 0x17e9d2b4},
                                          {0x7fff8001, 0x0182ff03, 0x80c07f01}};
// Skips what trapped.
static const uint32_t handler[] = {0x34102ff3, 0x004f8f93, 0x341f9073, 0x30200073};

static struct {
  uint32_t word[IMAGE / 4];
  unsigned count;
} image;
static uint32_t stored[2];
static unsigned stores;

static void put(uint32_t word) {
  ck_assert_uint_lt(image.count, IMAGE / 4);
  image.word[image.count++] = word;
}

static void set(unsigned reg, uint32_t value) {
  put(((value + 0x800) & 0xfffff000) | reg << 7 | 0x37); // lui
  put(value << 20 | reg << 15 | reg << 7 | 0x13);        // addi
}

static void watch(void *self, const struct core *c, const struct isa_insn *insn, uint32_t pc,
                  bool traps, cycle_t now) {
  (void)self, (void)c, (void)insn, (void)pc, (void)traps, (void)now;
}

static void watch_store(void *self, const struct access *a) {
  (void)self;
  if (stores < 2)
    stored[stores++] = a->data;
}

static uint32_t result_of(struct testbench *b, uint32_t word, const uint32_t values[3]) {
  static struct testbench_result result;
  static const struct testbench_delays none;
  memset(&image, 0, sizeof image);
  memcpy(image.word, handler, sizeof handler);
  image.count = ENTRY / 4;
  for (unsigned i = 0; i < 3; i++)
    set(10 + i, values[i]);
  put(word);
  put(STORE_X12);
  set(9, end);
  put(STORE_END);
  stores = 0;
  testbench_run_image(b, (const uint8_t *)image.word, sizeof image.word, ENTRY, &none, LIMIT,
                      &result);
  ck_assert(result.exited && stores == 2);
  return stored[0];
}

START_TEST(words_do_what_they_do_on_the_rtl) {
  struct archive *a = archive_folder("tests/data/timing");
  struct table *t = table_open(a, "words.tsv");
  struct testbench *b = testbench_new("ri5cyzf");
  testbench_watch(b, watch, NULL);
  testbench_watch_stores(b, watch_store);
  unsigned rows = 0;
  for (; table_next(t); rows++) {
    uint32_t word = (uint32_t)strtoul(table_text(t, "word"), NULL, 16);
    static const char *const columns[SETS] = {"first", "second"};
    for (unsigned i = 0; i < SETS; i++) {
      uint32_t rtl = (uint32_t)strtoul(table_text(t, columns[i]), NULL, 16);
      uint32_t model = result_of(b, word, operand[i]);
      ck_assert_msg(model == rtl, "%08x: %08x, on the RTL %08x", (unsigned)word, (unsigned)model,
                    (unsigned)rtl);
    }
  }
  ck_assert_uint_eq(rows, WORDS);
  testbench_free(b);
  table_close(t);
  archive_close(a);
}
END_TEST

Suite *timing_words_suite(void) {
  Suite *s = suite_create("timing_words");
  TCase *t = tcase_create("words");
  tcase_add_test(t, words_do_what_they_do_on_the_rtl);
  suite_add_tcase(s, t);
  return s;
}
