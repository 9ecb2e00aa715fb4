// tests/deploy/tiles_oracle.c: the tiles that the search finds, against a constraint program for
// MiniZinc (tests/data/tiler). Skipped, with a word, where there is no MiniZinc.
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "deploy/emit/lower.h"
#include "deploy/emit/pack.h"
#include "deploy/emit/tiles.h"
#include "deploy/family/family.h"
#include "deploy/memory.h"
#include "kernels/rt/rt.h"
#include "kernels/rt/rt_host.h"
#include "kernels/tile/tile.h"

Suite *tiles_oracle_suite(void);

enum { CORES = 8, CHANNELS = 64, PARTS = 128 };

struct question {
  struct tile_layer tile;
  uint32_t l1, weights;
  bool aligned, heuristics;
  bool in_parts; // the input's channels
  FILE *f;
};

static uint32_t list_channels(const struct tile_layer *t, uint32_t *list) {
  uint32_t n = 0;
  for (uint32_t c = t->out_c; c > 0; c = c <= 4 ? 0 : (c + 3) / 4 * 4 - 4)
    list[n++] = c;
  return n;
}

// All, or fewer, in words of the DMA's.
static uint32_t list_inputs(const struct question *q, uint32_t *list) {
  uint32_t n = 0, all = q->tile.in_c;
  if (!q->in_parts)
    list[n++] = all;
  for (uint32_t c = (all - 1) / 8 * 8; c > 0 && q->in_parts; c -= 8)
    list[n++] = c;
  return n;
}

static void write_list(FILE *f, const char *name, char size, const uint32_t *list, uint32_t n) {
  fprintf(f, "%c = %u; %s = [", size, n, name);
  for (uint32_t i = 0; i < n; i++)
    fprintf(f, "%u, ", list[i]);
  fputs("];\n", f);
}

static void write_scratch(struct question *q, uint32_t h, uint32_t w) {
  struct tile_layer t = q->tile;
  t.tile_h = (uint16_t)h, t.tile_w = (uint16_t)w;
  pack_sizes(&t);
  tile_prepare(&t);
  fprintf(q->f, "%u, ", tile_scratch_bytes(&t));
}

// As the first of eight cores: kernels say what scratch they want.
static int write_tables(void *user) {
  struct question *q = user;
  uint32_t list[CHANNELS], n = list_channels(&q->tile, list);
  uint32_t inputs[PARTS] = {0}, m = list_inputs(q, inputs);
  write_list(q->f, "channels", 'n', list, n);
  write_list(q->f, "inputs", 'm', inputs, m);
  fprintf(q->f, "filters = array2d(1..%u, 1..%u, [", n, m);
  for (uint32_t i = 0; i < n * m; i++) {
    q->tile.tile_c = (uint16_t)list[i / m], q->tile.tile_k = (uint16_t)inputs[i % m];
    pack_sizes(&q->tile);
    fprintf(q->f, "%u, ", q->tile.weight_bytes);
  }
  fprintf(q->f, "]);\nscratch = array4d(1..%u, 1..%u, 1..%u, 1..%u, [", q->tile.out_h,
          q->tile.out_w, n, m);
  for (uint32_t p = 0; p < (uint32_t)q->tile.out_h * q->tile.out_w; p++) {
    for (uint32_t i = 0; i < n * m; i++) {
      q->tile.tile_c = (uint16_t)list[i / m], q->tile.tile_k = (uint16_t)inputs[i % m];
      write_scratch(q, p / q->tile.out_w + 1, p % q->tile.out_w + 1);
    }
  }
  fputs("]);\n", q->f);
  return 0;
}

static const char *truth(bool value) {
  return value ? "true" : "false";
}

// The best value that MiniZinc finds; 0: there is no tile.
static long ask(struct question *q) {
  char line[256];
  long value = 0;
  const struct tile_layer *t = &q->tile;
  char *path = memory_format("%s/tests/tiler.dzn", TEST_BUILD_DIR);
  q->f = fopen(path, "w");
  ck_assert_ptr_nonnull(q->f);
  fprintf(q->f,
          "out_h = %u; out_w = %u; out_c = %u; in_h = %u; in_w = %u; in_c = %u;\nkernel_h = %u; "
          "kernel_w = %u; stride_h = %u; stride_w = %u; pad_left = %u;\ndepthwise = %s; "
          "budget = %u; weights = %u;\nused = %u; aligned = %s; heuristics = %s;\n",
          t->out_h, t->out_w, t->out_c, t->in_h, t->in_w, t->in_c, t->kernel_h, t->kernel_w,
          t->stride_h, t->stride_w, t->pad_left, truth(t->kind == TILE_DEPTHWISE), q->l1,
          q->weights, TILE_L1_USED, truth(q->aligned), truth(q->heuristics));
  rt_host_first(CORES, write_tables, q);
  fclose(q->f);
  char *command =
      memory_format("minizinc --solver gecode tests/data/tiler/tiler.mzn %s 2>&1", path);
  FILE *f = popen(command, "r"); // NOLINT(cert-env33-c)
  ck_assert_ptr_nonnull(f);
  while (fgets(line, sizeof line, f)) {
    ck_assert_msg(!strstr(line, "rror"), "%s", line);
    if (strncmp(line, "value ", 6) == 0)
      value = strtol(line + 6, NULL, 10);
  }
  pclose(f);
  free(command);
  free(path);
  return value;
}

// What the model's `value` is of a tile.
static long value_of(const struct plan_layer *l, bool heuristics) {
  long h = l->tile.tile_h, w = l->tile.tile_w, c = l->tile.tile_c;
  long eights = l->tile.out_h >= 8 ? (h - 1) % 8 : (h * w - 1) % 16;
  return l->l1_bytes + (heuristics ? 200 * c + 2000000 * (eights + (w - 1) % 2 + (c - 1) % 4) : 0);
}

static uint32_t state;

static uint32_t draw(uint32_t low, uint32_t high) {
  state = state * 1664525u + 1013904223u;
  return low + (state >> 8) % (high - low + 1);
}

// Whole pixels before parts of their channels, words before bytes.
static long best_of(struct question *q) {
  for (unsigned way = 0; way < 4; way++) {
    struct question now = *q;
    now.in_parts = way % 2, now.aligned = way < 2;
    long best = now.in_parts && (now.tile.in_c <= 8 || !lower_in_parts(&now.tile)) ? 0 : ask(&now);
    if (best > 0)
      return best;
  }
  return 0;
}

static void compare(const struct net *net, uint32_t i, bool heuristics) {
  const struct net_layer *layer = &net->layers[i];
  struct net_error error = {.text = ""};
  struct plan_layer l = {.l1_bytes = 0};
  ck_assert_msg(lower_layer(net, layer, &l.lowered, &error), "%s", error.text);
  struct plan_options options = {.l1 = draw(3000, 40000),
                                 .objective = heuristics ? PLAN_DORY : PLAN_EQ6};
  struct tiles_limit limit = {.weights = draw(2000, 60000), .apart = INT32_MAX};
  struct question q = {
      .tile = l.lowered, .l1 = options.l1, .weights = limit.weights, .heuristics = heuristics};
  long best = best_of(&q);
  bool found = tiles_choose(&l, layer->name, &options, &limit, &error);
  ck_assert_msg(found == (best > 0), "%s %s: MiniZinc finds %ld; %s", net->name, layer->name, best,
                error.text);
  if (found)
    ck_assert_msg(value_of(&l, heuristics) == best,
                  "%s %s, L1 %u: %ld (%u x %u x %u of %u), MiniZinc %ld", net->name, layer->name,
                  options.l1, value_of(&l, heuristics), l.tile.tile_h, l.tile.tile_w, l.tile.tile_c,
                  l.tile.tile_k, best);
}

START_TEST(search_finds_the_best_tiles) {
  static const char *const names[] = {"resnet8", "mobilenet_v1:64:0.25", "ds_cnn"};
  if (system("command -v minizinc > /dev/null 2>&1") != 0) { // NOLINT(cert-env33-c)
    fprintf(stderr, "tiles_oracle: no minizinc here: tiles are not compared\n");
    return;
  }
  struct net_error error = {.text = ""};
  struct net *net = family_build(names[_i], &error);
  ck_assert_msg(net != NULL, "%s", error.text);
  state = (uint32_t)_i + 5;
  for (unsigned n = 0; n < 4; n++) {
    uint32_t i = draw(0, net->layer_count - 1);
    enum net_kind kind = net->layers[i].kind;
    if (kind == NET_CONV || kind == NET_DEPTHWISE)
      compare(net, i, n % 2);
    else
      n--;
  }
  net_free(net);
}
END_TEST

Suite *tiles_oracle_suite(void) {
  Suite *suite = suite_create("tiles_oracle");
  TCase *tc = tcase_create("tiles_oracle");
  tcase_set_timeout(tc, 120);
  tcase_add_loop_test(tc, search_finds_the_best_tiles, 0, 3);
  suite_add_tcase(suite, tc);
  return suite;
}
