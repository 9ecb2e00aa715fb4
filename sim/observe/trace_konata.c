// The pipeline as the Konata viewer shows it: Kanata log format 0004 (Konata,
// docs/kanata-log-format.md).
//
// Lane 0 has the stages IF, ID, EX, WB of each instruction, lane 1 what it waits for. The
// observation contract says when an instruction left ID and when it left EX; IF is drawn in the
// cycle before ID.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/limit.h"
#include "engine/out_of_memory.h"
#include "observe/changes.h"
#include "observe/trace.h"

enum { INSTRUCTIONS_MOST = 1000000, STEPS = 7 };

// Steps of an instruction, in the order of equal times.
enum step { RETIRE, WRITE_BACK, EXECUTE, DECODE, FETCH, WAIT, GO_ON };

struct record {
  uint32_t pc, word;
  uint8_t core, wait; // cause of the cycles in lane 1; 0: none
  uint32_t id;        // in the file: by first appearance
};

struct konata_state {
  struct record *record;
  size_t count, room;
  struct changes steps; // what = step, value = index of the instruction
  uint64_t serial[32];
  uint32_t appeared;
};

static void begin(struct trace *t) {
  struct konata_state *s = t->state;
  changes_init(&s->steps, (size_t)INSTRUCTIONS_MOST * STEPS);
}

static void add_record(struct konata_state *s, const struct pulpsim_insn_event *e, unsigned wait) {
  if (s->count == s->room) {
    s->room = s->room ? 2 * s->room : LIMIT(4096, 1);
    s->record = must_have(realloc(s->record, s->room * sizeof *s->record));
  }
  s->record[s->count++] = (struct record){e->pc, e->word, (uint8_t)e->core, (uint8_t)wait, 0};
}

// Cycles that it waited in ID itself, and the largest of their causes.
static uint32_t own_wait(const struct pulpsim_insn_event *e, unsigned *cause) {
  uint32_t sum = 0, most = 0;
  for (unsigned i = 1; e->stalls && i < PULPSIM_CAUSES; i++) {
    if (pulpsim_cause_behind(i) || strcmp(pulpsim_cause_name(i), "fetch") == 0)
      continue;
    sum += e->stalls[i];
    if (e->stalls[i] > most) {
      most = e->stalls[i];
      *cause = i;
    }
  }
  return sum;
}

static void insn(void *trace, const struct pulpsim_insn_event *e) {
  struct trace *t = trace;
  struct konata_state *s = t->state;
  unsigned cause = 0;
  uint32_t waited = own_wait(e, &cause), index = (uint32_t)s->count;
  if (s->count >= INSTRUCTIONS_MOST) {
    s->steps.full = true;
    return;
  }
  add_record(s, e, waited ? cause : e->done > e->cycle + 1 ? PULPSIM_CAUSES : 0);
  uint64_t decode = e->cycle - (waited ? waited * (e->cycle - e->since) / e->stall : 0);
  changes_add(&s->steps, decode ? decode - 1 : 0, FETCH, index);
  changes_add(&s->steps, decode, DECODE, index);
  changes_add(&s->steps, e->cycle + 1, EXECUTE, index);
  changes_add(&s->steps, e->done + 1, WRITE_BACK, index);
  changes_add(&s->steps, e->done + 2, RETIRE, index);
  if (waited) {
    changes_add(&s->steps, decode, WAIT, index);
    changes_add(&s->steps, e->cycle, GO_ON, index);
  } else if (e->done > e->cycle + 1) { // its access waits for a grant
    changes_add(&s->steps, e->cycle + 2, WAIT, index);
    changes_add(&s->steps, e->done + 1, GO_ON, index);
  }
}

static void put_start(struct trace *t, struct record *r) {
  struct konata_state *s = t->state;
  uint32_t i = r->id = s->appeared++;
  char text[96];
  uint32_t offset = 0;
  const char *name = pulpsim_symbol_at(t->sim, r->pc, &offset);
  pulpsim_disassemble(t->sim, r->word, r->pc, text, sizeof text);
  sink_print(t->sink, "I\t%u\t%" PRIu64 "\t%u\nL\t%u\t0\tcore %u %08x: %s\nL\t%u\t1\t%s+0x%x\n", i,
             s->serial[r->core]++, r->core, i, r->core, r->pc, text, i, name ? name : "?", offset);
  sink_print(t->sink, "S\t%u\t0\tIF\n", i);
}

static void put_step(struct trace *t, const struct change *c, uint32_t *retired) {
  struct konata_state *s = t->state;
  struct record *r = &s->record[c->value];
  const char *wait = r->wait < PULPSIM_CAUSES ? pulpsim_cause_name(r->wait) : "grant";
  switch (c->what) {
  case FETCH:
    put_start(t, r);
    break;
  case DECODE:
    sink_print(t->sink, "S\t%u\t0\tID\n", r->id);
    break;
  case EXECUTE:
    sink_print(t->sink, "S\t%u\t0\tEX\n", r->id);
    break;
  case WRITE_BACK:
    sink_print(t->sink, "S\t%u\t0\tWB\n", r->id);
    break;
  case WAIT:
    sink_print(t->sink, "S\t%u\t1\t%s\n", r->id, wait);
    break;
  case GO_ON:
    sink_print(t->sink, "E\t%u\t1\t%s\n", r->id, wait);
    break;
  default:
    sink_print(t->sink, "R\t%u\t%" PRIu32 "\t0\n", r->id, (*retired)++);
    break;
  }
}

static void end(struct trace *t) {
  struct konata_state *s = t->state;
  uint32_t retired = 0;
  changes_sort(&s->steps);
  uint64_t now = s->steps.count ? s->steps.item[0].when : 0;
  sink_print(t->sink, "Kanata\t0004\nC=\t%" PRIu64 "\n", now);
  for (size_t i = 0; i < s->steps.count; i++) {
    const struct change *c = &s->steps.item[i];
    if (c->when > now)
      sink_print(t->sink, "C\t%" PRIu64 "\n", c->when - now);
    now = c->when;
    put_step(t, c, &retired);
  }
  if (s->steps.full)
    fprintf(stderr,
            "pulpsim: trace konata: only the first %d instructions; choose a part with "
            "from=, to=, core= or region=\n",
            INSTRUCTIONS_MOST);
  changes_free(&s->steps);
  free(s->record);
}

const struct trace_format trace_konata = {
    .name = "konata",
    .state_size = sizeof(struct konata_state),
    .begin = begin,
    .insn = insn,
    .end = end,
};
