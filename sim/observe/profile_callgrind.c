// A profile in the output format of valgrind's callgrind (Callgrind Format Specification 1):
// position per instruction and line, calls with inclusive cost. Names are compressed as "(number)
// name".
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "observe/profile.h"
#include "observe/sink.h"

// Names already written: number by text.
struct names {
  const char *name[4096];
  unsigned count;
};

struct writer {
  const struct profile_data *d;
  struct sink *sink;
  struct names files, functions;
  const char *file; // of the lines at present
};

// Writes "KEY=(n) name", or "KEY=(n)" for a name that has been written before.
static void put_name(struct writer *w, const char *key, struct names *names, const char *name) {
  unsigned i = 0;
  while (i < names->count && strcmp(names->name[i], name) != 0)
    i++;
  if (i < names->count)
    sink_print(w->sink, "%s=(%u)\n", key, i + 1);
  else if (names->count == sizeof names->name / sizeof *names->name)
    sink_print(w->sink, "%s=%s\n", key, name);
  else
    names->name[names->count++] = name, sink_print(w->sink, "%s=(%u) %s\n", key, i + 1, name);
}

static void put_costs(struct writer *w, const uint64_t *cost) {
  unsigned last = PROFILE_EVENTS;
  while (last > 1 && cost[last - 1] == 0)
    last--; // trailing zeros may be left out
  for (unsigned i = 0; i < last; i++)
    sink_print(w->sink, " %" PRIu64, cost[i]);
  sink_write(w->sink, "\n", 1);
}

static const char *file_at(const struct writer *w, uint32_t pc, unsigned *line) {
  const char *file;
  return lines_find(w->d->lines, pc, &file, line) ? file : "???";
}

static void put_header(struct writer *w, const char *program) {
  sink_print(w->sink,
             "# callgrind format\nversion: 1\ncreator: pulpsim " PULPSIM_VERSION
             "\npid: 1\ncmd: %s\npart: 1\n\ndesc: Trigger: Program termination\n"
             "desc: Cores: %u\n\npositions: instr line\n",
             program, pulpsim_cores(w->d->sim));
  for (unsigned i = PROFILE_CAUSES; i < PROFILE_EVENTS; i++)
    sink_print(w->sink, "event: %s : %s\n", profile_event_name(i),
               pulpsim_cause_meaning(i - PROFILE_CAUSES + 1));
  sink_print(w->sink, "events:");
  for (unsigned i = 0; i < PROFILE_EVENTS; i++)
    sink_print(w->sink, " %s", profile_event_name(i));
  sink_print(w->sink, "\nsummary:");
  put_costs(w, w->d->total);
  sink_print(w->sink, "\nob=%s\n", program);
}

static void put_calls(struct writer *w, uint32_t pc, unsigned line, size_t *next) {
  const struct profile_data *d = w->d;
  while (*next < d->calls && d->call[*next].from < pc)
    ++*next;
  for (; *next < d->calls && d->call[*next].from == pc; ++*next) {
    const struct profile_call *c = &d->call[*next];
    unsigned to_line;
    const char *file = file_at(w, c->to, &to_line);
    put_name(w, "cfi", &w->files, file);
    put_name(w, "cfn", &w->functions, profile_function(d->sim, c->to, NULL));
    sink_print(w->sink, "calls=%" PRIu64 " 0x%x %u\n0x%x %u", c->count, c->to, to_line, pc, line);
    put_costs(w, c->cost);
  }
}

static void put_place(struct writer *w, const struct profile_place *p, const char *own,
                      size_t *next_call) {
  unsigned line;
  const char *file = file_at(w, p->pc, &line);
  if (strcmp(file, w->file) != 0) // inlined from another file, or back
    put_name(w, strcmp(file, own) == 0 ? "fe" : "fi", &w->files, file);
  w->file = file;
  sink_print(w->sink, "0x%x %u", p->pc, line);
  put_costs(w, p->cost);
  put_calls(w, p->pc, line, next_call);
}

static void put_functions(struct writer *w) {
  const struct profile_data *d = w->d;
  uint32_t function = 0;
  const char *own = "";
  size_t next_call = 0;
  for (size_t i = 0; i < d->places; i++) {
    uint32_t start;
    unsigned line;
    const char *name = profile_function(d->sim, d->place[i].pc, &start);
    if (i == 0 || start != function) {
      function = start;
      own = w->file = file_at(w, d->place[i].pc, &line);
      sink_write(w->sink, "\n", 1);
      put_name(w, "fl", &w->files, own);
      put_name(w, "fn", &w->functions, name);
    }
    put_place(w, &d->place[i], own, &next_call);
  }
}

bool profile_write_callgrind(struct profile *p, const char *path, const char *program,
                             struct pulpsim_error *error) {
  struct writer *w = calloc(1, sizeof *w);
  if (!w) {
    snprintf(error->text, sizeof error->text, "%s: out of memory", path);
    return false;
  }
  w->d = profile_data(p);
  w->sink = sink_open(path, error);
  bool done = false;
  if (w->sink) {
    put_header(w, program);
    put_functions(w);
    sink_print(w->sink, "\ntotals:");
    put_costs(w, w->d->total);
    done = sink_close(w->sink, error);
  }
  free(w);
  return done;
}

// ---- folded stacks

static void put_stack(struct sink *sink, const struct profile_data *d, unsigned node) {
  if (d->node[node].parent) {
    put_stack(sink, d, d->node[node].parent);
    sink_write(sink, ";", 1);
  }
  sink_print(sink, "%s", profile_function(d->sim, d->node[node].function, NULL));
}

bool profile_write_folded(struct profile *p, const char *path, struct pulpsim_error *error) {
  const struct profile_data *d = profile_data(p);
  struct sink *sink = sink_open(path, error);
  if (!sink)
    return false;
  for (unsigned i = 1; i < d->nodes; i++) {
    if (!d->node[i].cycles)
      continue;
    put_stack(sink, d, i);
    sink_print(sink, " %" PRIu64 "\n", d->node[i].cycles);
  }
  return sink_close(sink, error);
}
