#include "core/fold.h"

#include <stdlib.h>
#include <string.h>

#include "core/pipeline.h"

enum { CODE_BYTES = 4 * (FOLD_LINE_MAX + 8), PATIENCE = 2000 };

struct fold {
  struct core core;
  struct pipeline *pipeline;
  const struct fold_line *line;
  uint8_t code[CODE_BYTES];    // the line, then short no-operations
  uint8_t landing[CODE_BYTES]; // what is at the target
  uint32_t size;               // of the line
  uint32_t reach;              // bytes of `code` asked for before the last one left ID
  unsigned seen;               // instructions that have left ID
  cycle_t grant_at;            // of the access that is granted late; CYCLE_NEVER: none waits
  bool was_late;
  cycle_t left[FOLD_LINE_MAX + 1];
  uint64_t stall[FOLD_LINE_MAX + 1][CAUSE_COUNT];
};

static struct fold *fold_of(const struct core *c) {
  return (struct fold *)((const char *)c - offsetof(struct fold, core));
}

static bool is_late_access(const struct fold *f) {
  return f->line->access && f->seen + f->line->access == f->line->count - 1;
}

static void issue(struct core *c, const struct isa_insn *insn, uint32_t pc,
                  struct step_outcome *out) {
  const struct fold_line *line = fold_of(c)->line;
  bool last = fold_of(c)->seen == line->count - 1;
  memset(out, 0, sizeof *out);
  out->target = line->target;
  out->taken = line->leaves && last;
  (void)insn, (void)pc;
  out->kind = STEP_MEMORY; // looked at only if the instruction makes an access
  out->mem = (struct access){.addr = 0, .size = 1};
  if (line->crosses && is_late_access(fold_of(c)))
    out->mem = (struct access){.addr = 3, .size = 2};
}

static void complete(struct core *c, const struct isa_insn *insn, uint32_t pc, uint32_t rdata) {
  (void)c, (void)insn, (void)pc, (void)rdata;
}

static void present(struct core *c, cycle_t now) {
  struct fold *f = fold_of(c);
  bool late = f->line->access && f->line->late && !f->was_late &&
              f->seen + f->line->access == f->line->count; // it has left ID
  if (late) {
    f->was_late = true;
    f->grant_at = now + f->line->late;
  } else {
    pipeline_data_grant(f->pipeline, now, now + 1);
  }
}

static const uint8_t *bytes(void *self, uint32_t address, uint32_t *left) {
  struct fold *f = self;
  uint32_t inside = address - (f->line->pc & ~UINT32_C(3));
  uint32_t beyond = address - (f->line->target & ~UINT32_C(3));
  *left = 4; // one word at a time: the two areas may be anywhere
  if (f->seen < f->line->count && inside < CODE_BYTES - 4 && inside + 4 > f->reach)
    f->reach = inside + 4;
  if (inside < f->size + 4 + (f->line->pc & 2))
    return f->code + inside;
  if (beyond < CODE_BYTES - 4)
    return f->landing + beyond;
  return inside < CODE_BYTES - 4 ? f->code + inside : f->landing;
}

static void note(void *self, const struct core *c, const struct isa_insn *insn, uint32_t pc,
                 bool traps, cycle_t now) {
  struct fold *f = self;
  (void)insn, (void)pc;
  if (traps || f->seen > f->line->count) {
    f->seen = UINT16_MAX;
    return;
  }
  f->left[f->seen] = now;
  memcpy(f->stall[f->seen++], c->count.stall, sizeof f->stall[0]);
}

struct fold *fold_new(const struct id_config *config, const struct isa_decoder *decoder) {
  struct fold *f = calloc(1, sizeof *f);
  if (!f)
    return NULL;
  struct pipeline_config p = {
      .id = *config, .present = present, .issue = issue, .complete = complete};
  struct pipeline_code code = {.bytes = bytes, .self = f};
  f->core.model = config->model;
  f->core.csr.mtvec_written = true; // traps stay inside
  f->core.corev = config->model == CORE_CV32E40P;
  f->pipeline = pipeline_new(&f->core, &p, decoder, &code);
  if (!f->pipeline) {
    free(f);
    return NULL;
  }
  f->pipeline->watch = note;
  f->pipeline->watch_self = f;
  return f;
}

void fold_free(struct fold *f) {
  if (!f)
    return;
  pipeline_free(f->pipeline);
  free(f);
}

static void fill_with_nops(uint8_t *code) {
  for (unsigned i = 0; i < CODE_BYTES; i += 2) {
    code[i] = 0x01; // c.nop
    code[i + 1] = 0;
  }
}

static void lay_out(struct fold *f, const struct fold_line *line) {
  fill_with_nops(f->code);
  fill_with_nops(f->landing);
  uint32_t at = line->pc & 2;
  for (unsigned i = 0; i < line->count; i++) {
    unsigned size = (line->word[i] & 3) == 3 ? 4 : 2;
    memcpy(f->code + at, &line->word[i], size);
    at += size;
  }
  f->size = at - (line->pc & 2);
  if (line->leaves)
    memcpy(f->landing + (line->target & 2), &line->landing, (line->landing & 3) == 3 ? 4 : 2);
}

static void run(struct fold *f) {
  cycle_t now = pipeline_start(f->pipeline, f->line->pc, 2);
  for (unsigned r = 1; r < REG_FILE; r++)
    f->core.r[r] = UINT32_C(0x80000000);
  // jalr reads its target from its register.
  struct isa_insn last;
  if (f->line->leaves &&
      isa_decode(f->pipeline->decoder, f->line->word[f->line->count - 1], &last) &&
      isa_ops[last.op].cls == ISA_CLASS_JALR && last.rs1 != 0)
    f->core.r[last.rs1] = f->line->target - (uint32_t)last.imm;
  for (unsigned n = 0; n < PATIENCE && f->seen <= f->line->count; n++) {
    pipeline_request(f->pipeline, now);
    if (now == f->grant_at) {
      f->grant_at = CYCLE_NEVER;
      pipeline_data_grant(f->pipeline, now, now + 1);
    }
    pipeline_edge(f->pipeline, now++); // no cycle is left out: causes are read between them
  }
}

bool fold_costs(struct fold *f, const struct fold_line *line, struct fold_gap *gap) {
  if (line->count == 0 || line->count > FOLD_LINE_MAX || line->lead >= line->count)
    return false;
  f->line = line;
  f->seen = 0;
  f->reach = 0;
  f->grant_at = CYCLE_NEVER;
  f->was_late = false;
  memset(&f->core.count, 0, sizeof f->core.count);
  lay_out(f, line);
  run(f);
  if (f->seen != line->count + 1)
    return false;
  for (unsigned i = line->lead; i < line->count; i++) {
    struct fold_gap *g = &gap[i - line->lead];
    g->cycles = (uint8_t)(f->left[i + 1] - f->left[i]);
    for (unsigned k = 0; k < CAUSE_COUNT; k++)
      g->stall[k] = (uint8_t)(f->stall[i + 1][k] - f->stall[i][k]);
  }
  return true;
}

uint32_t fold_reach(const struct fold *f) {
  return (f->line->pc & ~UINT32_C(3)) + f->reach;
}

// Rule div: one cycle to load, one for each bit that the divisor is shifted up by and one more,
// one to deliver; only the divisor's leading bits count.
unsigned fold_divider(bool is_signed, uint32_t divisor) {
  if (divisor == 0)
    return 35;
  if (is_signed && divisor >> 31) {
    uint32_t zeros = ~divisor;
    return 2 + (zeros ? (unsigned)__builtin_clz(zeros) : 32);
  }
  return 3 + (unsigned)__builtin_clz(divisor);
}
