// tests/isa/isa_macload.c: XpulpNN's mac&load, whose registers are hidden.
#include <check.h>
#include <string.h>

#include "interp.h"

Suite *isa_macload_suite(void);

enum { ACC = 10, POINTER = 11, RELOAD_A = 8, RELOAD_W = 16 };

static struct interp m;
static uint8_t memory[64];

static void set_up(void) {
  memset(&m, 0, sizeof m);
  for (unsigned i = 0; i < sizeof memory; i++)
    memory[i] = (uint8_t)(0x91 + 7 * i);
  m.memory = memory;
  m.size = sizeof memory;
}

static uint32_t word_at(uint32_t address) {
  uint32_t w;
  memcpy(&w, memory + address, 4);
  return w;
}

// Runs `mnemonic rd,(x11),imm`.
static void run(const char *mnemonic, uint8_t rd, int32_t imm) {
  struct isa_decoder *dec = isa_decoder_new(ISA_BIT(ISA_XPULPNN), false);
  int enc = isa_find(mnemonic, 0);
  ck_assert(enc >= 0);
  struct isa_insn insn = {.enc = (uint16_t)enc, .rd = rd, .rs3 = rd, .rs1 = POINTER, .imm = imm};
  uint32_t word;
  ck_assert(isa_encode(&insn, &word) && isa_decode(dec, word, &insn));
  interp_step(&m, &insn);
  ck_assert_int_eq(m.event, INTERP_NONE);
  isa_decoder_free(dec);
}

// With x0 as the accumulator the instruction only loads, and the pointer moves by a word.
START_TEST(loads) {
  static const int32_t immediates[] = {RELOAD_A | 0,      RELOAD_A | 1,      RELOAD_W | 0 << 1,
                                       RELOAD_W | 1 << 1, RELOAD_W | 2 << 1, RELOAD_W | 3 << 1};
  for (int i = 0; i < 6; i++) {
    run("pv.mlsdotup.b", 0, immediates[i]);
    ck_assert_uint_eq(m.nn[i], word_at((uint32_t)i * 4));
    ck_assert_uint_eq(m.x[POINTER], (uint32_t)i * 4 + 4);
    ck_assert_uint_eq(m.x[0], 0);
  }
}
END_TEST

// The product is of the old registers; an activation's reload wins over a weight's.
START_TEST(reload_is_late) {
  m.nn[1] = 0x01020304;
  m.nn[4] = 0x05060708;
  m.x[ACC] = 1000;
  m.x[POINTER] = 8;
  run("pv.mlsdotup.b", ACC, RELOAD_A | RELOAD_W | 2 << 1 | 1);
  ck_assert_uint_eq(m.x[ACC], 1000 + 1 * 5 + 2 * 6 + 3 * 7 + 4 * 8);
  ck_assert_uint_eq(m.nn[1], word_at(8));
  ck_assert_uint_eq(m.nn[4], 0x05060708);
  ck_assert_uint_eq(m.x[POINTER], 12);
}
END_TEST

START_TEST(no_reload) {
  m.nn[0] = m.nn[2] = 0x01010101;
  m.x[POINTER] = 0xfffffff0; // is not accessed
  run("pv.mlsdotup.b", ACC, 0);
  ck_assert_uint_eq(m.x[ACC], 4);
  ck_assert_uint_eq(m.x[POINTER], 0xfffffff0);
}
END_TEST

// Which side is signed: all lanes of both registers are -1 or the largest unsigned value.
START_TEST(signs) {
  static const struct {
    const char *mnemonic;
    int32_t sum;
  } cases[] = {
      {"pv.mlsdotup.h", 2 * 65535u * 65535u}, {"pv.mlsdotsp.h", 2},
      {"pv.mlsdotup.b", 4 * 255 * 255},       {"pv.mlsdotsp.b", 4},
      {"pv.mlsdotup.n", 8 * 15 * 15},         {"pv.mlsdotsp.n", 8},
      {"pv.mlsdotup.c", 16 * 3 * 3},          {"pv.mlsdotsp.c", 16},
      {"pv.mlsdotusp.b", 4 * 255 * -1},       {"pv.mlsdotsup.b", 4 * 255 * -1},
      {"pv.mlsdotusp.n", 8 * 15 * -1},        {"pv.mlsdotsup.c", 16 * 3 * -1},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    m.nn[0] = m.nn[2] = UINT32_MAX;
    m.x[ACC] = 0;
    run(cases[i].mnemonic, ACC, 0);
    ck_assert_msg(m.x[ACC] == (uint32_t)cases[i].sum, "%s: %08x", cases[i].mnemonic, m.x[ACC]);
  }
  // activations -1, weights 1: negative only if activations are signed
  m.nn[0] = UINT32_MAX;
  m.nn[2] = 0x01010101;
  m.x[ACC] = 0;
  run("pv.mlsdotusp.b", ACC, 0);
  ck_assert_int_eq((int32_t)m.x[ACC], -4);
  m.x[ACC] = 0;
  run("pv.mlsdotsup.b", ACC, 0);
  ck_assert_int_eq((int32_t)m.x[ACC], 4 * 255);
}
END_TEST

Suite *isa_macload_suite(void) {
  Suite *s = suite_create("isa_macload");
  TCase *c = tcase_create("mac&load");
  tcase_add_checked_fixture(c, set_up, NULL);
  tcase_add_test(c, loads);
  tcase_add_test(c, reload_is_late);
  tcase_add_test(c, no_reload);
  tcase_add_test(c, signs);
  suite_add_tcase(s, c);
  return s;
}
