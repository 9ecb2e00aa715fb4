// tests/kernels/nn_shapes.c: what quantized layers of hard shapes reach on eight cores: by
// kernels/bench/nn_shape.c, which compares their outputs, too.
#include <check.h>
#include <stdio.h>

#include "sim/pulpsim.h"

Suite *nn_shapes_suite(void);

enum { LIMIT = 20 * 1000 * 1000, CONV = 0, MIXED = 1, DEPTHWISE = 2, LINEAR = 3 };

// As `bench_shape` of that program: kind; height, width, channels, filters; kernel, stride; pads
// top, bottom, left, right; bits of input, weights and output.
struct shape {
  uint32_t words[15];
};

static void ignore(void *user, int fd, const char *bytes, size_t count) {
  (void)user, (void)fd, (void)bytes, (void)count;
}

// Useful MAC per cycle of a warm call.
static double reached(const struct shape *shape) {
  struct pulpsim_error error = {""};
  struct pulpsim_config *config = pulpsim_config_new("pulp-open", &error);
  ck_assert_msg(config != NULL, "%s", error.text);
  struct pulpsim *sim = pulpsim_new(config, &error);
  pulpsim_config_free(config);
  ck_assert_msg(sim != NULL, "%s", error.text);
  pulpsim_on_output(sim, ignore, NULL);
  uint32_t at;
  ck_assert_msg(pulpsim_load(sim, TEST_BUILD_DIR "/kernels/nn_shape.elf", &error), "%s",
                error.text);
  ck_assert(pulpsim_symbol(sim, "bench_shape", &at));
  ck_assert(pulpsim_write(sim, at, shape->words, sizeof shape->words));
  ck_assert_int_eq(pulpsim_run(sim, LIMIT), PULPSIM_EXITED);
  ck_assert_int_eq(pulpsim_exit_status(sim), 0);
  const struct pulpsim_region *warm = &pulpsim_stats(sim)->region[0];
  ck_assert_str_eq(warm->name, "warm");
  double result = (double)warm->useful_macs / (double)warm->cycles;
  pulpsim_free(sim);
  return result;
}

static const struct shape grid[] = {
    {{CONV, 4, 4, 512, 64, 1, 1, 1, 0, 0, 0, 0, 8, 8, 8}},
    {{CONV, 1, 1, 64, 48, 3, 3, 1, 1, 1, 1, 1, 8, 8, 8}},
    {{CONV, 2, 2, 64, 48, 3, 3, 1, 1, 1, 1, 1, 8, 8, 8}},
    {{CONV, 3, 3, 32, 30, 3, 3, 1, 0, 0, 0, 0, 8, 8, 8}},
    {{CONV, 16, 16, 16, 96, 1, 1, 1, 0, 0, 0, 0, 8, 8, 8}},
    {{CONV, 16, 16, 64, 1, 1, 1, 1, 0, 0, 0, 0, 8, 8, 8}},
    {{CONV, 8, 8, 30, 30, 3, 3, 1, 1, 1, 1, 1, 8, 8, 8}},
    {{CONV, 32, 32, 3, 32, 3, 3, 2, 0, 1, 0, 1, 8, 8, 8}},
    {{CONV, 8, 32, 3, 16, 3, 3, 1, 1, 1, 1, 1, 8, 8, 8}},
    {{CONV, 5, 7, 12, 20, 3, 3, 1, 1, 1, 1, 1, 8, 8, 8}},
    {{CONV, 12, 12, 48, 16, 1, 1, 1, 0, 0, 0, 0, 8, 8, 8}},
    {{CONV, 3, 3, 56, 120, 1, 1, 1, 0, 0, 0, 0, 8, 8, 8}},
    {{CONV, 9, 9, 1, 8, 5, 5, 2, 2, 2, 2, 2, 8, 8, 8}},
    {{CONV, 11, 6, 10, 7, 2, 3, 1, 0, 1, 1, 0, 8, 8, 8}},
};
enum { GRID = sizeof grid / sizeof *grid };

START_TEST(bytes_are_not_slower_than_mixed) {
  struct shape mixed = grid[_i];
  mixed.words[0] = MIXED;
  double bytes = reached(&grid[_i]), other = reached(&mixed);
  ck_assert_msg(bytes >= other, "shape %d: %.2f MAC/cycle, by nn_mixed.h %.2f", _i, bytes, other);
}
END_TEST

static const struct bar {
  struct shape shape;
  double macs_per_cycle;
} bars[] = {
    {{{CONV, 32, 32, 3, 32, 3, 3, 2, 0, 1, 0, 1, 8, 8, 8}}, 9},
    {{{CONV, 1, 1, 64, 48, 3, 3, 1, 1, 1, 1, 1, 8, 8, 8}}, 22},
    {{{MIXED, 1, 1, 64, 48, 3, 3, 1, 1, 1, 1, 1, 8, 8, 8}}, 15},
    {{{CONV, 2, 2, 64, 48, 3, 3, 1, 1, 1, 1, 1, 8, 8, 8}}, 11},
    {{{CONV, 16, 16, 64, 1, 1, 1, 1, 0, 0, 0, 0, 8, 8, 8}}, 7},
    {{{CONV, 16, 16, 64, 3, 1, 1, 1, 0, 0, 0, 0, 8, 8, 8}}, 9},
    {{{DEPTHWISE, 4, 4, 512, 512, 3, 3, 1, 1, 1, 1, 1, 8, 8, 8}}, 3.5},
    {{{DEPTHWISE, 8, 8, 512, 512, 3, 3, 2, 0, 1, 0, 1, 8, 8, 8}}, 3.5},
    {{{DEPTHWISE, 17, 17, 64, 64, 3, 3, 2, 1, 1, 1, 1, 8, 8, 8}}, 4},
    {{{DEPTHWISE, 16, 16, 64, 64, 3, 3, 2, 1, 1, 1, 1, 4, 4, 4}}, 3.2},
    {{{DEPTHWISE, 16, 16, 32, 32, 5, 5, 1, 2, 2, 2, 2, 8, 8, 8}}, 4.2},
    {{{LINEAR, 1, 1, 1024, 40, 1, 1, 1, 0, 0, 0, 0, 8, 8, 8}}, 11},
    {{{LINEAR, 1, 1, 128, 8, 1, 1, 1, 0, 0, 0, 0, 8, 8, 8}}, 3},
    {{{LINEAR, 1, 1, 64, 10, 1, 1, 1, 0, 0, 0, 0, 8, 8, 8}}, 2},
};
enum { BARS = sizeof bars / sizeof *bars };

START_TEST(hard_shapes_reach_what_they_must) {
  double is = reached(&bars[_i].shape);
  ck_assert_msg(is >= bars[_i].macs_per_cycle, "shape %d: %.2f MAC/cycle, at least %.2f wanted", _i,
                is, bars[_i].macs_per_cycle);
}
END_TEST

Suite *nn_shapes_suite(void) {
  Suite *suite = suite_create("nn_shapes");
  TCase *tcase = tcase_create("nn_shapes");
  tcase_set_timeout(tcase, 120);
  tcase_add_loop_test(tcase, bytes_are_not_slower_than_mixed, 0, GRID);
  tcase_add_loop_test(tcase, hard_shapes_reach_what_they_must, 0, BARS);
  suite_add_tcase(suite, tcase);
  return suite;
}
