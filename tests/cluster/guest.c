#include "guest.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../sim/tiny_elf.h"

void word(struct guest *g, uint32_t value) {
  ck_assert_uint_lt(g->count, GUEST_WORDS);
  g->word[g->count++] = value;
}

static void i_type(struct guest *g, uint32_t opcode, uint32_t f3, int rd, int rs1, int imm) {
  word(g, (uint32_t)imm << 20 | (uint32_t)rs1 << 15 | f3 << 12 | (uint32_t)rd << 7 | opcode);
}

static void s_type(struct guest *g, uint32_t f3, int rs2, int offset, int rs1) {
  uint32_t o = (uint32_t)offset;
  word(g, (o >> 5 & 127) << 25 | (uint32_t)rs2 << 20 | (uint32_t)rs1 << 15 | f3 << 12 |
              (o & 31) << 7 | 0x23);
}

static void r_type(struct guest *g, uint32_t f3, int rd, int rs1, int rs2) {
  word(g, (uint32_t)rs2 << 20 | (uint32_t)rs1 << 15 | f3 << 12 | (uint32_t)rd << 7 | 0x33);
}

void addi(struct guest *g, int rd, int rs1, int imm) {
  i_type(g, 0x13, 0, rd, rs1, imm);
}
void add(struct guest *g, int rd, int rs1, int rs2) {
  r_type(g, 0, rd, rs1, rs2);
}
void sll(struct guest *g, int rd, int rs1, int rs2) {
  r_type(g, 1, rd, rs1, rs2);
}
void lw(struct guest *g, int rd, int offset, int rs1) {
  i_type(g, 0x03, 2, rd, rs1, offset);
}
void elw(struct guest *g, int rd, int offset, int rs1) {
  i_type(g, 0x0b, 3, rd, rs1, offset);
}
void sw(struct guest *g, int rs2, int offset, int rs1) {
  s_type(g, 2, rs2, offset, rs1);
}
void sb(struct guest *g, int rs2, int offset, int rs1) {
  s_type(g, 0, rs2, offset, rs1);
}
void mark(struct guest *g, int rs2) {
  sw(g, rs2, 8, T6);
}
void meet(struct guest *g) {
  lw(g, ZERO, 32, T6);
}

void nops(struct guest *g, unsigned n) {
  while (n--)
    addi(g, ZERO, ZERO, 0);
}

void li(struct guest *g, int rd, uint32_t value) {
  word(g, ((value + 0x800) & 0xfffff000) | (uint32_t)rd << 7 | 0x37);
  addi(g, rd, rd, (int)(value & 0xfff));
}

static uint32_t branch(int32_t offset, uint32_t f3, int rs1, int rs2) {
  uint32_t o = (uint32_t)offset;
  return (o >> 12 & 1) << 31 | (o >> 5 & 63) << 25 | (uint32_t)rs2 << 20 | (uint32_t)rs1 << 15 |
         f3 << 12 | (o >> 1 & 15) << 8 | (o >> 11 & 1) << 7 | 0x63;
}

unsigned only(struct guest *g, unsigned core) {
  li(g, T3, core);
  word(g, 0);
  return g->count - 1;
}

void end_only(struct guest *g, unsigned place) {
  g->word[place] = branch((int32_t)(g->count - place) * 4, 1, T3, T5); // bne
}

void loop_while(struct guest *g, int rs1, unsigned target) {
  word(g, branch(((int32_t)target - (int32_t)g->count) * 4, 1, rs1, ZERO));
}

void guest_begin(struct guest *g) {
  g->count = 0;
  li(g, S11, GUEST_EVENT_UNIT);
  li(g, S10, GUEST_TCDM);
  li(g, S9, GUEST_DATA);
  li(g, S8, GUEST_PERIPHERALS);
  li(g, S7, GUEST_DMA);
  li(g, T6, 0x80000000);
  i_type(g, 0x73, 2, T5, ZERO, (int)0xf14); // csrr mhartid
}

void guest_end(struct guest *g) {
  sw(g, ZERO, 0, T6);
  word(g, 0x0000006f); // j .
}

static void set(struct pulpsim_config *k, const char *text) {
  struct pulpsim_error error;
  ck_assert_msg(pulpsim_config_set(k, text, &error), "%s", error.text);
}

struct pulpsim *guest_machine(const struct guest *g, const char *machine, uint32_t entry,
                              unsigned cores, const char *settings, enum pulpsim_engine engine) {
  struct pulpsim_error error;
  char text[256], path[] = "/tmp/pulpsim-guest-XXXXXX";
  struct pulpsim_config *k = pulpsim_config_new(machine, &error);
  ck_assert_msg(k != NULL, "%s", error.text);
  snprintf(text, sizeof text, "cluster.cores=%u", cores);
  set(k, text);
  snprintf(text, sizeof text, "%s", settings);
  for (char *s = strtok(text, " "); s; s = strtok(NULL, " "))
    set(k, s);
  struct pulpsim *sim = pulpsim_new(k, &error);
  ck_assert_msg(sim != NULL, "%s", error.text);
  pulpsim_config_free(k);
  ck_assert(pulpsim_set_engine(sim, engine));
  close(mkstemp(path));
  tiny_elf_write(path, entry, g->word, g->count);
  bool loaded = pulpsim_load(sim, path, &error);
  unlink(path);
  ck_assert_msg(loaded, "%s", error.text);
  return sim;
}

struct pulpsim *guest_load_on(const struct guest *g, unsigned cores, const char *settings,
                              enum pulpsim_engine engine) {
  return guest_machine(g, "cluster-rtl", GUEST_L2, cores, settings, engine);
}

struct pulpsim *guest_load(const struct guest *g, unsigned cores, const char *settings) {
  return guest_load_on(g, cores, settings, PULPSIM_FAST);
}

struct pulpsim *guest_boot(const struct guest *g, uint32_t entry, unsigned cores,
                           const char *settings, enum pulpsim_engine engine) {
  return guest_machine(g, "pulp-open", entry, cores, settings, engine);
}

void guest_exit(struct guest *g) {
  li(g, T3, GUEST_SOC_CONTROL);
  li(g, T4, 0x80000000);
  sw(g, T4, 0xa0, T3);
  word(g, 0x0000006f); // j .
}

void guest_run(struct pulpsim *sim) {
  enum pulpsim_state state = pulpsim_run(sim, 2000000);
  ck_assert_msg(state == PULPSIM_EXITED, "state %d: %s", (int)state, pulpsim_reason(sim));
  ck_assert_int_eq(pulpsim_exit_status(sim), 0);
}

struct pulpsim *guest_finish(struct guest *g, unsigned cores, const char *settings) {
  guest_end(g);
  struct pulpsim *sim = guest_load(g, cores, settings);
  guest_run(sim);
  return sim;
}

void guest_fails(struct pulpsim *sim, const char *text) {
  enum pulpsim_state state = pulpsim_run(sim, 2000000);
  ck_assert_msg(state == PULPSIM_TRAPPED || state == PULPSIM_DEADLOCK, "state %d", (int)state);
  ck_assert_msg(strstr(pulpsim_reason(sim), text) != NULL, "%s", pulpsim_reason(sim));
}

uint64_t guest_mark(struct pulpsim *sim, unsigned core, unsigned index) {
  const struct pulpsim_stats *s = pulpsim_stats(sim);
  ck_assert_msg(index < s->core[core].marker_count, "core %u has %zu markers", core,
                s->core[core].marker_count);
  return s->core[core].markers[index].cycle;
}

uint64_t guest_stalls(struct pulpsim *sim, unsigned core, const char *cause) {
  for (unsigned i = 0; i < PULPSIM_CAUSES; i++)
    if (strcmp(pulpsim_cause_name(i), cause) == 0)
      return pulpsim_stats(sim)->core[core].total.stalls[i];
  ck_abort_msg("no cause %s", cause);
}

uint32_t guest_word(const struct pulpsim *sim, uint32_t address) {
  uint32_t word = 0;
  ck_assert(pulpsim_read(sim, address, &word, sizeof word));
  return word;
}

void guest_check_causes(struct pulpsim *sim, const char *what) {
  const struct pulpsim_stats *s = pulpsim_stats(sim);
  for (unsigned i = 0; i < s->core_count; i++) {
    uint64_t sum = 0;
    for (unsigned k = 0; k < PULPSIM_CAUSES; k++)
      sum += s->core[i].total.stalls[k];
    ck_assert_msg(sum == s->core[i].total.cycles, "%s: core %u: causes of %u of %u cycles", what, i,
                  (unsigned)sum, (unsigned)s->core[i].total.cycles);
  }
}
