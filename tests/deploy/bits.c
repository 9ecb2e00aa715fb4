// tests/deploy/bits.c: bits by memory, against the published assignments and footprints (Rusci et
// al., MLSys 2020, Tables 1 to 3), for the 16 MobileNetV1s.
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "deploy/memory.h"
#include "deploy/quant/bits_program.h"
#include "net_random.h"

Suite *bits_suite(void);

enum { LAYERS = 28, NONE = -1 };

// ---------------------------------------------------------------------------- MobileNetV1

static int add(struct net *net, enum net_kind kind, int in, uint32_t channels, uint8_t stride) {
  struct net_tensor from = net->tensors[in], t = {.bits = 8, .c = channels, .h = 1, .w = 1};
  uint8_t kernel = kind == NET_DEPTHWISE || in == 0 ? 3 : 1;
  if (kind == NET_AVGPOOL)
    kernel = (uint8_t)from.h;
  else if (kind != NET_LINEAR)
    t.h = (from.h + stride - 1) / stride, t.w = (from.w + stride - 1) / stride;
  t.name = memory_format("%u", net->tensor_count);
  int out = net_add_tensor(net, &t);
  struct net_layer layer = {.name = t.name,
                            .kind = kind,
                            .inputs = memory_copy(&in, 1, sizeof in),
                            .input_count = 1,
                            .output = out,
                            .kernel_h = kernel,
                            .kernel_w = kernel,
                            .groups = 1,
                            .weight_bits = 8};
  net_add_layer(net, &layer);
  return out;
}

static struct net *mobilenet_v1_shapes(uint32_t resolution, double width) {
  static const uint16_t blocks[13][2] = {{64, 1},  {128, 2},  {128, 1}, {256, 2}, {256, 1},
                                         {512, 2}, {512, 1},  {512, 1}, {512, 1}, {512, 1},
                                         {512, 1}, {1024, 2}, {1024, 1}};
  struct net *net = net_new("mobilenet_v1");
  struct net_tensor image = {
      .name = (char[]){"image"}, .h = resolution, .w = resolution, .c = 3, .bits = 8};
  int at = net_add_tensor(net, &image);
  net->inputs = memory_copy(&at, 1, sizeof at), net->input_count = 1;
  at = add(net, NET_CONV, at, (uint32_t)(32 * width), 2);
  for (int i = 0; i < 13; i++) {
    at = add(net, NET_DEPTHWISE, at, net->tensors[at].c, (uint8_t)blocks[i][1]);
    at = add(net, NET_CONV, at, (uint32_t)(blocks[i][0] * width), 1);
  }
  at = add(net, NET_AVGPOOL, at, net->tensors[at].c, 1);
  at = add(net, NET_LINEAR, at, 1000, 1);
  net->outputs = memory_copy(&at, 1, sizeof at), net->output_count = 1;
  return net;
}

// Bits of the 28 layers with weights, as the table writes them.
static void bits_text(const struct bits_problem *p, const struct bits_result *r, bool outputs,
                      char *text) {
  for (uint32_t i = 0; i < p->layer_count; i++) {
    if (p->layers[i].weights)
      text += sprintf(text, "%d ", outputs ? r->groups[p->layers[i].y.group] : r->weights[i]);
  }
  text[-1] = 0;
}

// ---------------------------------------------------------------------------- assignments

struct row {
  unsigned long long read_only, read_write, macs;
  unsigned resolution;
  double width;
  char parameters[4], outputs[64], weights[64], used[16];
};

static bool read_row(FILE *in, struct row *row) {
  char line[512];
  return fgets(line, sizeof line, in) &&
         sscanf(line, "%llu\t%llu\t%u_%lf\t%llu\t%3s\t%63[^\t]\t%63[^\t]\t%15s", &row->read_only,
                &row->read_write, &row->resolution, &row->width, &row->macs, row->parameters,
                row->outputs, row->weights, row->used) == 9;
}

static void check_row(const struct row *row) {
  struct net *net = mobilenet_v1_shapes(row->resolution, row->width);
  uint64_t macs = 0;
  for (uint32_t i = 0; i < net->layer_count; i++)
    macs += net_macs(net, &net->layers[i]);
  ck_assert_uint_eq(macs, row->macs);
  struct bits_problem *p = bits_problem_new(net);
  struct bits_budget budget = {row->read_only, row->read_write, strcmp(row->parameters, "PC") == 0,
                               BITS_DEFAULT};
  struct bits_result r;
  struct net_error error = {.text = ""};
  bool solved = bits_assign(p, &budget, &r, &error);
  ck_assert_int_eq(solved, row->used[0] != '-');
  if (solved) {
    char outputs[128], weights[128];
    bits_text(p, &r, true, outputs);
    bits_text(p, &r, false, weights);
    ck_assert_str_eq(outputs, row->outputs);
    ck_assert_str_eq(weights, row->weights);
    ck_assert_uint_eq(r.read_only_bytes, strtoull(row->used, NULL, 10));
    ck_assert_uint_le(r.peak_bytes, row->read_write);
  } else {
    ck_assert_ptr_nonnull(strstr(error.text, "more than the"));
  }
  bits_result_free(&r);
  bits_problem_free(p);
  net_free(net);
}

START_TEST(assignments_are_the_published) {
  FILE *in = fopen("tests/data/networks/bits.tsv", "r");
  ck_assert_ptr_nonnull(in);
  char head[512];
  ck_assert_ptr_nonnull(fgets(head, sizeof head, in));
  struct row row;
  int rows = 0;
  for (; read_row(in, &row); rows++)
    check_row(&row);
  fclose(in);
  ck_assert_int_eq(rows, 64);
}
END_TEST

// Table 3: 224_0.5 in 1 MiB and 512 KiB, 192_0.5 in 1 MiB and 256 KiB, per channel.
START_TEST(table_3) {
  static const struct row rows[] = {
      {1 << 20, 512 << 10, 149497088, 224, 0.5, "PC",
       "8 8 4 8 8 8 8 8 8 8 8 8 8 8 8 8 8 8 8 8 8 8 8 8 8 8 8 8",
       "8 8 8 8 8 8 8 8 8 8 8 8 8 8 8 8 8 8 8 8 8 8 8 8 8 8 4 4", "1003824"},
      {1 << 20, 256 << 10, 109970432, 192, 0.5, "PC",
       "8 4 4 8 8 4 8 8 8 8 8 8 8 8 8 8 8 8 8 8 8 8 8 8 8 8 8 8",
       "8 8 8 8 8 8 8 8 8 8 8 8 8 8 8 8 8 8 8 8 8 8 8 8 8 8 4 4", "1003824"}};
  check_row(&rows[_i]);
}
END_TEST

// ---------------------------------------------------------------------------- footprints

static double footprint(const struct bits_problem *p, const struct bits_budget *budget,
                        uint8_t bits) {
  struct bits_result r = {.groups = memory_new(p->group_count, 1),
                          .weights = memory_new(p->layer_count, 1)};
  memset(r.groups, bits, p->group_count);
  memset(r.weights, bits, p->layer_count);
  double bytes = (double)bits_read_only(p, budget, &r);
  bits_result_free(&r);
  return bytes / (1 << 20);
}

// Table 2, of 224_1.0 in MiB. Folded ones are Table 1's to the digit. The published figures of the
// others leave the last layer without multipliers (B_q alone; with thresholds, nothing), and give
// Z_w per channel a byte: what that takes off Table 1 is written out here.
START_TEST(table_2) {
  enum { LAST = 1000, CHANNELS = 11944 };
  static const struct {
    double published, without;
    uint8_t bits;
    bool per_channel;
    enum bits_scheme scheme;
  } rows[] = {{4.06, 0, 8, false, BITS_FOLDED},
              {2.05, 0, 4, false, BITS_FOLDED},
              {2.10, 5 * LAST, 4, false, BITS_ICN},
              {2.12, 5 * LAST + CHANNELS, 4, true, BITS_ICN},
              {2.35, 32 * LAST + CHANNELS, 4, true, BITS_THRESHOLDS}};
  struct net *net = mobilenet_v1_shapes(224, 1);
  struct bits_problem *p = bits_problem_new(net);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct bits_budget budget = {.per_channel = rows[i].per_channel, .scheme = rows[i].scheme};
    double mib = footprint(p, &budget, rows[i].bits) - rows[i].without / (1 << 20);
    ck_assert_double_eq_tol(mib, rows[i].published, 0.005);
  }
  bits_problem_free(p);
  net_free(net);
}
END_TEST

// Table 1, a layer of 10 channels.
START_TEST(table_1) {
  static const struct {
    struct bits_budget budget;
    uint64_t bytes;
  } rows[] = {{{0, 0, false, BITS_FOLDED}, 1 + 1 + 40 + 4 + 1 + 1},
              {{0, 0, false, BITS_ICN}, 1 + 1 + 40 + 40 + 10 + 1},
              {{0, 0, true, BITS_ICN}, 1 + 20 + 40 + 40 + 10 + 1},
              {{0, 0, true, BITS_THRESHOLDS}, 1 + 20 + 1 + 2 * 160}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    ck_assert_uint_eq(bits_parameter_bytes(&rows[i].budget, 10, 4, 4), rows[i].bytes);
}
END_TEST

// ---------------------------------------------------------------------------- other networks

// Two branches that meet: what waits for the addition counts.
START_TEST(what_waits_counts) {
  struct net *net = net_new("branches");
  struct net_tensor t = {.name = (char[]){"in"}, .h = 8, .w = 8, .c = 16, .bits = 8};
  int in = net_add_tensor(net, &t);
  net->inputs = memory_copy(&in, 1, sizeof in), net->input_count = 1;
  int a = add(net, NET_CONV, in, 16, 1), b = add(net, NET_CONV, a, 16, 1);
  int c = add(net, NET_CONV, b, 16, 1), sum = add(net, NET_ADD, c, 16, 1);
  struct net_layer *last = &net->layers[net->layer_count - 1];
  last->inputs = memory_grow(last->inputs, 2, sizeof(int));
  last->inputs[last->input_count++] = a;
  net->outputs = memory_copy(&sum, 1, sizeof sum), net->output_count = 1;
  struct bits_problem *p = bits_problem_new(net);
  struct bits_result r;
  struct bits_budget budget = {1 << 20, 3 * 1024, false, BITS_DEFAULT};
  ck_assert(bits_assign(p, &budget, &r, NULL));
  ck_assert_uint_eq(bits_layer_bytes(p, 0, &r), 2048); // in and a
  ck_assert_uint_eq(bits_layer_bytes(p, 2, &r), 3072); // a, b and c
  ck_assert_uint_eq(r.peak_bytes, 3072);
  bits_result_free(&r);
  budget.read_write = 3071;
  ck_assert(bits_assign(p, &budget, &r, NULL));
  ck_assert_uint_le(r.peak_bytes, 3071);
  bits_result_free(&r);
  bits_problem_free(p);
  net_free(net);
}
END_TEST

// ---------------------------------------------------------------------------- the integer program

enum { CHAIN = 3, COMBINATIONS = 243 }; // three layers' weights and two tensors between: 3^5

static struct net *chain(struct draw *draw) {
  struct net *net = net_new("chain");
  struct net_tensor t = {.name = (char[]){"in"}, .h = 4, .w = 4, .bits = 8};
  t.c = (uint32_t)draw_within(draw, 1, 9);
  int at = net_add_tensor(net, &t);
  net->inputs = memory_copy(&at, 1, sizeof at), net->input_count = 1;
  for (int i = 0; i < CHAIN; i++)
    at = add(net, NET_CONV, at, (uint32_t)draw_within(draw, 1, 9), 1);
  net->outputs = memory_copy(&at, 1, sizeof at), net->output_count = 1;
  return net;
}

static void set_combination(const struct bits_problem *p, int n, struct bits_result *r) {
  static const uint8_t bits[] = {8, 4, 2};
  memset(r->groups, 8, p->group_count);
  for (int i = 0; i < CHAIN; i++, n /= 3)
    r->weights[i] = bits[n % 3];
  for (int i = 0; i + 1 < CHAIN; i++, n /= 3)
    r->groups[p->layers[i].y.group] = bits[n % 3];
}

static bool fits(const struct bits_problem *p, const struct bits_budget *budget,
                 const struct bits_result *r) {
  bool good = bits_read_only(p, budget, r) <= budget->read_only;
  for (uint32_t i = 0; i < p->layer_count; i++)
    good &= bits_layer_bytes(p, i, r) <= budget->read_write;
  return good;
}

// The least of all 243 that takes so many cycles; INFINITY if none fits.
static double by_trying(const struct bits_problem *p, const struct bits_budget *budget,
                        const struct bits_losses *losses, const struct bits_cycles *cycles,
                        double most) {
  struct bits_result r = {.groups = memory_new(p->group_count, 1),
                          .weights = memory_new(p->layer_count, 1)};
  double least = INFINITY;
  for (int n = 0; n < COMBINATIONS; n++) {
    set_combination(p, n, &r);
    if (fits(p, budget, &r) && (!cycles || bits_cycles_of(p, cycles, &r) <= most))
      least = fmin(least, bits_loss(p, losses, &r));
  }
  bits_result_free(&r);
  return least;
}

static double above(double is, double most) {
  return fmax(0, is - most);
}

// What the limits are too small by: bytes of both memories, and a thousandth for a cycle.
static double missing(const struct bits_problem *p, const struct bits_budget *budget,
                      const struct bits_cycles *cycles, double most, const struct bits_result *r) {
  uint64_t peak = 0;
  for (uint32_t i = 0; i < p->layer_count; i++)
    peak = bits_layer_bytes(p, i, r) > peak ? bits_layer_bytes(p, i, r) : peak;
  return above((double)bits_read_only(p, budget, r), (double)budget->read_only) +
         above((double)peak, (double)budget->read_write) +
         (cycles ? above(bits_cycles_of(p, cycles, r), most) / 1000 : 0);
}

static double least_missing(const struct bits_problem *p, const struct bits_budget *budget,
                            const struct bits_cycles *cycles, double most) {
  struct bits_result r = {.groups = memory_new(p->group_count, 1),
                          .weights = memory_new(p->layer_count, 1)};
  double least = INFINITY;
  for (int n = 0; n < COMBINATIONS; n++) {
    set_combination(p, n, &r);
    least = fmin(least, missing(p, budget, cycles, most, &r));
  }
  bits_result_free(&r);
  return least;
}

// If none fits, the one that misses by least.
START_TEST(the_program_finds_the_least_loss) {
  struct draw draw = {11};
  int solved = 0;
  for (int n = 0; n < 150; n++) {
    struct net *net = chain(&draw);
    struct bits_problem *p = bits_problem_new(net);
    double weights[CHAIN][BITS_CHOICES], groups[CHAIN + 1][BITS_CHOICES];
    for (int i = 0; i <= CHAIN; i++) {
      for (int k = 0; k < BITS_CHOICES; k++) {
        groups[i][k] = k * (double)draw_within(&draw, 1, 1000) / 1e5;
        weights[i % CHAIN][k] = k * (double)draw_within(&draw, 1, 1000) / 1e5;
      }
    }
    double layers[CHAIN][BITS_CHOICES][BITS_CHOICES], most = draw_within(&draw, 100, 400);
    double outputs[CHAIN][BITS_CHOICES][BITS_CHOICES];
    for (int i = 0; i < CHAIN * BITS_CHOICES * BITS_CHOICES; i++) {
      layers[i / 9][i / 3 % 3][i % 3] = draw_within(&draw, 1, 200);
      outputs[i / 9][i / 3 % 3][i % 3] = i / 3 % 3 == i % 3 ? 0 : draw_within(&draw, -50, 50);
    }
    struct bits_cycles cycles = {layers, outputs}, *asked = n % 2 ? &cycles : NULL;
    struct bits_losses losses = {weights, groups};
    struct bits_budget budget = {(uint64_t)draw_within(&draw, 60, 500),
                                 (uint64_t)draw_within(&draw, 60, 300), draw_within(&draw, 0, 1),
                                 (enum bits_scheme)draw_within(&draw, 0, BITS_THRESHOLDS)};
    struct bits_result r;
    double least = by_trying(p, &budget, &losses, asked, most);
    struct net_error error = {.text = ""};
    bool found = bits_optimize(p, &budget, &losses, asked, most, &r, &error);
    ck_assert_int_eq(found, isfinite(least));
    if (found) {
      ck_assert(fits(p, &budget, &r) && (!asked || bits_cycles_of(p, asked, &r) <= most));
      ck_assert_double_eq_tol(bits_loss(p, &losses, &r), least, 1e-9);
      solved++;
    } else {
      ck_assert_double_gt(least_missing(p, &budget, asked, most), 0);
      ck_assert_double_eq_tol(missing(p, &budget, asked, most, &r),
                              least_missing(p, &budget, asked, most), 1e-6);
      ck_assert_ptr_nonnull(strstr(error.text, "no solution: "));
    }
    bits_result_free(&r);
    bits_problem_free(p);
    net_free(net);
  }
  ck_assert_int_gt(solved, 50);
  ck_assert_int_lt(solved, 150);
}
END_TEST

// Where fewer bits lose nothing, they are taken only where memory asks for them.
START_TEST(of_equals_the_one_of_more_bits) {
  struct draw draw = {5};
  struct net *net = chain(&draw);
  struct bits_problem *p = bits_problem_new(net);
  double weights[CHAIN][BITS_CHOICES] = {{0}}, groups[CHAIN + 1][BITS_CHOICES] = {{0}};
  struct bits_losses losses = {weights, groups};
  struct bits_budget budget = {1 << 20, 1 << 20, true, BITS_DEFAULT};
  struct bits_result r;
  ck_assert(bits_optimize(p, &budget, &losses, NULL, 0, &r, NULL));
  for (int i = 0; i < CHAIN; i++) {
    ck_assert_uint_eq(r.weights[i], 8);
    ck_assert_uint_eq(r.groups[p->layers[i].y.group], 8);
  }
  budget.read_only = r.read_only_bytes - 1;
  bits_result_free(&r);
  ck_assert(bits_optimize(p, &budget, &losses, NULL, 0, &r, NULL));
  int cut = 0;
  for (int i = 0; i < CHAIN; i++) {
    cut += r.weights[i] < 8;
    ck_assert_uint_eq(r.groups[p->layers[i].y.group], 8);
  }
  ck_assert_int_eq(cut, 1);
  bits_result_free(&r);
  bits_problem_free(p);
  net_free(net);
}
END_TEST

Suite *bits_suite(void) {
  Suite *suite = suite_create("bits");
  TCase *tc = tcase_create("bits");
  tcase_add_test(tc, assignments_are_the_published);
  tcase_add_loop_test(tc, table_3, 0, 2);
  tcase_add_test(tc, table_2);
  tcase_add_test(tc, table_1);
  tcase_add_test(tc, what_waits_counts);
  tcase_add_test(tc, the_program_finds_the_least_loss);
  tcase_add_test(tc, of_equals_the_one_of_more_bits);
  suite_add_tcase(suite, tc);
  return suite;
}
