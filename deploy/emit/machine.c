#include "machine.h"

#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

#include "deploy/host/int_run.h"
#include "deploy/memory.h"
#include "sim/pulpsim.h"

static const uint32_t l3_base = 0x60000000u;
enum { DIFFERENT = 1 };
static const uint64_t limit = UINT64_C(20) * 1000 * 1000 * 1000;

static struct pulpsim *machine_new(const char *name, struct pulpsim_error *error) {
  static const char *const settings[] = {"cluster.cores=8", "soc.cluster_clock_mhz=100",
                                         "soc.soc_clock_mhz=100", "l3.clock_mhz=100",
                                         "l3.bytes_per_clock=1"};
  struct pulpsim_config *config = pulpsim_config_new(name, error);
  bool good = config != NULL;
  for (size_t i = 0; good && i < sizeof settings / sizeof *settings; i++)
    good = pulpsim_config_set(config, settings[i], error);
  struct pulpsim *sim = good ? pulpsim_new(config, error) : NULL;
  pulpsim_config_free(config);
  return sim;
}

static void draw_input(const struct plan *plan, const struct int_run *host) {
  int number = plan->net->inputs[0];
  int32_t *values = int_tensor(host, number);
  uint32_t state = 12345;
  for (size_t i = 0; i < int_elements(host, number); i++) {
    state = state * 1664525u + 1013904223u;
    values[i] = (int32_t)(state >> 24);
  }
}

static bool load(struct pulpsim *sim, const struct plan *plan, const struct int_run *host,
                 const char *dir, struct pulpsim_error *error) {
  char *elf = memory_format("%s/net.elf", dir), *weights = memory_format("%s/l3.bin", dir);
  int number = plan->net->inputs[0];
  size_t count = int_elements(host, number);
  uint8_t *bytes = memory_new(count, 1);
  for (size_t i = 0; i < count; i++)
    bytes[i] = (uint8_t)int_tensor(host, number)[i];
  bool good = pulpsim_load(sim, elf, error) && pulpsim_load_file(sim, weights, l3_base, error);
  if (good && !pulpsim_write(sim, l3_base + plan->l3_bytes, bytes, count)) {
    snprintf(error->text, sizeof error->text, "weights and input take more than there is of L3");
    good = false;
  }
  free(bytes);
  free(elf);
  free(weights);
  return good;
}

// Elements of a tensor that are not what the interpreter has; `at`: the first of them.
static size_t differences(const struct pulpsim *sim, const struct plan *plan,
                          const struct int_run *host, int number, size_t *at) {
  const struct net_tensor *t = &plan->net->tensors[number];
  size_t count = int_elements(host, number), wide = t->bits == 32 ? 4 : 1, wrong = 0;
  uint8_t *bytes = memory_new(count, wide);
  uint32_t l2 = 0;
  if (!pulpsim_symbol(sim, "net_l2", &l2) ||
      !pulpsim_read(sim, l2 + plan->lives.life[number].place, bytes, count * wide)) {
    *at = 0;
    free(bytes);
    return count;
  }
  for (size_t i = 0; i < count; i++) {
    int32_t value = bytes[i];
    if (wide == 4)
      memcpy(&value, bytes + 4 * i, 4);
    if (value != int_tensor(host, number)[i] && wrong++ == 0)
      *at = i;
  }
  free(bytes);
  return wrong;
}

static bool compare(const struct pulpsim *sim, const struct plan *plan, const struct int_run *host,
                    uint32_t layer, struct net_error *error) {
  size_t at = 0;
  int number = plan->net->layers[layer].output;
  size_t wrong = differences(sim, plan, host, number, &at);
  if (!wrong)
    return true;
  net_fail(error, "layer %.80s: %zu of %zu outputs differ from the interpreter's, the first is %zu",
           plan->net->layers[layer].name, wrong, int_elements(host, number), at);
  if (error)
    error->status = DIFFERENT;
  return false;
}

static bool ended_well(struct pulpsim *sim, enum pulpsim_state state, struct net_error *error) {
  if (state == PULPSIM_EXITED && pulpsim_exit_status(sim) == 0)
    return true;
  net_fail(error, "the program on the machine: %s (status %d)",
           state == PULPSIM_READY    ? "too many cycles"
           : state == PULPSIM_EXITED ? "a kernel refused its layer"
                                     : pulpsim_reason(sim),
           pulpsim_exit_status(sim));
  if (error)
    error->status = EX_SOFTWARE;
  return false;
}

// The clock is read at the start and behind each layer, twice over.
static bool run_checked(struct pulpsim *sim, const struct plan *plan, const struct int_run *host,
                        struct net_error *error) {
  uint32_t clock = 0, layers = plan->net->layer_count;
  pulpsim_symbol(sim, "net_clock", &clock);
  for (uint32_t i = 0; i < 2 * (layers + 1); i++) {
    enum pulpsim_state state = pulpsim_run_until(sim, clock, limit);
    uint32_t done = i % (layers + 1);
    if (state != PULPSIM_BREAK && state != PULPSIM_READY)
      return net_fail(error, "layer %.80s: %.300s", done ? plan->net->layers[done - 1].name : "-",
                      pulpsim_reason(sim));
    if (done && !compare(sim, plan, host, done - 1, error))
      return false;
    pulpsim_step(sim, 0);
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

static bool run(struct pulpsim *sim, const struct plan *plan, struct int_run *host, bool check,
                struct machine_result *result, struct net_error *error) {
  uint32_t layers = plan->net->layer_count;
  bool good =
      check ? run_checked(sim, plan, host, error) : ended_well(sim, pulpsim_run(sim, limit), error);
  if (!good || !compare(sim, plan, host, layers - 1, error))
    return false;
  result->first = layer_cycles(sim, "net_first", layers);
  result->second = layer_cycles(sim, "net_cycles", layers);
  return true;
}

bool machine_run(const struct plan *plan, const char *dir, const char *machine, bool check,
                 struct machine_result *result, struct net_error *error) {
  struct pulpsim_error reason = {""};
  struct int_run *host = int_new(plan->net);
  draw_input(plan, host);
  bool good = int_execute(host, error);
  struct pulpsim *sim = good ? machine_new(machine, &reason) : NULL;
  if (good && (!sim || !load(sim, plan, host, dir, &reason)))
    good = net_fail(error, "%.400s", reason.text);
  good = good && run(sim, plan, host, check, result, error);
  pulpsim_free(sim);
  int_free(host);
  return good;
}
