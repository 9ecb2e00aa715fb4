// bench/case.c: one run through the library.
#include "bench/case.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "sim/config.h"
#include "sim/elf.h"
#include "sim/stats_json.h"
#include "sim/summary.h"

// The last bytes that the program printed.
struct tail {
  char text[512];
  size_t used;
};

static void keep_tail(void *user, int fd, const char *bytes, size_t count) {
  struct tail *tail = user;
  (void)fd;
  for (size_t i = 0; i < count; i++) {
    if (tail->used == sizeof tail->text - 1) {
      memmove(tail->text, tail->text + 1, tail->used - 1);
      tail->used--;
    }
    tail->text[tail->used++] = bytes[i];
  }
  tail->text[tail->used] = '\0';
}

double bench_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

struct pulpsim_config *bench_case_config(const struct bench_job *job, struct pulpsim_error *error) {
  char setting[256];
  struct pulpsim_config *config = pulpsim_config_new(job->machine, error);
  snprintf(setting, sizeof setting, "cluster.cores=%u", job->cores);
  bool ok = config && pulpsim_config_set(config, setting, error);
  for (size_t i = 0; ok && i < job->set_count; i++) {
    snprintf(setting, sizeof setting, "%s=%s", job->set[i].key, job->set[i].value);
    ok = pulpsim_config_set(config, setting, error);
  }
  if (!ok) {
    pulpsim_config_free(config);
    config = NULL;
  }
  return config;
}

// A list of numbers becomes words, anything else a string that ends in a zero byte.
static bool write_value(struct pulpsim *sim, uint32_t address, const char *text) {
  if (text[strspn(text, "-0123456789, ")] != '\0')
    return pulpsim_write(sim, address, text, strlen(text) + 1);
  bool ok = true;
  for (char *end; ok && *(text += strspn(text, ", ")); text = end, address += 4) {
    int32_t word = (int32_t)strtol(text, &end, 10);
    ok = end != text && pulpsim_write(sim, address, &word, sizeof word);
  }
  return ok;
}

static bool write_variables(struct pulpsim *sim, const struct bench_job *job,
                            struct pulpsim_error *error) {
  for (size_t i = 0; i < job->data_count; i++) {
    uint32_t address;
    if (!pulpsim_symbol(sim, job->data[i].key, &address) ||
        !write_value(sim, address, job->data[i].value)) {
      snprintf(error->text, sizeof error->text, "%s: has no variable '%s' that takes '%s'",
               job->elf, job->data[i].key, job->data[i].value);
      return false;
    }
  }
  return true;
}

struct bench_machine bench_machine_of(const struct pulpsim_config *c) {
  struct bench_machine m = {.cores = c->cluster_cores,
                            .banks = c->cluster_tcdm_banks,
                            .port_bytes = c->l2_port_bytes,
                            .xpulpnn = c->core_xpulpnn};
  if (c->core_fpu_present)
    m.fpus = c->cluster_fpu_sharing == CONFIG_SHARING_SHARED && c->cluster_fpu_units < m.cores
                 ? c->cluster_fpu_units
                 : m.cores;
  return m;
}

// A machine with the program loaded and its variables set; NULL with a sentence in `error`.
static struct pulpsim *prepare(const struct bench_job *job, struct bench_machine *machine,
                               struct pulpsim_error *error) {
  struct pulpsim *sim = NULL;
  struct pulpsim_config *config = bench_case_config(job, error);
  if (config) {
    *machine = bench_machine_of(config);
    sim = pulpsim_new(config, error);
  }
  pulpsim_config_free(config);
  if (sim && (!pulpsim_load(sim, job->elf, error) || !write_variables(sim, job, error))) {
    pulpsim_free(sim);
    sim = NULL;
  }
  return sim;
}

static const struct pulpsim_region *choose_region(const struct pulpsim_stats *stats,
                                                  const char *name) {
  for (size_t i = 0; name && *name && i < stats->region_count; i++) {
    if (strcmp(stats->region[i].name, name) == 0)
      return &stats->region[i];
  }
  for (size_t i = 0; i < stats->region_count; i++) {
    if (stats->region[i].useful_macs)
      return &stats->region[i];
  }
  return stats->region_count ? &stats->region[0] : NULL;
}

static void take_figures(struct bench_result *result, const struct pulpsim_stats *stats,
                         const char *name) {
  const struct pulpsim_region *region = choose_region(stats, name);
  for (unsigned i = 0; i < stats->core_count; i++) {
    struct pulpsim_counts pair[2] = {result->sum, stats->core[i].total};
    result->sum = summary_sum(pair, 2);
  }
  result->instructions = result->sum.instructions;
  result->cycles = result->run_cycles = stats->cycles;
  if (!region)
    return;
  memcpy(result->region, region->name, sizeof result->region);
  result->cycles = region->cycles;
  result->entries = region->entries;
  result->useful_macs = region->useful_macs * region->entries;
  result->sum = summary_sum(region->core, stats->core_count);
}

// Why a run is no result.
static void judge(struct bench_result *result, const struct bench_job *job, struct pulpsim *sim,
                  const struct run_end *end, const char *printed) {
  char *text = result->message;
  const size_t size = sizeof result->message;
  result->ok = end->state == PULPSIM_EXITED && end->status == 0;
  if (end->limit)
    snprintf(text, size, "did not end within %" PRIu64 " cycles\n%s", job->max_cycles, printed);
  else if (!result->ok)
    snprintf(text, size, "%s, status %d. %s\n%s", run_end_name(end), end->status,
             pulpsim_reason(sim), printed);
  else if (job->region && *job->region && strcmp(result->region, job->region) != 0)
    snprintf(text, size, "the program has no region '%s'", job->region);
  result->ok = *text == '\0';
}

uint64_t bench_elf_bytes(const char *path) {
  char error[ELF_ERROR_SIZE];
  struct elf_image *image = elf_open(path, error);
  uint64_t bytes = 0;
  for (size_t i = 0; image && i < image->segment_count; i++)
    bytes += image->segments[i].file_size;
  elf_free(image);
  return bytes;
}

void bench_case_run(struct bench_result *result, const struct bench_job *job) {
  struct pulpsim_error error;
  struct tail tail = {.used = 0};
  *result = (struct bench_result){.ok = false};
  struct pulpsim *sim = prepare(job, &result->machine, &error);
  if (!sim) {
    snprintf(result->message, sizeof result->message, "%s", error.text);
    return;
  }
  pulpsim_on_output(sim, keep_tail, &tail);
  double start = bench_seconds();
  struct run_end end = {.state = pulpsim_run(sim, job->max_cycles)};
  result->seconds = bench_seconds() - start;
  result->bytes = bench_elf_bytes(job->elf);
  end.limit = end.state == PULPSIM_READY;
  end.status = pulpsim_exit_status(sim);
  take_figures(result, pulpsim_stats(sim), job->region);
  while (tail.used && tail.text[tail.used - 1] == '\n')
    tail.text[--tail.used] = '\0';
  judge(result, job, sim, &end, tail.text);
  pulpsim_free(sim);
}
