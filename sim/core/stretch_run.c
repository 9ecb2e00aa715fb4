#include "core/exec_host.h"

#define STRETCH_RUN stretch_run_any
#include "core/stretch_run.h"

bool stretch_run_through(struct core_group *g, const struct stretch *s) {
  bool avx2 = exec_host_has_avx2() && stretch_run_avx2;
  return avx2 ? stretch_run_avx2(g, s) : stretch_run_any(g, s);
}
