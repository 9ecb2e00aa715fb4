// bench/mark.c
#include "bench/mark.h"

#include <stdio.h>

const char *run_unverified(const struct bench_run *run, char text[UNVERIFIED_TEXT]) {
  const struct bench_case *c = run->c;
  char machine[UNVERIFIED_MACHINE];
  *text = '\0';
  if (run->status != RUN_OK)
    return text;
  size_t used = (size_t)snprintf(machine, sizeof machine, "%s", c->machine);
  for (size_t i = 0; i < c->set_count && used < sizeof machine; i++)
    used += (size_t)snprintf(machine + used, sizeof machine - used, ",%s=%s", c->set[i].key,
                             c->set[i].value);
  unsigned of = (c->type == TYPE_F16 ? OF_HALVES : 0) | (*c->network ? OF_L3 : 0);
  return unverified_keys(machine, &run->result.sum, of, text);
}

const char *run_mark(const struct bench_run *run) {
  char text[UNVERIFIED_TEXT];
  return *run_unverified(run, text) ? UNVERIFIED_MARK : "";
}

const char *fronts_mark(void) {
  char text[UNVERIFIED_TEXT];
  return *unverified_keys(FRONTS_MACHINE, NULL, OF_L3, text) ? UNVERIFIED_MARK : "";
}
