#include "fetch_program.h"

#include <check.h>
#include <string.h>

enum { BLOCKS = 48, ENTRIES = 8 };

struct layout {
  uint64_t random;
  unsigned blocks;
  unsigned order[BLOCKS]; // blocks as they are executed
  unsigned start[BLOCKS]; // word of each
  bool corev;
  unsigned flushes; // one in so many instructions; 0: none
};

static unsigned below(struct layout *l, unsigned n) {
  l->random ^= l->random << 13;
  l->random ^= l->random >> 7;
  l->random ^= l->random << 17;
  return (unsigned)((l->random >> 20) % n);
}

static void jump(struct guest *g, unsigned from, unsigned to) {
  uint32_t o = (to - from) * 4;
  g->word[from] = (o >> 20 & 1) << 31 | (o >> 1 & 1023) << 21 | (o >> 11 & 1) << 20 |
                  (o >> 12 & 255) << 12 | 0x6f;
}

static void branch_forward(struct guest *g, unsigned words, bool taken) {
  uint32_t offset = words * 4; // beq or bne x0, x0
  word(g, (offset >> 5 & 63) << 25 | (taken ? 0u : 1u) << 12 | (offset >> 1 & 15) << 8 | 0x63);
}

static void hardware_loop(struct layout *l, struct guest *g) {
  uint32_t rounds = 1 + below(l, 12), body = 3 + below(l, 8);
  uint32_t end = l->corev ? body + 1 : 2 * body; // words to behind it, halfwords to the last one
  word(g, rounds << 20 | end << 15 | (l->corev ? 0x462b : 0x507b));
  nops(g, body);
}

// Of all instruction caches, of the private ones, or of the sets of some line.
static void flush(struct layout *l, struct guest *g) {
  static const int registers[] = {0x04, 0x08, 0x0c};
  unsigned which = below(l, 3);
  li(g, A2, which < 2 ? 1 : GUEST_L2 + 16 * below(l, 64));
  sw(g, A2, registers[which], S0);
}

static void one_instruction(struct layout *l, struct guest *g) {
  unsigned words;
  if (l->flushes && below(l, l->flushes) == 0)
    flush(l, g);
  switch (below(l, 24)) {
  case 0:
    word(g, 0x02b55533); // divu a0, a0, a1: up to 35 cycles
    break;
  case 1:
    word(g, 0x02b51533); // mulh a0, a0, a1: 5
    break;
  case 2:
  case 3:
    words = 1 + below(l, 6);
    branch_forward(g, words + 1, below(l, 2));
    nops(g, words);
    break;
  case 4:
    hardware_loop(l, g);
    break;
  case 5:
    addi(g, A1, A1, (int)below(l, 64) - 32);
    break;
  case 6:
  case 7:
  case 8:
    word(g, 0x00010001); // two compressed nops
    break;
  default:
    nops(g, 1);
    break;
  }
}

static void shuffle(struct layout *l) {
  for (unsigned i = 0; i < l->blocks; i++)
    l->order[i] = i;
  for (unsigned i = l->blocks - 1; i > 0; i--) {
    unsigned k = below(l, i + 1), other = l->order[k];
    l->order[k] = l->order[i];
    l->order[i] = other;
  }
}

void fetch_program(struct guest *g, uint64_t seed, bool corev) {
  struct layout l = {.random = seed * UINT64_C(0x9e3779b97f4a7c15) + 1,
                     .corev = corev,
                     .flushes = seed >= FETCH_PROGRAM_FLUSHES ? 64u << seed % 4 : 0};
  unsigned entry[ENTRIES], exit[BLOCKS];
  below(&l, 1);
  l.blocks = 2 + below(&l, BLOCKS - 1);
  unsigned size = 1 + below(&l, 24);
  shuffle(&l);
  g->count = 0;
  word(g, 0xf1402f73); // csrr t5, mhartid
  if (l.flushes)
    li(g, S0, GUEST_PERIPHERALS + 0x1400);
  for (unsigned i = 0; i < ENTRIES; i++) {
    unsigned place = only(g, i);
    entry[i] = g->count;
    word(g, 0);
    end_only(g, place);
  }
  for (unsigned i = 0; i < l.blocks; i++) {
    l.start[i] = g->count;
    for (unsigned n = below(&l, 2 * size); n; n--)
      one_instruction(&l, g);
    exit[i] = g->count;
    word(g, 0);
  }
  for (unsigned i = 0; i < l.blocks; i++)
    jump(g, exit[l.order[i]], l.start[l.order[(i + 1) % l.blocks]]);
  for (unsigned i = 0; i < ENTRIES; i++)
    jump(g, entry[i], l.start[l.order[i % l.blocks]]);
}

void fetch_trace_note(struct fetch_trace *trace, uint64_t cycle, uint32_t pc) {
  trace->instructions++;
  trace->last = cycle;
  trace->hash = (trace->hash ^ cycle << 32 ^ pc) * UINT64_C(0x100000001b3);
}

struct watch {
  struct fetch_trace *trace;
  uint64_t limit;
};

static void observe(void *user, const struct pulpsim_insn_event *event) {
  struct watch *watch = user;
  if (event->cycle <= watch->limit)
    fetch_trace_note(&watch->trace[event->core], event->cycle, event->pc);
}

void fetch_run(const struct guest *g, unsigned cores, const char *settings,
               enum pulpsim_engine engine, uint64_t limit, struct fetch_trace *trace) {
  struct pulpsim *sim = guest_load_on(g, cores, settings, engine);
  struct watch watch = {trace, limit};
  struct pulpsim_observer observer = {.user = &watch, .ahead = true, .insn = observe};
  memset(trace, 0, cores * sizeof *trace);
  ck_assert(pulpsim_observe(sim, &observer));
  pulpsim_run(sim, limit + 8);
  pulpsim_free(sim);
}
