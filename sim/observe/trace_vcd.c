// Waveforms (IEEE 1364-2005, chapter 18) of the cores and of the banks of L1; one time unit is one
// cycle.
//
//   core N: pc       of the instruction that leaves ID
//           state    why none does: 0 issue, else the number of the cause (in a comment)
//   bank N: request  bit c: core c asks for it
//           grant    bit c: it is granted
#include <inttypes.h>
#include <stdlib.h>

#include "observe/changes.h"
#include "observe/trace.h"

enum { CHANGES_MOST = 16000000, BANKS = 256, CORES = 17 };

// Signals: two per core, two per bank. `what` of a change is the signal; bits of banks are toggled.
enum { SIGNALS = 2 * CORES + 2 * BANKS, FIRST_BANK = 2 * CORES };

struct vcd_state {
  struct changes changes;
  uint32_t value[SIGNALS], shown[SIGNALS];
  unsigned banks;
  uint32_t l1_base, l1_size;
};

static void begin(struct trace *t) {
  struct vcd_state *s = t->state;
  changes_init(&s->changes, CHANGES_MOST);
  s->banks = pulpsim_l1(t->sim, &s->l1_base, &s->l1_size);
}

static void change_access(struct vcd_state *s, const struct pulpsim_insn_event *e) {
  uint32_t offset = e->memory_address - s->l1_base;
  if (!e->has_memory || offset >= s->l1_size || !s->banks)
    return;
  uint32_t bank = (offset >> 2) % s->banks, request = FIRST_BANK + 2 * bank;
  uint32_t bit = UINT32_C(1) << e->core;
  changes_add(&s->changes, e->cycle + 1, request, bit);
  changes_add(&s->changes, e->done + 1, request, bit);
  changes_add(&s->changes, e->done, request + 1, bit);
  changes_add(&s->changes, e->done + 1, request + 1, bit);
}

static void insn(void *trace, const struct pulpsim_insn_event *e) {
  struct trace *t = trace;
  struct vcd_state *s = t->state;
  uint32_t pc = 2 * e->core, state = pc + 1;
  uint64_t at = e->since;
  for (unsigned pass = 0; e->stalls && pass < 2; pass++) // those behind the one before come first
    for (unsigned i = 1; i < PULPSIM_CAUSES; i++) {
      if (!e->stalls[i] || pulpsim_cause_behind(i) != (pass == 0))
        continue;
      changes_add(&s->changes, at, state, i);
      at += e->stalls[i] * (e->cycle - e->since) / e->stall;
    }
  changes_add(&s->changes, e->cycle, state, 0);
  changes_add(&s->changes, e->cycle, pc, e->pc);
  change_access(s, e);
}

// Short names: printable characters '!'..'~', little endian.
static const char *identifier(uint32_t signal) {
  static char text[4];
  unsigned n = 0;
  do
    text[n++] = (char)('!' + signal % 94);
  while ((signal /= 94) > 0);
  text[n] = '\0';
  return text;
}

static unsigned width(const struct trace *t, uint32_t signal) {
  if (signal >= FIRST_BANK)
    return pulpsim_cores(t->sim);
  return signal % 2 ? 5 : 32;
}

static void put_header(struct trace *t) {
  const struct vcd_state *s = t->state;
  sink_print(t->sink,
             "$version pulpsim " PULPSIM_VERSION " $end\n$comment one unit is one cycle; state:");
  for (unsigned i = 0; i < PULPSIM_CAUSES; i++)
    sink_print(t->sink, " %u %s", i, pulpsim_cause_name(i));
  sink_print(t->sink, " $end\n$timescale 1 ns $end\n$scope module cluster $end\n");
  for (unsigned i = 0; i < pulpsim_cores(t->sim); i++) {
    sink_print(t->sink, "$scope module core%u $end\n$var wire 32 %s pc [31:0] $end\n", i,
               identifier(2 * i));
    sink_print(t->sink, "$var wire 5 %s state [4:0] $end\n$upscope $end\n", identifier(2 * i + 1));
  }
  for (unsigned i = 0; i < s->banks; i++) {
    uint32_t signal = FIRST_BANK + 2 * i;
    unsigned bits = width(t, signal);
    sink_print(t->sink, "$scope module bank%u $end\n$var wire %u %s request [%u:0] $end\n", i, bits,
               identifier(signal), bits - 1);
    sink_print(t->sink, "$var wire %u %s grant [%u:0] $end\n$upscope $end\n", bits,
               identifier(signal + 1), bits - 1);
  }
  sink_print(t->sink, "$upscope $end\n$enddefinitions $end\n");
}

static void put_value(struct trace *t, uint32_t signal) {
  const struct vcd_state *s = t->state;
  char text[40], *p = text;
  *p++ = 'b';
  for (unsigned i = width(t, signal); i-- > 0;)
    *p++ = (char)('0' + (s->value[signal] >> i & 1));
  *p = '\0';
  sink_print(t->sink, "%s %s\n", text, identifier(signal));
}

static bool exists(const struct trace *t, uint32_t signal) {
  const struct vcd_state *s = t->state;
  return signal < FIRST_BANK ? signal / 2 < pulpsim_cores(t->sim)
                             : (signal - FIRST_BANK) / 2 < s->banks;
}

// Applies the changes of one time, and writes what is different after them.
static size_t put_time(struct trace *t, size_t first) {
  struct vcd_state *s = t->state;
  uint64_t when = s->changes.item[first].when;
  size_t end = first;
  for (; end < s->changes.count && s->changes.item[end].when == when; end++) {
    const struct change *c = &s->changes.item[end];
    if (c->what >= FIRST_BANK)
      s->value[c->what] ^= c->value;
    else
      s->value[c->what] = c->value;
  }
  sink_print(t->sink, "#%" PRIu64 "\n", when);
  for (size_t i = first; i < end; i++) {
    uint32_t signal = s->changes.item[i].what;
    if (s->value[signal] == s->shown[signal])
      continue;
    s->shown[signal] = s->value[signal];
    put_value(t, signal);
  }
  return end;
}

static void end(struct trace *t) {
  struct vcd_state *s = t->state;
  put_header(t);
  changes_sort(&s->changes);
  sink_print(t->sink, "$dumpvars\n");
  for (uint32_t i = 0; i < SIGNALS; i++)
    if (exists(t, i))
      put_value(t, i);
  sink_print(t->sink, "$end\n");
  for (size_t i = 0; i < s->changes.count;)
    i = put_time(t, i);
  if (s->changes.full)
    fprintf(stderr,
            "pulpsim: trace vcd: cut off after %d changes; choose a part with from=, to=, "
            "core= or region=\n",
            CHANGES_MOST);
  changes_free(&s->changes);
}

const struct trace_format trace_vcd = {
    .name = "vcd",
    .state_size = sizeof(struct vcd_state),
    .begin = begin,
    .insn = insn,
    .end = end,
};
