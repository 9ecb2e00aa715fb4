// tests/deploy/lives.c: places of activations in L2 on random lifetimes: valid by every method,
// the least where they are to be; and the least of few tensors against all orders of them.
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "deploy/emit/lives.h"
#include "deploy/emit/lives_exact.h"
#include "deploy/emit/lives_stack.h"
#include "deploy/memory.h"

Suite *lives_suite(void);

enum { SEEDS = 120, FEW = 7, MANY = 44 };

static uint32_t drawn;

static uint32_t draw(uint32_t below) {
  drawn = drawn * 1664525u + 1013904223u;
  return (uint32_t)((uint64_t)(drawn >> 8) * below >> 24);
}

// Layer i makes tensor i + 1 from tensor i and sometimes an earlier one; tensor 0 is the input.
// `over`: outputs may lie over inputs that die there.
static struct lives random_lives(uint32_t seed, uint32_t layers, bool over) {
  drawn = seed * 77773 + 1;
  struct lives l = {.count = layers + 1, .layers = layers};
  l.life = memory_new(l.count, sizeof *l.life);
  l.filters = memory_new(layers, sizeof *l.filters);
  for (uint32_t i = 0; i < l.count; i++)
    l.life[i] = (struct life){.begin = i ? i - 1 : 0,
                              .end = i, // read by the layer behind; the last one is an output
                              .bytes = 8 * (1 + draw(60)),
                              .apart = INT32_MAX,
                              .dying = {NET_NONE, NET_NONE},
                              .made = i > 0};
  for (uint32_t i = 1; i < layers; i++) {
    uint32_t earlier = draw(i);
    l.life[earlier].end = draw(3) == 0 && l.life[earlier].end < i ? i : l.life[earlier].end;
    l.filters[i] = draw(4) ? 8 * draw(100) : 0;
  }
  for (uint32_t i = 0; over && i < layers; i++) {
    struct life *out = &l.life[i + 1];
    for (uint32_t t = 0, n = 0; t <= i && n < 2; t++) {
      if (l.life[t].end == i)
        out->dying[n++] = (int)t;
    }
    if (draw(3))
      out->apart = (int32_t)draw(2 * out->bytes) - (int32_t)out->bytes;
  }
  return l;
}

// Whether x, made by its layer, may lie as it does over y, which that layer reads as the last.
static bool may_lie(const struct life *x, const struct life *y, int number) {
  bool dies = x->dying[0] == number || x->dying[1] == number;
  return dies && x->apart != INT32_MAX && (int64_t)y->place - x->place >= x->apart;
}

static void check_places(const struct lives *l, bool over, const char *what, uint32_t seed) {
  uint32_t end = 0;
  for (uint32_t a = 0; a < l->count; a++) {
    const struct life *x = &l->life[a];
    ck_assert_uint_eq(x->place % 8, 0);
    end = x->place + x->bytes > end ? x->place + x->bytes : end;
    for (uint32_t b = a + 1; b < l->count; b++) {
      const struct life *y = &l->life[b];
      bool meet = x->begin <= y->end && y->begin <= x->end,
           apart = x->place + x->bytes <= y->place || y->place + y->bytes <= x->place;
      ck_assert_msg(!meet || apart || (over && (may_lie(x, y, (int)b) || may_lie(y, x, (int)a))),
                    "%s, seed %u: tensors %u and %u share memory", what, seed, a, b);
    }
  }
  ck_assert_msg(end == l->bytes, "%s, seed %u: ends at %u, not %u", what, seed, end, l->bytes);
}

START_TEST(places_are_valid_by_every_method) {
  static const char *const names[] = {"best", "lowest", "exact", "stack"};
  uint32_t bytes[4], met = 0, bettered = 0, larger = 0;
  for (uint32_t seed = 0; seed < SEEDS; seed++) {
    bool over = seed % 2;
    for (unsigned method = 0; method < 4; method++) {
      struct lives l = random_lives(seed, 4 + seed % MANY, over);
      if (method == LIVES_EXACT && l.count > 14) { // takes long
        bytes[method] = UINT32_MAX;
      } else {
        lives_place(&l, (enum lives_method)method);
        check_places(&l, over && method != LIVES_STACK, names[method], seed);
        ck_assert_msg(l.bytes >= l.bound, "%s, seed %u: below the bound", names[method], seed);
        bytes[method] = l.bytes;
        met += method == LIVES_LOWEST && l.bytes == l.bound;
      }
      lives_free(&l);
    }
    ck_assert_uint_le(bytes[LIVES_BEST], bytes[LIVES_LOWEST]);
    ck_assert(bytes[LIVES_EXACT] == UINT32_MAX || bytes[LIVES_EXACT] <= bytes[LIVES_BEST]);
    ck_assert_uint_le(bytes[LIVES_BEST], bytes[LIVES_STACK]);
    bettered += bytes[LIVES_BEST] < bytes[LIVES_LOWEST];
    larger += bytes[LIVES_STACK] > bytes[LIVES_BEST];
  }
  if (getenv("LIVES_COUNTS"))
    printf("%d nets: lowest places met the bound in %u, GLPK bettered %u, stacks larger in %u\n",
           SEEDS, met, bettered, larger);
}
END_TEST

// ---------------------------------------------------------------------------- all orders

static uint32_t lowest(const struct lives *l, const uint32_t *order, uint32_t count,
                       uint32_t *place) {
  uint32_t end = 0;
  for (uint32_t n = 0; n < count; n++) {
    const struct life *x = &l->life[order[n]];
    uint32_t at = 0;
    for (bool moved = true; moved;) {
      moved = false;
      for (uint32_t k = 0; k < n; k++) {
        const struct life *y = &l->life[order[k]];
        bool meet = x->begin <= y->end && y->begin <= x->end;
        if (meet && at < place[order[k]] + y->bytes && place[order[k]] < at + x->bytes) {
          at = place[order[k]] + y->bytes;
          moved = true;
        }
      }
    }
    place[order[n]] = at;
    end = at + x->bytes > end ? at + x->bytes : end;
  }
  return end;
}

// The least end over all orders of the tensors from `from` on.
static uint32_t least(const struct lives *l, uint32_t *order, uint32_t from) {
  uint32_t place[FEW], best = UINT32_MAX;
  if (from == l->count)
    return lowest(l, order, l->count, place);
  for (uint32_t i = from; i < l->count; i++) {
    uint32_t kept = order[i];
    order[i] = order[from], order[from] = kept;
    uint32_t now = least(l, order, from + 1);
    best = now < best ? now : best;
    order[from] = order[i], order[i] = kept;
  }
  return best;
}

START_TEST(few_have_the_least_places) {
  for (uint32_t seed = 0; seed < 40; seed++) {
    struct lives l = random_lives(seed, FEW - 1, false);
    uint32_t order[FEW];
    for (uint32_t i = 0; i < FEW; i++)
      order[i] = i;
    uint32_t best = least(&l, order, 0);
    lives_place(&l, LIVES_STACK); // something to begin with
    ck_assert_uint_ge(l.bytes, best);
    lives_place_exactly(&l, 100000);
    ck_assert_msg(l.bytes == best, "seed %u: %u, not %u", seed, l.bytes, best);
    ck_assert_msg(l.bound == best, "seed %u: not proved", seed);
    check_places(&l, false, "from the stack's", seed);
    lives_free(&l);
  }
}
END_TEST

// Whatever the search is cut off at, its places are valid and no worse.
START_TEST(a_search_cut_short_is_no_worse) {
  for (uint32_t seed = 0; seed < 20; seed++) {
    struct lives l = random_lives(seed, 12, seed % 2);
    lives_place(&l, LIVES_STACK);
    uint32_t before = l.bytes;
    lives_place_exactly(&l, 1 + seed);
    ck_assert_uint_le(l.bytes, before);
    check_places(&l, seed % 2, "cut short", seed);
    lives_free(&l);
  }
}
END_TEST

// ---------------------------------------------------------------------------- DORY's stacks

// A chain: the published size, the worst of two activations and two layers' filters.
START_TEST(stacks_of_a_chain) {
  for (uint32_t seed = 0; seed < 50; seed++) {
    struct lives l = random_lives(seed, 9, false);
    uint32_t activations = 0, all = 0;
    for (uint32_t i = 0; i < l.count; i++)
      l.life[i].end = i;
    for (uint32_t i = 0; i < l.layers; i++)
      l.filters[i] = 8 + 8 * draw(100);
    for (uint32_t i = 0; i < l.layers; i++) {
      uint32_t both = l.life[i].bytes + l.life[i + 1].bytes,
               filters = l.filters[i] + (i + 1 < l.layers ? l.filters[i + 1] : 0);
      activations = both > activations ? both : activations;
      all = both + filters > all ? both + filters : all;
    }
    lives_place(&l, LIVES_STACK);
    ck_assert_uint_eq(l.bytes, activations);
    ck_assert_uint_eq(lives_stack_bytes(&l), all);
    lives_free(&l);
  }
}
END_TEST

Suite *lives_suite(void) {
  Suite *suite = suite_create("lives");
  TCase *tc = tcase_create("lives");
  tcase_set_timeout(tc, 120);
  tcase_add_test(tc, places_are_valid_by_every_method);
  tcase_add_test(tc, few_have_the_least_places);
  tcase_add_test(tc, a_search_cut_short_is_no_worse);
  tcase_add_test(tc, stacks_of_a_chain);
  suite_add_tcase(suite, tc);
  return suite;
}
