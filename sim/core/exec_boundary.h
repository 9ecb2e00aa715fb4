// sim/core/exec_boundary.h: from one block to the next. A part of exec_flavour.h.
//
// The executors that end a block are without a frame, too: whatever is rare is a call that ends
// them. Of the usual edge (no UOP_EDGE) the successor is known, and it costs nothing, or a branch
// what its `to` says.
#define RARE  static __attribute__((noinline, cold)) void
#define USUAL static inline __attribute__((always_inline)) void

// A block that is verified is listed, see exec_list().
#define RUN_ON(when_, block_)                                                                      \
  do {                                                                                             \
    if (unlikely((when_) >= c->limit)) {                                                           \
      exec_pause(c, (block_), (when_));                                                            \
      return;                                                                                      \
    }                                                                                              \
    (block_)->entered[c->index]++;                                                                 \
    GO((block_)->uop, (when_));                                                                    \
  } while (0)

RARE FLAVOUR(enter_unverified)(struct core *c, struct block *b, cycle_t when) {
  if (c->clock_at_jump ? exec_settles_at(c, b, when) : !exec_verify(c, b)) {
    exec_hand_over(c, b, when);
    return;
  }
  c->known_at = b->pc;
  c->known_first = when;
  c->known_by = KNOWN_REDIRECTED;
  RUN_ON(when, b);
}

RARE FLAVOUR(fall_into_unverified)(struct core *c, const struct uop *u, struct block *b,
                                   cycle_t when, cycle_t lost) {
  if (!exec_verify_wide(c, b)) {
    exec_leave_line(c, u, b, when, lost);
    return;
  }
  RUN_ON(when, b);
}

// Goes on with a block to which the fetch is redirected ...
#define ENTER(block_, time_)                                                                       \
  do {                                                                                             \
    struct block *enter_ = (block_);                                                               \
    cycle_t when_ = (time_);                                                                       \
    if (unlikely(enter_->verified[c->index] != *c->code_epoch)) {                                  \
      FLAVOUR(enter_unverified)(c, enter_, when_);                                                 \
      return;                                                                                      \
    }                                                                                              \
    c->known_at = enter_->pc;                                                                      \
    c->known_first = when_;                                                                        \
    c->known_by = KNOWN_REDIRECTED;                                                                \
    RUN_ON(when_, enter_);                                                                         \
  } while (0)
// ... or on whose code it is anyway, `delay` cycles lost on the way.
#define FALL_INTO(block_, time_, delay_)                                                           \
  do {                                                                                             \
    struct block *enter_ = (block_);                                                               \
    cycle_t lost_ = (cycle_t)(int64_t)(delay_), when_ = (time_) + lost_;                           \
    if (unlikely(enter_->wide[c->index] != *c->code_epoch)) {                                      \
      FLAVOUR(fall_into_unverified)(c, u, enter_, when_, lost_);                                   \
      return;                                                                                      \
    }                                                                                              \
    RUN_ON(when_, enter_);                                                                         \
  } while (0)

// ---- jumps and branches

RARE FLAVOUR(branch_rarely)(struct core *c, const struct uop *u, cycle_t t) {
  struct block *b = u->link ? u->link : exec_link(c, u, u->pc + (uint32_t)u->imm);
  exec_charge(c, u->to);
  c->count.event[EVENT_TAKEN]++;
  ENTER(b, t + (cycle_t)u->to.cycles);
}

#define TAKE_BRANCH()                                                                              \
  do {                                                                                             \
    if (unlikely(u->flags & UOP_EDGE)) {                                                           \
      FLAVOUR(branch_rarely)(c, u, t);                                                             \
      return;                                                                                      \
    }                                                                                              \
    cycle_t bubble_ = (cycle_t)u->to.cycles;                                                       \
    c->count.stall[u->to.cause] += bubble_;                                                        \
    c->count.event[EVENT_TAKEN]++;                                                                 \
    ENTER(u->link, t + bubble_);                                                                   \
  } while (0)
#define BRANCH(condition)                                                                          \
  if (condition)                                                                                   \
  TAKE_BRANCH()
#define FOLLOW(target_)                                                                            \
  ({                                                                                               \
    struct block *link_ = u->link;                                                                 \
    if (unlikely(!link_))                                                                          \
      link_ = exec_link(c, u, (target_));                                                          \
    link_;                                                                                         \
  })
#define JUMP_REL()                                                                                 \
  do {                                                                                             \
    RD = NEXT_PC;                                                                                  \
    ENTER(FOLLOW(PC + (uint32_t)IMM), t + (cycle_t)u->to.cycles);                                  \
  } while (0)
#define JUMP_ABS(address)                                                                          \
  do {                                                                                             \
    uint32_t to_ = (address);                                                                      \
    RD = NEXT_PC;                                                                                  \
    struct block *link_ = u->link;                                                                 \
    if (unlikely(!link_ || link_->pc != to_))                                                      \
      link_ = exec_link(c, u, to_);                                                                \
    if (link_->awkward)                                                                            \
      t = exec_arrive(c, u, link_, t);                                                             \
    ENTER(link_, t + (cycle_t)u->to.cycles);                                                       \
  } while (0)

// ---- straight on

// Where the jump in block `b` behind this one may hide an access's waiting.
RARE FLAVOUR(fall_covered)(struct core *c, const struct uop *u, struct block *b, cycle_t t,
                           cycle_t delay) {
  t -= exec_covered(c, u, t);
  FALL_INTO(b, t, delay);
}

USUAL FLAVOUR(fall)(struct core *c, const struct uop *u, struct block *b, cycle_t t,
                    struct delay delay) {
  exec_charge(c, delay);
  if (u->flags & UOP_COVERED) {
    FLAVOUR(fall_covered)(c, u, b, t, (cycle_t)(int64_t)delay.cycles);
    return;
  }
  FALL_INTO(b, t, delay.cycles);
}

RARE FLAVOUR(chain_rarely)(struct core *c, const struct uop *u, cycle_t t) {
  struct block *b = u->link ? u->link : exec_link_chain(c, u);
  FLAVOUR(fall)(c, u, b, t, u->to);
}

EXECUTOR(FLAVOUR(chain)) {
  t += BOUNDARY_COST;
  if (unlikely(u->flags & (UOP_EDGE | UOP_COVERED)))
    FLAVOUR(chain_rarely)(c, u, t);
  else
    FALL_INTO(u->link, t, 0);
}

// ---- the end of a hardware loop

// For the first time, or not for many times more, or where it costs something.
RARE FLAVOUR(go_round_rarely)(struct core *c, const struct uop *u, cycle_t t, unsigned loop) {
  struct block *b = u->link;
  if (!b || b->pc != c->loop[loop].start)
    b = exec_link_back(c, u, c->loop[loop].start);
  bool due = loop_exit_is_due(c, u, loop);
  if (due && !loop_exit_can_wait(c, u)) {
    loop_exit(c, u, b, t, loop);
    return;
  }
  cycle_t last = t;
  t = exec_go_round(c, u, t);
  if (due)
    loop_exit_note(c, u, last, t + (cycle_t)(int64_t)u->to.cycles, loop);
  FALL_INTO(b, t, u->to.cycles);
}

RARE FLAVOUR(go_through)(struct core *c, const struct uop *u, cycle_t t) {
  const struct block *from = exec_block_of(u);
  struct block *b = from->through_block ? from->through_block : exec_link_through(c, u);
  FLAVOUR(fall)(c, u, b, t, from->through);
}

// Of loop `i`, if `last` is the last instruction of its body.
#define LOOP_ENDS(i)                                                                               \
  if (c->loop[i].last == last) {                                                                   \
    if (c->loop[i].count > 1) {                                                                    \
      FLAVOUR(go_round)(c, u, t, last, (i));                                                       \
      return;                                                                                      \
    }                                                                                              \
    if (c->model == CORE_CV32E40P)                                                                 \
      c->loop[i].count = 0;                                                                        \
  }

USUAL FLAVOUR(go_round)(struct core *c, const struct uop *u, cycle_t t, uint32_t last,
                        const unsigned i) {
  const struct hwloop *loop = &c->loop[i];
  struct block *b = u->link;
  c->loop[i].count--;
  if (unlikely((u->flags & UOP_EDGE) || b->pc != loop->start || exec_may_be_late(c, last) ||
               loop_exit_may_be_due(c, loop->count)))
    FLAVOUR(go_round_rarely)(c, u, t, i);
  else
    FALL_INTO(b, t, 0);
}

EXECUTOR(FLAVOUR(hwloop)) {
  uint32_t last = u[-1].pc;
  t += BOUNDARY_COST;
  LOOP_ENDS(0)
  LOOP_ENDS(1)
  FLAVOUR(go_through)(c, u, t);
}

// Made when the hint leaves ID, not ahead of the engine: those of all cores are in order of time.
EXECUTOR(FLAVOUR(region)) {
  cycle_t now = t + BOUNDARY_COST;
  if (now - 1 > c->engine->now) {
    exec_hold(c, u, now, now - 1);
    return;
  }
  c->at = u;
  c->t = now;
  c->host->region(c->host->self, c, u[-1].rs1, u[-1].imm == 1, now);
  FLAVOUR(chain)(c, u, t, exec_anything());
}
