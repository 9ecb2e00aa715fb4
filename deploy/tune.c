// deploy/tune.c: the program `pulpsim-tune`: the fastest way of a layer's training steps through
// L1.
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include <time.h>
#include <unistd.h>

#include "deploy/cli/root.h"
#include "deploy/tune/estimate.h"
#include "deploy/tune/network.h"
#include "deploy/tune/options.h"
#include "deploy/tune/published.h"
#include "deploy/tune/search.h"
#include "deploy/tune/tasks.h"
#include "deploy/tune/train_write.h"
#include "kernels/train/train_net_outer.h"
#include "kernels/train/train_net_panels.h"
#include "kernels/train/train_net_vector.h"
#include "sim/result_file.h"
#include "sim/stdout_check.h"

static const double SLACK = 1.3; // ways estimated beyond are left out

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// ---------------------------------------------------------------- a result

struct result {
  const char *step, *by;
  struct tune_product product;
  struct tune_way way;  // its cycles are those of the whole layer
  uint64_t tile_cycles; // by the published algorithm: of a tile in L1; else 0
  struct tune_figures figures;
  double seconds;
};

static void print_json(const struct result *r, bool first) {
  const struct tune_way *w = &r->way;
  printf("%s\n  {\"step\": \"%s\", \"by\": \"%s\", \"n\": %u, \"m\": %u, \"k\": %u, \"tile\": [%u, "
         "%u, %u], \"order\": \"%s\", \"kernel\": \"%s\",\n   \"cycles\": %" PRIu64
         ", \"first_cycles\": %" PRIu64 ", \"tile_cycles\": %" PRIu64 ", \"bound\": %" PRIu64
         ", \"mac_per_cycle\": %.3f, \"runs\": %zu, \"known\": %zu, \"seconds\": %.2f}",
         first ? "" : ",", r->step, r->by, r->product.n, r->product.m, r->product.k, w->tile_n,
         w->tile_m, w->tile_k, w->rows_inner ? "rows" : "columns", tune_kernel_name(w->matmul),
         w->cycles, w->cold_cycles, r->tile_cycles, w->bound,
         (double)tune_product_macs(&r->product) / (double)w->cycles, r->figures.simulated,
         r->figures.known, r->seconds);
}

static void print_line(const struct result *r) {
  const struct tune_way *w = &r->way;
  char product[40], tile[40];
  snprintf(product, sizeof product, "%ux%ux%u", r->product.n, r->product.m, r->product.k);
  snprintf(tile, sizeof tile, "%ux%ux%u", w->tile_n, w->tile_m, w->tile_k);
  printf("%-4s %-9s %14s %14s %-7s %-10s %9" PRIu64 " %9" PRIu64 " %7.2f %5.1f%% %5zu %6zu %6.1f\n",
         r->step, r->by, product, tile, w->rows_inner ? "rows" : "columns",
         tune_kernel_name(w->matmul), w->cycles, w->cold_cycles,
         (double)tune_product_macs(&r->product) / (double)w->cycles,
         100.0 * (double)w->bound / (double)w->cycles, r->figures.simulated, r->figures.known,
         r->seconds);
}

static void print(const struct tune_options *o, const struct result *r, bool first) {
  if (o->json)
    print_json(r, first);
  else
    print_line(r);
  fflush(stdout);
}

// ---------------------------------------------------------------- the two ways of choosing

static struct tune_extent extent_of(const struct tune_options *o) {
  return (struct tune_extent){o->l1_bytes, o->more ? tune_kernel_count() : MMT_F32_COUNT};
}

static bool no_fit(const struct tune_options *o, struct net_error *error) {
  error->status = TUNE_NO_FIT;
  return net_fail(error, "no tile of this layer fits into %u bytes of L1", o->l1_bytes);
}

static bool search_space(const struct tune_options *o, const struct tune_search *search,
                         const struct tune_limits *limits, struct result *r, struct tune_way *best,
                         size_t *count, struct net_error *error) {
  const struct tune_machine machine = {o->with.cores, o->l1_bytes};
  struct tune_way *ways = tune_space(&r->product, &machine, limits, count);
  if (!ways && *count)
    return net_fail(error, "out of memory");
  if (!ways)
    return no_fit(o, error);
  bool ok = tune_search(search, &r->product, ways, *count, best, &r->figures, error);
  free(ways);
  return ok;
}

// Kernels outside of the list, where their bounds say that they can win. The results of one that
// does are looked at.
static bool try_more(const struct tune_options *o, const struct tune_search *search,
                     struct result *r, struct net_error *error) {
  static const struct tune_run checked = {.warm_call = 1, .check = true};
  const struct tune_limits limits = {.slack = o->exhaustive ? HUGE_VAL : SLACK,
                                     .all_sizes = o->exhaustive,
                                     .other = true,
                                     .below = r->way.cycles};
  struct tune_way best;
  size_t count;
  if (!search_space(o, search, &limits, r, &best, &count, error)) {
    error->status = count ? error->status : 0;
    return count == 0; // none can win
  }
  if (best.cycles >= r->way.cycles)
    return true;
  r->way = best;
  return tune_run(search->with, &r->product, &checked, &best, error);
}

static bool simulated(const struct tune_options *o, const struct tune_search *search,
                      struct result *r, struct net_error *error) {
  const struct tune_extent in = extent_of(o);
  const struct tune_limits limits = {.slack = o->exhaustive ? HUGE_VAL : SLACK,
                                     .all_sizes = o->exhaustive};
  bool known = !o->exhaustive &&
               tune_store_get_choice(search->store, &r->product, &in, &r->way, &r->figures.known);
  size_t count;
  bool ok = known || (search_space(o, search, &limits, r, &r->way, &count, error) &&
                      (!o->more || try_more(o, search, r, error)));
  if (ok && !known && !o->exhaustive)
    tune_store_put_choice(search->store, &r->product, &in, &r->way,
                          r->figures.simulated + r->figures.known);
  return ok &&
         (tune_kernel_is_listed(r->way.matmul) || tune_kernel_save(r->way.matmul, o->more, error));
}

// The published memory has one of everything; where two of each do not fit, tiles are cut.
static bool halve_to_fit(const struct tune_options *o, struct result *r, struct net_error *error) {
  struct tune_way *w = &r->way;
  while (tune_l1(&r->product, w) > o->l1_bytes) {
    uint32_t *side = w->tile_k > 1 ? &w->tile_k : w->tile_n > w->tile_m ? &w->tile_n : &w->tile_m;
    if (*side == 1)
      return no_fit(o, error);
    *side = (*side + 1) / 2;
  }
  return true;
}

// What the algorithm chooses, and what the whole layer then takes.
static bool published(const struct tune_options *o, const struct tune_search *search,
                      const struct tune_layer *layer, enum tune_step step, struct result *r,
                      struct net_error *error) {
  static const struct tune_run warm = {.warm_call = TUNE_WARM_CALL};
  const struct tune_machine machine = {o->with.cores, o->l1_bytes};
  if (!tune_published(search, layer, step, o->l1_bytes, &r->way, &r->figures, error))
    return false;
  if (!r->way.cycles)
    return no_fit(o, error);
  r->tile_cycles = r->way.cycles;
  r->way.bound = tune_bound(&r->product, &machine, &r->way);
  if (!halve_to_fit(o, r, error))
    return false;
  struct tune_way *way = &r->way;
  struct tune_figures whole = {0, 0};
  return tune_run_all(search->with, search->store, &r->product, &warm, &way, 1, &whole, error);
}

static int tune_step(const struct tune_options *o, const struct tune_search *search,
                     const struct tune_layer *layer, enum tune_step step, bool as_published,
                     bool first, uint64_t *cycles) {
  struct net_error error = {.text = ""};
  double start = seconds();
  struct result r = {.step = tune_step_names[step],
                     .by = as_published    ? "published"
                           : o->exhaustive ? "all"
                                           : "simulated",
                     .product = tune_layer_product(layer, step)};
  bool ok = as_published ? published(o, search, layer, step, &r, &error)
                         : simulated(o, search, &r, &error);
  if (!ok)
    return tune_fail(error.status ? error.status : TUNE_FAILED, "%s", error.text);
  r.seconds = seconds() - start;
  print(o, &r, first);
  if (cycles)
    *cycles += r.way.cycles;
  return 0;
}

static bool asked(const struct tune_options *o, enum tune_step step) {
  return strstr(o->steps, tune_step_names[step]) != NULL;
}

static int tune_layer(const struct tune_options *o, const struct tune_search *search,
                      const struct tune_layer *layer) {
  int status = 0;
  bool first = true;
  uint64_t floats = tune_layer_bytes(layer) / sizeof(float);
  if (floats > PROGRAM_L2_FLOATS)
    return tune_fail(TUNE_NO_FIT, "its operands take %" PRIu64 " bytes; L2 has room for %zu",
                     floats * sizeof(float), PROGRAM_L2_FLOATS * sizeof(float));
  if (o->json)
    printf("[");
  else
    puts("step by               N x M x K           tile inner   kernel        cycles     first "
         "MAC/clk  bound  runs  known seconds");
  for (unsigned step = 0; step < TUNE_STEPS && status == 0; step++) {
    if (!asked(o, (enum tune_step)step))
      continue;
    if (o->published)
      status = tune_step(o, search, layer, (enum tune_step)step, true, first, NULL);
    first = first && !o->published;
    if (status == 0)
      status = tune_step(o, search, layer, (enum tune_step)step, false, first, NULL);
    first = false;
  }
  if (o->json)
    puts("\n]");
  return status;
}

// ---------------------------------------------------------------- a network

struct totals {
  uint64_t cycles[TUNE_STEPS], macs, other_macs;
};

static int tune_steps(const struct tune_options *o, const struct tune_search *search,
                      const struct tune_network_layer *l, bool *first, struct totals *totals) {
  for (unsigned step = 0; step < TUNE_STEPS; step++) {
    if (!asked(o, (enum tune_step)step) || (l->first && step == TUNE_IG))
      continue;
    int status =
        tune_step(o, search, &l->layer, (enum tune_step)step, false, *first, &totals->cycles[step]);
    *first = false;
    if (status)
      return status;
    totals->macs += l->macs;
  }
  return 0;
}

static void print_totals(const struct totals *t) {
  uint64_t all = 0;
  printf("all:");
  for (unsigned step = 0; step < TUNE_STEPS; step++) {
    printf(" %s %" PRIu64 ",", tune_step_names[step], t->cycles[step]);
    all += t->cycles[step];
  }
  printf(" together %" PRIu64 " cycles, %.2f MAC/clk\n", all,
         all ? (double)t->macs / (double)all : 0);
  if (t->other_macs)
    printf("not among them: layers of %" PRIu64 " MACs forward, which have no tiles to choose\n",
           t->other_macs);
}

static int tune_layers(const struct tune_options *o, const struct tune_search *search,
                       const struct tune_network *network) {
  struct totals totals = {{0}, 0, 0};
  bool first = true;
  if (o->json)
    printf("[");
  for (uint32_t i = 0; i < network->count; i++) {
    const struct tune_network_layer *l = &network->layers[i];
    if (!o->json)
      printf("layer %s %s%s\n", l->name, l->shape, l->tuned ? "" : ": not tuned");
    totals.other_macs += l->tuned ? 0 : l->macs;
    int status = l->tuned ? tune_steps(o, search, l, &first, &totals) : 0;
    if (status)
      return status;
  }
  if (o->json)
    puts("\n]");
  else
    print_totals(&totals);
  return 0;
}

static int tune_model(const struct tune_options *o, const struct tune_search *search) {
  struct net_error error = {.text = ""};
  struct tune_network network;
  if (!tune_network_read(&network, o->model, PROGRAM_L2_FLOATS, &error))
    return tune_fail(error.status ? error.status : TUNE_BAD_MODEL, "%s", error.text);
  int status = tune_layers(o, search, &network);
  tune_network_free(&network);
  return status;
}

// ---------------------------------------------------------------- a program

// What beside the tiles lies in L1, with stacks of 1,696 bytes: the runtime's and kernels' own.
enum { BESIDE_BYTES = 8 * 1696 + 1600, LAYER_BYTES = 68 };

static struct train_net_tile *tile_of(struct train_net_layer *l, unsigned step) {
  return step == TUNE_FW ? &l->fw : step == TUNE_WG ? &l->wg : &l->ig;
}

// With what is done where a tile ends, a way may no longer fit: then its tile is cut.
static bool cut_to_fit(const struct tune_options *o, const struct train_plan *plan, uint32_t number,
                       enum tune_step step, struct result *r) {
  const struct train_net_layer *below = number ? &plan->layers[number - 1].layer : NULL;
  static const float some = 0;
  bool gated = step == TUNE_IG && below && below->relu && below->kind != TRAIN_NET_DEPTHWISE;
  for (;;) {
    const struct train_tiled_product p = {
        .whole = {.n = r->product.n, .m = r->product.m, .k = r->product.k},
        .bias = step == TUNE_FW ? &some : NULL,
        .gate = gated ? &some : NULL,
        .tile_n = r->way.tile_n,
        .tile_m = r->way.tile_m,
        .tile_k = r->way.tile_k};
    if (train_tiled_product_buffer_size(&p) <= o->l1_bytes)
      return true;
    uint32_t *side = r->way.tile_n > r->way.tile_m ? &r->way.tile_n : &r->way.tile_m;
    side = *side > 1 ? side : &r->way.tile_k;
    if (*side == 1)
      return false;
    *side = (*side + 1) / 2;
  }
}

// Whether a pass forward or for the input takes pixels by panels: it has no tile to choose.
static bool by_panels(const struct tune_options *o, const struct train_plan *plan, uint32_t number,
                      enum tune_step step) {
  const struct train_net_layer *l = &plan->layers[number].layer;
  const struct train_net_layer *below = number ? &plan->layers[number - 1].layer : NULL;
  static const float some = 0;
  struct train_net_panels panels = {
      .n = l->out_c, .k = l->in_c, .plane = (uint32_t)l->out_h * l->out_w, .bias = &some};
  if (step == TUNE_IG) {
    panels.n = l->in_c;
    panels.k = l->out_c;
    panels.bias = NULL;
  }
  bool gated = step == TUNE_IG && below && below->relu && below->kind != TRAIN_NET_DEPTHWISE;
  return !gated && train_net_panels_fit(o->l1_bytes, o->with.cores, &panels);
}

// Nor has the weights' gradient of a layer whose input stays in L1, nor a small layer.
static bool without_tile(const struct tune_options *o, const struct train_plan *plan,
                         uint32_t number, enum tune_step step) {
  const struct train_net_layer *l = &plan->layers[number].layer;
  const struct train_net_outer outer = {
      .n = l->out_c, .m = l->in_c, .plane = (uint32_t)l->out_h * l->out_w};
  if (train_net_vector_fits(o->l1_bytes, l))
    return true;
  return step == TUNE_WG ? train_net_outer_fits(o->l1_bytes, o->with.cores, &outer)
                         : by_panels(o, plan, number, step);
}

static int choose_tile(const struct tune_options *o, const struct tune_search *search,
                       struct train_plan *plan, uint32_t number, enum tune_step step) {
  struct train_net_layer *l = &plan->layers[number].layer;
  const struct tune_layer layer = {l->out_h * l->out_w > 1, l->in_c, l->out_h, l->out_w, l->out_c};
  struct net_error error = {.text = ""};
  struct result r = {.step = tune_step_names[step],
                     .by = "simulated",
                     .product = tune_layer_product(&layer, step)};
  uint64_t n = r.product.n, m = r.product.m, k = r.product.k;
  r.way = (struct tune_way){.tile_n = r.product.n, .tile_m = r.product.m, .tile_k = r.product.k};
  bool tuned = !o->untuned && !without_tile(o, plan, number, step);
  if (tuned && n * k + k * m + n * m <= PROGRAM_L2_FLOATS) {
    if (!simulated(o, search, &r, &error))
      return tune_fail(error.status ? error.status : TUNE_FAILED, "%s", error.text);
    print_line(&r);
  }
  if (!cut_to_fit(o, plan, number, step, &r))
    return tune_fail(TUNE_NO_FIT, "%s: no tile fits into %u bytes of L1", plan->layers[number].name,
                     o->l1_bytes);
  *tile_of(l, step) =
      (struct train_net_tile){(uint16_t)r.way.tile_n, (uint16_t)r.way.tile_m,
                              (uint16_t)r.way.tile_k, r.way.rows_inner, r.way.matmul};
  return 0;
}

static int choose_tiles(const struct tune_options *o, const struct tune_search *search,
                        struct train_plan *plan) {
  for (uint32_t i = 0; i < plan->count && plan->type == TRAIN_F32; i++) {
    for (unsigned step = 0; step < TUNE_STEPS; step++) {
      bool wanted = step == TUNE_FW ||
                    (step == TUNE_WG ? !plan->layers[i].layer.frozen : train_plan_has_ig(plan, i));
      if (plan->layers[i].layer.kind != TRAIN_NET_PRODUCT || !wanted)
        continue;
      int status = choose_tile(o, search, plan, i, (enum tune_step)step);
      if (status)
        return status;
    }
  }
  return 0;
}

// What is not as ever: one line.
static void print_memory(const struct train_memory *m) {
  if (m->slots)
    printf("in L3: weights of %" PRIu64 " bytes, which %u slots of L2 take in turn\n",
           m->l3_floats * 4, m->slots);
  if (m->again_cycles)
    printf("computed again: outputs, in about %" PRIu64 " cycles a step\n", m->again_cycles);
}

static int write_program(const struct tune_options *o, const struct train_plan *plan,
                         const struct train_memory *memory) {
  double scale = o->scale > 0 ? o->scale : o->type == TRAIN_FP16 ? 1024 : 1;
  const struct train_write_options write = {o->model, o->l1_bytes, o->batch, o->rate,
                                            o->mse,   scale,       *memory};
  struct result_file out;
  if (!result_file_open(&out, o->emit))
    return tune_fail(TUNE_NO_OUTPUT, "%s: %s", o->emit, strerror(errno));
  train_write(out.file, plan, &write);
  if (!result_file_close(&out, true))
    return tune_fail(TUNE_NO_OUTPUT, "%s: %s", o->emit, strerror(errno));
  print_memory(memory);
  return 0;
}

static int emit_program(struct tune_options *o, const struct tune_search *search) {
  struct net_error error = {.text = ""};
  struct train_plan plan;
  uint32_t most = PROGRAM_L1;
  struct train_plan_options options = {o->with.cores, o->l1_bytes, o->learn, o->mse, o->type};
  if (!train_plan_read(&plan, o->model, &options, &error))
    return tune_fail(error.status ? error.status : TUNE_BAD_MODEL, "%s", error.text);
  uint32_t beside = BESIDE_BYTES + LAYER_BYTES * plan.count;
  train_plan_free(&plan);
  most = 65536 > beside ? (65536 - beside) / 8 * 8 : 0;
  o->l1_bytes = o->l1_bytes < most ? o->l1_bytes / 8 * 8 : most;
  options.l1_bytes = o->l1_bytes;
  if (!train_plan_read(&plan, o->model, &options, &error))
    return tune_fail(error.status ? error.status : TUNE_BAD_MODEL, "%s", error.text);
  const struct train_memory_options kept = {o->batch, TRAIN_WRITE_L2, o->l3, o->again};
  struct train_memory memory;
  int status = train_memory_choose(&memory, &plan, &kept, &error)
                   ? choose_tiles(o, search, &plan)
                   : tune_fail(error.status, "%s: %s", o->model, error.text);
  if (status == 0)
    status = write_program(o, &plan, &memory);
  train_plan_free(&plan);
  return status;
}

// `--task FOLDER [NUMBER]`: as --on starts this program elsewhere (tasks.h).
static int do_task(int argc, char **argv) {
  const char *number = argc > 3 ? argv[3] : getenv("SLURM_ARRAY_TASK_ID");
  struct net_error error = {.text = ""};
  if (argc < 3 || !number)
    return tune_fail(TUNE_USAGE, "--task: a folder and a number belong to it");
  if (!tune_tasks_do(argv[2], (unsigned)strtoul(number, NULL, 10), &error))
    return tune_fail(TUNE_FAILED, "%s", error.text);
  return 0;
}

int main(int argc, char **argv) {
  stdout_check_at_exit("pulpsim-tune");
  if (argc > 1 && strcmp(argv[1], "--task") == 0)
    return do_task(argc, argv);
  long processors = sysconf(_SC_NPROCESSORS_ONLN);
  char program[PATH_MAX + 64];
  snprintf(program, sizeof program, "%s/build/kernels/train_tiled.elf", root_default());
  bool built = access("build", F_OK) == 0;
  struct tune_options o = {.with = {.program = program + (program[0] == '.' ? 2 : 0),
                                    .machine = "trainlib",
                                    .results = built ? "build/tune.sqlite" : "tune.sqlite",
                                    .cores = 8,
                                    .jobs = processors > 0 ? (unsigned)processors : 1,
                                    .progress = isatty(STDERR_FILENO)},
                           .steps = "fw,wg,ig",
                           .batch = 1,
                           .rate = 0.01,
                           .l1_bytes = PROGRAM_L1};
  struct net_error error = {.text = ""};
  struct tune_layer layer;
  int status = tune_options_parse(&o, argc, argv);
  if (status)
    return status;
  if (o.layer && !tune_layer_parse(&layer, o.layer, o.shape, &error))
    return tune_fail(TUNE_USAGE, "%s", error.text);
  struct tune_search search = {&o.with, NULL, o.exhaustive};
  bool simulates = !o.emit || !o.untuned;
  if (simulates)
    search.store = tune_store_open(&o.with, &error);
  if (simulates && !search.store)
    return tune_fail(error.status ? error.status : TUNE_FAILED, "%s", error.text);
  status = o.layer  ? tune_layer(&o, &search, &layer)
           : o.emit ? emit_program(&o, &search)
                    : tune_model(&o, &search);
  if (search.store)
    tune_store_close(search.store);
  return status;
}
