// deploy/quant/bits_cycles.c
#include "bits_cycles.h"

#include <stdlib.h>
#include <string.h>

#include "deploy/emit/machine.h"
#include "deploy/memory.h"
#include "spread.h"

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
  struct real_net *real;
  const struct quantize_samples *samples;
  struct quantize_options options;
  const struct folder *folder;
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
static void add_program(const struct measure *m, struct setting s, const double *cycles) {
  choose(m, s);
  for (uint32_t i = 0; i < m->p->layer_count; i++) {
    const struct bits_layer *l = &m->p->layers[i];
    uint8_t x = m->choice[l->x.group], y = m->choice[l->y.group];
    if (x == y || (m->p->fixed[l->y.group] && s.first == s.second))
      m->cycles->layers[i][s.weights][x] = cycles[i];
    else if (s.weights == 0 && !m->p->fixed[l->y.group])
      m->cycles->outputs[i][x][y] = cycles[i] - m->cycles->layers[i][0][x];
  }
}

// A layer's cycles each, of the program in a folder of its own.
static bool run_program(const struct measure *m, const struct net *net, struct folder *folder,
                        double *cycles, struct net_error *error) {
  struct machine_result run = {.first = NULL};
  struct plan *plan = folder_build(net, folder, error);
  bool good = plan && machine_run(plan, folder->dir, folder->machine,
                                  &(struct machine_images){.check = false}, &run, error);
  for (uint32_t i = 0; good && i < m->p->layer_count; i++)
    cycles[i] = cycles_of(plan, &run, m->p->layers[i].name);
  machine_result_free(&run);
  plan_free(plan);
  return good;
}

enum { UNIFORM = BITS_CHOICES * BITS_CHOICES, PROGRAMS = UNIFORM + UNIFORM - BITS_CHOICES };

// The nine, with 8 bits for weights first, then the six.
static struct setting setting_of(uint32_t number) {
  if (number < UNIFORM)
    return (struct setting){(int)number / BITS_CHOICES, (int)number % BITS_CHOICES,
                            (int)number % BITS_CHOICES};
  int pair = (int)(number - UNIFORM), first = pair / (BITS_CHOICES - 1),
      second = pair % (BITS_CHOICES - 1);
  return (struct setting){0, first, second + (second >= first)};
}

static bool measure_program(void *context, uint32_t number, void *result, struct net_error *error) {
  const struct measure *m = context;
  struct setting s = setting_of(number);
  struct quantize_options options = m->options;
  struct folder folder = *m->folder;
  char *dir = memory_format("%s/%u", folder.dir, number);
  choose(m, s);
  options.output_list = m->list, options.list_count = m->p->layer_count;
  options.weight_bits = (uint8_t)(8 >> s.weights);
  options.activation_bits = (uint8_t)(8 >> s.first);
  folder.dir = dir;
  struct net *net = quantize(m->real, m->samples, &options, error);
  bool good = net && run_program(m, net, &folder, result, error);
  net_free(net);
  free(dir);
  return good;
}

static bool measure_all(struct measure *m, struct net_error *error) {
  uint32_t layers = m->p->layer_count;
  double *cycles =
      spread(&(struct spread){PROGRAMS, layers * sizeof *cycles, measure_program, m}, 0, error);
  for (uint32_t i = 0; cycles && i < PROGRAMS; i++)
    add_program(m, setting_of(i), cycles + (size_t)i * layers);
  bool good = cycles != NULL;
  free(cycles);
  return good;
}

bool bits_cycles_measure(struct real_net *real, const struct bits_problem *p,
                         const struct quantize_samples *samples,
                         const struct quantize_options *options, const struct folder *folder,
                         struct bits_cycles *cycles, struct net_error *error) {
  struct quantize_samples few = *samples;
  struct measure m = {.p = p,
                      .real = real,
                      .samples = &few,
                      .options = *options,
                      .folder = folder,
                      .cycles = cycles,
                      .second = memory_new(p->group_count, sizeof *m.second),
                      .choice = memory_new(p->group_count, 1),
                      .list = memory_new(p->layer_count, 1)};
  few.count = few.count < SAMPLES ? few.count : SAMPLES;
  m.options.no_reconstruct = true;
  m.options.weight_list = NULL;
  cycles->layers = memory_new(p->layer_count, sizeof *cycles->layers);
  cycles->outputs = memory_new(p->layer_count, sizeof *cycles->outputs);
  take_turns(&m);
  bool good = measure_all(&m, error);
  free(m.second);
  free(m.choice);
  free(m.list);
  return good;
}

void bits_cycles_free(struct bits_cycles *cycles) {
  free(cycles->layers);
  free(cycles->outputs);
}
