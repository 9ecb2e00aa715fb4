// deploy/cli/report.c
#include "report.h"

#include <inttypes.h>

#include "cli.h"
#include "deploy/emit/bound.h"

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

void report_print(const struct plan *plan, const struct machine_result *r) {
  const struct net *net = plan->net;
  printf("%-12s %10s %12s %9s %10s %-8s %8s  %s\n", "layer", "cycles", "MAC", "MAC/clk", "at least",
         "by", "L1", "tile (rows x channels)");
  for (uint32_t i = 0; i < net->layer_count; i++) {
    const struct plan_layer *l = &plan->layers[i];
    uint64_t macs = net_macs(net, &net->layers[i]);
    struct bound bound = bound_of(plan, i);
    const char *which;
    uint64_t least = bound_most(&bound, &which);
    printf("%-12s %10u %12" PRIu64 " %9.2f %10" PRIu64 " %-8s %8u  %u x %u\n", net->layers[i].name,
           r->second[i], macs, (double)macs / r->second[i], least, which, l->l1_bytes,
           l->tile.tile_h, l->tile.tile_c);
  }
  uint64_t cycles = sum(r->second, net->layer_count);
  printf("%-12s %10" PRIu64 " %12" PRIu64 " %9.2f  (first image: %" PRIu64 ")\n", "all", cycles,
         all_macs(net), (double)all_macs(net) / (double)cycles, sum(r->first, net->layer_count));
}

int report_json(const struct plan *plan, const struct machine_result *r, const char *path) {
  const struct net *net = plan->net;
  uint64_t cycles = sum(r->second, net->layer_count), macs = all_macs(net);
  FILE *f = deploy_create(path);
  if (!f)
    return DEPLOY_NO_OUTPUT;
  fprintf(f,
          "{\"cycles\": %" PRIu64 ", \"first_cycles\": %" PRIu64 ", \"macs\": %" PRIu64
          ", \"mac_per_cycle\": %.4f, \"layers\": [",
          cycles, sum(r->first, net->layer_count), macs, (double)macs / (double)cycles);
  for (uint32_t i = 0; i < net->layer_count; i++) {
    const struct plan_layer *l = &plan->layers[i];
    struct bound bound = bound_of(plan, i);
    const char *which;
    uint64_t least = bound_most(&bound, &which), macs_of = net_macs(net, &net->layers[i]);
    fprintf(f,
            "%s\n {\"name\": \"%s\", \"cycles\": %u, \"first_cycles\": %u, \"macs\": %" PRIu64
            ", \"mac_per_cycle\": %.4f, \"bound\": %" PRIu64
            ", \"binds\": \"%s\", \"bounds\": {\"compute\": %" PRIu64 ", \"l2\": %" PRIu64
            ", \"l3\": %" PRIu64
            "}, \"tile\": {\"h\": %u, \"w\": %u, \"c\": %u}, \"tiles\": %u, \"l1_bytes\": %u}",
            i ? "," : "", net->layers[i].name, r->second[i], r->first[i], macs_of,
            (double)macs_of / r->second[i], least, which, bound.compute, bound.l2, bound.l3,
            l->tile.tile_h, l->tile.out_w, l->tile.tile_c, tile_count(&l->tile), l->l1_bytes);
  }
  fputs("]}\n", f);
  return fclose(f) == 0 ? 0 : deploy_fail(DEPLOY_NO_OUTPUT, "%s: cannot be written", path);
}
