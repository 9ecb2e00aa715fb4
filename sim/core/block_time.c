// The time of a block: asked of the cycle model (fold.h), kept in the micro-operations.
#include "core/block_parts.h"

#include <string.h>

// A gap this long means that the pipeline was emptied.
enum { FLUSH_CYCLES = 4 };

static bool is_jump(const struct uop *u) {
  return block_class(u) == ISA_CLASS_JAL || block_class(u) == ISA_CLASS_JALR;
}

// Cycles by cause, from `least` on, as the two causes that there can be.
static struct delay pack_from(const int stall[CAUSE_COUNT], unsigned least) {
  struct delay d = {0};
  bool first = true;
  for (unsigned i = least; i < CAUSE_COUNT; i++) {
    if (!stall[i])
      continue;
    d.cycles = (int8_t)(d.cycles + stall[i]);
    if (first) {
      d.cause = (uint8_t)i;
    } else {
      d.other = (int8_t)(d.other + stall[i]);
      d.other_cause = (uint8_t)i;
    }
    first = false;
  }
  return d;
}

static struct delay pack(const int stall[CAUSE_COUNT]) {
  return pack_from(stall, CAUSE_ISSUE + 1);
}

static void add_gap(int stall[CAUSE_COUNT], const struct fold_gap *gap) {
  for (unsigned i = 0; i < CAUSE_COUNT; i++)
    stall[i] += gap->stall[i];
}

static void subtract(int stall[CAUSE_COUNT], struct delay d) {
  stall[d.cause] -= d.cycles - d.other;
  stall[d.other_cause] -= d.other;
}

static struct delay delay_of(const struct fold_gap *gap) {
  int stall[CAUSE_COUNT] = {0};
  add_gap(stall, gap);
  return pack(stall);
}

static struct delay difference(struct delay a, struct delay b) {
  int stall[CAUSE_COUNT] = {0};
  subtract(stall, b);
  stall[a.cause] += a.cycles - a.other;
  stall[a.other_cause] += a.other;
  return pack(stall);
}

static void charge(struct block *b, struct delay d) {
  b->stall[d.cause] = (int16_t)(b->stall[d.cause] + d.cycles - d.other);
  b->stall[d.other_cause] = (int16_t)(b->stall[d.other_cause] + d.other);
}

static void discharge(struct block *b, struct delay d) {
  b->stall[d.cause] = (int16_t)(b->stall[d.cause] - d.cycles + d.other);
  b->stall[d.other_cause] = (int16_t)(b->stall[d.other_cause] - d.other);
}

static void get_words(const struct block *b, unsigned from, unsigned count, uint32_t *word) {
  for (unsigned i = 0; i < count; i++)
    word[i] = b->uop[from + i].word;
}

// The last instructions of the block, and where the last one leads.
enum { TAIL = 6 };

static struct fold_line tail_of(const struct block *b, uint32_t *word) {
  unsigned n = b->length < TAIL ? b->length : TAIL;
  unsigned from = b->length - n;
  get_words(b, from, n, word);
  return (struct fold_line){.word = word, .count = n, .lead = n - 1, .pc = b->uop[from].pc};
}

// Makes the line, whose last instruction is a jump or a taken branch, leave for a place well away
// from it: only the target's alignment matters.
enum { FAR_AWAY = 0x200 };

static void leave_line(struct block_cache *cache, struct fold_line *line, uint32_t *word,
                       unsigned target_offset) {
  struct isa_insn insn;
  uint32_t *last = &word[line->count - 1], at = line->pc;
  for (unsigned i = 0; i + 1 < line->count; i++)
    at += (word[i] & 3) == 3 ? 4 : 2;
  line->leaves = true;
  line->landing = FOLD_SHORT_NOP;
  line->target = (at & ~UINT32_C(3)) + FAR_AWAY + target_offset;
  if (!isa_decode(cache->decoder, *last, &insn) || isa_ops[insn.op].cls != ISA_CLASS_JAL)
    return;
  insn.imm = (int32_t)(line->target - at);
  isa_encode(&insn, last);
}

// A line that ends with what may hide an access's waiting: the end of a block, or of one and the
// jump that the next begins with.
struct ending {
  struct fold_line line;
  uint32_t word[TAIL + 2];
  const struct uop *last;
  bool crossing; // the target of a jalr crosses a word; else it does not
};

static void end_of(const struct block *b, struct ending *e) {
  e->line = tail_of(b, e->word);
  e->last = &b->uop[b->length - 1];
}

static void end_across(const struct block *b, const struct block *next, struct ending *e) {
  e->line = tail_of(b, e->word);
  get_words(next, 0, next->length, e->word + e->line.count);
  e->line.count += next->length;
  e->last = &next->uop[next->length - 1];
}

// The way of the last instruction, a jump or taken branch, to a target with that alignment and
// size.
static struct delay fold_link(struct block_cache *cache, const struct ending *ending,
                              unsigned target_offset, uint32_t landing) {
  struct ending e = *ending;
  struct fold_gap gap = {0};
  e.line.word = e.word;
  e.line.lead = e.line.count - 1;
  leave_line(cache, &e.line, e.word, target_offset);
  e.line.landing = landing;
  if (!fold_costs(cache->fold, &e.line, &gap))
    return (struct delay){0};
  return delay_of(&gap);
}

// From `u`, the last instruction of a block that ends so, to its target.
static void fold_way(struct block_cache *cache, const struct ending *e, struct uop *u) {
  if (block_class(u) == ISA_CLASS_JALR) {
    u->to = fold_link(cache, e, 0, FOLD_NOP); // the real target is known when it is executed
    u->cross = difference(fold_link(cache, e, 2, FOLD_NOP), u->to);
  } else if (block_class(u) == ISA_CLASS_BRANCH || is_jump(u)) {
    uint32_t target = u->pc + (uint32_t)u->imm;
    u->to = fold_link(cache, e, target & 2, block_landing(cache, target));
  }
}

// From an access to what is behind the end of a line.
struct late {
  int stall[CAUSE_COUNT]; // CAUSE_ISSUE: what the access waits for
  bool follows;           // what is behind it leaves ID right behind the last instruction
};

// From the access at distance `access` from the end. False: not known.
static bool run_late(struct block_cache *cache, const struct ending *ending, unsigned access,
                     unsigned late, bool crosses, struct late *r) {
  struct ending e = *ending;
  struct fold_gap gap[TAIL + 2] = {{0}};
  struct fold_line *line = &e.line;
  line->word = e.word;
  line->lead = line->count - 1 - access;
  uint32_t target = block_class(e.last) == ISA_CLASS_JAL ? e.last->pc + (uint32_t)e.last->imm : 0;
  if (is_jump(e.last)) {
    leave_line(cache, line, e.word, e.crossing ? 2 : target & 2);
    if (e.crossing)
      line->landing = FOLD_NOP;
    if (target)
      line->landing = block_landing(cache, target);
  }
  line->access = access;
  line->late = late;
  line->crosses = crosses;
  if (!fold_costs(cache->fold, line, gap))
    return false;
  *r = (struct late){.follows = gap[access].cycles == 1};
  for (unsigned i = 0; i <= access; i++)
    add_gap(r->stall, &gap[i]);
  return true;
}

// What `late` cycles of waiting hide, where it takes `normal` if it does not wait, else `waits`.
static struct delay hidden_late(const struct late *normal, const struct late *waits, unsigned late,
                                bool crosses) {
  int hides[CAUSE_COUNT];
  for (unsigned i = 0; i < CAUSE_COUNT; i++)
    hides[i] = normal->stall[i] - waits->stall[i];
  hides[CAUSE_ISSUE] += (int)late;
  hides[CAUSE_MISALIGNED] += crosses;
  return pack_from(hides, CAUSE_ISSUE);
}

static int total(const struct late *r) {
  int sum = 0;
  for (unsigned i = 0; i < CAUSE_COUNT; i++)
    sum += r->stall[i];
  return sum;
}

// Rule jump-crossing: whether a jalr takes no more than these cycles if its target crosses a word.
static bool is_whole(struct block_cache *cache, const struct ending *e, unsigned access,
                     unsigned late, bool crosses, int cycles) {
  struct ending far = *e;
  struct late r;
  far.crossing = true;
  return run_late(cache, &far, access, late, crosses, &r) && total(&r) == cycles;
}

// How much of the waiting of the access at distance `access` from the end is hidden.
static bool fill_hidden(struct block_cache *cache, const struct ending *e, unsigned access,
                        struct hidden hidden[2]) {
  bool any = false, jalr = block_class(e->last) == ISA_CLASS_JALR;
  struct late normal = {{0}, false};
  run_late(cache, e, access, 0, false, &normal);
  for (unsigned crosses = 0; crosses < 2; crosses++) {
    struct hidden *h = &hidden[crosses];
    *h = (struct hidden){.whole_from = NEVER, .follows_from = NEVER};
    for (unsigned late = 0; late < HIDDEN_LATE; late++) {
      struct late waits;
      if (!run_late(cache, e, access, late, crosses, &waits))
        continue;
      h->late[late] = hidden_late(&normal, &waits, late, crosses);
      bool may = jalr && late + crosses && h->whole_from == NEVER && cache->model == CORE_RI5CY;
      if (may && is_whole(cache, e, access, late, crosses, total(&waits)))
        h->whole_from = (uint8_t)late;
      if (waits.follows && h->follows_from == NEVER)
        h->follows_from = (uint8_t)late;
      any |= h->late[late].cycles || h->whole_from == late;
    }
  }
  return any;
}

// How much of an access's waiting the instructions behind it, the last of the block, hide.
static void fold_hidden(struct block_cache *cache, struct block *b) {
  struct ending e = {0};
  end_of(b, &e);
  for (unsigned d = 1; d <= 2 && d < b->length && d < TAIL; d++) {
    struct uop *u = &b->uop[b->length - 1 - d];
    if ((u->flags & UOP_MEMORY) && fill_hidden(cache, &e, d, b->hidden[d - 1]))
      u->flags |= d == 1 ? UOP_HIDES : UOP_HIDES2;
  }
}

bool block_hides_behind(struct block_cache *cache, struct block *b, const struct block *next) {
  bool any = false;
  struct ending e = {0};
  if (b->irregular || next->irregular || next->length < 1 || next->length > 2 ||
      !is_jump(&next->uop[next->length - 1]))
    return false;
  end_across(b, next, &e);
  for (unsigned d = 0; d + next->length <= 2 && d < b->length && d + 1 < TAIL; d++)
    if (b->uop[b->length - 1 - d].flags & UOP_MEMORY)
      any |= fill_hidden(cache, &e, d + next->length, b->hidden_behind[d]);
  return any;
}

uint32_t block_fold_reach(struct block_cache *cache, const struct block *b) {
  uint32_t word[BLOCK_MAX];
  struct fold_gap gap[BLOCK_MAX];
  struct fold_line line = {.word = word, .count = b->length, .pc = b->pc};
  get_words(b, 0, b->length, word);
  if (is_jump(&b->uop[b->length - 1]))
    leave_line(cache, &line, word, 0);
  return fold_costs(cache->fold, &line, gap) ? fold_reach(cache->fold) : BLOCK_REACHES_ANYWHERE;
}

static void fold_leave(struct block_cache *cache, struct block *b) {
  struct uop *u = &b->uop[b->length - 1];
  struct ending e = {0};
  end_of(b, &e);
  fold_way(cache, &e, u);
  if (is_jump(u)) {
    u->flags |= UOP_JUMP;
    charge(b, u->to);
  }
  if (is_jump(u) || block_class(u) == ISA_CLASS_CSR)
    fold_hidden(cache, b);
}

// False: too many cycles.
static bool set_leads(struct block *b) {
  unsigned lead = 0;
  for (unsigned i = 0; i < b->length; i++) {
    struct uop *u = &b->uop[i];
    lead += u->cost;
    if (lead > UINT8_MAX)
      return false;
    u->lead = (uint8_t)lead;
    if (uop_is_timed(block_class(u)))
      lead = 0;
  }
  b->uop[b->length].lead = (uint8_t)lead;
  return true;
}

void block_fold(struct block_cache *cache, struct block *b) {
  uint32_t word[BLOCK_MAX];
  struct fold_gap gap[BLOCK_MAX];
  if (!b->length)
    return;
  for (unsigned i = 0; i < b->length; i++)
    b->uop[i].cost = 1;
  // The last instruction's own gap leads out of the block and is looked at there.
  unsigned n = b->length;
  get_words(b, 0, n, word);
  struct fold_line line = {.word = word, .count = n, .pc = b->pc};
  if (b->irregular || !fold_costs(cache->fold, &line, gap)) {
    b->irregular = true;
    return;
  }
  for (unsigned i = 1; i < n; i++) {
    struct uop *u = &b->uop[i];
    u->wait = delay_of(&gap[i - 1]);
    u->cost = (uint8_t)(1 + u->wait.cycles);
    charge(b, u->wait);
  }
  if (!set_leads(b)) {
    b->irregular = true;
    return;
  }
  struct uop *last = &b->uop[n - 1];
  if (gap[n - 1].cycles >= FLUSH_CYCLES && block_class(last) != ISA_CLASS_MULH &&
      block_class(last) != ISA_CLASS_DIV)
    last->flags |= UOP_FLUSH;
  fold_leave(cache, b);
}

// What follows on `b` without a redirection: its last instructions and, as it is built for a
// refilled pipeline, the next block's first ones, as many as `follow`.
struct edge {
  struct fold_gap gap[3]; // behind b's last instruction, and behind those
  unsigned follow;
  bool leaves; // the last of them is a jump
};

static struct edge fold_edge(struct block_cache *cache, const struct block *b,
                             const struct block *next) {
  uint32_t word[TAIL + 2];
  struct edge e = {.follow = next->length > 2 ? 2 : next->length};
  struct fold_line line = tail_of(b, word);
  if (next->irregular && e.follow)
    e.follow = 1;
  if (e.follow && block_class(&next->uop[e.follow - 1]) == ISA_CLASS_SYSTEM)
    e.follow--; // the cycle model's
  get_words(next, 0, e.follow, word + line.count);
  line.count += e.follow;
  const struct uop *jump = e.follow ? &next->uop[e.follow - 1] : NULL;
  if (jump && !next->irregular && is_jump(jump)) {
    bool relative = block_class(jump) == ISA_CLASS_JAL;
    uint32_t target = relative ? jump->pc + (uint32_t)jump->imm : 0;
    leave_line(cache, &line, word, target & 2);
    line.landing = relative ? block_landing(cache, target) : FOLD_NOP;
  }
  e.leaves = line.leaves;
  if (fold_costs(cache->fold, &line, e.gap))
    return e;
  line.count -= e.follow;
  line.leaves = false;
  e = (struct edge){0};
  fold_costs(cache->fold, &line, e.gap);
  return e;
}

static bool is_same(struct delay a, struct delay b) {
  struct delay d = difference(a, b);
  return !d.cycles && !d.other;
}

// `next`, as it follows on `b`: its second instruction may wait for a load in `b`, and a jump that
// it begins with may be done while something in `b` holds EX.
static struct block *copy_behind(struct block_cache *cache, const struct block *b,
                                 const struct block *next, const struct edge *edge) {
  struct block *copy = block_copy(cache, next);
  struct uop *last = &copy->uop[edge->follow - 1];
  struct ending e = {0};
  copy->behind = b;
  if (edge->follow == 2) {
    discharge(copy, last->wait);
    last->wait = delay_of(&edge->gap[1]);
    last->cost = (uint8_t)(1 + last->wait.cycles);
    charge(copy, last->wait);
    set_leads(copy);
  }
  if (!edge->leaves)
    return copy;
  end_across(b, copy, &e);
  discharge(copy, last->to);
  fold_way(cache, &e, last);
  charge(copy, last->to);
  if (edge->follow == 2 && (copy->uop[0].flags & UOP_MEMORY) &&
      fill_hidden(cache, &e, 1, copy->hidden[0]))
    copy->uop[0].flags |= UOP_HIDES;
  return copy;
}

struct block *block_follow(struct block_cache *cache, const struct block *b, uint32_t target,
                           struct delay *lost) {
  struct block *next = block_find(cache, target);
  *lost = (struct delay){0};
  if (b->length == 0 || b->irregular)
    return next;
  struct edge e = fold_edge(cache, b, next);
  const struct uop *last = &next->uop[e.follow ? e.follow - 1 : 0];
  *lost = delay_of(&e.gap[0]);
  bool as_built = (e.follow < 2 || is_same(delay_of(&e.gap[1]), last->wait)) &&
                  (!e.leaves || is_same(delay_of(&e.gap[e.follow]), last->to));
  return as_built ? next : copy_behind(cache, b, next, &e);
}
