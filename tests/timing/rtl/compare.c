// Compares the traces of random programs: the RTL's from standard input, the model's made here.
//
// usage: compare generate CONFIG FLAVOUR FIRST COUNT FOLDER       writes FOLDER/SEED.elf
//        compare check CONFIG FLAVOUR FIRST COUNT LIMIT DELAYS    reads the output of trace.cpp
//        compare record CONFIG FLAVOUR FIRST COUNT LIMIT DELAYS   the same: prints rows of a table
// DELAYS: instruction grant, instruction data, data grant, data data, and the seed of the first
// program's interrupts; as in "0,0,0,0,0".
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../float_program.h"
#include "../random_program.h"
#include "../repeat_program.h"
#include "../testbench.h"
#include "../trace_hash.h"

enum { LENGTH = 260, EVENTS = 100000 };

static const char *const flavours[RANDOM_FLAVOURS] = {"mixed", "plain",      "loops",   "memory",
                                                      "float", "interrupts", "counters"};

struct departure {
  cycle_t cycle;
  uint32_t pc;
  bool traps;
};

struct store {
  uint32_t address, size, value;
};

struct trace {
  struct departure event[EVENTS];
  unsigned count;
  struct store store[EVENTS];
  unsigned stores;
};

static struct trace rtl, model;
static uint8_t image[RANDOM_PROGRAM_SIZE];

static void note(struct trace *t, cycle_t cycle, uint32_t pc, bool traps) {
  if (t->count < EVENTS)
    t->event[t->count++] = (struct departure){cycle, pc, traps};
}

static void note_store(struct trace *t, uint32_t address, uint32_t size, uint32_t value) {
  if (t->stores < EVENTS)
    t->store[t->stores++] = (struct store){address, size, value};
}

static void watch_store(void *self, const struct access *a) {
  uint32_t mask = a->size < 4 ? (UINT32_C(1) << 8 * a->size) - 1 : UINT32_MAX;
  note_store(self, a->addr, a->size, a->data & mask);
}

static void watch(void *self, const struct core *c, const struct isa_insn *insn, uint32_t pc,
                  bool traps, cycle_t now) {
  if (testbench_seen(c, insn, traps))
    note(self, now, pc, traps);
}

static bool read_trace(struct trace *t) {
  char line[64];
  t->count = t->stores = 0;
  if (!fgets(line, sizeof line, stdin) || strcmp(line, "program\n") != 0)
    return false;
  while (fgets(line, sizeof line, stdin) && strcmp(line, "end\n") != 0) {
    unsigned long long cycle;
    unsigned pc, traps, address, size, value;
    if (sscanf(line, "store %x %u %x", &address, &size, &value) == 3) {
      note_store(t, address, size, value);
      continue;
    }
    if (sscanf(line, "%llu %x %u", &cycle, &pc, &traps) != 3)
      return false;
    note(t, cycle, pc, traps);
  }
  return true;
}

static bool same(const struct departure *a, const struct departure *b) {
  return a->cycle == b->cycle && a->pc == b->pc && a->traps == b->traps;
}

// What was stored: results, counters, addresses.
static bool stores_differ(uint64_t seed) {
  unsigned n = rtl.stores < model.stores ? rtl.stores : model.stores;
  for (unsigned i = 0; i < n; i++) {
    const struct store *r = &rtl.store[i], *m = &model.store[i];
    if (memcmp(r, m, sizeof *r) == 0)
      continue;
    printf("seed %llu, store %u: RTL %08x = %x (%u bytes), model %08x = %x (%u bytes)\n",
           (unsigned long long)seed, i, r->address, r->value, r->size, m->address, m->value,
           m->size);
    return true;
  }
  return false;
}

// Prints the first difference; returns whether there is one.
static bool differ(uint64_t seed) {
  unsigned n = rtl.count < model.count ? rtl.count : model.count;
  for (unsigned i = 0; i < n; i++) {
    const struct departure *r = &rtl.event[i], *m = &model.event[i];
    if (same(r, m))
      continue;
    printf("seed %llu, instruction %u: RTL cycle %llu pc %08x%s, model cycle %llu pc %08x%s\n",
           (unsigned long long)seed, i, (unsigned long long)r->cycle, r->pc,
           r->traps ? " trap" : "", (unsigned long long)m->cycle, m->pc, m->traps ? " trap" : "");
    return true;
  }
  if (rtl.count != model.count)
    printf("seed %llu: the RTL issued %u instructions, the model %u\n", (unsigned long long)seed,
           rtl.count, model.count);
  return rtl.count != model.count || stores_differ(seed);
}

// A row of tests/data/timing/hashes.tsv: of so many programs' instructions and stores.
static bool record(char **argv, uint64_t first, uint64_t count) {
  uint64_t instructions = 0, hash = TRACE_HASH_SEED;
  for (uint64_t seed = first; seed < first + count; seed++) {
    if (!read_trace(&rtl))
      return false;
    for (unsigned i = 0; i < rtl.count; i++)
      hash = trace_hash_departure(hash, rtl.event[i].cycle, rtl.event[i].pc, rtl.event[i].traps);
    for (unsigned i = 0; i < rtl.stores; i++)
      hash = trace_hash_store(hash, rtl.store[i].address, rtl.store[i].size, rtl.store[i].value);
    instructions += rtl.count;
  }
  printf("%s\t%s\t%llu\t%llu\t%s\t%s\t%llu\t0x%016llx\n", argv[2], argv[3],
         (unsigned long long)first, (unsigned long long)count, argv[6], argv[7],
         (unsigned long long)instructions, (unsigned long long)hash);
  return true;
}

static void generate(struct testbench *b, const char *flavour, uint64_t seed) {
  if (strcmp(flavour, "repeats") == 0) {
    repeat_program((unsigned)(seed % REPEAT_PROGRAMS), image);
    return;
  }
  struct random_program what = {
      .seed = seed, .decoder = testbench_decoder(b), .sets = testbench_sets(b), .length = LENGTH};
  what.crossing = strcmp(flavour, "crossing") == 0;
  if (what.crossing || strcmp(flavour, "moving") == 0) {
    float_program(&what, image);
    return;
  }
  while (what.flavour < RANDOM_FLAVOURS - 1 && strcmp(flavours[what.flavour], flavour) != 0)
    what.flavour++;
  random_program(&what, image);
}

static int check(struct testbench *b, char **argv, uint64_t first, uint64_t count) {
  static struct testbench_result result;
  unsigned v[5];
  if (sscanf(argv[7], "%u,%u,%u,%u,%u", &v[0], &v[1], &v[2], &v[3], &v[4]) != 5)
    return 2;
  struct testbench_delays delays = {(uint8_t)v[0], (uint8_t)v[1], (uint8_t)v[2], (uint8_t)v[3], 0,
                                    v[4]};
  uint64_t bad = 0, instructions = 0;
  testbench_watch(b, watch, &model);
  testbench_watch_stores(b, watch_store);
  for (uint64_t seed = first; seed < first + count; seed++) {
    if (!read_trace(&rtl)) {
      fprintf(stderr, "compare: the RTL's output ends early\n");
      return 2;
    }
    generate(b, argv[3], seed);
    model.count = model.stores = 0;
    testbench_run_image(b, image, sizeof image, RANDOM_PROGRAM_ENTRY, &delays,
                        strtoul(argv[6], NULL, 0), &result);
    delays.interrupts += delays.interrupts != 0;
    instructions += rtl.count;
    bad += differ(seed);
  }
  printf("%s %s %s: %llu programs, %llu instructions, %llu programs differ\n", argv[2], argv[3],
         argv[7], (unsigned long long)count, (unsigned long long)instructions,
         (unsigned long long)bad);
  return bad != 0;
}

int main(int argc, char **argv) {
  bool checks = argc == 8 && strcmp(argv[1], "check") == 0;
  if (argc == 8 && strcmp(argv[1], "record") == 0)
    return !record(argv, strtoull(argv[4], NULL, 0), strtoull(argv[5], NULL, 0));
  if (!checks && !(argc == 7 && strcmp(argv[1], "generate") == 0)) {
    fprintf(stderr, "usage: compare generate CONFIG FLAVOUR FIRST COUNT FOLDER\n"
                    "       compare check|record CONFIG FLAVOUR FIRST COUNT LIMIT DELAYS\n");
    return 2;
  }
  struct testbench *b = testbench_new(argv[2]);
  uint64_t first = strtoull(argv[4], NULL, 0), count = strtoull(argv[5], NULL, 0);
  int status = 0;
  if (checks)
    status = check(b, argv, first, count);
  for (uint64_t seed = first; !checks && seed < first + count; seed++) {
    char path[4096];
    generate(b, argv[3], seed);
    snprintf(path, sizeof path, "%s/%llu.elf", argv[6], (unsigned long long)seed);
    if (!random_program_write_elf(image, path)) {
      fprintf(stderr, "compare: cannot write %s\n", path);
      status = 2;
      break;
    }
  }
  testbench_free(b);
  return status;
}
