// tests/timing/prefetch_reach.c: how far behind code that jumps away the fetch asks for words.
//
// Both prefetchers run alone on random code: random waits for grants, for data, in ID, and of the
// jump itself. What they ask for before the jump redirects them must be below the bound that their
// headers state, and must come up to it.
#include <check.h>

#include "core/prefetch_ri5cy.h"

Suite *prefetch_reach_suite(void);

enum { RUNS = 6000, LONGEST = 24, PATIENCE = 4000 };

// One of them, fetching. Its bus has one or two requests under way, and answers in order.
struct fetcher {
  bool ri5cy;
  struct prefetch cv;
  struct prefetch_ri5cy ri;
  uint32_t waiting[PREFETCH_DEPTH]; // granted requests without their data, oldest first
  unsigned under_way;
  unsigned slow; // percent
};

static uint64_t state;

static uint32_t chance(uint32_t bound) {
  state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
  return (uint32_t)(state >> 33) % bound;
}

// ---- the code

static uint32_t code_seed;

// Half of all halfwords begin an instruction of 32 bits, or would.
static uint32_t code_half(uint32_t address) {
  uint32_t h = (address >> 1) * UINT32_C(0x9e3779b1) ^ code_seed;
  h ^= h >> 15;
  h *= UINT32_C(0x85ebca6b);
  return h >> 31 ? 3 : 1;
}

static uint32_t code_word(uint32_t address) {
  return code_half(address) | code_half(address + 2) << 16;
}

static uint32_t code_next(uint32_t pc) {
  return pc + (code_half(pc) == 3 ? 4 : 2);
}

// ---- a cycle

static bool is_slow(const struct fetcher *f) {
  return chance(100) < f->slow;
}

// What is asked for in this cycle; false: nothing. RI5CY's hardware loop, if `cmd` says that it
// jumps back, ends with the instruction at cmd->target.
static bool request(struct fetcher *f, const struct fetch_command *cmd, uint32_t *address) {
  bool valid = f->under_way && !is_slow(f);
  uint32_t word = valid ? code_word(f->waiting[0]) : 0;
  if (valid)
    f->waiting[0] = f->waiting[--f->under_way];
  if (f->ri5cy) {
    prefetch_ri5cy_look(&f->ri, valid, word);
    f->ri.loop_seen = cmd->loop_back && f->ri.pc == cmd->target;
    f->ri.loop_start = cmd->loop_start;
    prefetch_ri5cy_request(&f->ri, cmd);
    *address = f->ri.request_address & ~UINT32_C(3);
    return f->ri.request;
  }
  prefetch_request(&f->cv, cmd, valid, word);
  *address = f->cv.request_address;
  return f->cv.request;
}

// Whether an instruction goes to ID, if that is `ready`, and which.
static bool edge(struct fetcher *f, const struct fetch_command *cmd, bool ready, uint32_t *pc) {
  uint32_t address = f->ri5cy ? f->ri.request_address : f->cv.request_address;
  bool granted = (f->ri5cy ? f->ri.request : f->cv.request) && !is_slow(f);
  if (granted) {
    ck_assert_uint_lt(f->under_way, f->ri5cy ? 1 : PREFETCH_DEPTH);
    f->waiting[f->under_way++] = address & ~UINT32_C(3);
  }
  ready &= !cmd->redirect && (f->ri5cy ? !f->ri.restart : f->cv.fetch_valid);
  bool goes = ready && (f->ri5cy ? f->ri.valid : f->cv.valid);
  *pc = f->ri5cy ? f->ri.pc : f->cv.pc;
  if (f->ri5cy)
    prefetch_ri5cy_edge(&f->ri, cmd, granted, goes);
  else
    prefetch_edge(&f->cv, cmd, granted, ready);
  return goes;
}

static void jump_to(struct fetcher *f, uint32_t target) {
  struct fetch_command cmd = {.enable = true, .redirect = true, .target = target};
  uint32_t address, pc;
  if (request(f, &cmd, &address) && f->ri5cy)
    ck_assert_uint_eq(address, target & ~UINT32_C(3));
  edge(f, &cmd, false, &pc);
}

// ---- a run

struct run {
  uint32_t from, last, end; // first and last instruction; first byte behind
  uint32_t start;           // of the hardware loop that ends with `last`, if there are rounds
  unsigned rounds;          // jumps back
};

static struct run any_run(bool loops) {
  struct run r = {.from = 0x1000 + 2 * chance(64), .rounds = loops ? chance(4) : 0};
  unsigned length = 2 + chance(LONGEST);
  r.last = r.start = r.from;
  for (unsigned i = 1; i < length; i++) {
    if (i + 1 < length && chance(3) == 0) // two instructions at least
      r.start = r.last;
    r.last = code_next(r.last);
  }
  r.end = code_next(r.last);
  return r;
}

// The first byte behind what is asked for until the last instruction, in ID after all rounds,
// redirects the fetch.
static uint32_t reach_of(struct fetcher *f, const struct run *r) {
  uint32_t reach = 0, expected = r->from, address, pc;
  unsigned rounds = r->rounds, waits = 0;
  jump_to(f, r->from);
  for (unsigned n = 0; n < PATIENCE; n++) {
    struct fetch_command cmd = {
        .enable = true, .target = r->last, .loop_start = r->start, .loop_back = rounds > 0};
    if (expected == r->end && waits-- == 0)
      return reach;
    if (request(f, &cmd, &address)) {
      ck_assert_uint_ge(address, r->from & ~UINT32_C(3));
      reach = address + 4 > reach ? address + 4 : reach;
    }
    if (!edge(f, &cmd, expected != r->end && !is_slow(f), &pc))
      continue;
    ck_assert_uint_eq(pc, expected);
    expected = code_next(pc);
    if (pc == r->last && rounds) {
      expected = r->start;
      rounds--;
    }
    waits = chance(12);
  }
  ck_abort_msg("the run does not come to its end");
}

static void furthest(bool ri5cy, bool loops) {
  struct fetcher f = {.ri5cy = ri5cy};
  unsigned reached[2] = {0, 0}; // ends at 0 and at 2 mod 4
  state = 1;
  for (unsigned n = 0; n < RUNS; n++) {
    code_seed = chance(UINT32_MAX);
    f.under_way = 0;
    prefetch_reset(&f.cv);
    prefetch_ri5cy_reset(&f.ri);
    f.slow = chance(90);
    struct run r = any_run(loops);
    uint32_t bound = ri5cy ? prefetch_ri5cy_reach(r.end) : prefetch_reach(r.end);
    uint32_t reach = reach_of(&f, &r);
    ck_assert_msg(reach <= bound, "to %x, from %x to %x, loop at %x", reach, r.from, r.end,
                  r.start);
    reached[r.end >> 1 & 1] += reach == bound;
  }
  ck_assert_uint_gt(reached[0], 100);
  ck_assert_uint_gt(reached[1], 100);
}

START_TEST(cv32e40p) {
  furthest(false, false);
}
END_TEST

START_TEST(ri5cy) {
  furthest(true, false);
}
END_TEST

START_TEST(ri5cy_with_hardware_loops) {
  furthest(true, true);
}
END_TEST

Suite *prefetch_reach_suite(void) {
  Suite *s = suite_create("prefetch_reach");
  TCase *t = tcase_create("random code");
  tcase_set_timeout(t, 60);
  tcase_add_test(t, cv32e40p);
  tcase_add_test(t, ri5cy);
  tcase_add_test(t, ri5cy_with_hardware_loops);
  suite_add_tcase(s, t);
  return s;
}
