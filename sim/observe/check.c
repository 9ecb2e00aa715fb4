#include "observe/check.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "isa/isa.h"
#include "observe/check_copies.h"
#include "observe/check_layout.h"
#include "observe/check_memory.h"
#include "observe/lines.h"

enum { CORES = CHECK_CORES, FINDINGS_MOST = 200, SP = 2 };
enum { NULL_PAGE = 0x100 };   // below: a member of what a null pointer should have pointed to
enum { EVERYBODY = 0xff };    // several cores stored the same
enum { DMA_EVENTS = 3 << 8 }; // of the event unit's status

enum kind { MISALIGNED, OUT_OF_BOUNDS, NEVER_WRITTEN, STACK, RACE, DMA_RACE, NULL_POINTER, KINDS };

struct finding {
  enum kind kind;
  uint32_t pc, address;
  unsigned core, other;
  uint32_t other_pc;
  struct check_transfer transfer;
  uint64_t cycle, count;
};

struct check {
  struct pulpsim *sim;
  struct lines *lines;
  struct layout layout;
  struct check_memory *memory;
  struct check_copies copies;
  uint64_t synced[CORES]; // when the core last went on after waiting for others
  uint32_t lowest_sp[CORES];
  uint64_t l1_bytes; // that were written
  unsigned findings;
  struct finding finding[FINDINGS_MOST];
};

// The finding, unless there is one of that kind at this instruction.
static struct finding *report(struct check *c, const struct pulpsim_insn_event *e, enum kind kind) {
  for (unsigned i = 0; i < c->findings; i++)
    if (c->finding[i].pc == e->pc && c->finding[i].kind == kind) {
      c->finding[i].count++;
      return NULL;
    }
  if (c->findings == FINDINGS_MOST)
    return NULL;
  struct finding *f = &c->finding[c->findings++];
  *f = (struct finding){.kind = kind,
                        .pc = e->pc,
                        .address = e->memory_address,
                        .core = e->core,
                        .cycle = e->cycle,
                        .count = 1};
  return f;
}

static void report_race(struct check *c, const struct pulpsim_insn_event *e,
                        const struct word *other) {
  struct finding *f = report(c, e, RACE);
  if (!f)
    return;
  bool by_write = other->written >= other->read || other->reader == e->core;
  f->other = by_write ? other->writer : other->reader;
  f->other_pc = by_write ? other->write_pc : other->read_pc;
}

static void look_for_dma(struct check *c, const struct pulpsim_insn_event *e, const struct word *w,
                         uint8_t bytes) {
  const struct check_transfer *t = check_memory_race(c->memory, w, bytes, e->memory_write, e->done);
  struct finding *f = t ? report(c, e, DMA_RACE) : NULL;
  if (f)
    f->transfer = *t;
}

static bool later_than_sync(const struct check *c, uint64_t when, unsigned core) {
  return when && when >= c->synced[core];
}

static void look_for_race(struct check *c, const struct pulpsim_insn_event *e, const struct word *w,
                          uint8_t bytes) {
  bool after_write = w->writer != e->core && w->writer != EVERYBODY && (w->write_bytes & bytes) &&
                     later_than_sync(c, w->written, e->core);
  bool after_read = e->memory_write && w->reader != e->core && (w->read_bytes & bytes) &&
                    later_than_sync(c, w->read, e->core);
  bool same = e->memory_write && w->data == e->memory_data && w->write_bytes == bytes;
  if ((after_write && !same) || after_read)
    report_race(c, e, w);
}

// What is known of a word behind a store: nothing of what a copy brought from where nobody wrote.
static uint8_t known_after(const struct check *c, const struct pulpsim_insn_event *e,
                           const struct word *w, uint8_t bytes) {
  return (uint8_t)((w->known | bytes) & ~(check_copies_stored(&c->copies, e) & bytes));
}

static void keep_writer(struct check *c, const struct pulpsim_insn_event *e, struct word *w,
                        uint8_t bytes) {
  if (e->memory_write) {
    if (layout_is_l1(&c->layout, e->memory_address))
      c->l1_bytes += (unsigned)__builtin_popcount(bytes & ~w->stored & 15);
    w->stored |= bytes;
    bool same = w->written && w->data == e->memory_data && w->write_bytes == bytes;
    w->writer = same && w->writer != e->core ? EVERYBODY : (uint8_t)e->core;
    w->written = e->done;
    w->write_bytes = bytes;
    w->write_pc = e->pc;
    w->data = e->memory_data;
    w->known = known_after(c, e, w, bytes);
  } else {
    bool more = w->reader == e->core && w->read >= c->synced[e->core];
    w->read = e->done;
    w->read_bytes = more ? w->read_bytes | bytes : bytes;
    w->reader = (uint8_t)e->core;
    w->read_pc = e->pc;
  }
}

// The bytes of what it loads that nobody wrote.
static uint8_t access_memory(struct check *c, const struct pulpsim_insn_event *e) {
  uint32_t address = e->memory_address;
  unsigned offset = address & 3;
  if (offset + e->memory_size > 4)
    report(c, e, MISALIGNED);
  if (!layout_allows(&c->layout, address, e->memory_size, e->memory_write))
    report(c, e, OUT_OF_BOUNDS);
  struct word *w = check_memory_word(c->memory, address);
  uint8_t bytes = (uint8_t)(((1u << e->memory_size) - 1) << offset & 15);
  bool loaded = layout_is_loaded(&c->layout, address) && !(w->stored & bytes & ~w->known);
  bool exempt = loaded || e->memory_data != 0;
  uint8_t unwritten = e->memory_write || exempt ? 0 : (uint8_t)((bytes & ~w->known) >> offset);
  look_for_race(c, e, w, bytes);
  look_for_dma(c, e, w, bytes);
  keep_writer(c, e, w, bytes);
  return unwritten;
}

static void look_for_use(struct check *c, const struct pulpsim_insn_event *e) {
  struct check_load load;
  while (check_copies_used(&c->copies, e, &load)) {
    const struct pulpsim_insn_event loaded = {
        .core = e->core, .pc = load.pc, .memory_address = load.address, .cycle = load.cycle};
    report(c, &loaded, NEVER_WRITTEN);
  }
}

static void watch_stack(struct check *c, const struct pulpsim_insn_event *e) {
  for (unsigned i = 0; i < e->write_count; i++) {
    if (e->write[i].number != SP)
      continue;
    uint32_t sp = e->write[i].value, bottom = layout_stack_bottom(&c->layout, e->core);
    if (bottom && sp >= c->layout.l1_base && sp < c->lowest_sp[e->core])
      c->lowest_sp[e->core] = sp;
    if (bottom && sp < bottom && sp >= c->layout.l1_base)
      report(c, e, STACK);
  }
}

static void on_insn(void *user, const struct pulpsim_insn_event *seen) {
  struct check *c = user;
  struct pulpsim_insn_event event = *seen, *e = &event;
  if (e->has_memory) {
    uint32_t address = pulpsim_canonical(c->sim, e->core, e->memory_address);
    if (e->memory_address < NULL_PAGE && e->memory_address != address && !c->layout.low)
      report(c, e, NULL_POINTER);
    e->memory_address = address;
  }
  watch_stack(c, e);
  look_for_use(c, e);
  uint8_t unwritten = 0;
  if (e->has_memory && isa_ops[isa_encs[e->encoding].op].cls == ISA_CLASS_ELW) {
    bool dma_only = e->memory_data && !(e->memory_data & ~(uint32_t)DMA_EVENTS);
    if (!dma_only)
      c->synced[e->core] = e->done;
  } else if (e->has_memory && layout_is_memory(&c->layout, e->memory_address)) {
    unwritten = access_memory(c, e);
  }
  check_copies_end(&c->copies, e, unwritten);
}

static void on_dma(void *user, unsigned transfer, bool begin, uint64_t cycle, uint32_t bytes) {
  (void)bytes;
  if (!begin)
    check_memory_ended(((struct check *)user)->memory, transfer, cycle);
}

static void on_dma_command(void *user, const struct pulpsim_dma_command *seen) {
  struct check *c = user;
  struct pulpsim_dma_command command = *seen;
  command.ext.address = pulpsim_canonical(c->sim, 0, seen->ext.address);
  check_memory_command(c->memory, &command);
}

struct check *check_new(struct pulpsim *sim, struct pulpsim_error *error) {
  struct check *c = calloc(1, sizeof *c);
  size_t size;
  const void *elf = pulpsim_program(sim, &size);
  if (c) {
    c->sim = sim;
    c->lines = lines_new(elf, size);
    c->memory = check_memory_new();
    layout_read(&c->layout, sim);
    for (unsigned i = 0; i < CORES; i++)
      c->lowest_sp[i] = UINT32_MAX;
    const struct pulpsim_observer observer = {
        .user = c, .sources = true, .insn = on_insn, .dma = on_dma, .dma_command = on_dma_command};
    if (c->lines && c->memory && pulpsim_observe(sim, &observer))
      return c;
  }
  check_free(c);
  snprintf(error->text, sizeof error->text, "check: out of memory, or too many observers");
  return NULL;
}

void check_free(struct check *c) {
  if (!c)
    return;
  check_memory_free(c->memory);
  lines_free(c->lines);
  free(c);
}

// ---- report

static void put_place(const struct check *c, FILE *out, uint32_t pc) {
  uint32_t offset = 0;
  unsigned line;
  const char *file, *name = pulpsim_symbol_at(c->sim, pc, &offset);
  fprintf(out, "0x%08x (%s+0x%x", pc, name ? name : "?", offset);
  if (lines_find(c->lines, pc, &file, &line))
    fprintf(out, ", %s:%u", strrchr(file, '/') ? strrchr(file, '/') + 1 : file, line);
  fputc(')', out);
}

static void put_transfer(FILE *out, const struct check_transfer *t) {
  fprintf(out, "; identifier %u, given by port %u in cycle %" PRIu64, t->identifier, t->core,
          t->given);
  if (t->behind_rows)
    fputs(" behind a command in two dimensions: its rows make the hardware say that all has ended "
          "while this one waits; give it an identifier of its own",
          out);
}

static void put_finding(const struct check *c, FILE *out, const struct finding *f) {
  static const char *const text[KINDS] = {
      [MISALIGNED] = "misaligned: crosses a word, which costs a second access",
      [OUT_OF_BOUNDS] = "out of bounds: neither data nor a stack is there, or code",
      [NEVER_WRITTEN] = "never written: the value is whatever was in memory",
      [STACK] = "stack overflow: raise __stack_size (kernels/rt: rt_stack_size), or use less",
      [RACE] = "data race: put a barrier between",
      [DMA_RACE] = "race with the DMA: wait for the transfer",
      [NULL_POINTER] = "near 0, where the cluster sees its own L1: a null pointer",
  };
  fprintf(out, "check: core %u, pc ", f->core);
  put_place(c, out, f->pc);
  if (f->kind != STACK)
    fprintf(out, ", address 0x%08x", f->address);
  fprintf(out, ", cycle %" PRIu64 ": %s", f->cycle, text[f->kind]);
  if (f->kind == RACE) {
    fprintf(out, "; the other is core %u, pc ", f->other);
    put_place(c, out, f->other_pc);
  }
  if (f->kind == DMA_RACE)
    put_transfer(out, &f->transfer);
  if (f->count > 1)
    fprintf(out, " (%" PRIu64 " times)", f->count);
  fputc('\n', out);
}

static void put_usage(const struct check *c, FILE *out) {
  const struct layout *l = &c->layout;
  if (!l->l1_size)
    return;
  fprintf(out, "check: L1: %u of %u bytes are data; %" PRIu64 " bytes were stored to", l->l1_data,
          l->l1_size, c->l1_bytes);
  for (unsigned i = 0; l->stack_size && i < pulpsim_cores(c->sim); i++) {
    uint32_t top = layout_stack_bottom(l, i) + l->stack_size;
    uint32_t used = c->lowest_sp[i] < top ? top - c->lowest_sp[i] : 0;
    fprintf(out, i ? ", %u" : "; stacks used, of %u bytes each: %u", i ? used : l->stack_size,
            used);
  }
  fputc('\n', out);
}

unsigned check_report(struct check *c, FILE *out) {
  for (unsigned i = 0; i < c->findings; i++)
    put_finding(c, out, &c->finding[i]);
  put_usage(c, out);
  fprintf(out, "check: %u finding%s%s\n", c->findings, c->findings == 1 ? "" : "s",
          c->findings == FINDINGS_MOST ? " (no more are kept)" : "");
  return c->findings;
}

unsigned check_faults(struct check *c, char *text, size_t size) {
  unsigned faults = 0;
  *text = 0;
  for (unsigned i = 0; i < c->findings; i++) {
    enum kind kind = c->finding[i].kind;
    if (kind != OUT_OF_BOUNDS && kind != STACK && kind != RACE && kind != DMA_RACE &&
        kind != NULL_POINTER)
      continue;
    FILE *line = faults++ ? NULL : fmemopen(text, size, "w");
    if (!line)
      continue;
    put_finding(c, line, &c->finding[i]);
    fclose(line);
    text[size - 1] = 0;
    text[strcspn(text, "\n")] = 0;
  }
  return faults;
}
