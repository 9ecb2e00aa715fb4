#include "core/clocked.h"
#include "core/pipeline.h"
#include "core/window.h"

// False: the access in c->acc goes elsewhere, or is a store that the bus is to see.
static bool in_window(const struct core *c, uint32_t offset) {
  return offset <= c->window_size - c->acc.size &&
         (c->acc.kind != ACCESS_STORE || !(c->window_code[offset >> CODE_SHIFT] & CODE_WATCHED));
}

struct core_port *core_port(struct core *c) {
  return &c->port;
}

// Serves the access in c->acc, or leaves it to whoever does.
void core_present(struct core *c, cycle_t now) {
  uint32_t offset = c->acc.addr - c->window_base;
  if (!in_window(c, offset)) {
    c->bus.request(c->bus.self, c, now);
  } else if (c->banks && !c->ahead.bank_granted) {
    c->wait_cause = CAUSE_TCDM_CONFLICT;
    c->banks->post(c->banks, c->index, offset);
  } else {
    c->ahead.bank_granted = false;
    core_served(c, now);
  }
}

void core_served(struct core *c, cycle_t now) {
  window_serve(c, c->acc.addr - c->window_base, c->acc.size, c->acc.kind);
  core_grant(c, now, now + 1);
}

void core_grant(struct core *c, cycle_t grant, cycle_t valid) {
  pipeline_data_grant(c->pipeline, grant, valid);
  clocked_edge_is_due(c, grant);
}

void core_fault(struct core *c, const char *text, cycle_t now) {
  c->host->trap(c->host->self, c, memo_pc_in_id(c->pipeline), text, now);
}

void core_access_fault(struct core *c, cycle_t now) {
  c->phase = CORE_HALTED;
  c->host->trap(c->host->self, c, memo_pc_in_ex(c->pipeline),
                c->acc.kind == ACCESS_STORE ? "store outside memory" : "load outside memory", now);
}

bool core_has_fetched(struct core *c, uint32_t address, cycle_t now) {
  if (c->phase != CORE_RUNS || !c->pipeline->walk.memo)
    return false;
  uint32_t i = address >> CODE_SHIFT;
  if (c->pipeline->last_edge + 1 >= now)
    return c->ahead.fetched[i % CODE_FETCHED / 64] >> i % 64 & 1;
  memset(c->ahead.fetched, 0, sizeof c->ahead.fetched); // it looks at all code again
  c->ahead.fetched_from = *c->ahead.code_epoch;
  return false;
}

static bool crosses_word(struct pipeline *p, uint32_t pc) {
  return (pc & 2) && (fetch_word(p, pc & ~UINT32_C(3)) >> 16 & 3) == 3;
}

void core_start(struct core *c, uint32_t pc, cycle_t now) {
  // Reset, boot address, first fetch. Cycle 1 is the one in which reset is released; the first
  // instruction leaves ID in cycle 5 (RI5CY: 4), as in the measurements (programs.tsv).
  c->t = now + (c->model == CORE_CV32E40P ? 5 : 4);
  struct pipeline *p = c->pipeline;
  c->started = now;
  c->active = true;
  c->phase = CORE_RUNS;
  cycle_t boots = pipeline_start(p, pc, c->t - crosses_word(p, pc));
  c->count.stall[CAUSE_FETCH] += boots - now;
  p->last_cause = CAUSE_FETCH;
  engine_schedule(c->engine, c->actor, boots);
}
