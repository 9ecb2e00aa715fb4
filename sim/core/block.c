#include "core/block_parts.h"

#include <stdlib.h>
#include <string.h>

#include "core/exec.h"
#include "core/fold.h"
#include "core/id_illegal.h"
#include "core/step.h"
#include "engine/out_of_memory.h"
#include "isa_ops.h"
#include "observe/tap.h"

// A block and what only the cache needs of it.
struct entry {
  struct block *older;
};

static unsigned hash(uint32_t pc) {
  return (pc >> 1 ^ pc >> 13) % HASH_SIZE;
}

struct block_cache *block_cache_new(const struct isa_decoder *decoder,
                                    const struct id_config *config,
                                    const struct code_source *source) {
  struct block_cache *cache = calloc(1, sizeof *cache);
  struct fold *fold = fold_new(config, decoder);
  if (!cache || !fold) {
    fold_free(fold);
    free(cache);
    return NULL;
  }
  cache->decoder = decoder;
  cache->model = config->model;
  cache->fold = fold;
  cache->source = *source;
  return cache;
}

static struct entry *entry_of(struct block *b) {
  return (struct entry *)b - 1;
}

void block_cache_free(struct block_cache *cache) {
  if (!cache)
    return;
  while (cache->all) {
    struct block *b = cache->all;
    cache->all = entry_of(b)->older;
    free(entry_of(b));
  }
  fold_free(cache->fold);
  loop_table_free(&cache->loops);
  free(cache);
}

void block_cache_observe(struct block_cache *cache, bool observed) {
  if (cache->observed == observed)
    return;
  cache->observed = observed;
  for (struct block *b = cache->all; b; b = entry_of(b)->older) // cores may be in them
    for (unsigned i = 0; i < b->length; i++)
      b->uop[i].granted = exec_granted_function(&b->uop[i], true);
  block_flush(cache);
}

static void forget_link(struct uop *u) {
  u->link = NULL;
  if (u->flags & UOP_BOUNDARY || isa_ops[u->op].cls == ISA_CLASS_BRANCH)
    u->flags |= UOP_EDGE;
}

void block_flush(struct block_cache *cache) {
  memset(cache->hash, 0, sizeof cache->hash);
  memset(cache->irregular, 0, sizeof cache->irregular);
  for (struct block *b = cache->all; b; b = entry_of(b)->older) {
    b->through_block = NULL;
    for (struct uop *u = b->uop; u <= &b->uop[b->length]; u++)
      forget_link(u);
  }
}

enum loop_news block_end_loop_at(struct block_cache *cache, uint32_t last, uint32_t start,
                                 unsigned core) {
  enum loop_news news = loop_table_add(&cache->loops, last, start, core);
  if (news == LOOP_NEW)
    block_flush(cache);
  return news;
}

struct loop_starts block_loop_starts(const struct block_cache *cache, const struct block *b,
                                     unsigned core) {
  return loop_table_starts(&cache->loops, b->run_last, core);
}

// ---- building

// Decodes the instruction at `pc`; false outside memory or if illegal.
static bool decode(struct block_cache *cache, uint32_t pc, struct isa_insn *insn) {
  uint32_t left = 0;
  const uint8_t *p = (pc & 1) ? NULL : cache->source.bytes(cache->source.self, pc, &left);
  if (!p || left < 2)
    return false;
  uint32_t word = p[0] | (uint32_t)p[1] << 8;
  if ((word & 3) == 3) {
    if (left < 4)
      return false;
    word |= (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
  }
  if (cache->model == CORE_RI5CY && id_ri5cy_refuses(word))
    return false;
  return isa_decode(cache->decoder, word, insn);
}

unsigned block_size_at(struct block_cache *cache, uint32_t pc) {
  uint32_t left = 0;
  const uint8_t *p = cache->source.bytes(cache->source.self, pc & ~UINT32_C(1), &left);
  return p && left >= 2 && (p[0] & 3) == 3 ? 4 : 2;
}

uint32_t block_landing(struct block_cache *cache, uint32_t pc) {
  struct isa_insn insn;
  if (decode(cache, pc, &insn) && isa_ops[insn.op].cls == ISA_CLASS_JALR)
    return insn.word;
  return block_size_at(cache, pc) == 4 ? FOLD_NOP : FOLD_SHORT_NOP;
}

// Control may go elsewhere, or what follows depends on what it does.
static bool ends_block(const struct isa_insn *insn) {
  switch (isa_ops[insn->op].cls) {
  case ISA_CLASS_BRANCH:
  case ISA_CLASS_JAL:
  case ISA_CLASS_JALR:
  case ISA_CLASS_CSR:
  case ISA_CLASS_FENCE:
  case ISA_CLASS_SYSTEM:
  case ISA_CLASS_HWLOOP:
    return true;
  default:
    return false;
  }
}

static bool is_memory(const struct isa_insn *insn) {
  switch (isa_ops[insn->op].cls) {
  case ISA_CLASS_LOAD:
  case ISA_CLASS_STORE:
  case ISA_CLASS_FP_LOAD:
  case ISA_CLASS_FP_STORE:
  case ISA_CLASS_ELW:
    return true;
  case ISA_CLASS_MACLOAD: // reloads a register, or not
    return insn->imm & 0x18;
  default:
    return false;
  }
}

static uint8_t sink_x0(unsigned r) {
  return r == 0 ? REG_SINK : (uint8_t)r;
}

static void set_operands(struct uop *u, const struct isa_insn *insn, uint32_t pc) {
  u->op = insn->op;
  u->enc = insn->enc;
  u->word = insn->word;
  u->pc = pc;
  u->size = insn->size;
  u->imm = insn->imm;
  u->imm2 = insn->imm2;
  // A hardware loop's number sits in the rd slot as it is.
  u->rd = isa_ops[insn->op].cls == ISA_CLASS_HWLOOP ? insn->rd : sink_x0(insn->rd);
  u->rs1 = insn->rs1;
  u->rs2 = insn->rs2;
  u->rs3 = insn->rs3;
  u->rs1_out = sink_x0(insn->rs1);
  tap_describe(u, insn);
  if (is_memory(insn))
    u->flags |= UOP_MEMORY;
  if (isa_ops[insn->op].cls == ISA_CLASS_BRANCH)
    u->flags |= UOP_EDGE;
}

static void end_with(struct block *b, unsigned op, uint32_t pc) {
  struct uop *u = &b->uop[b->length];
  u->op = (uint16_t)op;
  u->pc = pc;
  u->flags = UOP_BOUNDARY | UOP_EDGE;
  u->place = b->length;
  b->end = pc;
}

// Once their time is known.
static void choose_executors(const struct block_cache *cache, struct block *b) {
  for (unsigned i = 0; i <= b->length; i++) {
    struct uop *u = &b->uop[i];
    u->exec = exec_function(u, cache->observed);
    u->granted = exec_granted_function(u, cache->observed);
  }
  for (unsigned i = 0; i < b->length && !cache->observed;)
    i += exec_choose_quick(&b->uop[i], b->length - i);
}

static void unverify(struct block *b) {
  memset(b->verified, 0xff, sizeof b->verified);
  memset(b->wide, 0xff, sizeof b->wide);
}

enum { BLOCK_BYTES = sizeof(struct block) + (BLOCK_MAX + 2) * sizeof(struct uop) };

static struct block *allocate(struct block_cache *cache) {
  struct entry *e = must_have(calloc(1, sizeof *e + BLOCK_BYTES));
  struct block *b = (struct block *)(e + 1);
  unverify(b);
  e->older = cache->all;
  cache->all = b;
  return b;
}

struct block *block_copy(struct block_cache *cache, const struct block *b) {
  struct block *copy = allocate(cache);
  memcpy(copy, b, BLOCK_BYTES);
  copy->next = copy->through_block = NULL;
  for (unsigned i = 0; i <= copy->length; i++)
    forget_link(&copy->uop[i]);
  memset(copy->entered, 0, sizeof copy->entered);
  copy->listed = 0;
  unverify(copy);
  return copy;
}

enum {
  CSR_FRM = 0x002,
  CSR_FCSR = 0x003,
  CSR_MSTATUS = 0x300,
  CSR_MHPMEVENT3 = 0x323,
  CSR_MIP = 0x344,
  CSR_PCER = 0xcc0
};

// Writing it may switch something on that only the cycle model knows of, or act late.
static bool is_irregular_csr(const struct block_cache *cache, unsigned csr) {
  if (cache->model == CORE_RI5CY && (csr == CSR_FRM || csr == CSR_FCSR))
    return true;
  return csr == CSR_MSTATUS || csr == CSR_MIP ||
         csr == (cache->model == CORE_RI5CY ? CSR_PCER : CSR_MHPMEVENT3);
}

// A jump that waits, what is left of it in ID, for its own link, and so delays the fetch.
static bool jumps_by_own_link(const struct isa_insn *insn) {
  return isa_ops[insn->op].cls == ISA_CLASS_JALR && insn->rd && insn->rd == insn->rs1;
}

// A loop of CV32E40P's that is too short for the manual: whether it is followed depends on what the
// controller does when it is set up.
static bool sets_up_short_loop(const struct block_cache *cache, const struct isa_insn *insn) {
  if (cache->model != CORE_CV32E40P)
    return false;
  if (insn->op == ISA_OP_lp_setupi)
    return insn->imm2 < 16;
  return insn->op == ISA_OP_lp_setup && insn->imm < 16;
}

// The controller may see it while an access in front of it still waits, and between the halves of
// one that crosses a word: so it comes in one block with what is in front of it.
static bool takes_along(const struct block_cache *cache, const struct isa_insn *insn) {
  enum isa_class cls = isa_ops[insn->op].cls;
  return cls == ISA_CLASS_FENCE || cls == ISA_CLASS_SYSTEM || jumps_by_own_link(insn) ||
         sets_up_short_loop(cache, insn);
}

// What folding cannot express: the serial float divider runs beside what follows; interrupts
// may be enabled, asked for or waited for, stalls counted; on RI5CY an integer division behind a
// taken branch starts although nobody wants its result.
static bool is_irregular(struct block_cache *cache, uint32_t pc, const struct isa_insn *insn) {
  enum isa_class cls = isa_ops[insn->op].cls;
  unsigned csr = (unsigned)insn->imm & 0xfff;
  if (cls == ISA_CLASS_FP_DIVSQRT || takes_along(cache, insn) ||
      (cls == ISA_CLASS_CSR && is_irregular_csr(cache, csr)))
    return true;
  struct isa_insn next;
  return cache->model == CORE_RI5CY && cls == ISA_CLASS_BRANCH &&
         decode(cache, pc + insn->size, &next) && isa_ops[next.op].cls == ISA_CLASS_DIV;
}

static bool ends_loop(struct block_cache *cache, uint32_t pc) {
  return loop_table_first(&cache->loops, pc) != NULL;
}

// The last few instructions of a loop are wanted in one block, see loop_exit.h.
static bool ends_loop_soon(struct block_cache *cache, uint32_t pc) {
  for (uint32_t at = pc; at < pc + 4 * BLOCK_TAIL; at += 2)
    if (ends_loop(cache, at))
      return true;
  return false;
}

// Leaves the line for good, or has the cycle model do so.
static bool ends_run(const struct isa_insn *insn) {
  switch (isa_ops[insn->op].cls) {
  case ISA_CLASS_JAL:
  case ISA_CLASS_JALR:
  case ISA_CLASS_SYSTEM:
    return true;
  default:
    return false;
  }
}

// Longer runs than a private cache holds need not be told apart.
enum { RUN_MAX = 4096 };

static bool is_slow(enum isa_class cls) {
  return cls == ISA_CLASS_DIV || cls == ISA_CLASS_MULH;
}

static bool is_load(enum isa_class cls) {
  return cls == ISA_CLASS_LOAD || cls == ISA_CLASS_ELW || cls == ISA_CLASS_MACLOAD;
}

// A jump that waits for what is in front of it to go on, or to load its link register (rule
// load-waw), redirects the fetch meanwhile.
static bool holds_up_jump(enum isa_class cls, unsigned rd, unsigned link) {
  return is_slow(cls) || (is_load(cls) && rd == link);
}

static bool is_jump(enum isa_class cls) {
  return cls == ISA_CLASS_JAL || cls == ISA_CLASS_JALR;
}

static bool crosses_word(struct block_cache *cache, uint32_t pc) {
  return (pc & 2) && block_size_at(cache, pc) == 4;
}

// Acts while accesses in front of it still wait: jumps (see block_hides_behind()), what empties the
// pipeline.
static bool acts_early(const struct block_cache *cache, const struct isa_insn *insn) {
  return is_jump(isa_ops[insn->op].cls) || takes_along(cache, insn);
}

// One of the two instructions from `pc` on does, or traps.
static bool begins_early(struct block_cache *cache, uint32_t pc) {
  struct isa_insn insn;
  for (unsigned i = 0; i < 2; i++, pc += insn.size)
    if (!decode(cache, pc, &insn) || acts_early(cache, &insn))
      return true;
  return false;
}

// On RI5CY, how far the fetch is ahead decides what a loop's start that crosses a word costs,
// whether a division in front of the jump back starts twice, how often a loop of a single
// instruction goes round, and when what one begins with acts that does so early. Whether that
// matters at the end of a loop with this instruction, or for the loop that it sets up.
static bool is_loop_of_fetch(struct block_cache *cache, uint32_t start, uint32_t last) {
  return start == last || crosses_word(cache, start) || begins_early(cache, start);
}

// So is a region's hint there, for a block's boundary is only one thing; and an access with what
// empties the pipeline, or traps, behind the loop, for no block holds both.
static bool is_back_edge_of_fetch(struct block_cache *cache, uint32_t pc,
                                  const struct isa_insn *insn) {
  struct isa_insn behind;
  bool traps = !decode(cache, pc + insn->size, &behind);
  if (step_marks_region(insn) || (is_memory(insn) && (traps || takes_along(cache, &behind))))
    return true;
  const struct loop_bounds *l = loop_table_first(&cache->loops, pc);
  while (l && !is_loop_of_fetch(cache, l->start, pc))
    l = loop_table_next(&cache->loops, l);
  return cache->model == CORE_RI5CY && (l || isa_ops[insn->op].cls == ISA_CLASS_DIV);
}

static bool sets_up_loop_of_fetch(struct block_cache *cache, uint32_t pc,
                                  const struct isa_insn *insn) {
  if (cache->model != CORE_RI5CY)
    return false;
  uint32_t last = pc - (isa_encs[insn->enc].set == ISA_COREV ? 4 : 0);
  switch (insn->op) {
  case ISA_OP_lp_starti:
    return is_loop_of_fetch(cache, pc + (uint32_t)insn->imm, 0);
  case ISA_OP_lp_setup:
    return is_loop_of_fetch(cache, pc + insn->size, last + (uint32_t)insn->imm);
  case ISA_OP_lp_setupi:
    return is_loop_of_fetch(cache, pc + insn->size, last + insn->imm2);
  default:
    return false;
  }
}

static void look_along_run(struct block_cache *cache, struct block *b) {
  struct isa_insn insn, before = {.op = ISA_OP_addi};
  bool last = false;
  uint32_t pc = b->pc;
  while (!last && pc - b->pc < RUN_MAX) {
    if (!decode(cache, pc, &insn)) {
      b->run_irregular = true;
      break;
    }
    bool loop = ends_loop(cache, pc);
    enum isa_class cls = isa_ops[insn.op].cls;
    b->run_irregular |= is_irregular(cache, pc, &insn) ||
                        (is_jump(cls) && holds_up_jump(isa_ops[before.op].cls, before.rd, insn.rd));
    b->run_of_fetch |= sets_up_loop_of_fetch(cache, pc, &insn) ||
                       (loop && is_back_edge_of_fetch(cache, pc, &insn));
    b->run_last = pc;
    b->run_loops = loop;
    before = insn;
    pc += insn.size;
    last = ends_run(&insn) || loop;
  }
  b->run_end = pc;
  cache->runs_of_fetch |= b->run_of_fetch;
}

// Acts early, or may trap: it is wanted in one block with what is in front of it.
static bool is_wanted(const struct block_cache *cache, const struct isa_insn *insn) {
  return acts_early(cache, insn) || isa_ops[insn->op].cls == ISA_CLASS_CSR;
}

// How many instructions, fewer than `most`, there are from `pc` on in front of such a one, or of
// none, if nothing ends the block before; else `most`.
static unsigned until_wanted(struct block_cache *cache, uint32_t pc, unsigned most) {
  struct isa_insn insn;
  for (unsigned n = 0; n < most; n++, pc += insn.size) {
    if (!decode(cache, pc, &insn) || is_wanted(cache, &insn))
      return n;
    if (ends_block(&insn))
      break;
  }
  return most;
}

// A block may be cut at `pc`, with `length` instructions so far. A load is felt by the two
// instructions behind it: not there.
static bool may_be_cut(struct block_cache *cache, uint32_t pc, unsigned length,
                       const struct isa_insn *last) {
  if (length == BLOCK_MAX / 2 && until_wanted(cache, pc, BLOCK_MAX) == BLOCK_MAX - length)
    return true; // full, it would end in front of it
  return length >= BLOCK_TARGET && !is_memory(last) && !ends_loop_soon(cache, pc) &&
         until_wanted(cache, pc, 1) > 0;
}

static struct block *build(struct block_cache *cache, uint32_t pc) {
  struct block *b = allocate(cache);
  struct isa_insn insn[BLOCK_MAX];
  unsigned leave = UOP_OP_CHAIN;
  uint32_t start = pc;
  bool of_fetch = false;
  b->pc = pc;
  while (b->length < BLOCK_MAX) {
    struct isa_insn *i = &insn[b->length];
    if (!decode(cache, pc, i)) {
      leave = UOP_OP_TRAP;
      b->irregular = true;
      break;
    }
    bool irregular = is_irregular(cache, pc, i);
    bool cut = b->length && !is_memory(i - 1); // in EX still, an access cannot be replayed
    if (irregular && cut && !takes_along(cache, i))
      break;
    b->irregular |= irregular;
    struct uop *u = &b->uop[b->length];
    set_operands(u, i, pc);
    u->place = b->length;
    b->macs += isa_ops[i->op].macs;
    events_add(b->event, block_class(u), u->size, 1);
    b->length++;
    bool loop_end = ends_loop(cache, pc);
    pc += i->size;
    if (loop_end) {
      leave = UOP_OP_HWLOOP;
      of_fetch = is_back_edge_of_fetch(cache, u->pc, i);
      break;
    }
    if (step_marks_region(i)) {
      leave = UOP_OP_REGION;
      break;
    }
    if (irregular || ends_block(i))
      break;
    if (may_be_cut(cache, pc, b->length, i))
      break;
  }
  end_with(b, leave, pc);
  b->crossing = crosses_word(cache, start);
  b->awkward = b->crossing || (b->length && block_class(b->uop) == ISA_CLASS_JALR);
  b->ends_at_once = cache->model == CORE_RI5CY && b->length == 1 && leave == UOP_OP_HWLOOP;
  look_along_run(cache, b);
  block_fold(cache, b);
  b->irregular |= of_fetch; // its time is known, to replay it
  choose_executors(cache, b);
  if (cache->source.mark)
    cache->source.mark(cache->source.self, start, pc);
  return b;
}

// Its time, and so what the fetch asks for, is known to the end, where nothing but the block's last
// instruction redirects it.
static bool has_known_reach(struct block_cache *cache, const struct block *b) {
  if (b->irregular || !b->length || ends_loop(cache, b->end) || ends_loop(cache, b->end + 2))
    return false;
  for (unsigned i = 0; i < b->length; i++)
    if (is_slow(block_class(&b->uop[i])))
      return false;
  const struct uop *u = &b->uop[b->length - 1];
  enum isa_class last = block_class(u);
  if (b->length > 1 && is_jump(last) && holds_up_jump(block_class(u - 1), u[-1].rd, u->rd))
    return false;
  return b->uop[b->length].op == UOP_OP_CHAIN && (last == ISA_CLASS_BRANCH || is_jump(last));
}

uint32_t block_reach(struct block_cache *cache, struct block *b) {
  if (!b->reach)
    b->reach = has_known_reach(cache, b) ? block_fold_reach(cache, b) : BLOCK_REACHES_ANYWHERE;
  return b->reach;
}

static struct block *in_chain(struct block *b, uint32_t pc) {
  while (b && b->pc != pc)
    b = b->next;
  return b;
}

struct block *block_known(const struct block_cache *cache, uint32_t pc) {
  return in_chain(cache->hash[hash(pc)], pc);
}

struct block *block_find(struct block_cache *cache, uint32_t pc) {
  struct block *b = block_known(cache, pc);
  if (b)
    return b;
  struct block **slot = &cache->hash[hash(pc)];
  cache->built++;
  b = build(cache, pc);
  b->next = *slot;
  return *slot = b;
}

struct block *block_irregular(struct block_cache *cache, uint32_t pc) {
  struct block **slot = &cache->irregular[hash(pc) % IRREGULAR_HASH_SIZE];
  struct block *b = in_chain(*slot, pc);
  if (b)
    return b;
  b = allocate(cache);
  b->next = *slot;
  *slot = b;
  b->pc = pc;
  b->irregular = true;
  b->crossing = b->awkward = crosses_word(cache, pc);
  end_with(b, UOP_OP_TRAP, pc);
  choose_executors(cache, b);
  return b;
}
