// deploy/tune/measure.c: see measure.h.
#include "deploy/tune/measure.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "deploy/tune/store.h"
#include "deploy/tune/tasks.h"
#include "sim/pulpsim.h"

enum { MAX_CYCLES = 1000000000 };

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

// A kernel outside of the list takes the place of its last one. Returns what the program calls it.
static uint32_t set_kernel(struct pulpsim *sim, uint8_t matmul, bool *ok) {
  uint32_t address;
  if (tune_kernel_is_listed(matmul))
    return matmul;
  const struct mmt_block block = tune_kernel_block(matmul);
  *ok = pulpsim_symbol(sim, "mmt_blocks", &address) &&
        pulpsim_write(sim, address + (MMT_F32_COUNT - 1) * sizeof block, &block, sizeof block);
  return MMT_F32_COUNT;
}

static const char variables[] =
    "lacks the variables by which shape and tile are set: `make kernels` makes train_tiled.elf";

bool tune_run(const struct tune_measure *with, const struct tune_product *p,
              const struct tune_run *run, struct tune_way *way, struct net_error *error) {
  bool l1 = run->in_l1;
  const uint32_t shape[] = {l1 ? way->tile_n : p->n, l1 ? way->tile_m : p->m,
                            l1 ? way->tile_k : p->k, p->layout};
  const uint32_t check = run->check, in_l1 = l1, warm_call = run->warm_call;
  struct pulpsim *sim = tune_machine_new(with, error);
  if (!sim)
    return false;
  pulpsim_on_output(sim, discard, NULL);
  bool ok = true;
  const uint32_t tile[] = {way->tile_n, way->tile_m, way->tile_k, way->rows_inner,
                           set_kernel(sim, way->matmul, &ok)};
  ok = ok && set_words(sim, "bench_shape", shape, 4) && set_words(sim, "bench_tile", tile, 5) &&
       set_words(sim, "bench_check", &check, 1) && set_words(sim, "bench_in_l1", &in_l1, 1) &&
       set_words(sim, "bench_warm_call", &warm_call, 1);
  ok = ok ? finish(sim, with, way, error) : fail(error, with->program, variables);
  pulpsim_free(sim);
  return ok;
}

// ---------------------------------------------------------------- many runs

// What the processes share: a way is theirs who counted `next` up to it.
struct board {
  atomic_size_t next;
  atomic_bool failed;
  struct net_error error;
  struct {
    uint64_t cycles, cold_cycles;
  } way[TUNE_BATCH];
};

struct batch {
  const struct tune_measure *with;
  const struct tune_product *product;
  const struct tune_run *run;
  struct tune_way *ways[TUNE_BATCH];
  size_t count;
  struct board *board;
};

static _Noreturn void work(const struct batch *batch) {
  struct board *board = batch->board;
  for (size_t i; (i = atomic_fetch_add(&board->next, 1)) < batch->count;) {
    struct tune_way way = *batch->ways[i];
    struct net_error error;
    if (!tune_run(batch->with, batch->product, batch->run, &way, &error)) {
      if (!atomic_exchange(&board->failed, true))
        board->error = error;
      _exit(1);
    }
    board->way[i].cycles = way.cycles;
    board->way[i].cold_cycles = way.cold_cycles;
  }
  _exit(0);
}

// One process for each job, until all ways are run. False: one ended otherwise.
static bool work_all(const struct batch *batch) {
  unsigned jobs = batch->with->jobs < batch->count ? batch->with->jobs : (unsigned)batch->count;
  unsigned started = 0;
  bool ok = true;
  while (started < jobs) {
    pid_t child = fork();
    if (child == 0)
      work(batch);
    if (child < 0)
      break;
    started++;
  }
  for (unsigned i = 0; i < started; i++) {
    int status;
    ok = wait(&status) > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0 && ok;
  }
  return ok && started > 0;
}

static void take_results(const struct batch *batch) {
  for (size_t i = 0; i < batch->count; i++) {
    batch->ways[i]->cycles = batch->board->way[i].cycles;
    batch->ways[i]->cold_cycles = batch->board->way[i].cold_cycles;
  }
}

static bool run_here(struct batch *batch, struct net_error *error) {
  batch->board =
      mmap(NULL, sizeof *batch->board, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (batch->board == MAP_FAILED)
    return fail(error, "measuring", "out of memory");
  bool ok = work_all(batch);
  if (ok)
    take_results(batch);
  else
    fail(error, "measuring",
         batch->board->error.text[0] ? batch->board->error.text : "a process ended early");
  munmap(batch->board, sizeof *batch->board);
  return ok;
}

static void keep_results(const struct batch *batch, struct tune_store *store) {
  if (!store)
    return;
  tune_store_begin(store);
  for (size_t i = 0; i < batch->count; i++)
    tune_store_put(store, batch->product, batch->run, batch->ways[i]);
  tune_store_end(store);
}

static bool run_batch(struct batch *b, struct tune_store *store, struct net_error *error) {
  bool ok = b->with->on == TUNE_LOCAL
                ? run_here(b, error)
                : tune_tasks_run(b->with, b->product, b->run, b->ways, b->count, error);
  if (ok)
    keep_results(b, store);
  return ok;
}

bool tune_run_all(const struct tune_measure *with, struct tune_store *store,
                  const struct tune_product *product, const struct tune_run *run,
                  struct tune_way *const *ways, size_t count, struct tune_figures *figures,
                  struct net_error *error) {
  struct batch batch = {.with = with, .product = product, .run = run};
  for (size_t i = 0; i < count; i++) {
    if (store && tune_store_get(store, product, run, ways[i]))
      figures->known++;
    else
      batch.ways[batch.count++] = ways[i];
  }
  figures->simulated += batch.count;
  return batch.count == 0 || run_batch(&batch, store, error);
}
