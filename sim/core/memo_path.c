#include "core/memo_path.h"

#include "core/block_parts.h"

// What is put together: the cycle under way is asked for in `now` and ended by `end`.
struct course {
  struct memo_path *path;
  struct memo_state *at;
  struct memo_case *now;
  struct memo_end *end;
  uint8_t count[EVENT_COUNT], charged[CAUSE_COUNT + 1];
};

// The words asked for are one behind the other, in one line of a cache.
static bool goes_on_in_line(const struct memo_path *path, const struct memo_case *c) {
  uint32_t word = memo_word_asked(c), first = path->code_first;
  return !c->fetches || !path->code_span ||
         (word == first + path->code_span && (word ^ first) < SMALLEST_LINE);
}

static void ask_for(struct memo_path *path, const struct memo_case *c) {
  if (!c->fetches)
    return;
  if (!path->code_span)
    path->code_first = memo_word_asked(c);
  path->code_span += 4;
}

// IF moves forwards along a line.
static bool look_for_loops(struct memo_path *path, const struct memo_state *s) {
  if (path->cycles == 0)
    path->if_first = s->if_pc;
  if (s->if_pc < path->if_first + path->if_span)
    return false;
  path->if_span = s->if_pc - path->if_first;
  return true;
}

// Whether what happens in the cycle under way is known before its instruction is executed.
static bool is_decided(const struct course *at) {
  const struct memo_result *r = &at->end->result[0];
  const struct id_insn *id = &at->at->id->id;
  if (at->end->issues && (id->kind != ID_PLAIN || id->unit == ID_LSU))
    return false;
  return r->state && !r->state->quiet && !r->decrement && r->cause < CAUSE_COUNT;
}

static bool is_of_note(struct pipeline *p, const struct memo_result *r) {
  const struct handover *h = &r->handover;
  if (h->kind == HANDOVER_NONE)
    return false;
  return h->kind != HANDOVER_IN_LINE || h->begins_round || block_known(p->core->blocks, h->pc);
}

static void count_insn(struct course *at) {
  struct memo_path *path = at->path;
  const struct memo_insn *i = at->at->id;
  path->insn[path->insns].insn = i;
  path->insn[path->insns].pc = at->at->id_pc;
  path->insns++;
  path->last_issue = path->cycles;
  path->macs = (uint8_t)(path->macs + i->macs);
  for (unsigned e = 0; e < i->events; e++)
    at->count[i->event[e]]++;
}

// The cycle under way becomes one of the path's.
static void add_cycle(struct pipeline *p, struct course *at) {
  struct memo_path *path = at->path;
  const struct memo_result *r = &at->end->result[0];
  if (at->end->issues)
    count_insn(at);
  if (!r->plain)
    for (unsigned i = 0; r->stalls >> i; i++)
      at->count[EVENT_LOAD_STALL + i] += r->stalls >> i & 1;
  at->charged[r->cause]++;
  path->last_cause = r->cause;
  path->arrives = at->now->fetches;
  if (path->arrives)
    path->word[path->words++] = fetch_word(p, memo_word_asked(at->now));
  path->made = at->now;
  path->cycles++;
  at->at = r->state;
}

enum course_stop { COURSE_GOES_ON, COURSE_ENDS, COURSE_UNKNOWN };

// What is asked for in the cycle behind the last one. Where a loop ends now it mostly does.
static enum course_stop look_at_next(const struct pipeline *p, struct course *at) {
  const struct memo_path *path = at->path;
  at->now = NULL;
  if (at->at->jump || memo_loop_that_ends(at->at, p->core->loop) >= 0 ||
      !look_for_loops(at->path, at->at) || (!path->arrives && at->at->awaits_code))
    return COURSE_ENDS;
  at->now = memo_find_case(at->at, memo_input(path->arrives, memo_path_last_word(path), -1), 0);
  if (!at->now)
    return COURSE_UNKNOWN;
  return at->now->accesses || !goes_on_in_line(path, at->now) ? COURSE_ENDS : COURSE_GOES_ON;
}

// Makes the cycle under way, if what happens in it is known.
static enum course_stop extend(struct pipeline *p, struct course *at) {
  at->end = memo_find_end(at->now, at->now->fetches, at->now->accesses);
  if (!at->end)
    return COURSE_UNKNOWN;
  if (at->path->cycles == PATH_CYCLES || !is_decided(at) || is_of_note(p, &at->end->result[0]))
    return COURSE_ENDS;
  ask_for(at->path, at->now);
  add_cycle(p, at);
  return look_at_next(p, at);
}

static bool list_counts(const struct course *at) {
  struct memo_path *path = at->path;
  for (unsigned e = 0; e < EVENT_COUNT; e++) {
    if (!at->count[e])
      continue;
    if (path->events == PATH_EVENTS)
      return false;
    path->event[path->events].event = (uint8_t)e;
    path->event[path->events++].times = at->count[e];
  }
  for (unsigned i = 0; i < CAUSE_COUNT; i++) {
    if (i == CAUSE_ISSUE || !at->charged[i])
      continue;
    if (path->stalls == PATH_STALLS)
      return false;
    path->stall[path->stalls].cause = (uint8_t)i;
    path->stall[path->stalls++].cycles = at->charged[i];
  }
  return true;
}

bool memo_path_note(struct pipeline *p, struct memo_path *path, struct memo_state *s,
                    struct memo_case *c, bool settle) {
  struct course at = {.path = path, .at = s, .now = c};
  if (memo_loop_that_ends(s, p->core->loop) >= 0)
    return false;
  memset(path, 0, sizeof *path);
  look_for_loops(path, s);
  enum course_stop stop = COURSE_GOES_ON;
  while (stop == COURSE_GOES_ON)
    stop = extend(p, &at);
  if (!path->cycles || (stop == COURSE_UNKNOWN && !settle) || !list_counts(&at))
    return false;
  path->at = at.at;
  path->now = at.now;
  return true;
}
