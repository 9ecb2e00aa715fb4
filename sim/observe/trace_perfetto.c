// A time line for ui.perfetto.dev or chrome://tracing: Chrome's trace event format (JSON array
// form, with complete events "X", counters "C" and metadata "M"). One microsecond there is one
// cycle here.
//
// Tracks: what each core executes (functions) and waits for, its regions, DMA transfers; counters:
// multiply-accumulates, bank conflicts and cores that issue, per cycle, over windows of time.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/limit.h"
#include "engine/out_of_memory.h"
#include "isa/isa.h"
#include "observe/trace.h"

enum { CORES = 17, WINDOW = 256, WINDOWS_MOST = 1 << 22, WAIT_SHOWN = 16, TRANSFERS = 64 };
enum { REGION_TRACK = 100, DMA_TRACK = 200 };

// A stretch of one core in one function.
struct stretch {
  bool any;
  uint32_t function;
  char name[64];
  uint64_t from, to;
};

struct window {
  uint32_t macs, conflicts, issued;
};

struct perfetto_state {
  struct stretch core[CORES];
  uint64_t region_from[CORES][64];
  struct {
    uint64_t from;
    uint32_t bytes;
  } transfer[TRANSFERS];
  struct window *window;
  size_t windows, room;
  uint64_t last; // end of what was reported
};

static void put_slice(struct trace *t, const char *name, unsigned track, uint64_t from, uint64_t to,
                      const char *kind) {
  sink_print(t->sink,
             ",\n{\"name\":\"%s\",\"cat\":\"%s\",\"ph\":\"X\",\"pid\":1,\"tid\":%u,\"ts\":%" PRIu64
             ",\"dur\":%" PRIu64 "}",
             name, kind, track, from, to - from);
}

static void put_track(struct trace *t, unsigned track, const char *name, unsigned number) {
  sink_print(t->sink,
             ",\n{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":1,\"tid\":%u,"
             "\"args\":{\"name\":\"%s %u\"}}",
             track, name, number);
  sink_print(t->sink,
             ",\n{\"name\":\"thread_sort_index\",\"ph\":\"M\",\"pid\":1,\"tid\":%u,"
             "\"args\":{\"sort_index\":%u}}",
             track, track);
}

static void begin(struct trace *t) {
  sink_print(t->sink, "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"unit\":\"1 us is one cycle\"},"
                      "\"traceEvents\":[\n{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":1,"
                      "\"args\":{\"name\":\"cluster\"}}");
  for (unsigned i = 0; i < pulpsim_cores(t->sim); i++) {
    put_track(t, i, "core", i);
    put_track(t, REGION_TRACK + i, "regions of core", i);
  }
  put_track(t, DMA_TRACK, "DMA", 0);
}

static struct window *window_at(struct perfetto_state *s, uint64_t cycle) {
  size_t i = cycle / WINDOW;
  if (i >= WINDOWS_MOST)
    return NULL;
  if (i >= s->room) {
    size_t room = 2 * i + LIMIT(1024, 1);
    s->window = must_have(realloc(s->window, room * sizeof *s->window));
    memset(s->window + s->room, 0, (room - s->room) * sizeof *s->window);
    s->room = room;
  }
  if (i >= s->windows)
    s->windows = i + 1;
  return &s->window[i];
}

static void close_stretch(struct trace *t, unsigned core) {
  struct perfetto_state *s = t->state;
  struct stretch *k = &s->core[core];
  if (k->any)
    put_slice(t, k->name, core, k->from, k->to, "function");
  k->any = false;
}

static void follow_function(struct trace *t, const struct pulpsim_insn_event *e) {
  struct perfetto_state *s = t->state;
  struct stretch *k = &s->core[e->core];
  uint32_t offset = 0;
  const char *name = pulpsim_symbol_at(t->sim, e->pc, &offset);
  uint32_t function = e->pc - offset;
  if (k->any && k->function != function)
    close_stretch(t, e->core);
  if (!k->any) {
    *k = (struct stretch){.any = true, .function = function, .from = e->cycle};
    snprintf(k->name, sizeof k->name, "%s", name ? name : "?");
  }
  k->to = e->done;
}

static void insn(void *trace, const struct pulpsim_insn_event *e) {
  struct trace *t = trace;
  struct perfetto_state *s = t->state;
  struct window *w = window_at(s, e->cycle);
  if (w) {
    w->issued++;
    w->macs += isa_ops[isa_encs[e->encoding].op].macs;
  }
  if (e->stall >= WAIT_SHOWN)
    put_slice(t, pulpsim_cause_name(e->stall_cause), e->core, e->since, e->cycle, "wait");
  for (unsigned i = 1; w && e->stalls && i < PULPSIM_CAUSES; i++)
    if (strcmp(pulpsim_cause_name(i), "tcdm_conflict") == 0)
      w->conflicts += e->stalls[i];
  follow_function(t, e);
  if (e->done > s->last)
    s->last = e->done;
}

static void region(struct trace *t, unsigned core, uint32_t id, bool start, uint64_t cycle) {
  struct perfetto_state *s = t->state;
  char name[64];
  if (id >= 64)
    return;
  if (start) {
    s->region_from[core][id] = cycle;
    return;
  }
  pulpsim_region_name(t->sim, id, name, sizeof name);
  put_slice(t, name, REGION_TRACK + core, s->region_from[core][id], cycle, "region");
}

static void dma(struct trace *t, unsigned transfer, bool start, uint64_t cycle, uint32_t bytes) {
  struct perfetto_state *s = t->state;
  unsigned i = transfer % TRANSFERS;
  if (start) {
    if (s->transfer[i].bytes == 0)
      s->transfer[i].from = cycle;
    s->transfer[i].bytes += bytes;
    return;
  }
  char name[64];
  snprintf(name, sizeof name, "transfer %u: %u bytes", transfer, s->transfer[i].bytes);
  put_slice(t, name, DMA_TRACK + 1 + i, s->transfer[i].from, cycle, "dma");
  s->transfer[i].bytes = 0;
}

static void end(struct trace *t) {
  struct perfetto_state *s = t->state;
  for (unsigned i = 0; i < CORES; i++)
    close_stretch(t, i);
  for (size_t i = 0; i < s->windows; i++)
    sink_print(t->sink,
               ",\n{\"name\":\"per cycle\",\"ph\":\"C\",\"pid\":1,\"ts\":%" PRIu64
               ",\"args\":{\"MAC\":%.3f,\"conflicts\":%.3f,\"cores issuing\":%.3f}}",
               (uint64_t)i * WINDOW, (double)s->window[i].macs / WINDOW,
               (double)s->window[i].conflicts / WINDOW, (double)s->window[i].issued / WINDOW);
  sink_print(t->sink, "\n]}\n");
  free(s->window);
}

const struct trace_format trace_perfetto = {
    .name = "perfetto",
    .state_size = sizeof(struct perfetto_state),
    .begin = begin,
    .insn = insn,
    .region = region,
    .dma = dma,
    .end = end,
};
