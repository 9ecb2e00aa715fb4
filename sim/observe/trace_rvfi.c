// One JSON object per line and instruction, with the signals of the RISC-V Formal Interface
// (riscv-formal, docs/rvfi.md); numbers are decimal. `hart`, `cycle` and, for post-increments,
// `rd2` are additions.
#include "observe/text.h"
#include "observe/trace.h"

enum { CORES = 17, LINE_MOST = 640 };
_Static_assert((int)LINE_MOST <= (int)ORDERED_MOST, "it fits");

// What is known of an instruction before the next one says where it went.
struct waiting {
  bool any;
  struct pulpsim_insn_event event;
};

struct rvfi_state {
  struct waiting core[CORES];
  uint64_t order[CORES];
};

static char *put(char *p, const char *name, uint64_t value) {
  *p++ = ',';
  *p++ = '"';
  p = text_string(p, name);
  *p++ = '"';
  *p++ = ':';
  return text_decimal(p, value);
}

static char *put_source(char *p, const struct pulpsim_insn_event *e, unsigned i,
                        const char *address, const char *data) {
  bool used = i < e->read_count;
  p = put(p, address, used ? e->read[i].number : 0);
  return put(p, data, used ? e->read[i].value : 0);
}

static char *put_memory(char *p, const struct pulpsim_insn_event *e) {
  unsigned mask = e->has_memory ? (1u << e->memory_size) - 1 : 0;
  bool write = e->has_memory && e->memory_write;
  p = put(p, "mem_addr", e->has_memory ? e->memory_address : 0);
  p = put(p, "mem_rmask", write ? 0 : mask);
  p = put(p, "mem_wmask", write ? mask : 0);
  p = put(p, "mem_rdata", e->has_memory && !write ? e->memory_data : 0);
  return put(p, "mem_wdata", write ? e->memory_data : 0);
}

static void write_line(struct trace *t, unsigned core, uint32_t next_pc, uint64_t when) {
  struct rvfi_state *state = t->state;
  const struct pulpsim_insn_event *e = &state->core[core].event;
  struct ordered_line *line = ordered_room(t->lines, core, when);
  char *p = text_string((char *)(line + 1), "{\"valid\":1");
  p = put(p, "order", state->order[core]++);
  p = put(p, "hart", core);
  p = put(p, "cycle", e->cycle);
  p = put(p, "insn", e->word);
  p = text_string(p, ",\"trap\":0,\"halt\":0,\"intr\":0,\"mode\":3,\"ixl\":1");
  p = put_source(p, e, 0, "rs1_addr", "rs1_rdata");
  p = put_source(p, e, 1, "rs2_addr", "rs2_rdata");
  p = put_source(p, e, 2, "rs3_addr", "rs3_rdata");
  p = put(p, "rd_addr", e->write_count ? e->write[0].number : 0);
  p = put(p, "rd_wdata", e->write_count ? e->write[0].value : 0);
  if (e->write_count > 1) {
    p = put(p, "rd2_addr", e->write[1].number);
    p = put(p, "rd2_wdata", e->write[1].value);
  }
  p = put(p, "pc_rdata", e->pc);
  p = put(p, "pc_wdata", next_pc);
  p = put_memory(p, e);
  p = text_string(p, "}\n");
  ordered_add_text(t->lines, line, p);
}

static void insn(void *trace, const struct pulpsim_insn_event *e) {
  struct trace *t = trace;
  struct rvfi_state *state = t->state;
  struct waiting *w = &state->core[e->core];
  if (w->any)
    write_line(t, e->core, e->pc, e->done);
  w->any = true;
  w->event = *e;
}

static void rest(struct trace *t, unsigned core, const uint32_t *stalls) {
  struct rvfi_state *state = t->state;
  struct waiting *w = &state->core[core];
  (void)stalls;
  if (w->any)
    write_line(t, core, w->event.pc + w->event.size, UINT64_MAX - 1);
  w->any = false;
}

const struct trace_format trace_rvfi = {
    .name = "rvfi",
    .state_size = sizeof(struct rvfi_state),
    .ordered = true,
    .sources = true,
    .insn = insn,
    .rest = rest,
};
