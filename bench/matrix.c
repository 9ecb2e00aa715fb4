// bench/matrix.c
#include "bench/matrix.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Index of `name`, appended if it is new; `room` if there is no place left.
static unsigned place(const char **names, unsigned *count, unsigned room, const char *name) {
  for (unsigned i = 0; i < *count; i++) {
    if (strcmp(names[i], name) == 0)
      return i;
  }
  if (*count < room)
    names[(*count)++] = name;
  else
    return room;
  return *count - 1;
}

static bool is_in(const struct bench_run *run, const struct bench_suite *suite,
                  const struct bench_table_spec *spec) {
  return run->suite == suite && strcmp(run->c->table, spec->name) == 0;
}

static const char *column_name(struct matrix *m, const struct bench_run *run) {
  if (run->c->core_counts == 1)
    return run->c->column;
  return pool_printf(&m->pool, "%s%s%u core%s", run->c->column, *run->c->column ? ", " : "",
                     run->cores, run->cores == 1 ? "" : "s");
}

void matrix_read(struct matrix *m, const struct bench_report *report,
                 const struct bench_suite *suite, const struct bench_table_spec *spec) {
  memset(m, 0, sizeof *m);
  m->spec = spec;
  for (size_t i = 0; i < report->run_count; i++) {
    const struct bench_run *run = &report->runs[i];
    if (!is_in(run, suite, spec))
      continue;
    unsigned r = place(m->row, &m->rows, MATRIX_ROWS, run->c->row);
    unsigned c = place(m->column, &m->columns, MATRIX_COLUMNS, column_name(m, run));
    if (r < MATRIX_ROWS && c < MATRIX_COLUMNS)
      m->cell[r][c] = run;
  }
}

void matrix_free(struct matrix *m) {
  pool_free(&m->pool);
}

static const struct bench_run *base_of(const struct matrix *m, unsigned row, unsigned column) {
  for (unsigned r = 0; *m->spec->base_row && r < m->rows; r++) {
    if (strcmp(m->row[r], m->spec->base_row) == 0)
      row = r;
  }
  for (unsigned c = 0; *m->spec->base_column && c < m->columns; c++) {
    if (strcmp(m->column[c], m->spec->base_column) == 0)
      column = c;
  }
  return *m->spec->base_row || *m->spec->base_column ? m->cell[row][column] : NULL;
}

// Milliseconds, by the clock of the cluster that the case sets (networks: 100 MHz otherwise); 0 if
// it sets none.
static double time_of(const struct bench_run *run) {
  double mhz = *run->c->network ? 100 : 0;
  for (size_t i = 0; i < run->c->set_count; i++) {
    if (strcmp(run->c->set[i].key, "soc.cluster_clock_mhz") == 0)
      mhz = strtod(run->c->set[i].value, NULL);
  }
  return mhz > 0 ? (double)run->result.cycles / (1e3 * mhz) : 0;
}

double matrix_latency(const struct matrix *m, unsigned row, unsigned column) {
  const struct bench_run *run = m->cell[row][column], *base = base_of(m, row, column);
  if (!run || !base || run->status != RUN_OK || base->status != RUN_OK || !base->result.cycles)
    return 0;
  if (m->spec->show == SHOW_MS)
    return time_of(base) > 0 ? time_of(run) / time_of(base) : 0;
  return (double)run->result.cycles / (double)base->result.cycles;
}

double matrix_value(const struct matrix *m, unsigned row, unsigned column) {
  const struct bench_run *run = m->cell[row][column];
  if (!run || run->status != RUN_OK)
    return 0;
  switch (m->spec->show) {
  case SHOW_LATENCY:
    return matrix_latency(m, row, column);
  case SHOW_CYCLES:
    return (double)run->result.cycles;
  case SHOW_MS:
    return time_of(run);
  case SHOW_MAC_PER_CLOCK:
  case SHOWS:
    break;
  }
  return run_mac_per_clock(run);
}

// Higher is better; 0: none.
static double merit(const struct matrix *m, unsigned row, unsigned column) {
  double value = matrix_value(m, row, column);
  return value > 0 && m->spec->show != SHOW_MAC_PER_CLOCK ? 1 / value : value;
}

double matrix_share(const struct matrix *m, unsigned row, unsigned column) {
  bool rows = *m->spec->base_row != '\0';
  double most = 0;
  for (unsigned i = 0; i < (rows ? m->rows : m->columns); i++)
    most = fmax(most, rows ? merit(m, i, column) : merit(m, row, i));
  return most > 0 ? merit(m, row, column) / most : 0;
}

bool matrix_is_best(const struct matrix *m, unsigned row, unsigned column) {
  return *m->spec->base_row && matrix_share(m, row, column) >= 1;
}
