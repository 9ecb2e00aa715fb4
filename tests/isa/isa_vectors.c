// tests/isa/isa_vectors.c: the integer rows give what the RTL gave.
//
// tests/data/isa/*-vectors.tsv.gz: measured on the RTL of CV32E40P (CORE-V, RV32IM) and of
// RI5CY (XpulpV2): word, x10 before, x11, x12, x10 after, in hexadecimal.
// tests/data/isa/examples.tsv: the same for rows of which there are no measurements, worked out
// from the definition of each operation, apart from the rows.
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "interp.h"
#include "reference.h"

Suite *isa_vectors_suite(void);

static uint32_t hex(const char *s) {
  return (uint32_t)strtoul(s, NULL, 16);
}

static void check_vector(const struct isa_decoder *dec, const char *const f[]) {
  struct isa_insn insn;
  struct interp m;
  memset(&m, 0, sizeof m);
  ck_assert_msg(isa_decode(dec, hex(f[1]), &insn), "%s %s does not decode", f[0], f[1]);
  m.x[10] = hex(f[2]);
  m.x[11] = hex(f[3]);
  m.x[12] = hex(f[4]);
  interp_step(&m, &insn);
  ck_assert_msg(m.x[10] == hex(f[5]), "%s %s, rd %s, rs1 %s, rs2 %s: %08x, RTL %s", f[0], f[1],
                f[2], f[3], f[4], m.x[10], f[5]);
  ck_assert_msg(m.x[11] == hex(f[3]) && m.x[12] == hex(f[4]), "%s %s changes a source", f[0], f[1]);
}

static int check_file(const char *path, enum isa_set extra) {
  static const char *const names[] = {"mnemonic", "encoding", "rd_in", "rs1", "rs2", "rd_out"};
  struct isa_decoder *dec =
      isa_decoder_new(ISA_BIT(ISA_RV32I) | ISA_BIT(ISA_RV32M) | ISA_BIT(extra), false);
  struct reference r;
  int count = 0;
  reference_open(&r, path, names, 6);
  for (; reference_next(&r); count++)
    check_vector(dec, r.field);
  reference_close(&r);
  isa_decoder_free(dec);
  return count;
}

static const struct {
  const char *file, *full;
  enum isa_set set;
  int least;
} sets[] = {
    {"rv32im", "semantics/rv32im-semantics.tsv", ISA_RV32M, 1471},
    {"xpulpv2", "semantics/xpulpv2-ri5cy-semantics.tsv", ISA_XPULPV2, 7000},
    {"corev", "semantics/corev-semantics.tsv", ISA_COREV, 7000},
};

START_TEST(as_the_rtl) {
  char path[128];
  snprintf(path, sizeof path, "tests/data/isa/%s-vectors.tsv.gz", sets[_i].file);
  ck_assert_int_ge(check_file(path, sets[_i].set), sets[_i].least);
}
END_TEST

START_TEST(as_the_full_set) {
  const char *path = reference_full(sets[_i].full);
  if (path != NULL)
    ck_assert_int_ge(check_file(path, sets[_i].set), sets[_i].least);
}
END_TEST

static enum isa_set set_named(const char *name) {
  for (int set = 0; set < ISA_SET_COUNT; set++)
    if (strcmp(isa_set_names[set], name) == 0)
      return (enum isa_set)set;
  ck_abort_msg("no instruction set is called %s", name);
}

START_TEST(examples) {
  static const char *const names[] = {"mnemonic", "encoding", "rd_in", "rs1",
                                      "rs2",      "rd_out",   "set"};
  struct reference r;
  int count = 0;
  reference_open(&r, "tests/data/isa/examples.tsv", names, 7);
  for (; reference_next(&r); count++) {
    struct isa_decoder *dec = isa_decoder_new(ISA_BIT(set_named(r.field[6])), false);
    check_vector(dec, r.field);
    isa_decoder_free(dec);
  }
  reference_close(&r);
  ck_assert_int_ge(count, 300);
}
END_TEST

Suite *isa_vectors_suite(void) {
  Suite *s = suite_create("isa_vectors");
  TCase *c = tcase_create("RTL");
  tcase_add_test(c, examples);
  tcase_add_loop_test(c, as_the_rtl, 0, 3);
  tcase_add_loop_test(c, as_the_full_set, 0, 3);
  suite_add_tcase(s, c);
  return s;
}
