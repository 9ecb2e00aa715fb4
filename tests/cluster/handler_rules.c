// tests/cluster/handler_rules.c: where a trap goes on a cluster's cores: where mtvec says, or,
// where that is not kept (riscv_cs_registers.sv with PULP_SECURE = 0), to the boot address. And
// that there is no division without a divider.
#include <check.h>

#include "guest.h"

Suite *handler_rules_suite(void);

enum { BY_MTVEC = 64, BY_BOOT = 128 }; // handlers: words in front of them
enum { ECALL = 0x73, CSR_MTVEC = 0x305 };

static struct guest g;

static void csr(unsigned f3, int rd, int rs1) {
  word(&g, (uint32_t)CSR_MTVEC << 20 | (uint32_t)rs1 << 15 | f3 << 12 | (uint32_t)rd << 7 | 0x73);
}

static void handler(unsigned at) {
  nops(&g, at - g.count);
  li(&g, A0, at);
  sw(&g, A0, 0, S10);
  csr(2, A1, ZERO);
  sw(&g, A1, 4, S10);
  guest_end(&g);
}

// Core 0 executes `what`, behind writes of both; the boot address is not one of a handler.
static void program(bool writes_mtvec, uint32_t what) {
  guest_begin(&g);
  li(&g, T1, GUEST_L2 + 4 * BY_MTVEC);
  if (writes_mtvec)
    csr(1, ZERO, T1);
  li(&g, T1, GUEST_L2 + 4 * BY_BOOT + 0x84);
  sw(&g, T1, 0x40, S8);
  lw(&g, ZERO, 0x40, S8);
  word(&g, what);
  handler(BY_MTVEC);
  handler(BY_BOOT);
}

static void check(const char *settings, unsigned goes_to, uint32_t reads) {
  for (unsigned engine = PULPSIM_FAST; engine <= PULPSIM_PLAIN; engine++) {
    struct pulpsim *sim = guest_load_on(&g, 1, settings, (enum pulpsim_engine)engine);
    guest_run(sim);
    ck_assert_uint_eq(guest_word(sim, GUEST_TCDM), goes_to);
    ck_assert_uint_eq(guest_word(sim, GUEST_TCDM + 4), reads);
    pulpsim_free(sim);
  }
}

START_TEST(mtvec_says_where) {
  program(true, ECALL);
  check("core.mtvec_kept=true", BY_MTVEC, GUEST_L2 + 4 * BY_MTVEC);
}
END_TEST

START_TEST(the_boot_address_says_where) {
  for (int writes_mtvec = 0; writes_mtvec < 2; writes_mtvec++) {
    program(writes_mtvec, ECALL);
    check("core.mtvec_kept=false", BY_BOOT, GUEST_L2 + 4 * BY_BOOT + 1);
  }
}
END_TEST

START_TEST(what_the_unit_lacks_traps) {
  static const uint32_t words[] = {0x18b57553, 0x580575d3}; // fdiv.s a0, a0, a1; fsqrt.s a1, a0
  for (unsigned i = 0; i < sizeof words / sizeof *words; i++) {
    program(true, words[i]);
    check("core.fpu.present=true core.fpu.divider=none", BY_MTVEC, GUEST_L2 + 4 * BY_MTVEC);
    guest_begin(&g);
    word(&g, words[i]);
    pulpsim_free(guest_finish(&g, 1, "core.fpu.present=true core.fpu.divider=mvp"));
  }
}
END_TEST

Suite *handler_rules_suite(void) {
  Suite *s = suite_create("handler_rules");
  TCase *t = tcase_create("traps");
  tcase_add_test(t, mtvec_says_where);
  tcase_add_test(t, the_boot_address_says_where);
  tcase_add_test(t, what_the_unit_lacks_traps);
  suite_add_tcase(s, t);
  return s;
}
