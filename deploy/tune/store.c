// deploy/tune/store.c: see store.h.
#include "deploy/tune/store.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include <zlib.h>

#include "sim/pulpsim.h"

struct tune_store {
  sqlite3 *file;
  sqlite3_stmt *get, *put, *get_choice, *put_choice;
  sqlite3_int64 key; // of simulator, program and machine
  const char *path;
  bool failed; // which has been said
};

static const char schema[] =
    "CREATE TABLE IF NOT EXISTS run (setup INTEGER, n INTEGER, m INTEGER, k INTEGER, layout "
    "INTEGER,"
    " tile_n INTEGER, tile_m INTEGER, tile_k INTEGER, rows_inner INTEGER, matmul INTEGER,"
    " warm_call INTEGER, in_l1 INTEGER, cycles INTEGER, cold_cycles INTEGER, PRIMARY KEY (setup, n,"
    " m, k, layout, tile_n, tile_m, tile_k, rows_inner, matmul, warm_call, in_l1)) WITHOUT ROWID;"
    "CREATE TABLE IF NOT EXISTS chosen (setup INTEGER, n INTEGER, m INTEGER, k INTEGER, layout"
    " INTEGER, l1 INTEGER, kernels INTEGER, tile_n INTEGER, tile_m INTEGER, tile_k INTEGER, "
    "rows_inner INTEGER,"
    " matmul INTEGER, cycles INTEGER, cold_cycles INTEGER, bound INTEGER, runs INTEGER,"
    " PRIMARY KEY (setup, n, m, k, layout, l1, kernels)) WITHOUT ROWID";
static const char get[] =
    "SELECT cycles, cold_cycles FROM run WHERE setup = ?1 AND n = ?2 AND m = ?3 AND k = ?4 AND"
    " layout = ?5 AND tile_n = ?6 AND tile_m = ?7 AND tile_k = ?8 AND rows_inner = ?9 AND"
    " matmul = ?10 AND warm_call = ?11 AND in_l1 = ?12";
static const char put[] = "INSERT OR REPLACE INTO run VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9,"
                          " ?10, ?11, ?12, ?13, ?14)";

static const char get_choice[] =
    "SELECT tile_n, tile_m, tile_k, rows_inner, matmul, cycles, cold_cycles, bound, runs FROM "
    "chosen"
    " WHERE setup = ?1 AND n = ?2 AND m = ?3 AND k = ?4 AND layout = ?5 AND l1 = ?6"
    " AND kernels = ?7";
static const char put_choice[] = "INSERT OR REPLACE INTO chosen VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7,"
                                 " ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)";

// CRC of this program's own file: another simulator may take other cycles.
static uint32_t simulator_hash(void) {
  unsigned char buffer[1 << 16];
  uLong hash = crc32(0, NULL, 0);
  FILE *file = fopen("/proc/self/exe", "rb");
  for (size_t n; file && (n = fread(buffer, 1, sizeof buffer, file)) > 0;)
    hash = crc32(hash, buffer, (uInt)n);
  if (file)
    fclose(file);
  return (uint32_t)hash;
}

static bool key_of(const struct tune_measure *with, sqlite3_int64 *key, struct net_error *error) {
  struct pulpsim *sim = tune_machine_new(with, error);
  if (!sim)
    return false;
  const struct pulpsim_stats *stats = pulpsim_stats(sim);
  uint64_t hash = (stats->elf_hash * 31 + stats->config_hash) * 31 + simulator_hash();
  pulpsim_free(sim);
  memcpy(key, &hash, sizeof *key);
  return true;
}

struct tune_store *tune_store_open(const struct tune_measure *with, struct net_error *error) {
  struct tune_store *store = calloc(1, sizeof *store);
  if (!store) {
    snprintf(error->text, sizeof error->text, "out of memory");
    return NULL;
  }
  store->path = with->results;
  if (!key_of(with, &store->key, error)) {
    free(store);
    return NULL;
  }
  if (sqlite3_open(with->results, &store->file) == SQLITE_OK &&
      sqlite3_busy_timeout(store->file, 10000) == SQLITE_OK &&
      sqlite3_exec(store->file, schema, NULL, NULL, NULL) == SQLITE_OK &&
      sqlite3_prepare_v2(store->file, get, -1, &store->get, NULL) == SQLITE_OK &&
      sqlite3_prepare_v2(store->file, put, -1, &store->put, NULL) == SQLITE_OK &&
      sqlite3_prepare_v2(store->file, get_choice, -1, &store->get_choice, NULL) == SQLITE_OK &&
      sqlite3_prepare_v2(store->file, put_choice, -1, &store->put_choice, NULL) == SQLITE_OK)
    return store;
  error->status = EX_CANTCREAT;
  snprintf(error->text, sizeof error->text, "%s: %s; name another file with --results",
           with->results, sqlite3_errmsg(store->file));
  tune_store_close(store);
  return NULL;
}

void tune_store_close(struct tune_store *store) {
  if (!store)
    return;
  sqlite3_finalize(store->get);
  sqlite3_finalize(store->put);
  sqlite3_finalize(store->get_choice);
  sqlite3_finalize(store->put_choice);
  sqlite3_close(store->file);
  free(store);
}

static void bind_all(struct tune_store *store, sqlite3_stmt *statement, const uint64_t *values,
                     int count) {
  sqlite3_reset(statement);
  sqlite3_bind_int64(statement, 1, store->key);
  for (int i = 0; i < count; i++)
    sqlite3_bind_int64(statement, i + 2, (sqlite3_int64)values[i]);
}

static void bind(struct tune_store *store, sqlite3_stmt *statement, const struct tune_product *p,
                 const struct tune_run *run, const struct tune_way *way) {
  const uint64_t values[] = {p->n,        p->m,           p->k,        p->layout,
                             way->tile_n, way->tile_m,    way->tile_k, way->rows_inner,
                             way->matmul, run->warm_call, run->in_l1};
  bind_all(store, statement, values, sizeof values / sizeof *values);
}

bool tune_store_get(struct tune_store *store, const struct tune_product *product,
                    const struct tune_run *run, struct tune_way *way) {
  bind(store, store->get, product, run, way);
  bool found = sqlite3_step(store->get) == SQLITE_ROW;
  if (found) {
    way->cycles = (uint64_t)sqlite3_column_int64(store->get, 0);
    way->cold_cycles = (uint64_t)sqlite3_column_int64(store->get, 1);
  }
  sqlite3_reset(store->get);
  return found;
}

// What cannot be kept is found anew next time: said once, and no more is tried.
static void check_kept(struct tune_store *store, bool kept) {
  if (!kept && !store->failed)
    fprintf(stderr, "pulpsim-tune: %s: %s; what is measured is not kept\n", store->path,
            sqlite3_errmsg(store->file));
  store->failed = store->failed || !kept;
}

void tune_store_begin(struct tune_store *store) {
  if (!store->failed)
    check_kept(store, sqlite3_exec(store->file, "BEGIN", NULL, NULL, NULL) == SQLITE_OK);
}

void tune_store_put(struct tune_store *store, const struct tune_product *product,
                    const struct tune_run *run, const struct tune_way *way) {
  if (store->failed)
    return;
  bind(store, store->put, product, run, way);
  sqlite3_bind_int64(store->put, 13, (sqlite3_int64)way->cycles);
  sqlite3_bind_int64(store->put, 14, (sqlite3_int64)way->cold_cycles);
  check_kept(store, sqlite3_step(store->put) == SQLITE_DONE);
  sqlite3_reset(store->put);
}

void tune_store_end(struct tune_store *store) {
  if (!store->failed)
    check_kept(store, sqlite3_exec(store->file, "COMMIT", NULL, NULL, NULL) == SQLITE_OK);
}

// ---------------------------------------------------------------- choices

static uint32_t column(sqlite3_stmt *statement, int number) {
  return (uint32_t)sqlite3_column_int64(statement, number);
}

bool tune_store_get_choice(struct tune_store *store, const struct tune_product *p,
                           const struct tune_extent *in, struct tune_way *way, size_t *runs) {
  const uint64_t values[] = {p->n, p->m, p->k, p->layout, in->l1_bytes, in->kernels};
  sqlite3_stmt *s = store->get_choice;
  bind_all(store, s, values, sizeof values / sizeof *values);
  bool found = sqlite3_step(s) == SQLITE_ROW;
  if (found) {
    *way = (struct tune_way){.tile_n = column(s, 0),
                             .tile_m = column(s, 1),
                             .tile_k = column(s, 2),
                             .rows_inner = column(s, 3),
                             .matmul = (uint8_t)column(s, 4),
                             .cycles = (uint64_t)sqlite3_column_int64(s, 5),
                             .cold_cycles = (uint64_t)sqlite3_column_int64(s, 6),
                             .bound = (uint64_t)sqlite3_column_int64(s, 7)};
    *runs = column(s, 8);
  }
  sqlite3_reset(s);
  return found;
}

void tune_store_put_choice(struct tune_store *store, const struct tune_product *p,
                           const struct tune_extent *in, const struct tune_way *way, size_t runs) {
  const uint64_t values[] = {p->n,
                             p->m,
                             p->k,
                             p->layout,
                             in->l1_bytes,
                             in->kernels,
                             way->tile_n,
                             way->tile_m,
                             way->tile_k,
                             way->rows_inner,
                             way->matmul,
                             way->cycles,
                             way->cold_cycles,
                             way->bound,
                             runs};
  if (store->failed)
    return;
  bind_all(store, store->put_choice, values, sizeof values / sizeof *values);
  check_kept(store, sqlite3_step(store->put_choice) == SQLITE_DONE);
  sqlite3_reset(store->put_choice);
}
