// tests/kernels/train_sim.c: the training kernels on the simulated machine: every grid, networks
// that learn the same on one core and on eight, and the figures that the project promises.
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "grid_sample.h"
#include "grid_train.h"
#include "sim/pulpsim.h"

Suite *train_sim_suite(void);

enum { LIMIT = 400 * 1000 * 1000 };

// One, all, an even part and two that leave something over; train_host.c takes every number.
static const unsigned grid_cores[] = {1, 2, 3, 5, 8};
enum { GRID_CORES = sizeof grid_cores / sizeof *grid_cores };

static const char *const grids[] = {
#define GRID(name) "test/grid_" #name,
    TRAIN_GRIDS(GRID)
#undef GRID
};
enum { GRID_COUNT = sizeof grids / sizeof *grids };

// What a program printed, as much as fits.
struct text {
  char bytes[2000];
  size_t used;
};

static void keep(void *user, int fd, const char *bytes, size_t count) {
  struct text *text = user;
  (void)fd;
  for (size_t i = 0; i < count && text->used < sizeof text->bytes - 1; i++)
    text->bytes[text->used++] = bytes[i];
  text->bytes[text->used] = '\0';
}

// Results do not depend on the instruction cache; the simulator takes a tenth of the time where no
// fetch waits.
static const char *const no_fetch_waits = "cluster.icache.model=ideal";

// Runs to the end, which must be a good one. `setting` may be NULL. The caller frees.
static struct pulpsim *run(const char *program, unsigned cores, const char *setting,
                           struct text *text) {
  struct pulpsim_error error = {""};
  char path[256];
  *text = (struct text){"", 0};
  struct pulpsim_config *config = pulpsim_config_new("trainlib", &error);
  ck_assert_msg(config != NULL, "%s", error.text);
  snprintf(path, sizeof path, "cluster.cores=%u", cores);
  ck_assert_msg(pulpsim_config_set(config, path, &error) &&
                    (!setting || pulpsim_config_set(config, setting, &error)),
                "%s", error.text);
  struct pulpsim *sim = pulpsim_new(config, &error);
  ck_assert_msg(sim != NULL, "%s", error.text);
  pulpsim_config_free(config);
  pulpsim_on_output(sim, keep, text);
  snprintf(path, sizeof path, "%s/kernels/%s.elf", TEST_BUILD_DIR, program);
  ck_assert_msg(pulpsim_load(sim, path, &error), "%s", error.text);
  enum pulpsim_state state = pulpsim_run(sim, LIMIT);
  ck_assert_msg(state == PULPSIM_EXITED && pulpsim_exit_status(sim) == 0,
                "%s on %u cores: %s, status %d; it printed: %s", program, cores,
                state == PULPSIM_READY ? "cycle limit" : pulpsim_reason(sim),
                pulpsim_exit_status(sim), text->bytes);
  return sim;
}

START_TEST(grid_equals_reference) {
  struct text text;
  pulpsim_free(run(grids[GRID_OF_RUN(_i, GRID_CORES)],
                   grid_cores[GRID_NUMBER_OF_RUN(_i, GRID_CORES)], no_fetch_waits, &text));
}
END_TEST

// Sums have the same order on any number of cores: so have losses, accuracy and weights the same
// bits. Waits for instructions change when transfers meet, and nothing else.
static const char *const learners[] = {"train_mlp",         "train_mlp_fashion", "train_cnn",
                                       "train_autoencoder", "train_ds_cnn",      "train_ds_cnn_f16",
                                       "train_ds_cnn_bf16"};
enum { LEARNER_COUNT = sizeof learners / sizeof *learners };

START_TEST(network_learns_the_same_on_any_cores) {
  struct text one, eight, waiting;
  pulpsim_free(run(learners[_i], 1, no_fetch_waits, &one));
  pulpsim_free(run(learners[_i], 8, no_fetch_waits, &eight));
  pulpsim_free(run(learners[_i], 8, NULL, &waiting));
  ck_assert(strstr(one.bytes, "held-out accuracy") || strstr(one.bytes, "loss"));
  ck_assert_str_eq(one.bytes, eight.bytes);
  ck_assert_str_eq(one.bytes, waiting.bytes);
}
END_TEST

static double macs_per_cycle(const char *program, unsigned cores) {
  struct text text;
  struct pulpsim *sim = run(program, cores, NULL, &text);
  const struct pulpsim_stats *stats = pulpsim_stats(sim);
  ck_assert_uint_ge(stats->region_count, 1);
  ck_assert_uint_gt(stats->region[0].cycles, 0);
  double result = (double)stats->region[0].useful_macs / (double)stats->region[0].cycles;
  pulpsim_free(sim);
  return result;
}

static const struct figure {
  const char *program;
  double macs_per_cycle; // useful MAC per cycle, 8 cores
  double speed_up;       // over one core
} figures[] = {
    {"mmt_f32_naive", 1.5, 7.8},
    {"mmt_f32_u2", 1.8, 7.8},
    {"mmt_f32_1x1", 2.2, 7.8},
    {"mmt_f32_4x4", 4.1, 7.7},
    {"mmt_pack", 4.4, 7.35},
    {"mmt_pack_a", 4.6, 7.45},
    {"mmt_by_k", 3.3, 5.7},
    {"mmt_f32_nn", 4.7, 7.5},
    {"mmt_f32_nt", 4.4, 7.5},
    {"mmt_f32_tn", 4.95, 7.7},
    {"mmt_f16_nt", 8.6, 7.4},
    {"mmt_f16_nn", 8.5, 7.4},
    {"mmt_f16_tn", 8.45, 7.4},
    {"mmt_bf16_nt", 8.6, 7.4},
    {"train_conv2d_fw", 4.9, 7.6},
    {"train_conv2d_wg", 4.55, 7.6},
    {"train_conv2d_ig", 4.7, 7.6},
    {"train_depthwise_fw", 3.95, 7.4},
    {"train_depthwise_wg", 3.95, 7.4},
    {"train_depthwise_ig", 3.4, 7.3},
    {"train_linear_fw", 3.05, 7.4},
    {"train_linear_wg", 3.38, 7.45},
    {"train_linear_ig", 3.37, 7.5},
    {"train_pointwise_fw", 4.6, 7.3},
    {"train_pointwise_wg", 4.3, 7.3},
    {"train_pointwise_ig", 4.5, 7.5},
    {"train_conv2d_fw_f16", 6.4, 7},
    {"train_conv2d_wg_f16", 6.2, 6.75},
    {"train_conv2d_ig_f16", 6.4, 7},
    {"train_conv2d_fw_hwc", 3.8, 7.15},
    {"train_conv2d_wg_hwc", 3.95, 6.75},
    {"train_conv2d_ig_hwc", 3.55, 7},
    {"train_pointwise_fw_f16", 6.15, 6.85},
    {"train_pointwise_wg_f16", 6.1, 6.65},
    {"train_pointwise_ig_f16", 5.3, 7},
    {"train_linear_fw_f16", 5.2, 6.8},
    {"train_linear_wg_f16", 5.2, 6.65},
    {"train_linear_ig_f16", 2.75, 7.15},
    {"train_depthwise_fw_f16", 3.5, 7.05},
    {"train_depthwise_wg_f16", 3.2, 7.05},
    {"train_depthwise_ig_f16", 3.0, 7.15},
    {"train_depthwise_fw_hwc", 2.1, 7.4},
    {"train_depthwise_wg_hwc", 2.1, 7.3},
    {"train_depthwise_ig_hwc", 1.8, 7.5},
    {"train_conv_s2_fw", 3.5, 6},
    {"train_conv_s2_wg", 3.5, 5.5},
    {"train_conv_s2_ig", 2.5, 5},
    {"train_conv_first_fw", 3.5, 5},
    {"train_conv_first_wg", 3.2, 5},
    {"train_conv_first_ig", 2.3, 5},
    {"train_1x1_s2_fw", 3.6, 6.8},
    {"train_1x1_s2_wg", 3.5, 6.8},
    {"train_1x1_s2_ig", 3, 6.5},
    {"train_linear_odd_fw_f16", 3.9, 6},
    {"train_linear_odd_wg_f16", 4.2, 6},
    {"train_linear_odd_ig_f16", 2.65, 6.5},
    {"train_dw_s2_fw", 2.5, 6},
    {"train_dw_s2_wg", 2.4, 6},
    {"train_dw_s2_ig", 2.1, 6},
    {"train_dw_s2_fw_f16", 2.4, 6},
    {"train_dw_s2_wg_f16", 2.05, 6},
    {"train_dw_s2_ig_f16", 1.75, 6},
    {"train_dw_pad_fw", 4, 7},
    {"train_dw_pad_wg", 3.9, 7},
    {"train_dw_pad_ig", 4, 7},
};
enum { FIGURE_COUNT = sizeof figures / sizeof *figures };

START_TEST(figure_is_reached) {
  const struct figure *figure = &figures[_i];
  double one = macs_per_cycle(figure->program, 1), eight = macs_per_cycle(figure->program, 8);
  ck_assert_msg(eight >= figure->macs_per_cycle, "%s: %.2f MAC/cycle, at least %.2f wanted",
                figure->program, eight, figure->macs_per_cycle);
  ck_assert_msg(eight / one >= figure->speed_up, "%s: speed-up %.2f, at least %.2f wanted",
                figure->program, eight / one, figure->speed_up);
}
END_TEST

Suite *train_sim_suite(void) {
  Suite *suite = suite_create("train_sim");
  TCase *grid = tcase_create("grid");
  tcase_set_timeout(grid, 240);
  tcase_add_loop_test(grid, grid_equals_reference, 0, GRID_RUNS(GRID_COUNT, GRID_CORES));
  suite_add_tcase(suite, grid);
  TCase *learn = tcase_create("learning");
  tcase_set_timeout(learn, 900);
  tcase_add_loop_test(learn, network_learns_the_same_on_any_cores, 0, LEARNER_COUNT);
  suite_add_tcase(suite, learn);
  TCase *figure = tcase_create("figures");
  tcase_set_timeout(figure, 240);
  tcase_add_loop_test(figure, figure_is_reached, 0, FIGURE_COUNT);
  suite_add_tcase(suite, figure);
  return suite;
}
