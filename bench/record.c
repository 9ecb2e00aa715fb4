// bench/record.c: results to and from JSON.
#include "bench/record.h"

#include <inttypes.h>
#include <string.h>

#include "bench/json.h"

// Counters of a result by their JSON names.
#define COUNTERS(COUNTER)                                                                          \
  COUNTER("cycles", cycles)                                                                        \
  COUNTER("useful_macs", useful_macs)                                                              \
  COUNTER("entries", entries)                                                                      \
  COUNTER("bytes", bytes)                                                                          \
  COUNTER("core_cycles", sum.cycles)                                                               \
  COUNTER("instructions", sum.instructions)                                                        \
  COUNTER("executed_macs", sum.macs)                                                               \
  COUNTER("run_instructions", instructions)

void record_write(FILE *out, const struct bench_result *r) {
  fputs("\"region\": ", out);
  json_string(out, r->region);
#define COUNTER(name, member) fprintf(out, ", \"" name "\": %" PRIu64, r->member);
  COUNTERS(COUNTER)
#undef COUNTER
  fprintf(
      out,
      ", \"machine_cores\": %u, \"banks\": %u, \"fpus\": %u, \"port_bytes\": %u, \"xpulpnn\": %d",
      r->machine.cores, r->machine.banks, r->machine.fpus, r->machine.port_bytes,
      r->machine.xpulpnn);
  for (unsigned i = 0; i < PULPSIM_CAUSES; i++)
    fprintf(out, "%s\"%s\": %" PRIu64, i ? ", " : ", \"causes\": {", pulpsim_cause_name(i),
            r->sum.stalls[i]);
  fputs("}, \"message\": ", out);
  json_string(out, r->message);
}

bool record_read(struct tree *tree, node *map, struct bench_result *r) {
  node *causes = tree_get(tree, map, "causes");
  *r = (struct bench_result){.ok = false};
  snprintf(r->region, sizeof r->region, "%s", tree_get_text(tree, map, "region", ""));
  snprintf(r->message, sizeof r->message, "%s", tree_get_text(tree, map, "message", ""));
#define COUNTER(name, member) r->member = tree_get_count(tree, map, name);
  COUNTERS(COUNTER)
#undef COUNTER
  r->machine = (struct bench_machine){
      .cores = (unsigned)tree_get_count(tree, map, "machine_cores"),
      .banks = (unsigned)tree_get_count(tree, map, "banks"),
      .fpus = (unsigned)tree_get_count(tree, map, "fpus"),
      .port_bytes = (unsigned)tree_get_count(tree, map, "port_bytes"),
      .xpulpnn = tree_get_count(tree, map, "xpulpnn") != 0,
  };
  for (unsigned i = 0; i < PULPSIM_CAUSES; i++) {
    if (!tree_get(tree, causes, pulpsim_cause_name(i)))
      tree_fail(tree, map, "'causes' lacks '%s'", pulpsim_cause_name(i));
    r->sum.stalls[i] = tree_get_count(tree, causes, pulpsim_cause_name(i));
  }
  return !*tree->error;
}
