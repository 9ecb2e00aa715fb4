// tests/deploy/quantizer.c: from real numbers to integers: ranges, rounding, whole networks.
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "deploy/host/int_run.h"
#include "deploy/memory.h"
#include "deploy/quant/bits_program.h"
#include "deploy/quant/equalize.h"
#include "deploy/quant/quantize.h"
#include "deploy/quant/rounding.h"
#include "deploy/read/load.h"
#include "net_random.h"
#include "tests/observe/tool.h"

Suite *quantizer_suite(void);

#define DEPLOY TEST_BUILD_DIR "/pulpsim-deploy"
#define KWS    "tests/data/networks/kws_int8.tflite"
#define FULL   "../shared/reference/networks/mlperf-tiny/"

enum { INPUTS = 48, ELEMENTS = 490 };

// ---------------------------------------------------------------------------- ranges

static struct ranges seen_of(const float *values, size_t count) {
  struct ranges r = {.any = false};
  ranges_see(&r, values, count);
  ranges_count(&r, values, count);
  return r;
}

START_TEST(zero_has_a_code) {
  struct draw draw = {3};
  for (int i = 0; i < 2000; i++) {
    float values[50], offset = (float)draw_within(&draw, -100, 100) / 20;
    for (int k = 0; k < 50; k++)
      values[k] = (float)draw_within(&draw, -1000, 1000) / 300 + offset;
    struct ranges r = seen_of(values, 50);
    uint32_t bits = 8u >> i % 3;
    struct ranges_code code =
        ranges_choose(&r, (enum ranges_method)draw_within(&draw, 0, RANGES_SQUARES), bits);
    ck_assert(code.zero >= 0 && code.zero < 1 << bits);
    ck_assert_float_gt(code.scale, 0);
    ck_assert(r.low < 0 || code.zero == 0); // nothing below 0: no code is wasted there
  }
}
END_TEST

static double error_of(struct ranges_code code, uint32_t bits, const float *values, int count) {
  double sum = 0;
  for (int i = 0; i < count; i++) {
    double q = round((double)values[i] / (double)code.scale) + code.zero;
    q = fmin(fmax(q, 0), (1 << bits) - 1);
    sum += pow((double)values[i] - (double)code.scale * (q - code.zero), 2);
  }
  return sum;
}

// One far value among many: all of them cost, least squares let it go.
START_TEST(ranges_do_what_their_names_say) {
  float values[2001];
  for (int i = 0; i < 2000; i++)
    values[i] = (float)i / 1000;
  values[2000] = 20;
  struct ranges r = seen_of(values, 2001);
  struct ranges_code all = ranges_choose(&r, RANGES_MINMAX, 4);
  ck_assert_float_eq_tol(all.scale, 20.0f / 15, 1e-4f);
  struct ranges_code squares = ranges_choose(&r, RANGES_SQUARES, 4);
  ck_assert_double_lt(error_of(squares, 4, values, 2001), error_of(all, 4, values, 2001));
  ck_assert_float_lt(ranges_choose(&r, RANGES_ENTROPY, 4).scale, all.scale / 2);
  struct ranges_code automatic = ranges_choose(&r, RANGES_AUTO, 8);
  ck_assert_float_eq_tol(automatic.scale, 20.0f / 255, 1e-5f);
  values[2000] = 2;
  for (int i = 0; i < 2000; i++)
    values[i] = i ? (float)i / 1000 : -0.001f;
  r = seen_of(values, 2001);
  ck_assert_float_eq_tol(ranges_choose(&r, RANGES_PERCENTILE, 8).scale, 2.0f / 255, 1e-4f);
}
END_TEST

// ---------------------------------------------------------------------------- rounding

enum { TAPS = 4 };

static double quadratic(const double *h, const double *g, const double *w) {
  double sum = 0;
  for (int i = 0; i < TAPS; i++) {
    sum -= 2 * w[i] * g[i];
    for (int k = 0; k < TAPS; k++)
      sum += w[i] * h[i * TAPS + k] * w[k];
  }
  return sum;
}

static double of_codes(const double *h, const double *g, const int8_t *codes, float scale) {
  double w[TAPS];
  for (int i = 0; i < TAPS; i++)
    w[i] = (double)scale * codes[i];
  return quadratic(h, g, w);
}

static void draw_problem(struct draw *draw, float *weights, double *h, double *g) {
  double x[20][TAPS];
  memset(h, 0, TAPS * TAPS * sizeof *h);
  memset(g, 0, TAPS * sizeof *g);
  for (int i = 0; i < TAPS; i++)
    weights[i] = (float)draw_within(draw, -1000, 1000) / 1000;
  for (int row = 0; row < 20; row++) {
    double common = (double)draw_within(draw, -1000, 1000) / 1000, y = 0;
    for (int i = 0; i < TAPS; i++) {
      x[row][i] = common + (double)draw_within(draw, -1000, 1000) / 2000;
      y += x[row][i] * (double)weights[i];
    }
    for (int i = 0; i < TAPS; i++) {
      g[i] += y * x[row][i];
      for (int k = 0; k < TAPS; k++)
        h[i * TAPS + k] += x[row][i] * x[row][k];
    }
  }
}

// Never worse than rounding one by one, never better than the best of all 4^4 with 2 bits; and of
// what has no better neighbour, most are the best.
START_TEST(descent_ends_between_rounding_and_the_best) {
  struct draw draw = {5};
  int best_found = 0;
  for (int n = 0; n < 300; n++) {
    float weights[TAPS];
    double h[TAPS * TAPS], g[TAPS], best = INFINITY;
    int8_t plain[TAPS], codes[TAPS], all[TAPS];
    draw_problem(&draw, weights, h, g);
    struct rounding one_by_one = {TAPS, 2, NULL, false}, by_results = {TAPS, 2, h, false};
    rounding_at(&one_by_one, weights, NULL, 0.5f, plain);
    double error = rounding_at(&by_results, weights, g, 0.5f, codes);
    for (int i = 0; i < 256; i++) {
      for (int k = 0; k < TAPS; k++)
        all[k] = (int8_t)((i >> 2 * k & 3) - 2);
      best = fmin(best, of_codes(h, g, all, 0.5f));
    }
    ck_assert_double_eq_tol(error, of_codes(h, g, codes, 0.5f), 1e-9);
    ck_assert_double_le(error, of_codes(h, g, plain, 0.5f) + 1e-9);
    ck_assert_double_ge(error, best - 1e-9);
    best_found += error <= best + 1e-9;
  }
  ck_assert_int_gt(best_found, 150);
}
END_TEST

// By minimum and maximum no weight is clipped, and one has the last code; a search may clip.
START_TEST(minmax_clips_nothing) {
  struct draw draw = {6};
  int clipped = 0;
  for (int n = 0; n < 300; n++) {
    float weights[TAPS], scale, searched;
    double h[TAPS * TAPS], g[TAPS];
    int8_t codes[TAPS];
    draw_problem(&draw, weights, h, g);
    struct rounding whole = {TAPS, 2 << n % 2, NULL, true},
                    search = {TAPS, 2 << n % 2, NULL, false};
    rounding_filter(&whole, weights, NULL, codes, &scale);
    float nearest = INFINITY; // of the ends of the range
    for (int i = 0; i < TAPS; i++) {
      float code = weights[i] / scale, low = -(float)(1 << (whole.bits - 1)), high = -low - 1;
      ck_assert_float_le(fabsf(code - (float)codes[i]), 0.5001f);
      nearest = fminf(nearest, fminf(fabsf(code - low), fabsf(code - high)));
    }
    ck_assert_float_le(nearest, 1e-3f);
    rounding_filter(&search, weights, NULL, codes, &searched);
    ck_assert_float_le(searched, scale);
    clipped += searched < scale;
  }
  ck_assert_int_gt(clipped, 50);
}
END_TEST

// ---------------------------------------------------------------------------- ONNX

// A convolution and a depthwise one with batch normalizations, hard swish in pieces, squeeze and
// excite, an addition, pools, a concatenation and a matrix. Expected: ONNX Runtime 1.20.1 on the
// same ramp.
static struct real_run *ramped(struct real_net *real, float *ramp) {
  for (int i = 0; i < 3 * 12 * 16; i++)
    ramp[i % 192 * 3 + i / 192] = (float)(i * 37 % 101 - 50) / 40; // channels first to last
  struct real_run *run = real_run_new(real);
  memcpy(real_tensor(run, real->net->inputs[0]), ramp, 3 * 12 * 16 * sizeof *ramp);
  real_execute(run);
  return run;
}

START_TEST(onnx_gives_what_its_runtime_gives) {
  static const float expected[5] = {16.934768676757812f, 6.819756507873535f, -6.056524276733398f,
                                    -12.877617835998535f, -11.606358528137207f};
  struct net_error error = {.text = ""};
  struct tidy_shape open = {0, 0, 0};
  struct real_net *real = load_real("tests/data/networks/real.onnx", &open, &error);
  ck_assert_msg(real != NULL, "%s", error.text);
  float *ramp = memory_new(3 * 12 * 16, sizeof *ramp);
  struct real_run *run = ramped(real, ramp);
  for (int i = 0; i < 5; i++)
    ck_assert_float_eq_tol(real_tensor(run, real->net->outputs[0])[i], expected[i], 1e-4f);
  struct quantize_samples samples = {&ramp, NULL, 1};
  struct quantize_options options = {.weight_bits = 8, .activation_bits = 8};
  struct net *net = quantize(real, &samples, &options, &error);
  ck_assert_msg(net != NULL, "%s", error.text);
  struct int_run *codes = int_new(net);
  const struct net_tensor *in = &net->tensors[net->inputs[0]],
                          *out = &net->tensors[net->outputs[0]];
  for (int i = 0; i < 3 * 12 * 16; i++)
    int_tensor(codes, net->inputs[0])[i] = (int32_t)lround((double)ramp[i] / in->scale) + in->zero;
  ck_assert(int_execute(codes, &error));
  for (int i = 0; i < 5; i++) {
    double got = out->scale * (int_tensor(codes, net->outputs[0])[i] - out->zero);
    ck_assert_double_eq_tol(got, (double)expected[i], 0.5); // of 17
  }
  int_free(codes);
  net_free(net);
  real_run_free(run);
  real_free(real);
  free(ramp);
}
END_TEST

// ---------------------------------------------------------------------------- networks

static struct quantize_samples keyword_samples(const struct real_net *real) {
  struct quantize_samples s = {memory_new(INPUTS, sizeof *s.values), NULL, INPUTS};
  const struct net_tensor *in = &real->net->tensors[real->net->inputs[0]];
  FILE *file = fopen("tests/data/networks/kws_48.bin", "rb");
  ck_assert_ptr_nonnull(file);
  for (int i = 0; i < INPUTS; i++) {
    int8_t codes[1 + ELEMENTS];
    ck_assert_uint_eq(fread(codes, 1, sizeof codes, file), sizeof codes);
    s.values[i] = memory_new(ELEMENTS, sizeof(float));
    for (int k = 0; k < ELEMENTS; k++)
      s.values[i][k] = (float)(in->scale * (codes[1 + k] - in->zero));
  }
  fclose(file);
  return s;
}

static struct net *keywords(const struct quantize_options *options, struct quantize_samples *s) {
  struct net_error error = {.text = ""};
  struct real_net *real = load_real(KWS, NULL, &error);
  ck_assert_msg(real != NULL, "%s", error.text);
  *s = keyword_samples(real);
  struct net *net = quantize(real, s, options, &error);
  ck_assert_msg(net != NULL, "%s", error.text);
  real_free(real);
  return net;
}

static void put_sample(const struct net *net, const struct int_run *run, const float *values) {
  const struct net_tensor *in = &net->tensors[net->inputs[0]];
  for (int k = 0; k < ELEMENTS; k++)
    int_tensor(run, net->inputs[0])[k] = (int32_t)lround((double)values[k] / in->scale) + in->zero;
}

static void free_samples(struct quantize_samples *s) {
  for (uint32_t i = 0; i < s->count; i++)
    free(s->values[i]);
  free(s->values);
}

// Comparisons instead of multiplications: not one code differs.
START_TEST(thresholds_are_icn) {
  struct quantize_options options = {
      .weight_bits = 4, .activation_bits = 4, .no_reconstruct = true};
  struct quantize_samples s[2];
  struct net *icn = keywords(&options, &s[0]);
  options.scheme = BITS_THRESHOLDS;
  struct net *thresholds = keywords(&options, &s[1]);
  struct int_run *a = int_new(icn), *b = int_new(thresholds);
  ck_assert_int_eq(thresholds->layers[0].requant.kind, NET_THRESHOLDS);
  for (int i = 0; i < 4; i++) {
    put_sample(icn, a, s[0].values[i]);
    put_sample(thresholds, b, s[0].values[i]);
    ck_assert(int_execute(a, NULL) && int_execute(b, NULL));
    for (int t = 0; t < (int)icn->tensor_count; t++)
      ck_assert_mem_eq(int_tensor(a, t), int_tensor(b, t), 4 * int_elements(a, t));
  }
  int_free(a);
  int_free(b);
  net_free(icn);
  net_free(thresholds);
  free_samples(&s[0]);
  free_samples(&s[1]);
}
END_TEST

// The integers against the same quantized numbers in double precision: weights and biases that the
// integers stand for, results rounded to the output's codes. Integer normalization may be off where
// a result lies between two codes, and there by one.
static void compare_layer(const struct net *net, const struct net_layer *l,
                          const struct int_run *run, uint64_t *off, uint64_t *all) {
  const struct net_tensor *out = net_output(net, l), *in = net_input(net, l, 0);
  const int32_t *x = int_tensor(run, l->inputs[0]), *y = int_tensor(run, l->output);
  if (l->kind != NET_CONV || l->kernel_h > 1)
    return;
  for (uint32_t p = 0; p < out->h * out->w; p++) {
    for (uint32_t f = 0; f < out->c; f++) {
      double m = ldexp(l->requant.kappa[f], l->requant.shifts[f] - 31),
             sum = (double)l->requant.lambda[f] - 0.5 / m;
      for (uint32_t c = 0; c < in->c; c++)
        sum += (double)x[p * in->c + c] * l->weights[f * in->c + c];
      double code = fmin(fmax(round(sum * m) + out->zero, l->requant.low), l->requant.high);
      ck_assert_double_le(fabs(code - y[p * out->c + f]), 1);
      *off += code != (double)y[p * out->c + f], ++*all;
    }
  }
}

START_TEST(integers_are_the_quantized_numbers) {
  struct quantize_options options = {.weight_bits = 8, .activation_bits = 8};
  struct quantize_samples s;
  struct net *net = keywords(&options, &s);
  struct int_run *run = int_new(net);
  uint64_t off = 0, all = 0;
  for (int i = 0; i < 4; i++) {
    put_sample(net, run, s.values[i]);
    ck_assert(int_execute(run, NULL));
    for (uint32_t k = 0; k < net->layer_count; k++)
      compare_layer(net, &net->layers[k], run, &off, &all);
  }
  ck_assert_uint_eq(all, 4 * 4 * 8000);
  ck_assert_uint_lt(off, all / 100);
  int_free(run);
  net_free(net);
  free_samples(&s);
}
END_TEST

// With two bits behind the point, biases are the same ones, less rounded.
START_TEST(biases_in_quarters) {
  struct quantize_options options = {.weight_bits = 2, .activation_bits = 8};
  struct quantize_samples s[2];
  struct net *whole = keywords(&options, &s[0]);
  options.point = 2;
  struct net *quarters = keywords(&options, &s[1]);
  const struct net_layer *a = &whole->layers[0], *b = &quarters->layers[0];
  ck_assert_uint_eq(a->weight_count, b->weight_count);
  ck_assert_mem_eq(a->weights, b->weights, a->weight_count);
  ck_assert(a->requant.shift == 0 && b->requant.shift == 2);
  int parts = 0;
  for (uint32_t c = 0; c < net_output(whole, a)->c; c++) {
    ck_assert_double_le(fabs((double)b->requant.lambda[c] / 4 - (double)a->requant.lambda[c]),
                        0.625);
    parts += b->requant.lambda[c] % 4 != 0;
  }
  ck_assert_int_gt(parts, 16);
  net_free(whole);
  net_free(quarters);
  free_samples(&s[0]);
  free_samples(&s[1]);
}
END_TEST

// Channels change, results do not.
START_TEST(equalization_keeps_results) {
  struct net_error error = {.text = ""};
  struct real_net *real = load_real(KWS, NULL, &error);
  ck_assert_msg(real != NULL, "%s", error.text);
  struct quantize_samples s = keyword_samples(real);
  struct real_run *before = real_run_new(real);
  memcpy(real_tensor(before, real->net->inputs[0]), s.values[0], ELEMENTS * sizeof(float));
  real_execute(before);
  float first = real->layers[2].weights[0];
  ck_assert_uint_eq(equalize(real), 8); // of nine convolutions in a row
  ck_assert(fabsf(real->layers[2].weights[0] - first) > 0);
  struct real_run *after = real_run_new(real);
  memcpy(real_tensor(after, real->net->inputs[0]), s.values[0], ELEMENTS * sizeof(float));
  real_execute(after);
  for (size_t i = 0; i < 12; i++)
    ck_assert_float_eq_tol(real_tensor(before, real->net->outputs[0])[i],
                           real_tensor(after, real->net->outputs[0])[i], 1e-3f);
  real_run_free(before);
  real_run_free(after);
  real_free(real);
  free_samples(&s);
}
END_TEST

// ---------------------------------------------------------------------------- the program

static double accuracy_of(const char *options) {
  const char *dir = tool_directory();
  tool(NULL, DEPLOY " quantize " FULL "kws_ref_model.tflite --calibrate %s/full %s -o %s/kws.int",
       dir, options, dir);
  const char *said = tool(NULL, DEPLOY " run %s/kws.int --classify %s/full.tsv", dir, dir);
  double accuracy = 0;
  ck_assert_int_eq(sscanf(strstr(said, "\"acc"), "\"accuracy\": %lf", &accuracy), 1);
  return accuracy;
}

// Calibrated with the given inputs, without their labels.
START_TEST(keyword_spotting_keeps_its_accuracy) {
  static const struct {
    const char *options;
    double least;
  } rows[] = {{"--weights 8", 0.904 - 0.003},
              {"--weights 4", 0.895},
              {"--weights 4 --activations 4", 0.86}};
  if (access(FULL "kws-inputs.tar.xz", R_OK) != 0)
    return;
  const char *dir = tool_directory();
  tool(NULL,
       "mkdir -p %s/full && tar -xJf " FULL "kws-inputs.tar.xz -C %s && "
       "find %s -name 'tst_*' -exec mv {} %s/full/ ';' && "
       "find %s/full -type f | sed 's/.*_\\([0-9]*\\)\\.[a-z]*$/&\\t\\1/' > %s/full.tsv",
       dir, dir, dir, dir, dir, dir);
  ck_assert_double_ge(accuracy_of(rows[_i].options), rows[_i].least);
}
END_TEST

static bool same_weights(const struct quantized *a, const struct quantized *b, uint32_t i) {
  const struct net_layer *l = &a->net->layers[i];
  return memcmp(l->weights, b->net->layers[i].weights, l->weight_count) == 0;
}

// With the bits it has, a layer becomes what it was; with others it alone has other weights, and
// the biases behind it follow.
START_TEST(one_layer_again) {
  enum { LAYER = 2 };
  struct net_error error = {.text = ""};
  struct real_net *real = load_real(KWS, NULL, &error);
  ck_assert_msg(real != NULL, "%s", error.text);
  struct quantize_samples s = keyword_samples(real), few = {s.values, NULL, 8};
  uint8_t bits[16];
  memset(bits, 8, sizeof bits);
  struct quantize_options options = {
      .weight_bits = 8, .activation_bits = 8, .weight_list = bits, .list_count = sizeof bits};
  struct quantized base, same, less;
  ck_assert(quantize_begin(real, &few, &options, &base, &error));
  ck_assert(quantize_again(real, &few, &options, &base, LAYER, &same, &error));
  bits[LAYER] = 2;
  ck_assert(quantize_again(real, &few, &options, &base, LAYER, &less, &error));
  for (uint32_t i = 0; i < real->net->layer_count; i++) {
    if (!base.numbers[i].scales)
      continue;
    size_t lambdas = net_output(base.net, &base.net->layers[i])->c * sizeof(int64_t);
    const int64_t *lambda = base.net->layers[i].requant.lambda;
    ck_assert(same_weights(&base, &same, i));
    ck_assert_mem_eq(same.net->layers[i].requant.lambda, lambda, lambdas);
    ck_assert_int_eq(same_weights(&base, &less, i), i != LAYER);
    bool changed = memcmp(less.net->layers[i].requant.lambda, lambda, lambdas) != 0;
    ck_assert_int_eq(changed, i >= LAYER);
  }
  quantized_free(&base);
  quantized_free(&same);
  quantized_free(&less);
  free_samples(&s);
  real_free(real);
}
END_TEST

// Inputs that weights were fitted to tell nothing of what these cost: two bits cost something in
// every layer, few as the inputs are.
START_TEST(losses_are_of_other_inputs) {
  struct net_error error = {.text = ""};
  struct real_net *real = load_real(KWS, NULL, &error);
  ck_assert_msg(real != NULL, "%s", error.text);
  struct quantize_samples s = keyword_samples(real), few = {s.values, NULL, 8};
  struct quantize_options options = {.per_layer = false};
  struct bits_problem *p = bits_problem_new(real->net);
  struct bits_losses losses = {NULL, NULL};
  ck_assert(bits_losses_measure(real, p, &few, &options, &losses, &error));
  for (uint32_t i = 0; i < p->layer_count; i++) {
    const struct bits_layer *l = &p->layers[i];
    if (l->weights)
      ck_assert_msg(losses.weights[i][2] > 0.0001, "layer %u: %g", i, losses.weights[i][2]);
    if (l->weights && !p->fixed[l->y.group])
      ck_assert_double_gt(losses.groups[l->y.group][2], losses.groups[l->y.group][1]);
  }
  bits_losses_free(&losses);
  bits_problem_free(p);
  free_samples(&s);
  real_free(real);
}
END_TEST

static void expect_no_fit(const char *options, const char *sentence) {
  int status;
  const char *said = tool(&status, DEPLOY " fit " KWS " --calibrate %s/few --samples 1 %s",
                          tool_directory(), options);
  ck_assert_msg(status == 80 && strstr(said, sentence), "%s: %d, %s", options, status, said);
}

// Measured, an assignment fits like any other; if none does, what is missing is said. With 2 bits
// everywhere a layer's input and output take 2 * 2000 bytes, and all weights and parameters 10826.
START_TEST(fit_measures) {
  const char *dir = tool_directory();
  tool(NULL,
       "mkdir -p %s/few && for i in 0 1 2 3; do tail -c +$((i * 491 + 2)) "
       "tests/data/networks/kws_48.bin | head -c 490 > %s/few/$i.bin; done",
       dir, dir);
  const char *said = tool(NULL,
                          DEPLOY " fit " KWS " --calibrate %s/few --read-only 16k "
                                 "--read-write 14k --per-channel --json",
                          dir);
  unsigned read_only = 0, peak = 0;
  ck_assert_int_eq(sscanf(strstr(said, "\"read_only"),
                          "\"read_only_bytes\": %u, \"peak_bytes\": %u", &read_only, &peak),
                   2);
  ck_assert(read_only > 12000 && read_only <= 16384 && peak <= 14336);
  expect_no_fit("--read-only 1M --read-write 3000", "4000 bytes of activations, 1000 more than");
  expect_no_fit("--read-only 8k --read-write 1M", "need 10826 bytes, 2634 more than the 8192");
}
END_TEST

START_TEST(mistakes_are_refused) {
  static const struct {
    int status;
    const char *arguments, *sentence;
  } rows[] = {
      {64, "x", "give one model, --calibrate and -o"},
      {64, KWS " --calibrate /tmp -o /dev/null --weights 5", "--weights 5: no such choice"},
      {64, KWS " --calibrate /tmp -o /dev/null --range all", "--range all: no such choice"},
      {64, KWS " --calibrate /tmp -o /dev/null --input-type int9:1:0", "give int8:SCALE"},
      {64, KWS " --calibrate tests/data/networks -o /dev/null --weights 4,8",
       "--weights has 2 numbers"},
      {64, KWS " --calibrate /tmp -o /dev/null --activations 4,8", "and the model 10 layers"},
      {64, KWS " --calibrate /tmp -o /dev/null --weight-range all", "--weight-range all: no such"},
      {64, KWS " --calibrate /tmp -o /dev/null --bias q29.3", "--bias q29.3: no such choice"},
      {73, KWS " --calibrate /tmp -o /nonexistent/x", "/nonexistent/x: No such file"},
      {66, KWS " --calibrate /nonexistent -o /dev/null", "/nonexistent: No such file"},
      {65, KWS " --calibrate tests/data/networks -o /dev/null", "the input is 49 x 10 x 1"},
      {64, KWS " --calibrate /tmp -o /dev/null --input-shape 3x4", "--input-shape 3x4: give"},
      {65, "README.md --calibrate /tmp -o /dev/null",
       "neither an ONNX nor a TensorFlow Lite model"}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    int status;
    const char *said = tool(&status, DEPLOY " quantize %s", rows[i].arguments);
    ck_assert_msg(status == rows[i].status && strstr(said, rows[i].sentence), "'%s': %d, %s",
                  rows[i].arguments, status, said);
  }
}
END_TEST

Suite *quantizer_suite(void) {
  Suite *suite = suite_create("quantizer");
  TCase *tc = tcase_create("quantizer");
  tcase_set_timeout(tc, 120);
  tcase_add_test(tc, zero_has_a_code);
  tcase_add_test(tc, ranges_do_what_their_names_say);
  tcase_add_test(tc, descent_ends_between_rounding_and_the_best);
  tcase_add_test(tc, minmax_clips_nothing);
  tcase_add_test(tc, onnx_gives_what_its_runtime_gives);
  tcase_add_test(tc, thresholds_are_icn);
  tcase_add_test(tc, integers_are_the_quantized_numbers);
  tcase_add_test(tc, biases_in_quarters);
  tcase_add_test(tc, equalization_keeps_results);
  tcase_add_loop_test(tc, keyword_spotting_keeps_its_accuracy, 0, 3);
  tcase_add_test(tc, one_layer_again);
  tcase_add_test(tc, losses_are_of_other_inputs);
  tcase_add_test(tc, fit_measures);
  tcase_add_test(tc, mistakes_are_refused);
  suite_add_tcase(suite, tc);
  return suite;
}
