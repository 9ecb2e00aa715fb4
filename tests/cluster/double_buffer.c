// tests/cluster/double_buffer.c: a kernel with two buffers hides its transfers, as long as the way
// to L2 is fast enough: kernels/bench/speed_layer.c.
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "sim/pulpsim.h"

Suite *double_buffer_suite(void);

// What cannot be hidden: the first tile of 4 kB on its way in, the last one of 16 kB on its way out
// (docs/timing-cluster.md, DMA, L = 15), and the instructions around each wait.
enum { FIRST_AND_LAST = 572 + 2267, CORES = 8 };

static uint64_t dma_wait(unsigned port_bytes, uint64_t *cycles) {
  struct pulpsim_error error;
  char text[64];
  struct pulpsim_config *k = pulpsim_config_new("pulp-open", &error);
  ck_assert(k != NULL);
  snprintf(text, sizeof text, "l2.port_bytes=%u", port_bytes);
  ck_assert_msg(pulpsim_config_set(k, text, &error), "%s", error.text);
  struct pulpsim *sim = pulpsim_new(k, &error);
  pulpsim_config_free(k);
  ck_assert_msg(sim != NULL, "%s", error.text);
  ck_assert_msg(pulpsim_load(sim, TEST_BUILD_DIR "/kernels/speed_layer.elf", &error), "%s",
                error.text);
  ck_assert_int_eq(pulpsim_run(sim, 100000000), PULPSIM_EXITED);
  ck_assert_int_eq(pulpsim_exit_status(sim), 0);
  const struct pulpsim_stats *s = pulpsim_stats(sim);
  ck_assert_uint_eq(s->region_count, 1);
  *cycles = s->region[0].cycles;
  uint64_t wait = 0;
  for (unsigned i = 0; i < CORES; i++)
    for (unsigned j = 0; j < PULPSIM_CAUSES; j++)
      if (strcmp(pulpsim_cause_name(j), "dma_wait") == 0)
        wait += s->region[0].core[i].stalls[j];
  pulpsim_free(sim);
  return wait;
}

START_TEST(transfers_are_hidden_until_l2_is_too_slow) {
  uint64_t wait[4], cycles[4];
  for (unsigned i = 0; i < 4; i++)
    wait[i] = dma_wait(8u >> i, &cycles[i]);
  ck_assert_uint_le(wait[0], FIRST_AND_LAST);
  for (unsigned i = 1; i < 4; i++) {
    ck_assert_uint_gt(wait[i], wait[i - 1] + wait[0] / 2);
    ck_assert_uint_gt(cycles[i], cycles[i - 1]);
  }
  // At a byte per cycle the transfers take longer than the work: they are what it waits for.
  ck_assert_uint_gt(wait[3], 8 * wait[0]);
  ck_assert_uint_gt(cycles[3] - cycles[0], (wait[3] - wait[0]) * 9 / 10);
}
END_TEST

Suite *double_buffer_suite(void) {
  Suite *s = suite_create("double_buffer");
  TCase *t = tcase_create("kernel");
  tcase_set_timeout(t, 300);
  tcase_add_test(t, transfers_are_hidden_until_l2_is_too_slow);
  suite_add_tcase(s, t);
  return s;
}
