#include "observe/profile.h"

#include <stdlib.h>
#include <string.h>

#include "engine/limit.h"
#include "engine/out_of_memory.h"
#include "isa/isa.h"

enum { CORES = 17, DEPTH = 512, CACHE = 4096, EDGES = 1024, INDEX = 1 << 16 };

// A call that has not returned.
struct frame {
  uint32_t function, from, to, back; // start of the function; call and its target; return address
  unsigned node;
  uint64_t at_entry[PROFILE_EVENTS];
};

enum transfer { NEXT, CALL, RETURN, JUMP };

struct core_state {
  uint32_t pc;  // of the previous instruction
  size_t place; // of it
  uint8_t size;
  bool started;
  enum transfer transfer; // that it may have made
  unsigned depth;
  uint64_t total[PROFILE_EVENTS];
  struct frame frame[DEPTH];
};

struct profile {
  struct profile_data data;
  size_t place_room, call_room, loop_room, node_room;
  // Index of a place by pc, open hashing; + 1, 0 = free.
  uint32_t *index;
  size_t index_size;
  struct {
    uint32_t pc, word;
    size_t place;
  } cache[CACHE];
  uint32_t call_cache[EDGES], loop_cache[EDGES]; // index of the last found
  struct core_state core[CORES];
};

const char *profile_event_name(unsigned event) {
  static const char *const names[] = {"Instructions", "Cycles", "MACs"};
  return event < PROFILE_CAUSES ? names[event] : pulpsim_cause_name(event - PROFILE_CAUSES + 1);
}

const char *profile_function(const struct pulpsim *sim, uint32_t pc, uint32_t *start) {
  uint32_t offset = 0;
  const char *name = pulpsim_symbol_at(sim, pc, &offset);
  if (start)
    *start = name ? pc - offset : 0;
  return name ? name : "???";
}

// Makes room for one more in an array.
static void grow(void **array, size_t count, size_t *room, size_t size) {
  if (count < *room)
    return;
  *room = *room ? 2 * *room : LIMIT(256, 1);
  *array = must_have(realloc(*array, *room * size));
}

// ---- places

static size_t slot_of(const struct profile *p, uint32_t pc) {
  size_t i = (pc >> 1) * UINT32_C(2654435761) % p->index_size;
  while (p->index[i] && p->data.place[p->index[i] - 1].pc != pc)
    i = (i + 1) % p->index_size;
  return i;
}

static void rehash(struct profile *p) {
  uint32_t *old = p->index;
  p->index_size *= 2;
  p->index = must_have(calloc(p->index_size, sizeof *p->index));
  for (size_t i = 0; i < p->data.places; i++)
    p->index[slot_of(p, p->data.place[i].pc)] = (uint32_t)i + 1;
  free(old);
}

static size_t find_place(struct profile *p, const struct pulpsim_insn_event *e) {
  size_t slot = slot_of(p, e->pc);
  if (!p->index[slot]) {
    grow((void **)&p->data.place, p->data.places, &p->place_room, sizeof *p->data.place);
    p->data.place[p->data.places] =
        (struct profile_place){.pc = e->pc, .word = e->word, .size = e->size};
    p->index[slot] = (uint32_t)++p->data.places;
    if (p->data.places > p->index_size / 2)
      rehash(p);
    return p->data.places - 1;
  }
  return p->index[slot] - 1;
}

static size_t place_of(struct profile *p, const struct pulpsim_insn_event *e) {
  unsigned i = (e->pc >> 1) % CACHE;
  if (p->cache[i].pc != e->pc || p->cache[i].word != e->word) {
    p->cache[i].place = find_place(p, e);
    p->cache[i].pc = e->pc;
    p->cache[i].word = e->word;
  }
  return p->cache[i].place;
}

// ---- calls

static unsigned child_of(struct profile *p, unsigned parent, uint32_t function) {
  for (unsigned n = p->data.node[parent].child; n; n = p->data.node[n].sibling)
    if (p->data.node[n].function == function)
      return n;
  grow((void **)&p->data.node, p->data.nodes, &p->node_room, sizeof *p->data.node);
  unsigned n = (unsigned)p->data.nodes++;
  p->data.node[n] = (struct profile_node){
      .function = function, .parent = parent, .sibling = p->data.node[parent].child};
  p->data.node[parent].child = n;
  return n;
}

static struct profile_call *find_call(struct profile *p, uint32_t from, uint32_t to) {
  uint32_t *cached = &p->call_cache[(from >> 1 ^ to >> 3) % EDGES];
  size_t i = *cached;
  if (i >= p->data.calls || p->data.call[i].from != from || p->data.call[i].to != to)
    for (i = 0; i < p->data.calls; i++)
      if (p->data.call[i].from == from && p->data.call[i].to == to)
        break;
  *cached = (uint32_t)i;
  if (i < p->data.calls)
    return &p->data.call[i];
  grow((void **)&p->data.call, p->data.calls, &p->call_room, sizeof *p->data.call);
  p->data.call[p->data.calls] = (struct profile_call){.from = from, .to = to};
  return &p->data.call[p->data.calls++];
}

static void push(struct profile *p, struct core_state *c, uint32_t from, uint32_t to,
                 uint32_t back) {
  if (c->depth == DEPTH) // deeper recursion counts as part of this function
    return;
  struct frame *f = &c->frame[c->depth];
  profile_function(p->data.sim, to, &f->function);
  f->from = from;
  f->to = to;
  f->back = back;
  f->node = child_of(p, c->depth ? f[-1].node : 0, f->function);
  memcpy(f->at_entry, c->total, sizeof f->at_entry);
  c->depth++;
}

static void pop(struct profile *p, struct core_state *c) {
  const struct frame *f = &c->frame[--c->depth];
  if (!c->depth)
    return;
  struct profile_call *call = find_call(p, f->from, f->to);
  call->count++;
  for (unsigned i = 0; i < PROFILE_EVENTS; i++)
    call->cost[i] += c->total[i] - f->at_entry[i];
}

static void count_loop(struct profile *p, uint32_t to, uint32_t from) {
  uint32_t *cached = &p->loop_cache[(from >> 1) % EDGES];
  size_t i = *cached;
  if (i >= p->data.loops || p->data.loop[i].from != from || p->data.loop[i].to != to)
    for (i = 0; i < p->data.loops; i++)
      if (p->data.loop[i].from == from && p->data.loop[i].to == to)
        break;
  *cached = (uint32_t)i;
  if (i < p->data.loops) {
    p->data.loop[i].count++;
    return;
  }
  grow((void **)&p->data.loop, p->data.loops, &p->loop_room, sizeof *p->data.loop);
  p->data.loop[p->data.loops++] = (struct profile_loop){to, from, 1};
}

static void go_back(struct profile *p, struct core_state *c, uint32_t pc) {
  unsigned n = c->depth;
  while (n > 1 && c->frame[n - 1].back != pc)
    n--;
  if (n > 1)
    while (c->depth >= n)
      pop(p, c);
}

// From the previous instruction to the one at `pc`.
static void follow(struct profile *p, struct core_state *c, uint32_t pc) {
  uint32_t next = c->pc + c->size, start;
  if (c->transfer == CALL) {
    push(p, c, c->pc, pc, next);
  } else if (c->transfer == RETURN) {
    go_back(p, c, pc);
  } else if (pc != next) {
    profile_function(p->data.sim, pc, &start);
    struct frame *top = &c->frame[c->depth - 1];
    if (start != top->function && c->transfer == JUMP) // a tail call: both return together
      push(p, c, c->pc, pc, top->back);
    else if (pc <= c->pc)
      count_loop(p, pc, c->pc);
  }
}

static bool is_link(unsigned r) {
  return r == 1 || r == 5;
} // ra, t0

// By the conventions of the ISA manual (vol. I, table 2.1).
static enum transfer transfer_of(const struct pulpsim_insn_event *e) {
  unsigned cls = isa_ops[isa_encs[e->encoding].op].cls;
  if (cls != ISA_CLASS_JAL && cls != ISA_CLASS_JALR)
    return NEXT;
  if (e->write_count && is_link(e->write[0].number))
    return CALL;
  if (cls == ISA_CLASS_JALR && e->read_count && is_link(e->read[0].number))
    return RETURN;
  return JUMP;
}

// ---- costs

static void add(struct profile *p, struct core_state *c, size_t place, unsigned event,
                uint64_t count) {
  p->data.place[place].cost[event] += count;
  p->data.total[event] += count;
  c->total[event] += count;
}

static void lose(struct profile *p, struct core_state *c, size_t place, unsigned cause,
                 uint64_t cycles) {
  add(p, c, place, PROFILE_CAUSES + cause - 1, cycles);
  add(p, c, place, PROFILE_CYCLES, cycles);
  p->data.node[c->depth ? c->frame[c->depth - 1].node : 0].cycles += cycles;
}

static void on_insn(void *user, const struct pulpsim_insn_event *e) {
  struct profile *p = user;
  struct core_state *c = &p->core[e->core];
  size_t place = place_of(p, e);
  for (unsigned i = 1; e->stalls && c->started && i < PULPSIM_CAUSES; i++)
    if (e->stalls[i] && pulpsim_cause_behind(i))
      lose(p, c, c->place, i, e->stalls[i]);
  if (c->started)
    follow(p, c, e->pc);
  else
    push(p, c, e->pc, e->pc, 0);
  for (unsigned i = 1; e->stalls && i < PULPSIM_CAUSES; i++)
    if (e->stalls[i] && (!c->started || !pulpsim_cause_behind(i)))
      lose(p, c, place, i, e->stalls[i]);
  add(p, c, place, PROFILE_INSTRUCTIONS, 1);
  add(p, c, place, PROFILE_CYCLES, 1);
  uint8_t macs = isa_ops[isa_encs[e->encoding].op].macs;
  if (macs)
    add(p, c, place, PROFILE_MACS, macs);
  p->data.node[c->frame[c->depth - 1].node].cycles++;
  c->started = true;
  c->pc = e->pc;
  c->size = e->size;
  c->place = place;
  c->transfer = transfer_of(e);
}

static void on_rest(void *user, unsigned core, const uint32_t *stalls) {
  struct profile *p = user;
  struct core_state *c = &p->core[core];
  if (!c->started)
    return;
  for (unsigned i = 1; i < PULPSIM_CAUSES; i++)
    if (stalls[i])
      lose(p, c, c->place, i, stalls[i]);
  while (c->depth)
    pop(p, c);
}

// ---- life

struct profile *profile_new(struct pulpsim *sim, struct pulpsim_error *error) {
  struct profile *p = calloc(1, sizeof *p);
  size_t size = 0;
  const void *elf = pulpsim_program(sim, &size);
  if (p) {
    p->data.sim = sim;
    p->index_size = INDEX;
    p->index = calloc(p->index_size, sizeof *p->index);
    p->data.lines = lines_new(elf, size);
    grow((void **)&p->data.node, 0, &p->node_room, sizeof *p->data.node);
    const struct pulpsim_observer observer = {
        .user = p, .sources = true, .insn = on_insn, .rest = on_rest};
    if (p->index && p->data.lines && pulpsim_observe(sim, &observer)) {
      p->data.nodes = 1;
      p->data.node[0] = (struct profile_node){0};
      return p;
    }
  }
  profile_free(p);
  snprintf(error->text, sizeof error->text, "profile: out of memory, or too many observers");
  return NULL;
}

void profile_free(struct profile *p) {
  if (!p)
    return;
  lines_free(p->data.lines);
  free(p->index);
  free(p->data.place);
  free(p->data.call);
  free(p->data.loop);
  free(p->data.node);
  free(p);
}

static int by_pc(const void *a, const void *b) {
  uint32_t x = ((const struct profile_place *)a)->pc, y = ((const struct profile_place *)b)->pc;
  return (x > y) - (x < y);
}

static int by_from(const void *a, const void *b) {
  uint32_t x = ((const struct profile_call *)a)->from, y = ((const struct profile_call *)b)->from;
  return (x > y) - (x < y);
}

const struct profile_data *profile_data(struct profile *p) {
  if (p->data.places)
    qsort(p->data.place, p->data.places, sizeof *p->data.place, by_pc);
  if (p->data.calls)
    qsort(p->data.call, p->data.calls, sizeof *p->data.call, by_from);
  memset(p->index, 0, p->index_size * sizeof *p->index); // places have moved
  memset(p->cache, 0, sizeof p->cache);
  for (size_t i = 0; i < p->data.places; i++)
    p->index[slot_of(p, p->data.place[i].pc)] = (uint32_t)i + 1;
  return &p->data;
}
