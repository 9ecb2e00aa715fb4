// sim/observe/trace.h: traces of a run, in the formats of several tools.
#ifndef PULPSIM_TRACE_H
#define PULPSIM_TRACE_H

#include "observe/filter.h"
#include "observe/ordered.h"
#include "observe/sink.h"
#include "sim/pulpsim.h"

struct trace;

// Starts a trace of `sim`, which has its program loaded and has not run yet. `spec` is
// "KIND=FILE[,from=CYCLE][,to=CYCLE][,core=N][,region=NAME]". NULL on failure, with a sentence in
// `error`; then `*understood` tells whether it is the file that failed.
struct trace *trace_open(struct pulpsim *sim, const char *spec, bool *understood,
                         struct pulpsim_error *error);

// Writes what is left; call it after pulpsim_observe_end(). Returns false if the file is not
// complete.
bool trace_close(struct trace *trace, struct pulpsim_error *error);

// Whether its settings have left out every instruction so far.
bool trace_is_empty(const struct trace *trace);

// ---- for the formats

// One format: callbacks that may be NULL, except `insn`.
struct trace_format {
  const char *name;
  size_t state_size; // of trace.state, zeroed
  bool ordered;      // writes lines through trace.lines
  bool sources;      // wants events to have `read`
  void (*begin)(struct trace *t);
  void (*insn)(void *trace, const struct pulpsim_insn_event *e);
  bool compact;           // `insn` is log_record_event(), of `lines` and `sites`
  ordered_render *render; // of trace.lines; NULL: they are text
  void (*rest)(struct trace *t, unsigned core, const uint32_t *stalls);
  void (*region)(struct trace *t, unsigned core, uint32_t id, bool begin, uint64_t cycle);
  void (*dma)(struct trace *t, unsigned transfer, bool begin, uint64_t cycle, uint32_t bytes);
  void (*end)(struct trace *t); // lines have been written; what `sink` gets comes last
  void (*discard)(void *state); // what `state` points to
};

struct trace {
  struct pulpsim *sim;
  const struct trace_format *format;
  struct sink *sink;
  struct ordered *lines;
  struct sites *sites;
  struct filter filter;
  bool took; // an instruction that its settings choose
  void *state;
};

extern const struct trace_format trace_log, trace_spike, trace_konata, trace_perfetto, trace_vcd,
    trace_rvfi;

#endif
