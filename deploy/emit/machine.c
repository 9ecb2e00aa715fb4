#include "machine.h"

#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

#include "deploy/memory.h"
#include "kernels/nn/nn_bits.h"
#include "sim/observe/check.h"
#include "sim/pulpsim.h"
#include "sim/summary.h"

static const uint32_t l2_base = 0x1c000000u, l3_base = 0x60000000u;
enum { DIFFERENT = 1, USUAL_L2 = 512 << 10 }; // GAP8's
static const uint64_t limit = UINT64_C(20) * 1000 * 1000 * 1000;

// The configuration's name up to the first comma; `settings`: what is behind it.
static struct pulpsim_config *config_of(char *name, char **settings, struct pulpsim_error *error) {
  *settings = strchr(name, ',');
  if (*settings)
    *(*settings)++ = 0;
  return pulpsim_config_new(name, error);
}

static bool set_all(struct pulpsim_config *config, char *settings, struct pulpsim_error *error) {
  for (char *rest = NULL, *one = settings ? strtok_r(settings, ",", &rest) : NULL; one;
       one = strtok_r(NULL, ",", &rest)) {
    if (!pulpsim_config_set(config, one, error))
      return false;
  }
  return true;
}

// Those of the caller come behind. The kernels are GAP8's library, with its DMA's command words.
static char *with_settings(const char *name) {
  return memory_format(
      "%.*s,cluster.cores=8,cluster.dma.version=6,soc.cluster_clock_mhz=100,soc.soc_clock_mhz=100,"
      "l3.clock_mhz=100,l3.bytes_per_clock=1%s",
      (int)strcspn(name, ","), name, name + strcspn(name, ","));
}

struct pulpsim *machine_new(const char *name, const char *setting, struct pulpsim_error *error) {
  char *own = with_settings(name), *more;
  struct pulpsim_config *config = config_of(own, &more, error);
  bool good = config && set_all(config, more, error);
  good = good && (!setting || pulpsim_config_set(config, setting, error));
  struct pulpsim *sim = good ? pulpsim_new(config, error) : NULL;
  pulpsim_config_free(config);
  free(own);
  if (sim && pulpsim_cores(sim) > MACHINE_CORES) {
    snprintf(error->text, sizeof error->text,
             "cluster.cores: the program has stacks for %d cores, the machine would have %u",
             MACHINE_CORES, pulpsim_cores(sim));
    pulpsim_free(sim);
    sim = NULL;
  }
  return sim;
}

// ---------------------------------------------------------------------------- tensors

static void draw_inputs(const struct plan *plan, const struct int_run *host) {
  uint32_t state = 12345;
  for (uint32_t k = 0; k < plan->net->input_count; k++) {
    int number = plan->net->inputs[k];
    const struct net_tensor *t = &plan->net->tensors[number];
    int32_t *values = int_tensor(host, number), low = t->is_signed ? -(1 << (t->bits - 1)) : 0;
    for (size_t i = 0; i < int_elements(host, number); i++) {
      state = state * 1664525u + 1013904223u;
      values[i] = low + (int32_t)(state >> (32 - t->bits));
    }
  }
}

// Codes to the bytes of a tensor, and back; `t` says how they are packed (nn_bits.h).
static void pack_codes(const struct net_tensor *t, const int32_t *values, uint8_t *bytes) {
  size_t pixel = net_tensor_bytes(t) / ((size_t)t->h * t->w);
  for (size_t p = 0; p < (size_t)t->h * t->w; p++, bytes += pixel) {
    for (uint32_t c = 0; c < t->c; c++)
      nn_bits_put(bytes, c, t->bits, (uint32_t)*values++);
  }
}

static void unpack_codes(const struct net_tensor *t, const uint8_t *bytes, int32_t *values) {
  size_t pixel = net_tensor_bytes(t) / ((size_t)t->h * t->w);
  for (size_t p = 0; p < (size_t)t->h * t->w; p++, bytes += pixel) {
    for (uint32_t c = 0; c < t->c; c++) {
      if (t->bits == 32)
        memcpy(values++, bytes + 4 * (size_t)c, 4);
      else
        *values++ = t->is_signed ? nn_bits_signed(bytes, c, t->bits)
                                 : (int32_t)nn_bits_unsigned(bytes, c, t->bits);
    }
  }
}

static bool load_inputs(struct pulpsim *sim, const struct plan *plan, const struct int_run *host) {
  uint32_t at = l3_base + plan->l3_bytes;
  bool good = true;
  for (uint32_t k = 0; good && k < plan->net->input_count; k++) {
    int number = plan->net->inputs[k];
    const struct net_tensor *t = &plan->net->tensors[number];
    size_t count = net_tensor_bytes(t);
    uint8_t *bytes = memory_new(count, 1);
    pack_codes(t, int_tensor(host, number), bytes);
    good = pulpsim_write(sim, at, bytes, count);
    at += (uint32_t)count;
    free(bytes);
  }
  return good;
}

static bool load(struct pulpsim *sim, const struct plan *plan, const struct int_run *host,
                 const char *dir, struct pulpsim_error *error) {
  char *elf = memory_format("%s/net.elf", dir), *weights = memory_format("%s/l3.bin", dir);
  bool good = pulpsim_load(sim, elf, error) &&
              (!plan->l3_bytes || pulpsim_load_file(sim, weights, l3_base, error));
  // The last byte of what the network has there.
  uint32_t end = l3_base + plan->l3_bytes + plan->far_bytes - 1;
  if (good && !(load_inputs(sim, plan, host) && pulpsim_read(sim, end, &(uint8_t){0}, 1))) {
    snprintf(error->text, sizeof error->text,
             "weights, inputs and activations in L3 take %u bytes, there are fewer",
             plan->l3_bytes + plan->far_bytes);
    good = false;
  }
  free(elf);
  free(weights);
  return good;
}

// A layer's output as the machine has it, in L1 if it stays there, else in L2. False if it cannot
// be read.
static bool read_output(const struct pulpsim *sim, const struct plan *plan, uint32_t layer,
                        int32_t *values) {
  int number = plan->net->layers[layer].output;
  const struct net_tensor *t = &plan->net->tensors[number];
  const struct tile_layer *tile = &plan->layers[layer].tile;
  size_t count = net_tensor_bytes(t);
  uint8_t *bytes = memory_new(count, 1);
  uint32_t base = 0,
           place = tile->stays ? (uint32_t)TILE_WORD * tile->y[0] : plan_place(plan, number);
  bool good = pulpsim_symbol(sim, tile->stays ? "net_l1" : "net_l2", &base) &&
              pulpsim_read(sim, base + place, bytes, count);
  unpack_codes(t, bytes, values);
  free(bytes);
  return good;
}

// What the layer's output is to be: rows of a tensor of the interpreter's.
static const int32_t *right_values(const struct plan *plan, const struct int_run *host,
                                   uint32_t layer) {
  const struct stripes_tensor *stripe = &plan->stripes.tensors[plan->net->layers[layer].output];
  const struct net_tensor *t = &plan->legal->tensors[stripe->of];
  return int_tensor(host, stripe->of) + (size_t)stripe->row * t->w * t->c;
}

static bool compare(const struct pulpsim *sim, const struct plan *plan, const struct int_run *host,
                    uint32_t layer, struct net_error *error) {
  const struct net_tensor *t = net_output(plan->net, &plan->net->layers[layer]);
  size_t count = (size_t)t->h * t->w * t->c, wrong = 0, at = 0;
  const int32_t *right = right_values(plan, host, layer);
  int32_t *values = memory_new(count, sizeof *values);
  bool good = read_output(sim, plan, layer, values);
  for (size_t i = 0; i < count; i++) {
    if ((!good || values[i] != right[i]) && wrong++ == 0)
      at = i;
  }
  free(values);
  if (!wrong)
    return true;
  uint32_t row = plan->stripes.tensors[plan->net->layers[layer].output].row;
  net_fail(error,
           "layer %.80s%s: %zu of %zu outputs differ from the interpreter's, the first is %zu",
           plan->net->layers[layer].name, row ? " in a stripe" : "", wrong, count, at);
  if (error)
    error->status = DIFFERENT;
  return false;
}

// The last layer's, all its stripes.
static bool compare_last(const struct pulpsim *sim, const struct plan *plan,
                         const struct int_run *host, struct net_error *error) {
  uint32_t last = plan->net->layer_count - 1, of = plan->stripes.layers[last].of;
  bool same = true;
  for (uint32_t i = last + 1; same && i-- > 0 && plan->stripes.layers[i].of == of;)
    same = compare(sim, plan, host, i, error);
  return same;
}

// ---------------------------------------------------------------------------- runs

static bool ended_well(struct pulpsim *sim, enum pulpsim_state state, struct net_error *error) {
  if (state == PULPSIM_EXITED && pulpsim_exit_status(sim) == 0)
    return true;
  if (state == PULPSIM_EXITED)
    net_fail(error, "the program on the machine: a kernel refused its layer (status %d)",
             pulpsim_exit_status(sim));
  else
    net_fail(error, "the program on the machine: %s",
             state == PULPSIM_READY ? "too many cycles" : pulpsim_reason(sim));
  if (error)
    error->status = EX_SOFTWARE;
  return false;
}

// Until the clock behind a layer is written, in steps: breakpoints would take the machine's slow
// engine. The next layer's first outputs come later than a step takes: it has to read its
// description and a tile first.
static enum pulpsim_state run_layer(struct pulpsim *sim, uint32_t clock,
                                    struct timeline *timeline) {
  enum pulpsim_state state = PULPSIM_READY;
  uint32_t before = 0, now;
  pulpsim_read(sim, clock, &before, sizeof before);
  now = before;
  while (now == before && state == PULPSIM_READY && pulpsim_now(sim) < limit) {
    state = pulpsim_run(sim, pulpsim_now(sim) + MACHINE_STEP);
    pulpsim_read(sim, clock, &now, sizeof now);
    if (timeline)
      timeline_look(timeline, sim);
  }
  return state;
}

// What the cores of the cluster have counted so far.
static struct pulpsim_counts counted(struct pulpsim *sim) {
  const struct pulpsim_stats *stats = pulpsim_stats(sim);
  struct pulpsim_counts sum = {0};
  for (unsigned i = 0; i < MACHINE_CORES && i < stats->core_count; i++) {
    struct pulpsim_counts pair[2] = {sum, stats->core[i].total};
    sum = summary_sum(pair, 2);
  }
  return sum;
}

static struct pulpsim_counts difference(const struct pulpsim_counts *a,
                                        const struct pulpsim_counts *b) {
  struct pulpsim_counts d = {
      a->cycles - b->cycles, a->instructions - b->instructions, a->macs - b->macs, {0}};
  for (unsigned i = 0; i < PULPSIM_CAUSES; i++)
    d.stalls[i] = a->stalls[i] - b->stalls[i];
  return d;
}

static bool run_layers(struct pulpsim *sim, const struct plan *plan, const struct int_run *host,
                       const struct machine_images *images, struct machine_result *result,
                       struct net_error *error) {
  uint32_t clocks = 0, layers = plan->net->layer_count;
  struct pulpsim_counts before = {0}, now;
  pulpsim_symbol(sim, "net_cycles", &clocks);
  for (uint32_t i = 0; i < 2 * layers; i++) {
    uint32_t layer = i < layers ? i : i - layers;
    struct timeline *timeline = i >= layers ? images->timeline : NULL;
    if (layer == 0) { // its inputs are brought before
      run_layer(sim, clocks, NULL);
      before = counted(sim);
      if (timeline)
        timeline_begin(timeline, sim);
    }
    enum pulpsim_state state = run_layer(sim, clocks + 4 * (layer + 1), timeline);
    if (pulpsim_now(sim) >= limit ||
        (state != PULPSIM_READY && !(state == PULPSIM_EXITED && i + 1 == 2 * layers)))
      return ended_well(sim, state, error);
    now = counted(sim);
    result->counts[layer] = difference(&now, &before);
    before = now;
    if (timeline)
      timeline_layer(timeline, sim, plan->net->layers[layer].name);
    if (images->check && !compare(sim, plan, host, layer, error))
      return false;
  }
  return ended_well(sim, pulpsim_run(sim, limit), error);
}

static uint32_t *layer_cycles(const struct pulpsim *sim, const char *symbol, uint32_t layers) {
  uint32_t address = 0, *at = memory_new(layers + 1, sizeof *at);
  if (pulpsim_symbol(sim, symbol, &address))
    pulpsim_read(sim, address, at, (layers + 1) * sizeof *at);
  for (uint32_t i = 0; i < layers; i++)
    at[i] = at[i + 1] - at[i];
  return at;
}

static bool run(struct pulpsim *sim, const struct plan *plan, struct int_run *host,
                const struct machine_images *images, struct machine_result *result,
                struct net_error *error) {
  uint32_t layers = plan->net->layer_count;
  if (images->timeline)
    timeline_watch(images->timeline, sim);
  result->counts = memory_new(layers, sizeof *result->counts);
  if (!run_layers(sim, plan, host, images, result, error) || !compare_last(sim, plan, host, error))
    return false;
  result->first = layer_cycles(sim, "net_first", layers);
  result->second = layer_cycles(sim, "net_cycles", layers);
  return true;
}

void machine_result_free(struct machine_result *result) {
  free(result->first);
  free(result->second);
  free(result->counts);
  free(result->machine);
  *result = (struct machine_result){.first = NULL};
}

static size_t bytes_of(const struct int_run *host, int number) {
  return int_elements(host, number) * sizeof(int32_t);
}

static void copy_inputs(const struct plan *plan, const struct int_run *from,
                        const struct int_run *to) {
  for (uint32_t k = 0; k < plan->net->input_count; k++) {
    int number = plan->net->inputs[k];
    memcpy(int_tensor(to, number), int_tensor(from, number), bytes_of(to, number));
  }
}

// The legal network's tensors begin with those of the one that was planned.
static bool same_tensors(const struct plan *plan, const struct int_run *legal,
                         const struct int_run *given, struct net_error *error) {
  for (uint32_t i = 0; i < plan->given_tensors; i++) {
    if (memcmp(int_tensor(legal, (int)i), int_tensor(given, (int)i), bytes_of(legal, (int)i)) == 0)
      continue;
    net_fail(error, "%.80s: the network as it was planned gives others than the one given",
             plan->net->tensors[i].name);
    if (error)
      error->status = EX_SOFTWARE;
    return false;
  }
  return true;
}

static uint32_t program_bytes(const struct pulpsim *sim, const struct plan *plan) {
  uint32_t end = 0;
  pulpsim_symbol(sim, "__l2_end", &end);
  return end > l2_base + plan->l2_bytes ? end - l2_base - plan->l2_bytes : 0;
}

// Of what the simulator has looked for.
static bool is_clean(struct check *check, struct net_error *error) {
  char text[400];
  if (check_faults(check, text, sizeof text) == 0)
    return true;
  net_fail(error, "the program on the machine: %s", text);
  if (error)
    error->status = EX_SOFTWARE;
  return false;
}

bool machine_run(const struct plan *plan, const char *dir, const char *machine,
                 const struct machine_images *images, struct machine_result *result,
                 struct net_error *error) {
  struct pulpsim_error reason = {""};
  struct int_run *host = int_new(plan->legal);
  if (images->given)
    copy_inputs(plan, images->given, host);
  else
    draw_inputs(plan, host);
  bool good = int_execute(host, error) &&
              (!images->given || same_tensors(plan, host, images->given, error));
  char *larger = plan->l2 > USUAL_L2 ? memory_format("l2.size=%uk", (plan->l2 + 1023) >> 10) : NULL;
  struct pulpsim *sim = good ? machine_new(machine, larger, &reason) : NULL;
  free(larger);
  if (good && !sim && error)
    error->status = EX_USAGE; // its name and settings are the caller's
  if (good && (!sim || !load(sim, plan, host, dir, &reason)))
    good = net_fail(error, "%.400s", reason.text);
  struct check *check = good && images->check && !images->given ? check_new(sim, &reason) : NULL;
  good = good && run(sim, plan, host, images, result, error) && (!check || is_clean(check, error));
  result->program = good ? program_bytes(sim, plan) : 0;
  result->machine = with_settings(machine);
  check_free(check);
  pulpsim_free(sim);
  int_free(host);
  return good;
}

uint32_t machine_code_bytes(const struct plan *plan, const char *dir, const char *machine) {
  struct pulpsim_error reason = {""};
  char *elf = memory_format("%s/net.elf", dir);
  struct pulpsim *sim = machine_new(machine, "l2.size=8M", &reason); // for those too large, as well
  uint32_t bytes = sim && pulpsim_load(sim, elf, &reason) ? program_bytes(sim, plan) : 0;
  pulpsim_free(sim);
  free(elf);
  return bytes;
}
