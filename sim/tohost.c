#include "sim/tohost.h"

#include <string.h>

#include "core/core.h"
#include "core/window.h"
#include "sim/host_calls.h"
#include "sim/runner.h"

enum { WORDS = 8 };

void tohost_watch(struct pulpsim *sim) {
  uint32_t address;
  if (!config_has_one_core(&sim->config) || !pulpsim_symbol(sim, "tohost", &address))
    return;
  struct memory *m = machine_memory(sim, address);
  if (m)
    m->code[(address - m->base) >> CODE_SHIFT] |= CODE_WATCHED;
}

static void call(struct pulpsim *sim, struct core *c, uint32_t block) {
  uint64_t word[WORDS];
  uint32_t argument[WORDS], fromhost;
  if (!pulpsim_read(sim, block, word, sizeof word))
    return; // nobody answers
  for (unsigned i = 0; i < WORDS; i++)
    argument[i] = (uint32_t)word[i];
  word[0] = (uint64_t)(int64_t)(int32_t)host_call(sim, c, argument[0], argument + 1);
  machine_write(sim, block, word, sizeof *word);
  if (pulpsim_symbol(sim, "fromhost", &fromhost))
    machine_write(sim, fromhost, &(uint32_t){1}, 4);
}

bool tohost_request(struct pulpsim *sim, struct core *c, cycle_t now) {
  const struct access *a = &c->acc;
  uint32_t tohost, offset = a->addr - c->window_base;
  if (a->kind != ACCESS_STORE || offset > c->window_size - a->size ||
      !pulpsim_symbol(sim, "tohost", &tohost))
    return false;
  window_serve(c, offset, a->size, a->kind);
  uint32_t value = a->data;
  if (a->addr == tohost && a->size == 4 && (value & 1))
    runner_end_program(sim, c, (int)(value >> 1), now);
  else if (a->addr == tohost && a->size == 4 && value)
    call(sim, c, value);
  if (sim->state == PULPSIM_READY)
    core_grant(c, now, now + 1);
  return true;
}
