#include "core/lsu.h"

void lsu_request(struct lsu *l, bool wants, cycle_t now) {
  bool ri5cy = l->model == CORE_RI5CY;
  l->responds = l->outstanding > 0 && l->due[0] == now;
  l->granted = false;
  l->ready_wb = l->stalled || l->outstanding == 0 || l->responds;
  l->request = wants && (ri5cy ? l->ready_wb && !l->stalled : l->outstanding < LSU_OUTSTANDING);
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
  bool in_time = before == 0 || l->responds;
  if (l->model == CORE_RI5CY)
    l->ready_ex = !l->request || l->granted;
  else
    l->ready_ex = !wants || (in_time && (l->granted || before > 1));
}

void lsu_edge(struct lsu *l, bool ex_valid) {
  l->stalled = l->model == CORE_RI5CY && (l->stalled || l->granted) && !ex_valid;
  if (l->responds) {
    l->outstanding--;
    l->due[0] = l->due[1];
  }
}
