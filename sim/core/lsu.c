#include "core/lsu.h"

// RI5CY: an access that is wanted is asked for.
static bool may_ask(const struct lsu *l) {
  return l->state == LSU_IDLE || (l->state == LSU_WAIT_DATA && l->responds);
}

void lsu_request(struct lsu *l, bool wants, cycle_t now) {
  l->responds = l->outstanding > 0 && l->due[0] == now;
  l->granted = false;
  if (l->model == CORE_CV32E40P) {
    l->request = wants && l->outstanding < LSU_OUTSTANDING;
    l->ready_wb = l->outstanding == 0 || l->responds;
  } else {
    l->request = wants && may_ask(l);
    l->ready_wb = l->state != LSU_WAIT_DATA || l->responds;
  }
}

cycle_t lsu_grant(struct lsu *l, cycle_t valid) {
  l->granted = true;
  unsigned at = l->outstanding;
  if (at > 0 && l->due[at - 1] >= valid)
    valid = l->due[at - 1] + 1;
  if (at < LSU_OUTSTANDING)
    l->due[at] = valid;
  l->outstanding++;
  return valid;
}

// Rule access-leaves-ex: an access leaves EX when it is granted and the response of the one before
// comes no later than in that cycle.
void lsu_find_ready(struct lsu *l, bool wants) {
  unsigned before = l->outstanding - (l->granted ? 1u : 0u);
  if (l->model == CORE_RI5CY)
    l->ready_ex = !(wants && may_ask(l)) || l->granted;
  else if (!wants)
    l->ready_ex = true;
  else if (before == 0)
    l->ready_ex = l->granted;
  else
    l->ready_ex = l->responds && (before > 1 || l->granted);
}

static enum lsu_state lsu_next(const struct lsu *l, bool wants, bool ex_valid) {
  enum lsu_state after_grant = ex_valid ? LSU_WAIT_DATA : LSU_WAIT_DATA_STALLED;
  switch (l->state) {
  case LSU_IDLE:
    return wants && l->granted ? after_grant : LSU_IDLE;
  case LSU_WAIT_DATA:
    return !l->responds ? LSU_WAIT_DATA : wants && l->granted ? after_grant : LSU_IDLE;
  case LSU_WAIT_DATA_STALLED:
    if (l->responds)
      return ex_valid ? LSU_IDLE : LSU_IDLE_STALLED;
    return ex_valid ? LSU_WAIT_DATA : LSU_WAIT_DATA_STALLED;
  case LSU_IDLE_STALLED:
    return ex_valid ? LSU_IDLE : LSU_IDLE_STALLED;
  }
  return LSU_IDLE;
}

void lsu_edge(struct lsu *l, bool wants, bool ex_valid) {
  if (l->model == CORE_RI5CY)
    l->state = lsu_next(l, wants, ex_valid);
  if (l->responds) {
    l->outstanding--;
    l->due[0] = l->due[1];
  }
}
