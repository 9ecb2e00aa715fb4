// deploy/tune.c: the program `pulpsim-tune`: the fastest way of a layer's training steps through
// L1.
#include <getopt.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "deploy/tune/store.h"

enum { FAILED = 1, USAGE = 64, NO_FIT = 80 };
enum { PROGRAM_L1 = 14000 * 4 }; // kernels/bench/train_tiled.c has so much
static const double slack = 1.5; // ways whose bound is beyond are not kept: none has won

struct options {
  struct tune_measure with;
  const char *layer, *shape, *steps;
  uint32_t l1_bytes;
  bool published, json;
};

static const char help[] =
    "usage: pulpsim-tune layer (pointwise|linear) --shape SHAPE [OPTION...]\n\n"
    "Finds, by simulation, the tile, the kernel and the order in which a layer's steps of "
    "training\n"
    "take the fewest cycles with their operands in L2, transfers included.\n\n"
    "  --shape SHAPE      CxHxW,F (pointwise) or INPUTS,OUTPUTS (linear)\n"
    "  --steps LIST       of fw, wg, ig (default: fw,wg,ig)\n"
    "  --l1 BYTES         for tiles, with k for 1024 (default: 56000, which is the most)\n"
    "  --published        Algorithm 1 of PULP-TrainLib beside: five tiles, 24 kernels\n"
    "  --machine NAME     (default: trainlib)     --cores N  (default: 8)\n"
    "  --program FILE     (default: build/kernels/train_tiled.elf)\n"
    "  --results FILE     what was measured before (default: build/tune.sqlite)\n"
    "  --jobs N           processes (default: as many as processors)\n"
    "  --json             on stdout, and nothing else\n\n"
    "Exit status: 0; 1 a run failed; 64 usage; 80 no tile fits into L1.\n";

__attribute__((format(printf, 2, 3))) static int fail(int status, const char *format, ...) {
  va_list values;
  va_start(values, format);
  fputs("pulpsim-tune: ", stderr);
  vfprintf(stderr, format, values);
  fputc('\n', stderr);
  va_end(values);
  return status;
}

// Bytes, with an optional k. False if it is not that.
static bool parse_bytes(const char *text, uint32_t *bytes) {
  char *end;
  unsigned long value = strtoul(text, &end, 10);
  bool kilo = *end == 'k' || *end == 'K';
  if (end == text || end[kilo] != '\0' || value == 0 || value > (1u << 20))
    return false;
  *bytes = (uint32_t)(value * (kilo ? 1024 : 1));
  return true;
}

static bool parse_count(const char *text, unsigned most, unsigned *count) {
  char *end;
  unsigned long value = strtoul(text, &end, 10);
  *count = (unsigned)value;
  return end != text && *end == '\0' && value >= 1 && value <= most;
}

static bool parse_option(struct options *o, int option, const char *text) {
  switch (option) {
  case 's':
    o->shape = text;
    return true;
  case 't':
    o->steps = text;
    return true;
  case 'l':
    return parse_bytes(text, &o->l1_bytes);
  case 'p':
    o->published = true;
    return true;
  case 'm':
    o->with.machine = text;
    return true;
  case 'c':
    return parse_count(text, 16, &o->with.cores);
  case 'e':
    o->with.program = text;
    return true;
  case 'r':
    o->with.results = text;
    return true;
  case 'j':
    return parse_count(text, 256, &o->with.jobs);
  case 'J':
    o->json = true;
    return true;
  default:
    return false;
  }
}

static int parse(struct options *o, int argc, char **argv) {
  static const struct option names[] = {
      {"shape", 1, NULL, 's'},     {"steps", 1, NULL, 't'},   {"l1", 1, NULL, 'l'},
      {"published", 0, NULL, 'p'}, {"machine", 1, NULL, 'm'}, {"cores", 1, NULL, 'c'},
      {"program", 1, NULL, 'e'},   {"results", 1, NULL, 'r'}, {"jobs", 1, NULL, 'j'},
      {"json", 0, NULL, 'J'},      {"help", 0, NULL, 'h'},    {NULL, 0, NULL, 0}};
  for (int option; (option = getopt_long(argc, argv, "h", names, NULL)) != -1;) {
    if (option == 'h') {
      fputs(help, stdout);
      exit(0);
    }
    if (option == '?')
      return USAGE;
    if (!parse_option(o, option, optarg))
      return fail(USAGE, "'%s' is out of range; `pulpsim-tune --help` says what is taken", optarg);
  }
  if (argc - optind != 2 || strcmp(argv[optind], "layer") != 0 || !o->shape)
    return fail(USAGE, "say `layer pointwise --shape 64x25x5,64`, or see `pulpsim-tune --help`");
  o->layer = argv[optind + 1];
  if (o->l1_bytes > PROGRAM_L1)
    o->l1_bytes = PROGRAM_L1;
  return 0;
}

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void print_way(const struct options *o, const char *step, const char *by,
                      const struct tune_product *p, const struct tune_way *way,
                      const struct tune_figures *figures, double took) {
  double rate = (double)tune_product_macs(p) / (double)way->cycles;
  if (o->json)
    printf("%s{\"step\": \"%s\", \"by\": \"%s\", \"n\": %u, \"m\": %u, \"k\": %u, \"tile\": [%u, "
           "%u, %u],"
           " \"rows_inner\": %s, \"kernel\": \"%s\", \"cycles\": %" PRIu64
           ", \"first_cycles\": %" PRIu64 ", \"bound\": %" PRIu64
           ", \"mac_per_cycle\": %.3f, \"runs\": %zu, \"known\": %zu, \"seconds\": %.2f}",
           strcmp(step, o->steps) == 0 ? "" : "", step, by, p->n, p->m, p->k, way->tile_n,
           way->tile_m, way->tile_k, way->rows_inner ? "true" : "false",
           tune_kernel_name(way->matmul), way->cycles, way->cold_cycles, way->bound, rate,
           figures->simulated, figures->known, took);
  else
    printf("%-4s %-9s %4ux%4ux%4u %4ux%4ux%4u %-7s %-11s %9" PRIu64 " %9" PRIu64
           " %6.2f %5.1f%% %6zu %6zu %6.1f s\n",
           step, by, p->n, p->m, p->k, way->tile_n, way->tile_m, way->tile_k,
           way->rows_inner ? "rows" : "columns", tune_kernel_name(way->matmul), way->cycles,
           way->cold_cycles, rate, 100.0 * (double)way->bound / (double)way->cycles,
           figures->simulated, figures->known, took);
}

static int tune_one(const struct options *o, enum tune_step step) {
  struct net_error error;
  struct tune_product p;
  struct tune_figures figures = {0, 0};
  const struct tune_machine machine = {o->with.cores, o->l1_bytes};
  size_t count;
  double start = seconds();
  if (!tune_product(&p, o->layer, o->shape, step, &error))
    return fail(USAGE, "%s", error.text);
  struct tune_way *ways = tune_space(&p, &machine, slack, &count);
  if (!ways)
    return count ? fail(FAILED, "out of memory")
                 : fail(NO_FIT, "no tile fits into %u bytes of L1", o->l1_bytes);
  int best = tune_search(&o->with, &p, ways, count, &figures, &error);
  if (best >= 0)
    print_way(o, tune_step_names[step], "simulated", &p, &ways[best], &figures, seconds() - start);
  free(ways);
  if (best < 0)
    return fail(FAILED, "%s", error.text);
  return 0;
}

int main(int argc, char **argv) {
  long processors = sysconf(_SC_NPROCESSORS_ONLN);
  struct options o = {.with = {.program = "build/kernels/train_tiled.elf",
                               .machine = "trainlib",
                               .results = "build/tune.sqlite",
                               .cores = 8,
                               .jobs = processors > 0 ? (unsigned)processors : 1,
                               .progress = isatty(STDERR_FILENO)},
                      .steps = "fw,wg,ig",
                      .l1_bytes = PROGRAM_L1};
  int status = parse(&o, argc, argv);
  if (status)
    return status;
  if (!o.json)
    puts("step by                   NxMxK           tile inner   kernel         cycles     first "
         "MAC/cl bound    runs  known");
  for (unsigned step = 0; step < TUNE_STEPS && status == 0; step++) {
    if (strstr(o.steps, tune_step_names[step]))
      status = tune_one(&o, (enum tune_step)step);
  }
  return status;
}
