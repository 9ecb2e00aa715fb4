// deploy/tune/measure.c: see measure.h.
#include "deploy/tune/measure.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "deploy/tune/store.h"
#include "sim/pulpsim.h"

enum { MAX_JOBS = 256, MAX_CYCLES = 1000000000, POLL_MICROSECONDS = 100000 };

// ---------------------------------------------------------------- one run

static bool fail(struct net_error *error, const char *where, const char *what) {
  snprintf(error->text, sizeof error->text, "%.100s: %.400s", where, what);
  return false;
}

static bool set_words(struct pulpsim *sim, const char *name, const uint32_t *words, size_t count) {
  uint32_t address;
  return pulpsim_symbol(sim, name, &address) && pulpsim_write(sim, address, words, count * 4);
}

struct pulpsim *tune_machine_new(const struct tune_measure *with, struct net_error *error) {
  char setting[64];
  struct pulpsim_error why;
  snprintf(setting, sizeof setting, "cluster.cores=%u", with->cores);
  struct pulpsim_config *config = pulpsim_config_new(with->machine, &why);
  struct pulpsim *sim = NULL;
  if (config && pulpsim_config_set(config, setting, &why))
    sim = pulpsim_new(config, &why);
  pulpsim_config_free(config);
  if (sim && pulpsim_load(sim, with->program, &why))
    return sim;
  pulpsim_free(sim);
  snprintf(error->text, sizeof error->text, "%s", why.text);
  return NULL;
}

static void discard(void *user, int fd, const char *bytes, size_t count) {
  (void)user, (void)fd, (void)bytes, (void)count;
}

static bool finish(struct pulpsim *sim, const struct tune_measure *with, struct tune_way *way,
                   struct net_error *error) {
  if (pulpsim_run(sim, MAX_CYCLES) != PULPSIM_EXITED || pulpsim_exit_status(sim) != 0)
    return fail(error, with->program, pulpsim_reason(sim));
  const struct pulpsim_stats *stats = pulpsim_stats(sim);
  for (size_t i = 0; i < stats->region_count; i++) {
    if (stats->region[i].id == 1)
      way->cycles = stats->region[i].cycles;
    if (stats->region[i].id == 2)
      way->cold_cycles = stats->region[i].cycles;
  }
  return way->cycles > 0 || fail(error, with->program, "has no regions 1 and 2");
}

bool tune_run(const struct tune_measure *with, const struct tune_product *p, struct tune_way *way,
              struct net_error *error) {
  const uint32_t shape[] = {p->n, p->m, p->k, p->layout};
  const uint32_t check = 0;
  const uint32_t tile[] = {way->tile_n, way->tile_m, way->tile_k, way->rows_inner, way->matmul};
  struct pulpsim *sim = tune_machine_new(with, error);
  if (!sim)
    return false;
  pulpsim_on_output(sim, discard, NULL);
  bool ok = set_words(sim, "bench_shape", shape, 4) && set_words(sim, "bench_tile", tile, 5) &&
            set_words(sim, "bench_check", &check, 1);
  if (!ok)
    fail(error, with->program,
         "has no variables bench_shape, bench_tile and bench_check: `make kernels` makes it");
  else
    ok = finish(sim, with, way, error);
  pulpsim_free(sim);
  return ok;
}

// ---------------------------------------------------------------- many runs

// What the processes share. A way is theirs who counted `next` up to it; `best` bounds what is
// still worth a run; `state` says what a way has come to.
enum { WAITS, MEASURED, FAILED, STORED };
struct board {
  atomic_size_t next;
  atomic_uint_fast64_t best;
  struct net_error error;
  struct {
    atomic_uint state;
    uint64_t cycles, cold_cycles;
  } way[];
};

static void lower_best(struct board *board, uint64_t cycles) {
  uint_fast64_t best = atomic_load(&board->best);
  while (cycles < best && !atomic_compare_exchange_weak(&board->best, &best, cycles))
    continue;
}

static _Noreturn void work(const struct tune_measure *with, const struct tune_product *product,
                           const struct tune_way *ways, size_t count, struct board *board) {
  for (;;) {
    size_t i = atomic_fetch_add(&board->next, 1);
    if (i >= count || ways[i].bound >= atomic_load(&board->best))
      _exit(0);
    if (ways[i].cycles)
      continue;
    struct tune_way way = ways[i];
    struct net_error error;
    if (!tune_run(with, product, &way, &error)) {
      board->error = error;
      atomic_store(&board->way[i].state, FAILED);
      _exit(1);
    }
    board->way[i].cycles = way.cycles;
    board->way[i].cold_cycles = way.cold_cycles;
    lower_best(board, way.cycles);
    atomic_store(&board->way[i].state, MEASURED);
  }
}

// Takes over what has been measured since the last time. False: a run failed.
static bool collect(struct board *board, struct tune_store *store,
                    const struct tune_product *product, struct tune_way *ways, size_t count,
                    struct tune_figures *figures) {
  bool ok = true, stored = false;
  for (size_t i = 0; i < count; i++) {
    unsigned state = atomic_load(&board->way[i].state);
    ok = ok && state != FAILED;
    if (state != MEASURED)
      continue;
    ways[i].cycles = board->way[i].cycles;
    ways[i].cold_cycles = board->way[i].cold_cycles;
    stored = stored || (store && tune_store_begin(store));
    if (stored)
      tune_store_put(store, product, &ways[i]);
    atomic_store(&board->way[i].state, STORED);
    figures->simulated++;
  }
  if (stored)
    tune_store_end(store);
  return ok;
}

static void look_up(struct board *board, struct tune_store *store,
                    const struct tune_product *product, struct tune_way *ways, size_t count,
                    struct tune_figures *figures) {
  for (size_t i = 0; store && i < count && ways[i].bound < atomic_load(&board->best); i++) {
    if (!tune_store_get(store, product, &ways[i]))
      continue;
    lower_best(board, ways[i].cycles);
    figures->known++;
  }
}

static unsigned start_all(const struct tune_measure *with, const struct tune_product *product,
                          const struct tune_way *ways, size_t count, struct board *board,
                          pid_t *child) {
  unsigned started = 0;
  while (started < with->jobs && started < MAX_JOBS) {
    child[started] = fork();
    if (child[started] == 0)
      work(with, product, ways, count, board);
    if (child[started] < 0)
      break;
    started++;
  }
  return started;
}

static void show(const struct tune_measure *with, const struct board *board, size_t count,
                 const struct tune_figures *figures) {
  if (with->progress)
    fprintf(stderr, "\r\033[K%zu runs, at most %zu to look at, best %" PRIu64 " cycles",
            figures->simulated, count, (uint64_t)atomic_load(&board->best));
}

static bool wait_for(const struct tune_measure *with, struct board *board, struct tune_store *store,
                     const struct tune_product *product, struct tune_way *ways, size_t count,
                     unsigned running, struct tune_figures *figures) {
  bool ok = running > 0;
  while (running > 0) {
    usleep(POLL_MICROSECONDS / 10);
    for (int status; waitpid(-1, &status, WNOHANG) > 0;) {
      running--;
      ok = ok && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    }
    ok = collect(board, store, product, ways, count, figures) && ok;
    show(with, board, count, figures);
  }
  if (with->progress)
    fputs("\r\033[K", stderr);
  return ok;
}

static int fastest(const struct tune_way *ways, size_t count) {
  int best = -1;
  for (size_t i = 0; i < count; i++) {
    if (ways[i].cycles && (best < 0 || ways[i].cycles < ways[best].cycles))
      best = (int)i;
  }
  return best;
}

static int search(const struct tune_measure *with, struct tune_store *store,
                  const struct tune_product *product, struct tune_way *ways, size_t count,
                  struct tune_figures *figures, struct net_error *error) {
  size_t bytes = sizeof(struct board) + count * sizeof(((struct board *)0)->way[0]);
  struct board *board =
      mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  pid_t child[MAX_JOBS];
  if (board == MAP_FAILED) {
    fail(error, "measuring", "out of memory");
    return -1;
  }
  atomic_store(&board->best, UINT64_MAX);
  look_up(board, store, product, ways, count, figures);
  unsigned started = start_all(with, product, ways, count, board, child);
  bool ok = wait_for(with, board, store, product, ways, count, started, figures);
  if (!ok)
    fail(error, "measuring", board->error.text[0] ? board->error.text : "a process ended early");
  munmap(board, bytes);
  return ok ? fastest(ways, count) : -1;
}

int tune_search(const struct tune_measure *with, const struct tune_product *product,
                struct tune_way *ways, size_t count, struct tune_figures *figures,
                struct net_error *error) {
  struct tune_store *store = with->results ? tune_store_open(with, error) : NULL;
  if (with->results && !store)
    return -1;
  int best = search(with, store, product, ways, count, figures, error);
  tune_store_close(store);
  return best;
}
