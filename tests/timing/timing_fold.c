// tests/timing/timing_fold.c: folded costs are what the cycle model needs for the same code.
//
// Straight lines of random instructions at both alignments, entered by a jump, left by falling
// through, by jumps and by taken branches to targets of both sizes and alignments.
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "archive.h"
#include "core/fold.h"
#include "testbench.h"

Suite *timing_fold_suite(void);

enum { ENTRY = 0x80, LINE_AT = 0x200, TARGET_AT = 0x300, IMAGE = 0x2100, MAX = 16, LIMIT = 300 };

static uint64_t state;

static uint32_t chance(uint32_t bound) {
  state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
  return (uint32_t)(state >> 33) % bound;
}

// Registers: x10 to x15 for results, x8 a data address, x28 a divisor whose first bit is set.
static uint32_t field(void) {
  return 10 + chance(6);
}

static uint32_t alu(void) {
  return 0x33u | field() << 7 | field() << 15 | field() << 20;
}

static uint32_t any_instruction(void) {
  uint32_t rd = field(), offset = 4 * chance(16);
  switch (chance(9)) {
  case 0:
    return 0x03u | rd << 7 | 2 << 12 | 8 << 15 | offset << 20; // lw
  case 1:
    return 0x23u | (offset & 31) << 7 | 2 << 12 | 8 << 15 | rd << 20 | offset >> 5 << 25;
  case 2:
    return 0x33u | rd << 7 | 1 << 12 | field() << 15 | field() << 20 | 1 << 25; // mulh
  case 3:
    return 0x33u | rd << 7 | 5 << 12 | field() << 15 | 28 << 20 | 1 << 25; // divu
  case 4:
    return 0x0001; // c.nop
  case 5:
    return 0x4080u | (rd & 7) << 2; // c.lw
  case 6:
    return 0x73u | rd << 7 | 2 << 12 | 0x340u << 20; // csrr mscratch
  case 7:
    return chance(4) ? alu() : 0x73u | rd << 7 | 2 << 12 | 0x300u << 20; // csrr mstatus
  default:
    return alu();
  }
}

static uint32_t jal(uint32_t rd, int32_t distance) {
  uint32_t d = (uint32_t)distance;
  return 0x6fu | rd << 7 | (d >> 12 & 255) << 12 | (d >> 11 & 1) << 20 | (d >> 1 & 1023) << 21 |
         d >> 20 << 31;
}

static uint32_t branch(int32_t distance) { // bne x28, x0
  uint32_t d = (uint32_t)distance;
  return 0x63u | 1 << 12 | 28 << 15 | (d >> 1 & 15) << 8 | (d >> 5 & 63) << 25 |
         (d >> 11 & 1) << 7 | (d >> 12 & 1) << 31;
}

struct recorder {
  cycle_t left[MAX + 1];
  unsigned count;
  uint32_t from;
  bool on;
};

static void record(void *self, const struct core *c, const struct isa_insn *insn, uint32_t pc,
                   bool traps, cycle_t now) {
  struct recorder *r = self;
  (void)c, (void)insn, (void)traps;
  if (pc == r->from)
    r->on = true;
  if (r->on && r->count <= MAX)
    r->left[r->count++] = now;
}

struct example {
  uint32_t word[MAX];
  struct fold_line line;
  uint32_t end; // address behind the line
};

static unsigned size_of(uint32_t word) {
  return (word & 3) == 3 ? 4 : 2;
}

// jalr: x6 holds the target; the set-up code sees to it.
static uint32_t leaving_instruction(struct example *e, uint32_t pc) {
  int32_t distance = (int32_t)(e->line.target - pc);
  switch (chance(4)) {
  case 0:
    return jal(0, distance);
  case 1:
    return jal(1, distance);
  case 2:
    return 0x67u | chance(2) * 6 << 7 | 6 << 15; // jalr; link register 0 or 6
  default:
    return branch(distance);
  }
}

static void make(struct example *e) {
  memset(e, 0, sizeof *e);
  e->line.word = e->word;
  e->line.pc = LINE_AT + 2 * chance(2);
  e->line.target = TARGET_AT + 2 * chance(2);
  e->line.landing = chance(2) ? FOLD_NOP : FOLD_SHORT_NOP;
  e->line.leaves = chance(4) != 0;
  e->line.count = 1 + chance(MAX - 2);
  uint32_t pc = e->line.pc;
  for (unsigned i = 0; i < e->line.count; i++) {
    bool last = i == e->line.count - 1;
    e->word[i] = last && e->line.leaves ? leaving_instruction(e, pc) : any_instruction();
    pc += size_of(e->word[i]);
  }
  e->end = pc;
}

static void put(uint8_t *image, uint32_t *at, uint32_t word) {
  memcpy(image + *at, &word, size_of(word));
  *at += size_of(word);
}

static void lay_out(const struct example *e, uint8_t *image) {
  uint32_t at = ENTRY;
  memset(image, 0, IMAGE);
  for (uint32_t a = LINE_AT; a < TARGET_AT + 0x80; a += 2)
    memcpy(image + a, &(uint16_t){0x0001}, 2);
  put(image, &at, 0x00002437);                            // lui x8, 2
  put(image, &at, 0x80000e37);                            // lui x28, 0x80000
  put(image, &at, 0x13u | 6 << 7 | e->line.target << 20); // addi x6, x0, target
  for (unsigned i = 0; i < 6; i++)
    put(image, &at, 0x13);
  put(image, &at, jal(0, (int32_t)(e->line.pc - at)));
  at = e->line.pc;
  for (unsigned i = 0; i < e->line.count; i++)
    put(image, &at, e->word[i]);
  at = e->line.target;
  if (e->line.leaves && e->line.landing == FOLD_NOP)
    put(image, &at, 0x13);
}

static unsigned sum_of_stalls(const struct fold_gap *g) {
  unsigned sum = 0;
  for (unsigned k = 0; k < CAUSE_COUNT; k++)
    sum += g->stall[k];
  return sum;
}

static void compare(const char *config, unsigned lines) {
  static uint8_t image[IMAGE];
  static struct testbench_result result;
  struct testbench *b = testbench_new(config);
  struct fold *f = fold_new(testbench_config(b), testbench_decoder(b));
  struct fold_gap gap[MAX];
  struct example e;
  for (unsigned n = 0; n < lines; n++) {
    make(&e);
    lay_out(&e, image);
    struct recorder r = {.from = e.line.pc};
    testbench_watch(b, record, &r);
    testbench_run_image(b, image, sizeof image, ENTRY, NULL, LIMIT, &result);
    ck_assert_uint_gt(r.count, e.line.count);
    ck_assert(fold_costs(f, &e.line, gap));
    for (unsigned i = 0; i < e.line.count; i++) {
      ck_assert_msg(gap[i].cycles == r.left[i + 1] - r.left[i],
                    "%s, line %u, instruction %u of %u (%08x): folded %u, in the model %u", config,
                    n, i, e.line.count, e.word[i], gap[i].cycles,
                    (unsigned)(r.left[i + 1] - r.left[i]));
      ck_assert_uint_eq(gap[i].cycles, 1 + sum_of_stalls(&gap[i]));
    }
  }
  fold_free(f);
  testbench_free(b);
}

START_TEST(lines_cv32e40p) {
  state = 1;
  compare("int", 3000);
}
END_TEST

START_TEST(lines_ri5cy) {
  state = 2;
  compare("ri5cy", 3000);
}
END_TEST

// A line whose last instruction may trap, or that is no code, has no folded costs.
START_TEST(refusals) {
  struct testbench *b = testbench_new("int");
  struct fold *f = fold_new(testbench_config(b), testbench_decoder(b));
  struct fold_gap gap[2];
  const uint32_t illegal[2] = {0x13, 0xffffffff}, ecall[1] = {0x73}, nop[1] = {0x13};
  struct fold_line line = {.word = illegal, .count = 2, .pc = LINE_AT};
  ck_assert(!fold_costs(f, &line, gap));
  line = (struct fold_line){.word = ecall, .count = 1, .pc = LINE_AT};
  ck_assert(!fold_costs(f, &line, gap));
  line = (struct fold_line){.word = nop, .count = 0, .pc = LINE_AT};
  ck_assert(!fold_costs(f, &line, gap));
  line = (struct fold_line){.word = nop, .count = 1, .pc = LINE_AT};
  ck_assert(fold_costs(f, &line, gap));
  ck_assert_uint_eq(gap[0].cycles, 1);
  fold_free(f);
  testbench_free(b);
}
END_TEST

Suite *timing_fold_suite(void) {
  Suite *s = suite_create("timing_fold");
  TCase *c = tcase_create("straight lines");
  tcase_set_timeout(c, 60);
  tcase_add_test(c, lines_cv32e40p);
  tcase_add_test(c, lines_ri5cy);
  tcase_add_test(c, refusals);
  suite_add_tcase(s, c);
  return s;
}
