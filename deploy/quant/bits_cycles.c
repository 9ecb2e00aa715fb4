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

// A program: weights all the same, outputs of two kinds in turn.
struct setting {
  int weights, first, second; // numbers of choices
};

struct measure {
  const struct bits_problem *p;
  struct bits_cycles *cycles;
  bool *second;    // per group: of the second kind
  uint8_t *choice; // per group, in this program
  uint8_t *list;   // bits of outputs, per layer with weights
};

// A layer's output is of the other kind than its input, but where branches meet.
static void take_turns(const struct measure *m) {
  bool *known = memory_new(m->p->group_count, sizeof *known);
  for (uint32_t i = 0; i < m->p->layer_count; i++) {
    uint32_t x = m->p->layers[i].x.group, y = m->p->layers[i].y.group;
    if (!known[y] && x != y)
      m->second[y] = !m->second[x];
    known[x] = known[y] = true;
  }
  free(known);
}

static void choose(const struct measure *m, struct setting s) {
  uint32_t weighted = 0;
  for (uint32_t i = 0; i < m->p->group_count; i++) {
    int choice = m->second[i] ? s.second : s.first;
    m->choice[i] = (uint8_t)(m->p->fixed[i] ? 0 : choice);
  }
  for (uint32_t i = 0; i < m->p->layer_count; i++) {
    if (m->p->layers[i].weights)
      m->list[weighted++] = (uint8_t)(8 >> m->choice[m->p->layers[i].y.group]);
  }
}

static double cycles_of(const struct plan *plan, const struct machine_result *run,
                        const char *layer) {
  double sum = 0;
  for (uint32_t k = 0; k < plan->net->layer_count; k++)
    sum += belongs(plan->net->layers[k].name, layer) ? run->second[k] : 0;
  return sum;
}

// Of the first kind of program all that is to be known with these bits of weights; of the others
// what the bits of the output are worth.
static void add_run(const struct measure *m, const struct plan *plan,
                    const struct machine_result *run, struct setting s) {
  for (uint32_t i = 0; i < m->p->layer_count; i++) {
    const struct bits_layer *l = &m->p->layers[i];
    uint8_t x = m->choice[l->x.group], y = m->choice[l->y.group];
    double cycles = cycles_of(plan, run, l->name);
    if (x == y || (m->p->fixed[l->y.group] && s.first == s.second))
      m->cycles->layers[i][s.weights][x] = cycles;
    else if (s.weights == 0 && !m->p->fixed[l->y.group])
      m->cycles->outputs[i][x][y] = cycles - m->cycles->layers[i][0][x];
  }
}

static bool run_program(const struct measure *m, const struct net *net, const struct folder *given,
                        struct setting s, struct net_error *error) {
  struct folder folder = *given;
  struct machine_result run = {.first = NULL};
  struct plan *plan = folder_build(net, &folder, error);
  bool good = plan && machine_run(plan, folder.dir, folder.machine,
                                  &(struct machine_images){.check = false}, &run, error);
  if (good)
    add_run(m, plan, &run, s);
  machine_result_free(&run);
  plan_free(plan);
  return good;
}

// The nine, with 8 bits for weights first, then the six.
static struct setting setting_of(int number) {
  int pair = number % (BITS_CHOICES * BITS_CHOICES), first = pair / BITS_CHOICES,
      second = pair % BITS_CHOICES;
  if (number < BITS_CHOICES * BITS_CHOICES)
    return (struct setting){first, second, second};
  return (struct setting){0, first, second};
}

static bool measure_all(const struct measure *m, struct real_net *real,
                        const struct quantize_samples *samples, struct quantize_options options,
                        const struct folder *folder, struct net_error *error) {
  bool good = true;
  options.output_list = m->list, options.list_count = m->p->layer_count;
  for (int i = 0; good && i < 2 * BITS_CHOICES * BITS_CHOICES; i++) {
    struct setting s = setting_of(i);
    if (i >= BITS_CHOICES * BITS_CHOICES && s.first == s.second)
      continue;
    choose(m, s);
    options.weight_bits = (uint8_t)(8 >> s.weights);
    options.activation_bits = (uint8_t)(8 >> s.first);
    struct net *net = quantize(real, samples, &options, error);
    good = net && run_program(m, net, folder, s, error);
    net_free(net);
  }
  return good;
}

bool bits_cycles_measure(struct real_net *real, const struct bits_problem *p,
                         const struct quantize_samples *samples,
                         const struct quantize_options *options, const struct folder *folder,
                         struct bits_cycles *cycles, struct net_error *error) {
  struct quantize_samples few = *samples;
  struct quantize_options plain = *options;
  struct measure m = {.p = p,
                      .cycles = cycles,
                      .second = memory_new(p->group_count, sizeof *m.second),
                      .choice = memory_new(p->group_count, 1),
                      .list = memory_new(p->layer_count, 1)};
  few.count = few.count < SAMPLES ? few.count : SAMPLES;
  plain.no_reconstruct = true;
  plain.weight_list = NULL;
  cycles->layers = memory_new(p->layer_count, sizeof *cycles->layers);
  cycles->outputs = memory_new(p->layer_count, sizeof *cycles->outputs);
  take_turns(&m);
  bool good = measure_all(&m, real, &few, plain, folder, error);
  free(m.second);
  free(m.choice);
  free(m.list);
  return good;
}

void bits_cycles_free(struct bits_cycles *cycles) {
  free(cycles->layers);
  free(cycles->outputs);
}
