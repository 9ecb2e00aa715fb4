// deploy/quant/bits_cycles.c
#include "bits_cycles.h"

#include <stdlib.h>
#include <string.h>

#include "deploy/emit/machine.h"
#include "deploy/memory.h"

enum { SAMPLES = 8 }; // cycles hardly depend on values

// Layers that the generator adds are named after the one they belong to.
static bool belongs(const char *name, const char *layer) {
  size_t n = strlen(layer);
  return strncmp(name, layer, n) == 0 && (name[n] == 0 || name[n] == '.');
}

static void add_run(const struct plan *plan, const struct machine_result *run,
                    const struct bits_problem *p, int weights, int input,
                    struct bits_cycles *cycles) {
  for (uint32_t i = 0; i < p->layer_count; i++) {
    const struct bits_layer *l = &p->layers[i];
    double sum = 0;
    for (uint32_t k = 0; k < plan->net->layer_count; k++)
      sum += belongs(plan->net->layers[k].name, l->name) ? run->second[k] : 0;
    if (p->fixed[l->x.group] && input != 0)
      continue; // its input has 8 bits in all runs
    cycles->layers[i][weights][input] = sum;
  }
}

static bool measure(const struct net *net, const struct folder *given, const struct bits_problem *p,
                    int weights, int input, struct bits_cycles *cycles, struct net_error *error) {
  struct folder folder = *given;
  struct machine_result run = {.first = NULL};
  struct plan *plan = folder_build(net, &folder, error);
  bool good = plan && machine_run(plan, folder.dir, folder.machine,
                                  &(struct machine_images){.check = false}, &run, error);
  if (good)
    add_run(plan, &run, p, weights, input, cycles);
  machine_result_free(&run);
  plan_free(plan);
  return good;
}

bool bits_cycles_measure(struct real_net *real, const struct bits_problem *p,
                         const struct quantize_samples *samples,
                         const struct quantize_options *options, const struct folder *folder,
                         struct bits_cycles *cycles, struct net_error *error) {
  struct quantize_samples few = *samples;
  struct quantize_options uniform = *options;
  few.count = few.count < SAMPLES ? few.count : SAMPLES;
  uniform.no_reconstruct = true;
  uniform.weight_list = uniform.output_list = NULL;
  cycles->layers = memory_new(p->layer_count, sizeof *cycles->layers);
  bool good = true;
  for (int i = 0; good && i < BITS_CHOICES * BITS_CHOICES; i++) {
    int weights = i / BITS_CHOICES, input = i % BITS_CHOICES;
    uniform.weight_bits = (uint8_t)(8 >> weights), uniform.activation_bits = (uint8_t)(8 >> input);
    struct net *net = quantize(real, &few, &uniform, error);
    good = net && measure(net, folder, p, weights, input, cycles, error);
    net_free(net);
  }
  return good;
}

void bits_cycles_free(struct bits_cycles *cycles) {
  free(cycles->layers);
}
