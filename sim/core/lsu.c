#include "core/lsu.h"

void lsu_request(struct lsu *l, bool wants, cycle_t now) {
  l->responds = l->outstanding > 0 && l->due[0] == now;
  l->granted = false;
  if (l->model == CORE_CV32E40P) {
    l->request = wants && l->outstanding < LSU_OUTSTANDING;
    l->ready_wb = l->outstanding == 0 || l->responds;
    return;
  }
  switch (l->state) {
  case LSU_IDLE:
    l->request = wants;
    l->ready_wb = true;
    break;
  case LSU_WAIT_DATA:
    l->request = wants && l->responds;
    l->ready_wb = l->responds;
    break;
  default:
    l->request = false;
    l->ready_wb = true;
    break;
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
  if (l->model == CORE_CV32E40P) {
    if (!wants)
      l->ready_ex = true;
    else if (before == 0)
      l->ready_ex = l->granted;
    else if (before == 1)
      l->ready_ex = l->responds && l->granted;
    else
      l->ready_ex = l->responds;
    return;
  }
  switch (l->state) {
  case LSU_IDLE:
    l->ready_ex = !wants || l->granted;
    break;
  case LSU_WAIT_DATA:
    l->ready_ex = !(wants && l->responds) || l->granted;
    break;
  default:
    l->ready_ex = true;
    break;
  }
}

static enum lsu_state lsu_next(const struct lsu *l, bool wants, bool ex_valid) {
  enum lsu_state after_grant = ex_valid ? LSU_WAIT_DATA : LSU_WAIT_DATA_STALLED;
  switch (l->state) {
  case LSU_IDLE:
    return wants && l->granted ? after_grant : LSU_IDLE;
  case LSU_WAIT_DATA:
    if (!l->responds)
      return LSU_WAIT_DATA;
    return wants && l->granted ? after_grant : LSU_IDLE;
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
