// sim/stats_json.h: a run's results as JSON, schema "pulpsim-stats/1" (docs/stats.md).
#ifndef PULPSIM_STATS_JSON_H
#define PULPSIM_STATS_JSON_H

#include "sim/pulpsim.h"

// How a run ended; together with the statistics it is all that reports say.
struct run_end {
  enum pulpsim_state state;
  bool limit;         // READY because a cycle limit was reached
  bool reached;       // BREAK in front of the place that was asked for
  int status;         // EXITED: the guest's
  const char *reason; // one sentence, or ""
};

// "exited", "trapped", "deadlock", "limit", "reached", "interrupted"
const char *run_end_name(const struct run_end *end);

// Returns false when writing failed (errno tells why).
bool stats_json_write(FILE *out, const struct pulpsim_stats *stats, const struct run_end *end);

#endif
