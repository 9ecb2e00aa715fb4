// tests/deploy/stacks.c: how deep the stacks of networks' programs get: within what the plan leaves
// them (PLAN_STACK).
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "deploy/emit/machine.h"
#include "deploy/memory.h"
#include "sim/pulpsim.h"

Suite *stacks_suite(void);

enum { CORES = 8, L1_END = 0x10010000, L3 = 0x60000000, MARK = 0xa5, STACK_MOST = 8192 };

// Into a folder of its own; its name, which the caller frees.
static char *deploy(const char *model) {
  char *dir = memory_format("%s/tests/stacks", TEST_BUILD_DIR);
  char *command = memory_format("%s/pulpsim-deploy %s --tiles estimate --run -o %s > %s.log 2>&1",
                                TEST_BUILD_DIR, model, dir, dir);
  int status = system(command); // NOLINT(cert-env33-c)
  ck_assert_msg(status == 0, "%s: status %d", command, WEXITSTATUS(status));
  free(command);
  return dir;
}

static struct pulpsim *load(const char *dir) {
  struct pulpsim_error error = {""};
  char *elf = memory_format("%s/net.elf", dir), *weights = memory_format("%s/l3.bin", dir);
  struct pulpsim *sim = machine_new("gap8", NULL, &error);
  ck_assert_msg(sim && pulpsim_load(sim, elf, &error) &&
                    pulpsim_load_file(sim, weights, L3, &error),
                "%s", error.text);
  free(elf);
  free(weights);
  return sim;
}

// Bytes of the deepest of the cores' stacks, each of `size` bytes, that the program wrote to.
static uint32_t deepest(struct pulpsim *sim, uint32_t size) {
  static uint8_t all[CORES * STACK_MOST];
  uint32_t most = 0;
  memset(all, MARK, sizeof all);
  ck_assert(pulpsim_write(sim, L1_END - CORES * size, all, (size_t)CORES * size));
  ck_assert_int_eq(pulpsim_run(sim, PULPSIM_NO_LIMIT), PULPSIM_EXITED);
  ck_assert(pulpsim_read(sim, L1_END - CORES * size, all, (size_t)CORES * size));
  for (uint32_t core = 0; core < CORES; core++) {
    uint32_t left = 0;
    while (left < size && all[core * size + left] == MARK)
      left++;
    most = size - left > most ? size - left : most;
  }
  return most;
}

START_TEST(stacks_suffice) {
  static const char *const models[] = {
      "ds_cnn", "resnet8", "mobilenet_v2:96:0.25",
      "tests/data/networks/kws_int8.tflite", // requantized as TensorFlow Lite does
  };
  char *dir = deploy(models[_i]);
  struct pulpsim *sim = load(dir);
  uint32_t end = 0;
  ck_assert(pulpsim_symbol(sim, "__l1_end", &end));
  uint32_t size = (L1_END - end) / CORES & ~15u; // as much as there is: what is too deep is seen
  size = size < STACK_MOST ? size : STACK_MOST;
  ck_assert_uint_ge(size, PLAN_STACK);
  uint32_t most = deepest(sim, size);
  ck_assert_msg(most > PLAN_STACK / 4 && most <= PLAN_STACK, "%s: %u bytes of a stack, of %d",
                models[_i], most, PLAN_STACK);
  pulpsim_free(sim);
  free(dir);
}
END_TEST

Suite *stacks_suite(void) {
  Suite *suite = suite_create("stacks");
  TCase *tc = tcase_create("stacks");
  tcase_add_loop_test(tc, stacks_suffice, 0, 4);
  tcase_set_timeout(tc, 120);
  suite_add_tcase(suite, tc);
  return suite;
}
