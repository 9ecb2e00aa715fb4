#include "observe/gdb_history.h"

enum { FIRST_INTERVAL = 100000, MEMORY_MOST = 256 << 20 };

void history_start(struct history *h, struct pulpsim *sim) {
  *h = (struct history){.sim = sim, .interval = FIRST_INTERVAL, .most = HISTORY_SNAPSHOTS};
  h->snapshot[0] = pulpsim_save(sim);
  h->count = h->snapshot[0] != NULL;
  if (!h->count)
    return;
  size_t fit = MEMORY_MOST / pulpsim_snapshot_size(h->snapshot[0]);
  if (fit < h->most)
    h->most = fit < 4 ? 4 : (unsigned)fit;
}

static void drop_from(struct history *h, unsigned first) {
  while (h->count > first)
    pulpsim_snapshot_free(h->snapshot[--h->count]);
}

void history_end(struct history *h) {
  drop_from(h, 0);
}

// Every second one goes, but the first and the last stay.
static void thin(struct history *h) {
  unsigned kept = 1;
  for (unsigned i = 1; i < h->count; i++) {
    if (i % 2 == 0 || i + 1 == h->count)
      h->snapshot[kept++] = h->snapshot[i];
    else
      pulpsim_snapshot_free(h->snapshot[i]);
  }
  h->count = kept;
  h->interval *= 2;
}

void history_reach(struct history *h) {
  uint64_t now = pulpsim_now(h->sim);
  if (now > h->seen)
    h->seen = now;
  if (!h->count || now < pulpsim_snapshot_cycle(h->snapshot[h->count - 1]) + h->interval)
    return;
  if (h->count == h->most)
    thin(h);
  struct pulpsim_snapshot *s = pulpsim_save(h->sim);
  if (s)
    h->snapshot[h->count++] = s;
}

void history_forget(struct history *h) {
  if (h->count == 0)
    return;
  struct pulpsim_snapshot *s = pulpsim_save(h->sim);
  if (!s)
    return;
  drop_from(h, 0);
  h->snapshot[h->count++] = s;
}

bool history_output_is_new(const struct history *h) {
  return !h->replaying && pulpsim_now(h->sim) >= h->seen;
}

void history_run_exactly(struct history *h, unsigned core, uint64_t count) {
  while (pulpsim_retired(h->sim, core) < count) {
    enum pulpsim_state state = pulpsim_run_to(h->sim, core, count, PULPSIM_NO_LIMIT);
    if (state != PULPSIM_BREAK && state != PULPSIM_READY)
      return;
  }
}

// Latest snapshot in which `core` has retired at most `count`; restores it. False if none.
static bool restore_before(struct history *h, unsigned core, uint64_t count) {
  for (unsigned i = h->count; i-- > 0;) {
    pulpsim_restore(h->sim, h->snapshot[i]);
    if (pulpsim_retired(h->sim, core) <= count)
      return true;
  }
  return false;
}

static void begin_replay(struct history *h) {
  uint64_t now = pulpsim_now(h->sim);
  if (now > h->seen)
    h->seen = now;
  h->replaying = true;
}

bool history_step_back(struct history *h, unsigned core) {
  uint64_t count = pulpsim_retired(h->sim, core);
  if (!h->count)
    return false;
  begin_replay(h);
  bool found = count > 0 && restore_before(h, core, count - 1);
  if (found)
    history_run_exactly(h, core, count - 1);
  else
    pulpsim_restore(h->sim, h->snapshot[0]);
  h->replaying = false;
  return found;
}

// A stop found on the way.
struct hit {
  bool any;
  unsigned core;
  uint64_t target; // instructions retired: a watched access is undone as well, stop in front of it
  struct pulpsim_stop stop;
};

// Runs from where it is to cycle `end`, and remembers the last stop before that; on core `core`,
// one that is not the present moment `count`.
static struct hit last_hit(struct history *h, uint64_t end, unsigned core, uint64_t count) {
  struct hit last = {.any = false};
  while (pulpsim_now(h->sim) <= end && pulpsim_run(h->sim, end) == PULPSIM_BREAK) {
    const struct pulpsim_stop *s = pulpsim_stop(h->sim);
    if (s->kind == PULPSIM_STOP_INTERRUPT)
      break;
    uint64_t retired = pulpsim_retired(h->sim, s->core);
    uint64_t target = retired - (s->kind == PULPSIM_STOP_WATCH && retired > 0);
    bool past = s->core == core ? target < count : s->cycle < end;
    if (past && (!last.any || s->cycle >= last.stop.cycle))
      last = (struct hit){true, s->core, target, *s};
  }
  return last;
}

bool history_run_back(struct history *h, unsigned core, struct pulpsim_stop *stop) {
  uint64_t end = pulpsim_core_cycle(h->sim, core), count = pulpsim_retired(h->sim, core);
  begin_replay(h);
  for (unsigned i = h->count; i-- > 0;) {
    if (pulpsim_snapshot_cycle(h->snapshot[i]) >= end)
      continue;
    pulpsim_restore(h->sim, h->snapshot[i]);
    struct hit hit = last_hit(h, end, core, count);
    if (!hit.any)
      continue;
    if (!restore_before(h, hit.core, hit.target))
      break;
    history_run_exactly(h, hit.core, hit.target);
    *stop = hit.stop;
    h->replaying = false;
    return true;
  }
  history_rewind(h);
  h->replaying = false;
  return false;
}

void history_rewind(struct history *h) {
  if (h->count)
    pulpsim_restore(h->sim, h->snapshot[0]);
}
