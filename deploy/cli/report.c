// deploy/cli/report.c
#include "report.h"

#include <inttypes.h>
#include <string.h>

#include "bench/groups.h"
#include "bench/unverified.h"
#include "cli.h"
#include "deploy/emit/bound.h"
#include "sim/summary.h"

static uint64_t sum(const uint32_t *cycles, uint32_t count) {
  uint64_t all = 0;
  for (uint32_t i = 0; i < count; i++)
    all += cycles[i];
  return all;
}

static uint64_t all_macs(const struct net *net) {
  uint64_t macs = 0;
  for (uint32_t i = 0; i < net->layer_count; i++)
    macs += net_macs(net, &net->layers[i]);
  return macs;
}

static struct pulpsim_counts all_counts(const struct net *net, const struct machine_result *r) {
  struct pulpsim_counts all = {0};
  for (uint32_t i = 0; i < net->layer_count; i++) {
    all.cycles += r->counts[i].cycles;
    for (unsigned c = 0; c < PULPSIM_CAUSES; c++)
      all.stalls[c] += r->counts[i].stalls[c];
  }
  return all;
}

// Cycles in which a core slept until filters came from L3: nothing else lets one sleep here.
static uint64_t l3_waits(const struct pulpsim_counts *counts) {
  for (unsigned c = 0; c < PULPSIM_CAUSES; c++) {
    if (strcmp(pulpsim_cause_name(c), "sleep") == 0)
      return counts->stalls[c];
  }
  return 0;
}

// A layer of the network: one of the plan's, or all its stripes. `layer`: the first.
struct row {
  uint32_t layer, stripes, cycles, first_cycles, l1, l2;
  uint64_t macs, l3_bytes;
  struct bound bound;
  struct pulpsim_counts counts;
};

static void add_counts(struct pulpsim_counts *sum, const struct pulpsim_counts *more) {
  struct pulpsim_counts pair[2] = {*sum, *more};
  *sum = summary_sum(pair, 2);
}

static void add_stripe(struct row *row, const struct plan *plan, const struct machine_result *r,
                       uint32_t i) {
  struct bound bound = bound_of(plan, i);
  uint32_t l1 = plan->layers[i].l1_bytes, l2 = lives_at(&plan->lives, i);
  row->stripes++;
  row->cycles += r->second[i], row->first_cycles += r->first[i];
  row->macs += net_macs(plan->net, &plan->net->layers[i]);
  row->l1 = l1 > row->l1 ? l1 : row->l1;
  row->l2 = l2 > row->l2 ? l2 : row->l2;
  row->l3_bytes += bound.l3;
  row->bound.compute += bound.compute, row->bound.l2 += bound.l2, row->bound.l3 += bound.l3;
  add_counts(&row->counts, &r->counts[i]);
}

// The one that begins with layer i; how many stripes it has says where the next one begins.
static struct row row_of(const struct plan *plan, const struct machine_result *r, uint32_t i) {
  struct row row = {.layer = i};
  uint32_t of = plan->stripes.layers[i].of;
  for (; i < plan->net->layer_count && plan->stripes.layers[i].of == of; i++)
    add_stripe(&row, plan, r, i);
  return row;
}

// ---------------------------------------------------------------------------- time and energy

static const struct report_point points[] = {{100, 51.0, "gap8-100"}, {260, 262.2, "gap8-260"}};

bool report_point_find(const char *name, struct report_point *point) {
  for (size_t i = 0; i < sizeof points / sizeof *points; i++) {
    if (strcmp(points[i].name, name) == 0) {
      *point = points[i];
      return true;
    }
  }
  return false;
}

static double ms(uint64_t cycles, const struct report_point *p) {
  return (double)cycles / (1e3 * p->mhz);
}

static double mj(uint64_t cycles, const struct report_point *p) {
  return ms(cycles, p) * p->mw / 1e3;
}

static void print_point(uint64_t cycles, const struct report_point *p) {
  if (p->mhz <= 0)
    return;
  printf("%-12s %10.3f ms at %g MHz, %.2f frames/s", "time", ms(cycles, p), p->mhz,
         1e3 / ms(cycles, p));
  if (p->mw > 0)
    printf("; %.3f mJ at %s%g mW", mj(cycles, p),
           p->name ? "a published average power of GAP8, " : "", p->mw);
  putchar('\n');
}

static void write_point(FILE *f, uint64_t cycles, const struct report_point *p) {
  if (p->mhz > 0)
    fprintf(f, ", \"ms\": %.6g", ms(cycles, p));
  if (p->mw > 0)
    fprintf(f, ", \"mj\": %.6g", mj(cycles, p));
}

// ---------------------------------------------------------------------------- table

static const char *mark(const struct machine_result *r, const struct pulpsim_counts *counts) {
  char keys[UNVERIFIED_TEXT];
  return *unverified_keys(r->machine, counts, OF_L3, keys) ? UNVERIFIED_MARK : " ";
}

static void print_layer(const struct plan *plan, const struct machine_result *r,
                        const struct row *row) {
  const struct tile_layer *t = &plan->layers[row->layer].tile;
  char tile[48], losses[128];
  const char *which;
  uint64_t least = bound_most(&row->bound, &which);
  int n = snprintf(tile, sizeof tile, "%u x ", t->tile_h);
  if (t->tile_w < t->out_w)
    n += snprintf(tile + n, sizeof tile - (size_t)n, "%u x ", t->tile_w);
  n += snprintf(tile + n, sizeof tile - (size_t)n, "%u", t->tile_c);
  if (t->tile_k < t->in_c)
    n += snprintf(tile + n, sizeof tile - (size_t)n, " of %u", t->tile_k);
  if (row->stripes > 1)
    snprintf(tile + n, sizeof tile - (size_t)n, ", %u stripes", row->stripes);
  bench_group_losses(&row->counts, 3, losses, sizeof losses);
  printf("%-12s %10u%s%12" PRIu64 " %9.2f %10" PRIu64 " %-8s %8u %8u  %-10s %s\n",
         plan->net->layers[row->layer].name, row->cycles, mark(r, &row->counts), row->macs,
         (double)row->macs / row->cycles, least, which, row->l1, row->l2, tile, losses);
}

// What the marks say.
static void print_unverified(const struct machine_result *r, const struct pulpsim_counts *counts) {
  char keys[UNVERIFIED_TEXT];
  if (*unverified_keys(r->machine, counts, OF_L3, keys))
    printf(UNVERIFIED_MARK " depends on what is unverified of %.*s: %s\n",
           (int)strcspn(r->machine, ","), r->machine, keys);
}

void report_print(const struct plan *plan, const struct machine_result *r,
                  const struct report_point *point) {
  const struct net *net = plan->net;
  char losses[128];
  printf("%-12s %10s %12s %9s %10s %-8s %8s %8s  %-10s %s\n", "layer", "cycles", "MAC", "MAC/clk",
         "at least", "by", "L1", "L2", "rows x ch.", "cores lost to");
  for (uint32_t i = 0; i < net->layer_count;) {
    struct row row = row_of(plan, r, i);
    print_layer(plan, r, &row);
    i += row.stripes;
  }
  uint64_t cycles = sum(r->second, net->layer_count);
  struct pulpsim_counts counts = all_counts(net, r);
  bench_group_losses(&counts, 3, losses, sizeof losses);
  printf("%-12s %10" PRIu64 "%s%12" PRIu64 " %9.2f  (first image: %" PRIu64
         "; cores lost to %s; waited for L3 %.1f %%)\n",
         "all", cycles, mark(r, &counts), all_macs(net), (double)all_macs(net) / (double)cycles,
         sum(r->first, net->layer_count), losses, 1e2 * (double)l3_waits(&counts) / (double)cycles);
  print_point(cycles, point);
  print_unverified(r, &counts);
}

// ---------------------------------------------------------------------------- JSON

// Parts of the cores' cycles.
static void write_causes(FILE *f, const struct pulpsim_counts *counts) {
  bool any = false;
  fputs(", \"causes\": {", f);
  for (unsigned c = 0; c < PULPSIM_CAUSES; c++) {
    if (!counts->stalls[c])
      continue;
    fprintf(f, "%s\"%s\": %.5f", any ? ", " : "", pulpsim_cause_name(c),
            (double)counts->stalls[c] / (double)counts->cycles);
    any = true;
  }
  fputc('}', f);
}

static void write_unverified(FILE *f, const struct machine_result *r,
                             const struct pulpsim_counts *counts) {
  char keys[UNVERIFIED_TEXT];
  if (*unverified_keys(r->machine, counts, OF_L3, keys))
    fprintf(f, ", \"unverified\": \"%s\"", keys);
}

static void write_layer(FILE *f, const struct plan *plan, const struct machine_result *r,
                        const struct row *row, const struct report_point *point) {
  const struct tile_layer *t = &plan->layers[row->layer].tile;
  const struct bound *bound = &row->bound;
  const char *which;
  uint64_t least = bound_most(bound, &which);
  fprintf(f,
          "%s\n {\"name\": \"%s\", \"cycles\": %u, \"first_cycles\": %u, \"macs\": %" PRIu64
          ", \"mac_per_cycle\": %.4f, \"bound\": %" PRIu64
          ", \"binds\": \"%s\", \"bounds\": {\"compute\": %" PRIu64 ", \"l2\": %" PRIu64
          ", \"l3\": %" PRIu64
          "}, \"tile\": {\"h\": %u, \"w\": %u, \"c\": %u, \"k\": %u}, \"tiles\": %u, "
          "\"stripes\": %u, \"l1_bytes\": %u, \"l2_activation_bytes\": %u, \"l3_bytes\": %" PRIu64,
          row->layer ? "," : "", plan->net->layers[row->layer].name, row->cycles, row->first_cycles,
          row->macs, (double)row->macs / row->cycles, least, which, bound->compute, bound->l2,
          bound->l3, t->tile_h, t->tile_w, t->tile_c, t->tile_k, tile_count(t), row->stripes,
          row->l1, row->l2, row->l3_bytes);
  write_causes(f, &row->counts);
  write_unverified(f, r, &row->counts);
  write_point(f, row->cycles, point);
  fputc('}', f);
}

int report_json(const struct plan *plan, const struct machine_result *r,
                const struct report_point *point, const char *path) {
  const struct net *net = plan->net;
  uint64_t cycles = sum(r->second, net->layer_count), macs = all_macs(net);
  struct pulpsim_counts counts = all_counts(net, r);
  struct result_file out;
  FILE *f = deploy_create(&out, path);
  if (!f)
    return DEPLOY_NO_OUTPUT;
  fprintf(f,
          "{\"cycles\": %" PRIu64 ", \"first_cycles\": %" PRIu64 ", \"macs\": %" PRIu64
          ", \"mac_per_cycle\": %.4f",
          cycles, sum(r->first, net->layer_count), macs, (double)macs / (double)cycles);
  if (point->mhz > 0)
    fprintf(f, ", \"mhz\": %g", point->mhz);
  if (point->mw > 0)
    fprintf(f, ", \"mw\": %g, \"power\": \"%s\"", point->mw,
            point->name ? "published" : "as given");
  write_point(f, cycles, point);
  fprintf(f,
          ", \"l2\": {\"activations\": %u, \"activations_least\": %u, \"with_weights\": %u, "
          "\"program\": %u}, \"l3_bytes\": %u, "
          "\"l3_activation_bytes\": %u",
          plan->lives.bytes, plan->lives.bound, plan->l2_bytes, r->program, plan->l3_bytes,
          plan->far_bytes);
  fprintf(f, ", \"l3_wait\": %.5f", (double)l3_waits(&counts) / (double)cycles);
  write_causes(f, &counts);
  write_unverified(f, r, &counts);
  fputs(", \"layers\": [", f);
  for (uint32_t i = 0; i < net->layer_count;) {
    struct row row = row_of(plan, r, i);
    write_layer(f, plan, r, &row, point);
    i += row.stripes;
  }
  fputs("]}\n", f);
  return deploy_finish(&out, path);
}
