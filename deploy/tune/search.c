// deploy/tune/search.c: see search.h.
#include "deploy/tune/search.h"

#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

enum {
  ROUND = 8,    // ways
  PATIENCE = 5, // rounds without a gain of a part in GAIN, and the search ends
  GAIN = 400,
  FINALISTS = 3, // are run to the call that is reported
  SHORT = 10000, // cycles: such calls are all run to that one, as fetching decides them
};

// What runs took against their estimates, by kernel.
struct ratios {
  double sum[1 + TUNE_KERNELS_MOST];
  unsigned runs[1 + TUNE_KERNELS_MOST];
  double least; // of all, for kernels that have not run
};

static double predicted(const struct ratios *ratios, const struct tune_way *way) {
  unsigned runs = ratios->runs[way->matmul];
  double ratio = runs ? ratios->sum[way->matmul] / runs : ratios->least;
  return (double)way->estimate * ratio;
}

static void learn(struct ratios *ratios, const struct tune_way *way) {
  double ratio = (double)way->cycles / (double)way->estimate;
  ratios->sum[way->matmul] += ratio;
  ratios->runs[way->matmul]++;
  ratios->least = ratio < ratios->least ? ratio : ratios->least;
}

// The ways of the next round: the least predicted of those that have not run, and of a kernel that
// has not run one way alone. Returns how many.
static size_t choose(const struct ratios *ratios, struct tune_way *ways, size_t count,
                     struct tune_way **round) {
  double value[ROUND];
  size_t chosen = 0;
  bool tried[1 + TUNE_KERNELS_MOST] = {false};
  for (size_t i = 0; i < count; i++) {
    bool first = ratios->runs[ways[i].matmul] == 0;
    if (ways[i].cycles || (first && tried[ways[i].matmul]))
      continue;
    tried[ways[i].matmul] = true;
    double v = predicted(ratios, &ways[i]);
    if (chosen == ROUND && v >= value[ROUND - 1])
      continue;
    size_t at = chosen < ROUND ? chosen++ : ROUND - 1;
    for (; at > 0 && value[at - 1] > v; at--) {
      value[at] = value[at - 1];
      round[at] = round[at - 1];
    }
    value[at] = v;
    round[at] = &ways[i];
  }
  return chosen;
}

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// What is left if no round gains any more, at the pace so far: a finalist's run is about two.
static void show(const struct tune_measure *with, const struct tune_figures *figures,
                 unsigned patience, double elapsed, uint64_t best) {
  double runs = patience * ROUND + 2 * FINALISTS;
  double left = figures->simulated ? runs * elapsed / (double)figures->simulated : 0;
  if (with->progress)
    fprintf(stderr, "\r\033[K%zu runs, %zu known; best %" PRIu64 " cycles; %.0f s or more to go",
            figures->simulated, figures->known, best, left);
}

// To which calls runs are made. In short ones much is code that is fetched, not alike in the second
// call and later.
static unsigned search_call(const struct tune_way *ways, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (ways[i].estimate < SHORT)
      return TUNE_WARM_CALL;
  return TUNE_SEARCH_CALL;
}

static int by_cycles(const void *left, const void *right) {
  const struct tune_way *a = left, *b = right;
  uint64_t x = a->cycles ? a->cycles : UINT64_MAX, y = b->cycles ? b->cycles : UINT64_MAX;
  if (x != y)
    return x < y ? -1 : 1;
  return a->estimate < b->estimate ? -1 : a->estimate > b->estimate;
}

// The fastest ones again, as the suites report them.
static bool final_runs(const struct tune_search *s, const struct tune_product *product,
                       struct tune_way *ways, size_t count, struct tune_way *best,
                       struct tune_figures *figures, struct net_error *error) {
  static const struct tune_run warm = {.warm_call = TUNE_WARM_CALL};
  struct tune_way *finalists[FINALISTS];
  size_t n = 0;
  qsort(ways, count, sizeof *ways, by_cycles);
  for (; n < FINALISTS && n < count && ways[n].cycles; n++)
    finalists[n] = &ways[n];
  if (!tune_run_all(s->with, s->store, product, &warm, finalists, n, figures, error))
    return false;
  qsort(ways, n, sizeof *ways, by_cycles);
  *best = ways[0];
  return true;
}

bool tune_search(const struct tune_search *s, const struct tune_product *product,
                 struct tune_way *ways, size_t count, struct tune_way *best,
                 struct tune_figures *figures, struct net_error *error) {
  const struct tune_run run = {.warm_call = search_call(ways, count)};
  struct ratios ratios = {.least = 1};
  struct tune_way *round[ROUND];
  uint64_t least = UINT64_MAX;
  double start = seconds();
  for (unsigned patience = PATIENCE; patience > 0;) {
    size_t chosen = choose(&ratios, ways, count, round);
    if (chosen == 0)
      break;
    if (!tune_run_all(s->with, s->store, product, &run, round, chosen, figures, error))
      return false;
    uint64_t before = least;
    for (size_t i = 0; i < chosen; i++) {
      learn(&ratios, round[i]);
      least = round[i]->cycles < least ? round[i]->cycles : least;
    }
    bool gain = least < before - before / GAIN;
    patience = gain || s->exhaustive ? PATIENCE : patience - 1;
    show(s->with, figures, patience, seconds() - start, least);
  }
  if (s->with->progress)
    fputs("\r\033[K", stderr);
  if (run.warm_call != TUNE_WARM_CALL)
    return final_runs(s, product, ways, count, best, figures, error);
  qsort(ways, count, sizeof *ways, by_cycles);
  *best = ways[0];
  return true;
}
