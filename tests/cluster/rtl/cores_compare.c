// Cores that share float units: the RTL's traces (cores_trace.cpp) from standard input, the model's
// made here.
//
// usage: cores-compare generate CORES FIRST FOLDER            writes FOLDER/0.elf ... one per core
//        cores-compare check CORES UNITS FIRST LIMIT  reads the output of cores_trace.cpp
//
// With APART in the environment, programs in which no value of a float decides about anything else,
// and all values are those of IEEE 754.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../timing/random_program.h"
#include "../../timing/testbench.h"
#include "cluster/fpu_share.h"

enum { LENGTH = 200, EVENTS = 20000, CORES = 9 };

struct trace {
  struct departure {
    cycle_t cycle;
    uint32_t pc;
  } event[EVENTS];
  unsigned count;
};

static struct testbench *bench[CORES];
static uint8_t *image[CORES];
static struct trace rtl, model[CORES];

static void note(struct trace *t, cycle_t cycle, uint32_t pc) {
  if (t->count == EVENTS)
    return;
  t->event[t->count].cycle = cycle;
  t->event[t->count++].pc = pc;
}

static void watch(void *self, const struct core *c, const struct isa_insn *insn, uint32_t pc,
                  bool traps, cycle_t now) {
  if (testbench_seen(c, insn, traps))
    note(self, now, pc);
}

static uint32_t word_at(const uint8_t *p) {
  uint32_t word;
  memcpy(&word, p, 4);
  return word;
}

enum {
  NOP = 0x13,
  C_NOP = 1,
  LOAD_FP = 0x07,
  FSW = 0x27,
  FMADD = 0x43,
  OP = 0x33,
  OP_FP = 0x53,
  SYSTEM = 0x73
};
enum { RD_1 = 1 << 7, RM = 7 << 12 };

// The shared divider's values are not those of IEEE 754 in all modes of rounding, and a root is NaN
// if f0 is: divisions and roots round to nearest, and f0 stays zero.
static uint32_t divides_as_ieee(uint32_t word) {
  uint32_t f7 = word >> 25, op = word & 0x7f;
  bool writes = op == LOAD_FP || op == OP_FP || (op & 0x73) == FMADD;
  if (op == OP_FP && (f7 == 0x0c || f7 == 0x2c))
    word &= ~(uint32_t)RM;
  return writes && !(word >> 7 & 31) ? word | RD_1 : word;
}

// What a word becomes so that no float, and no flag, ends up in an integer register or in memory.
static uint32_t kept_apart(uint32_t word) {
  uint32_t f7 = word >> 25, csr = word >> 20;
  switch (word & 0x7f) {
  case OP_FP: // comparisons, conversions and moves to integers: sums
    return f7 == 0x50 || f7 == 0x60 || f7 == 0x70 ? word & 0x01ff8fff : word;
  case OP: // a high product loses what it has when a result comes through the ALU's port: low ones
    return f7 == 1 && (word >> 12 & 7) < 4 ? word & ~(uint32_t)RM : word;
  case FSW:
    return NOP;
  case SYSTEM:
    return (word >> 12 & 7) && csr >= 1 && csr <= 3 ? NOP : word;
  default:
    return word;
  }
}

static uint32_t compressed_kept_apart(uint32_t word) {
  uint32_t f3 = word >> 13 & 7, quadrant = word & 3;
  if (f3 == 7 && (quadrant == 0 || quadrant == 2)) // c.fsw, c.fswsp
    return C_NOP;
  bool flwsp = f3 == 3 && quadrant == 2;
  return flwsp && !(word >> 7 & 31) ? word | RD_1 : word;
}

// Integer registers then hold the same whatever the floats are, and so do the times, but for
// divisions.
static void keep_floats_apart(uint8_t *code) {
  for (uint32_t at = RANDOM_PROGRAM_ENTRY; at < RANDOM_PROGRAM_DATA;) {
    uint32_t word = word_at(code + at), size = (word & 3) == 3 ? 4 : 2;
    uint32_t kept = size == 4 ? divides_as_ieee(kept_apart(word)) : compressed_kept_apart(word);
    memcpy(code + at, &kept, size);
    at += size;
  }
}

static void prepare(unsigned cores, uint64_t first) {
  for (unsigned i = 0; i < cores; i++) {
    bench[i] = testbench_new("ri5cyfp");
    testbench_watch(bench[i], watch, &model[i]);
    image[i] = malloc(RANDOM_PROGRAM_SIZE);
    struct random_program what = {.seed = first + i,
                                  .decoder = testbench_decoder(bench[i]),
                                  .sets = testbench_sets(bench[i]),
                                  .flavour = RANDOM_FLOAT,
                                  .length = LENGTH};
    random_program(&what, image[i]);
    if (getenv("APART"))
      keep_floats_apart(image[i]);
  }
}

static bool read_trace(struct trace *t) {
  char line[80];
  t->count = 0;
  if (!fgets(line, sizeof line, stdin) || strcmp(line, "program\n") != 0)
    return false;
  while (fgets(line, sizeof line, stdin) && strcmp(line, "end\n") != 0) {
    unsigned long long cycle;
    unsigned pc;
    if (sscanf(line, "%llu %x", &cycle, &pc) != 2)
      return false;
    note(t, cycle, pc);
  }
  return true;
}

struct difference {
  unsigned core;
  cycle_t cycle; // the earlier of both
  cycle_t of_rtl, of_model;
  uint32_t rtl, model;
};

static struct departure departure(const struct trace *t, unsigned i) {
  return i < t->count ? t->event[i] : (struct departure){CYCLE_NEVER, 0};
}

// The core's first difference, if it is earlier than `first`.
static void differ(unsigned core, struct difference *first) {
  for (unsigned i = 0; i < rtl.count || i < model[core].count; i++) {
    struct departure r = departure(&rtl, i), m = departure(&model[core], i);
    if (r.cycle == m.cycle && r.pc == m.pc)
      continue;
    cycle_t t = m.cycle < r.cycle ? m.cycle : r.cycle;
    if (t < first->cycle)
      *first = (struct difference){core, t, r.cycle, m.cycle, r.pc, m.pc};
    return;
  }
}

// Once a core has met a word that RI5CY executes and the model traps on, all may differ.
static int report(const struct difference *first, uint64_t seed, unsigned cores, unsigned units,
                  unsigned instructions) {
  bool same = first->cycle == CYCLE_NEVER, word = !same && first->model == 0;
  printf("seed %llu: %u cores, %u units, %u instructions: ", (unsigned long long)seed, cores, units,
         instructions);
  if (same)
    printf("the same\n");
  else
    printf("%s: core %u: RTL cycle %llu pc %08x, model cycle %llu pc %08x\n",
           word ? "the same up to a word that traps only here" : "DIFFERENT", first->core,
           (unsigned long long)first->of_rtl, first->rtl, (unsigned long long)first->of_model,
           first->model);
  return !same && !word;
}

static int check(unsigned cores, unsigned units, uint64_t seed, cycle_t limit) {
  static struct testbench_result result[CORES];
  struct fpu_share share;
  struct difference first = {.cycle = CYCLE_NEVER};
  fpu_share_init(&share, cores, units);
  prepare(cores, seed);
  testbench_run_together(bench, cores, &share, image, RANDOM_PROGRAM_SIZE, RANDOM_PROGRAM_ENTRY,
                         limit, result);
  unsigned instructions = 0;
  for (unsigned i = 0; i < cores; i++) {
    if (!read_trace(&rtl)) {
      fprintf(stderr, "cores-compare: the RTL's output ends early\n");
      return 2;
    }
    instructions += rtl.count;
    differ(i, &first);
  }
  return report(&first, seed, cores, units, instructions);
}

int main(int argc, char **argv) {
  if (argc == 5 && strcmp(argv[1], "generate") == 0) {
    unsigned cores = (unsigned)strtoul(argv[2], NULL, 0);
    prepare(cores, strtoull(argv[3], NULL, 0));
    for (unsigned i = 0; i < cores; i++) {
      char path[4096];
      snprintf(path, sizeof path, "%s/%u.elf", argv[4], i);
      if (!random_program_write_elf(image[i], path))
        return 73;
    }
    return 0;
  }
  if (argc == 6 && strcmp(argv[1], "check") == 0)
    return check((unsigned)strtoul(argv[2], NULL, 0), (unsigned)strtoul(argv[3], NULL, 0),
                 strtoull(argv[4], NULL, 0), strtoull(argv[5], NULL, 0));
  fprintf(stderr, "usage: cores-compare generate CORES FIRST FOLDER\n"
                  "       cores-compare check CORES UNITS FIRST LIMIT\n");
  return 64;
}
