// tests/deploy/tune.c: the tuner: no way is faster than its bound or the tuner's choice; the same
// choice with any number of processes; what is known is not run again.
#include <check.h>
#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "deploy/tune/estimate.h"
#include "deploy/tune/network.h"
#include "deploy/tune/published.h"
#include "deploy/tune/search.h"
#include "tests/observe/tool.h"

Suite *tune_suite(void);

enum { NO_SLURM = 69 }; // slurm_of_one.sh

static const struct tune_machine machine = {8, 6000};
static const struct {
  const char *kind, *shape;
  enum tune_step step;
} layers[] = {
    {"linear", "90,17", TUNE_FW},
    {"pointwise", "10x5x4,9", TUNE_WG},
    {"linear", "33,50", TUNE_IG},
};
enum { LAYERS = sizeof layers / sizeof *layers };

static struct tune_measure with(const char *results, unsigned jobs) {
  return (struct tune_measure){.program = TEST_BUILD_DIR "/kernels/train_tiled.elf",
                               .machine = "trainlib",
                               .results = results,
                               .cores = machine.cores,
                               .jobs = jobs};
}

static struct tune_product parse(const char *kind, const char *shape, enum tune_step step) {
  struct tune_layer layer;
  struct net_error error;
  ck_assert_msg(tune_layer_parse(&layer, kind, shape, &error), "%s", error.text);
  return tune_layer_product(&layer, step);
}

static struct tune_product product_of(int i) {
  return parse(layers[i].kind, layers[i].shape, layers[i].step);
}

static struct tune_way choice_on(const struct tune_machine *on, const struct tune_product *product,
                                 const char *results, unsigned jobs, struct tune_figures *figures) {
  const struct tune_measure measure = with(results, jobs);
  const struct tune_limits limits = {.slack = 1.3};
  struct net_error error = {.text = ""};
  struct tune_search search = {.with = &measure};
  struct tune_way best;
  size_t count;
  if (results) {
    search.store = tune_store_open(&measure, &error);
    ck_assert_msg(search.store != NULL, "%s", error.text);
  }
  struct tune_way *ways = tune_space(product, on, &limits, &count);
  ck_assert_ptr_nonnull(ways);
  ck_assert_msg(tune_search(&search, product, ways, count, &best, figures, &error), "%s",
                error.text);
  tune_store_close(search.store);
  free(ways);
  return best;
}

static struct tune_way choice(const struct tune_product *product, const char *results,
                              unsigned jobs, struct tune_figures *figures) {
  return choice_on(&machine, product, results, jobs, figures);
}

// So small that all ways can be run.
static const struct {
  const char *kind, *shape;
  enum tune_step step;
  struct tune_machine machine;
} small[] = {
    {"linear", "3,2", TUNE_FW, {8, 120}},
    {"linear", "2,3", TUNE_WG, {8, 100}},
    {"pointwise", "2x2x1,2", TUNE_IG, {8, 100}},
};
enum { SMALL = sizeof small / sizeof *small };

static uint64_t fastest(const struct tune_product *product, struct tune_way *ways, size_t count) {
  static const struct tune_run warm = {.warm_call = TUNE_WARM_CALL};
  const struct tune_measure measure = with(NULL, 2);
  struct tune_way *batch[TUNE_BATCH];
  struct tune_figures figures = {0, 0};
  struct net_error error = {.text = ""};
  uint64_t least = UINT64_MAX;
  for (size_t begin = 0, size; begin < count; begin += size) {
    size = count - begin < TUNE_BATCH ? count - begin : TUNE_BATCH;
    for (size_t i = 0; i < size; i++)
      batch[i] = &ways[begin + i];
    ck_assert_msg(tune_run_all(&measure, NULL, product, &warm, batch, size, &figures, &error), "%s",
                  error.text);
    for (size_t i = 0; i < size; i++)
      least = batch[i]->cycles < least ? batch[i]->cycles : least;
  }
  ck_assert_uint_eq(figures.simulated, count);
  return least;
}

// Every tile size by every kernel in both orders, each to its fifth call.
START_TEST(choice_is_within_two_percent_of_all_ways) {
  const struct tune_product product = parse(small[_i].kind, small[_i].shape, small[_i].step);
  const struct tune_limits limits = {.slack = HUGE_VAL, .all_sizes = true};
  struct tune_figures figures = {0, 0};
  struct tune_way best = choice_on(&small[_i].machine, &product, NULL, 2, &figures);
  size_t count;
  struct tune_way *ways = tune_space(&product, &small[_i].machine, &limits, &count);
  ck_assert_uint_gt(count, 2 * figures.simulated);
  uint64_t least = fastest(&product, ways, count);
  ck_assert_msg((double)best.cycles <= 1.02 * (double)least,
                "%ux%ux%u by %s takes %lu cycles, the fastest of %zu ways %lu", best.tile_n,
                best.tile_m, best.tile_k, tune_kernel_name(best.matmul), (unsigned long)best.cycles,
                count, (unsigned long)least);
  free(ways);
}
END_TEST

// Ways from all there are, every tile size: none beats the choice by more than 2 %, and no run is
// below its bound.
START_TEST(no_way_is_faster) {
  enum { TRIED = 12 };
  static const struct tune_run second = {.warm_call = TUNE_SEARCH_CALL};
  const struct tune_product product = product_of(_i);
  const struct tune_limits limits = {.slack = HUGE_VAL, .all_sizes = true};
  const struct tune_measure measure = with(NULL, 2);
  struct net_error error = {.text = ""};
  struct tune_figures figures = {0, 0};
  struct tune_way best = choice(&product, NULL, 2, &figures), *tried[TRIED];
  size_t count;
  struct tune_way *ways = tune_space(&product, &machine, &limits, &count);
  ck_assert_uint_gt(count, TRIED);
  // The better a way is estimated, the likelier it is looked at.
  for (size_t i = 0; i < TRIED; i++)
    tried[i] = &ways[i * i * (count - 1) / ((TRIED - 1) * (TRIED - 1))];
  ck_assert_msg(tune_run_all(&measure, NULL, &product, &second, tried, TRIED, &figures, &error),
                "%s", error.text);
  for (size_t i = 0; i < TRIED; i++) {
    ck_assert_uint_le(tried[i]->bound, tried[i]->cycles);
    ck_assert_msg((double)tried[i]->cycles * 1.02 >= (double)best.cycles,
                  "%ux%ux%u by %s takes %lu cycles, the choice %lu", tried[i]->tile_n,
                  tried[i]->tile_m, tried[i]->tile_k, tune_kernel_name(tried[i]->matmul),
                  (unsigned long)tried[i]->cycles, (unsigned long)best.cycles);
  }
  free(ways);
}
END_TEST

START_TEST(same_choice_for_any_processes_and_from_the_file) {
  const struct tune_product product = product_of(0);
  char results[] = "/tmp/pulpsim-tune-XXXXXX";
  struct tune_figures alone = {0, 0}, three = {0, 0}, again = {0, 0};
  close(mkstemp(results));
  struct tune_way a = choice(&product, NULL, 1, &alone);
  struct tune_way b = choice(&product, results, 3, &three);
  struct tune_way c = choice(&product, results, 3, &again);
  unlink(results);
  ck_assert_mem_eq(&a, &b, sizeof a);
  ck_assert_mem_eq(&a, &c, sizeof a);
  ck_assert_uint_eq(alone.simulated, three.simulated);
  ck_assert_uint_gt(alone.simulated, 0);
  ck_assert_uint_eq(again.simulated, 0);
  ck_assert_uint_eq(again.known, three.simulated);
}
END_TEST

// A choice is found again, for its product and its L1 alone.
START_TEST(choices_are_kept) {
  const struct tune_measure measure = with("/tmp/pulpsim-tune-choice.sqlite", 1);
  const struct tune_product product = product_of(0), other = product_of(1);
  const struct tune_way put = {.tile_n = 3,
                               .tile_m = 1,
                               .tile_k = 90,
                               .rows_inner = true,
                               .matmul = 7,
                               .bound = 5,
                               .cycles = 1ull << 40,
                               .cold_cycles = 9};
  const struct tune_extent in = {6000, 31}, less = {5000, 31}, more = {6000, 32};
  struct tune_way got;
  struct net_error error = {.text = ""};
  size_t runs = 0;
  unlink(measure.results);
  struct tune_store *store = tune_store_open(&measure, &error);
  ck_assert_msg(store != NULL, "%s", error.text);
  ck_assert(!tune_store_get_choice(store, &product, &in, &got, &runs));
  tune_store_put_choice(store, &product, &in, &put, 27);
  tune_store_close(store);
  store = tune_store_open(&measure, &error);
  ck_assert_msg(store != NULL, "%s", error.text);
  ck_assert(tune_store_get_choice(store, &product, &in, &got, &runs));
  ck_assert(got.tile_n == 3 && got.tile_m == 1 && got.tile_k == 90 && got.rows_inner);
  ck_assert(got.matmul == 7 && got.bound == 5 && got.cycles == 1ull << 40 && got.cold_cycles == 9);
  ck_assert_uint_eq(runs, 27);
  ck_assert(!tune_store_get_choice(store, &product, &less, &got, &runs));
  ck_assert(!tune_store_get_choice(store, &product, &more, &got, &runs));
  ck_assert(!tune_store_get_choice(store, &other, &in, &got, &runs));
  tune_store_close(store);
  unlink(measure.results);
}
END_TEST

// Of DS-CNN: four pointwise layers and the fully connected one; the convolution and what is
// depthwise have no products with tiles.
START_TEST(networks_have_layers_to_tune) {
  struct tune_network network;
  struct net_error error = {.text = ""};
  unsigned tuned = 0;
  uint64_t macs = 0;
  ck_assert_msg(tune_network_read(&network, "ds_cnn", 90112, &error), "%s", error.text);
  ck_assert_uint_eq(network.count, 10);
  ck_assert(network.layers[0].first && !network.layers[0].tuned);
  for (uint32_t i = 0; i < network.count; i++) {
    ck_assert(i == 0 || !network.layers[i].first);
    macs += network.layers[i].macs;
    if (!network.layers[i].tuned)
      continue;
    tuned++;
    ck_assert_str_eq(network.layers[i].shape, tuned < 5 ? "64x25x5,64" : "64,12");
  }
  ck_assert_uint_eq(tuned, 5);
  ck_assert_uint_eq(macs, 2656768);
  tune_network_free(&network);
  ck_assert(!tune_network_read(&network, "/nowhere.onnx", 90112, &error));
  ck_assert_ptr_nonnull(strstr(error.text, "/nowhere.onnx"));
}
END_TEST

// Tiles that divide the layer, the largest first: five of them by 24 kernels, or the whole layer.
START_TEST(published_algorithm_runs_120_times_a_step) {
  const struct tune_measure measure = with(NULL, 2);
  const struct tune_search search = {.with = &measure};
  const struct tune_layer layer = {true, 12, 5, 4, 8};
  struct tune_figures cut = {0, 0}, whole = {0, 0};
  struct net_error error = {.text = ""};
  struct tune_way best;
  ck_assert_uint_eq(tune_layer_bytes(&layer), 4 * (240 + 96 + 160));
  ck_assert(tune_published(&search, &layer, TUNE_FW, 1900, &best, &cut, &error));
  ck_assert_uint_eq(cut.simulated, 120);
  ck_assert_uint_eq(8 % best.tile_n, 0);
  ck_assert_uint_eq(12 % best.tile_k, 0);
  ck_assert(tune_published(&search, &layer, TUNE_FW, 2000, &best, &whole, &error));
  ck_assert_uint_eq(whole.simulated, 24);
  ck_assert_uint_eq(best.tile_n, 8);
}
END_TEST

// The tuner by `--on NAME`, in a folder with a space in its name: what it prints, but for seconds.
static const char *tuned_on(const char *with, const char *on, int *status) {
  const char *dir = tool_directory();
  tool(status,
       "mkdir -p '%s/a b' && %s " TEST_BUILD_DIR "/pulpsim-tune layer linear --shape 1,1 --steps "
       "fw --json --on %s --results '%s/a b/%s' > '%s/%s'",
       dir, with, on, dir, on, dir, on);
  return tool(NULL, "sed 's/, \"seconds.*//' '%s/%s'", dir, on);
}

// How many rows are in the table `run` of one file of results and not of the other.
static int rows_that_differ(const char *a, const char *b) {
  char text[1000];
  sqlite3 *file;
  sqlite3_stmt *count;
  snprintf(text, sizeof text, "%s/a b/%s", tool_directory(), a);
  ck_assert_int_eq(sqlite3_open(text, &file), SQLITE_OK);
  snprintf(text, sizeof text, "ATTACH '%s/a b/%s' AS other", tool_directory(), b);
  ck_assert_int_eq(sqlite3_exec(file, text, NULL, NULL, NULL), SQLITE_OK);
  ck_assert_int_eq(
      sqlite3_prepare_v2(file,
                         "SELECT count(*) FROM (SELECT * FROM run EXCEPT SELECT * FROM other.run)",
                         -1, &count, NULL),
      SQLITE_OK);
  ck_assert_int_eq(sqlite3_step(count), SQLITE_ROW);
  int rows = sqlite3_column_int(count, 0);
  sqlite3_finalize(count);
  sqlite3_close(file);
  return rows;
}

// The same choice after the same runs, which are kept, and nothing else is.
static void expect_as_local(const char *with, const char *on) {
  char local[1000];
  int status;
  snprintf(local, sizeof local, "%s", tuned_on("", "local", NULL));
  ck_assert_msg(strstr(local, "\"runs\"") != NULL, "%s", local);
  const char *there = tuned_on(with, on, &status);
  if (status == NO_SLURM)
    return;
  ck_assert_int_eq(status, 0);
  ck_assert_str_eq(there, local);
  ck_assert_int_eq(rows_that_differ("local", on), 0);
  ck_assert_int_eq(rows_that_differ(on, "local"), 0);
  tool(NULL, "rm '%s/a b/local' '%s/a b/%s' && rmdir '%s/a b'", tool_directory(), tool_directory(),
       on, tool_directory());
}

// Kernels outside of the list: they compute what they should, by other blocks than the one whose
// place they take.
START_TEST(other_kernels_are_right) {
  static const struct tune_run checked = {.warm_call = 1, .check = true};
  const struct tune_measure measure = with(NULL, 1);
  const struct tune_product product = parse("pointwise", "7x5x3,13", (enum tune_step)_i);
  unsigned count = tune_kernel_count();
  struct tune_way listed = {.tile_n = 5, .tile_m = 6, .tile_k = 7, .matmul = MMT_F32_COUNT};
  struct net_error error = {.text = ""};
  ck_assert_msg(tune_run(&measure, &product, &checked, &listed, &error), "%s", error.text);
  ck_assert_uint_gt(count, MMT_F32_COUNT + 100);
  for (unsigned i = MMT_F32_COUNT + 1 + (unsigned)_i; i <= count; i += 30) {
    struct tune_way way = listed;
    way.matmul = (uint8_t)i;
    ck_assert_msg(tune_run(&measure, &product, &checked, &way, &error), "%s: %s",
                  tune_kernel_name(way.matmul), error.text);
    ck_assert_uint_ne(way.cycles, listed.cycles);
  }
}
END_TEST

// Only where they can win.
START_TEST(other_kernels_have_bounds_below) {
  const struct tune_product product = product_of(1);
  struct tune_limits limits = {.slack = 2, .other = true, .below = 12000};
  size_t count, all;
  struct tune_way *ways = tune_space(&product, &machine, &limits, &count);
  ck_assert_ptr_nonnull(ways);
  for (size_t i = 0; i < count; i++)
    ck_assert(!tune_kernel_is_listed(ways[i].matmul) && ways[i].bound < 12000);
  free(ways);
  limits.below = 0;
  ways = tune_space(&product, &machine, &limits, &all);
  ck_assert_uint_ge(all, count);
  free(ways);
  limits.below = 1;
  ck_assert(!tune_space(&product, &machine, &limits, &count) && count == 0);
}
END_TEST

// An entry once, that is of use where mmt_f32.def is.
START_TEST(kernels_are_saved_as_entries) {
  struct net_error error = {.text = ""};
  char path[300];
  snprintf(path, sizeof path, "%s/more.def", tool_directory());
  for (uint8_t i = 0; i < 4; i++)
    ck_assert_msg(tune_kernel_save((uint8_t)(MMT_F32_COUNT + 1 + i % 2), path, &error), "%s",
                  error.text);
  const char *text =
      tool(NULL,
           "cd %s && printf '#define MMT_F32(name, u, v, split, unroll) "
           "MMT_##name##_##split = u * v + unroll,\nenum {\n#include "
           "\"more.def\"\n};\n' > more.c && gcc -fsyntax-only more.c && cat more.def",
           tool_directory());
  ck_assert_ptr_nonnull(strstr(text, "MMT_F32("));
  ck_assert(strchr(strchr(text, '\n') + 1, '\n')[1] == '\0'); // two lines
  ck_assert(!tune_kernel_save(MMT_F32_COUNT + 1, "/nowhere/more.def", &error));
  ck_assert_str_eq(error.text, "/nowhere/more.def cannot be written");
}
END_TEST

// As far as they are installed.
START_TEST(machines_beside_give_the_same_choice) {
  int status;
  char slurm[512];
  tool(&status, "command -v parallel");
  if (!status)
    expect_as_local("", "parallel");
  snprintf(slurm, sizeof slurm, "tests/deploy/slurm_of_one.sh %s/node", tool_directory());
  expect_as_local(slurm, "slurm");
}
END_TEST

// A task that fails, and one that comes to nothing; each in a sentence.
START_TEST(failing_tasks_are_said) {
  static const char *const text = TEST_BUILD_DIR "/pulpsim-tune layer linear --shape 3,2 --on %s "
                                                 "--program %s --results %s/%s.sqlite";
  int status;
  const char *dir = tool_directory();
  const char *said = tool(&status, PULPSIM "-tune layer linear --shape 3,2 --on clouds");
  ck_assert_int_eq(status, 64);
  ck_assert_ptr_nonnull(strstr(said, "--on clouds: local, parallel and slurm are supported"));
  char command[800];
  snprintf(command, sizeof command, text, "slurm", TEST_BUILD_DIR "/kernels/train_tiled.elf", dir,
           "none");
  said = tool(&status, "mkdir %s/bin && ln -s \"$(command -v sh)\" %s/bin && PATH=%s/bin %s", dir,
              dir, dir, command);
  ck_assert_int_eq(status, 1);
  ck_assert_ptr_nonnull(strstr(said, "task 0 left no result in "));
  ck_assert_ptr_nonnull(strstr(said, "exit status is 127"));
  tool(&status, "command -v parallel");
  if (status)
    return;
  snprintf(command, sizeof command, text, "parallel", KERNEL("train_autoencoder"), dir, "fails");
  said = tool(&status, "%s", command);
  ck_assert_int_eq(status, 1);
  ck_assert_ptr_nonnull(strstr(said, "lacks the variables by which shape and tile are set"));
}
END_TEST

START_TEST(layers_are_read_whole) {
  static const struct {
    const char *kind, *shape, *sentence;
  } bad[] = {
      {"conv", "3x3", "layer 'conv': tuned are pointwise and linear"},
      {"pointwise", "3x4x5", "--shape 3x4x5: a pointwise layer has CHANNELSxHEIGHTxWIDTH,FILTERS"},
      {"linear", "10,0", "--shape 10,0: a linear layer has INPUTS,OUTPUTS, each 1 to 65535"},
      {"linear", "10,4x", "--shape 10,4x"},
      {"pointwise", "1x60000x60000,1", "--shape 1x60000x60000,1"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    struct tune_layer layer;
    struct net_error error = {.text = ""};
    ck_assert(!tune_layer_parse(&layer, bad[i].kind, bad[i].shape, &error));
    ck_assert_ptr_nonnull(strstr(error.text, bad[i].sentence));
  }
}
END_TEST

static void expect(int status, const char *sentence, const char *arguments) {
  int got;
  const char *said = tool(&got, PULPSIM "-tune %s", arguments);
  ck_assert_msg(got == status && strstr(said, sentence) != NULL, "%s: %d %s", arguments, got, said);
}

// Each before anything is simulated.
START_TEST(mistakes_are_told) {
  static const struct {
    const char *arguments, *sentence;
  } bad[] = {
      {"layer linear --shape 8,4 --steps foo", "--steps foo:"},
      {"layer linear --shape 8,4 --steps fw,", "--steps fw,:"},
      {"layer linear --shape 8,4 --steps fwx", "--steps fwx:"},
      {"layer linear --shape 8,4 --config none", "no configuration is called 'none'"},
      {"layer linear --shape 8,4 --l1 60k", "--l1 60k:"},
      {"layer linear --shape 8,4 --l1 0", "--l1 0:"},
      {"network ds_cnn --train --untuned", "--untuned is of the program that --emit writes"},
      {"network ds_cnn --train --batch 2", "--batch is of the program that --emit writes"},
      {"network ds_cnn --train --emit /dev/null --untuned --loss-scale 4",
       "--loss-scale is of --type fp16 or bf16"},
      {"network ds_cnn --train --emit /dev/null --type fp8", "--type fp8:"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    expect(64, bad[i].sentence, bad[i].arguments);
  tool(NULL, PULPSIM "-tune network ds_cnn --train --emit /dev/null --untuned --type fp16 "
                     "--loss-scale 4");
  expect(64, "--json and --emit - both go to stdout", "network ds_cnn --train --emit - --json");
  expect(73, "/nowhere/x: No such file", "network ds_cnn --train --emit /nowhere/x");
  expect(0, "pulpsim-tune " PULPSIM_VERSION "\n", "--version");
  const char *said = tool(NULL, PULPSIM "-tune network ds_cnn --train --emit - --untuned");
  ck_assert_int_eq(strncmp(said, "// Training of ds_cnn", 21), 0);
}
END_TEST

#define LINEAR "layer linear --steps fw --shape "
START_TEST(what_has_no_room_is_told) {
  expect(80, "no tile of this layer fits into 4 bytes of L1", LINEAR "8,4 --l1 4");
  expect(80, "no tile of this layer fits into 8 bytes of L1", LINEAR "8,4 --l1 8 --published");
  expect(80, "no tile of this layer fits into 16 bytes of L1", LINEAR "8,4 --l1 16 --published");
  expect(80, "its operands take 100040000 bytes; L2 has room for 360448", LINEAR "5000,5000");
  expect(73, "/nowhere/x: unable to open database file", LINEAR "8,4 --results /nowhere/x");
}
END_TEST

// The choice is the same; that it is found anew next time is said once.
START_TEST(a_full_disk_is_told) {
  int status;
  tool(NULL, "rm -f " TEST_BUILD_DIR "/tests/tune_full.sqlite");
  const char *said = tool(&status, "trap '' XFSZ; ulimit -f 28; " PULPSIM
                                   "-tune layer linear --shape 3,2 --steps fw,wg --l1 100 "
                                   "--results " TEST_BUILD_DIR "/tests/tune_full.sqlite");
  const char *told = strstr(said, "what is measured is not kept");
  ck_assert_msg(status == 0 && told && !strstr(told + 1, "what is measured"), "%d %s", status,
                said);
}
END_TEST

Suite *tune_suite(void) {
  Suite *suite = suite_create("tune");
  TCase *tests = tcase_create("tune");
  tcase_set_timeout(tests, 300);
  tcase_add_loop_test(tests, no_way_is_faster, 0, LAYERS);
  tcase_add_loop_test(tests, choice_is_within_two_percent_of_all_ways, 0, SMALL);
  tcase_add_test(tests, same_choice_for_any_processes_and_from_the_file);
  tcase_add_test(tests, choices_are_kept);
  tcase_add_test(tests, networks_have_layers_to_tune);
  tcase_add_test(tests, published_algorithm_runs_120_times_a_step);
  tcase_add_loop_test(tests, other_kernels_are_right, 0, 3);
  tcase_add_test(tests, other_kernels_have_bounds_below);
  tcase_add_test(tests, kernels_are_saved_as_entries);
  tcase_add_test(tests, machines_beside_give_the_same_choice);
  tcase_add_test(tests, failing_tasks_are_said);
  tcase_add_test(tests, layers_are_read_whole);
  tcase_add_test(tests, mistakes_are_told);
  tcase_add_test(tests, what_has_no_room_is_told);
  tcase_add_test(tests, a_full_disk_is_told);
  suite_add_tcase(suite, tests);
  return suite;
}
