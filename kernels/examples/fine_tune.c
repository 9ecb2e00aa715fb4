// kernels/examples/fine_tune.c: the last layer of a deployed integer network learns on the machine.
//
// The network runs as pulpsim-deploy wrote it, in 8 bits, and is not touched. Its last layer's
// scores get a correction, delta * features + bias, in floats, of the features that it multiplies:
// what that layer with other weights would give. The correction begins at zero, so that the network
// is the deployed one, and learns from examples that it meets: cross entropy, stochastic gradient
// descent, batches of ten. Features are kept, so that each example goes through the integers once.
//
// The examples are those of kernels/data: clothes as another camera sees them, coarser - 14x14
// pixels of 4 bits, each shown four times - and upside down. It prints how many of the held-out
// ones are right, before and after.
//
// kernels/examples/fine_tune.sh makes network and program. net.h has two outputs: scores and
// features.
#include "kernels/rt/rt.h"
#include "kernels/train/train_linear.h"
#include "kernels/train/train_loss.h"
#include "net.h"

#ifndef TRAINED
#define TRAINED 400
#endif
#ifndef HELD
#define HELD 200
#endif
#ifndef EPOCHS
#define EPOCHS 30
#endif
#ifndef RATE
#define RATE 0.02f
#endif

enum { SIDE = 14, RECORD = 1 + SIDE * SIDE / 2, FIRST_HELD = 400 };
enum { EXAMPLES = TRAINED + HELD, FEATURES = 128, CLASSES = 10, BATCH = 10 };
enum { WEIGHTS = CLASSES * FEATURES };

RT_REGION(1, "an example through the integers");
RT_REGION(2, "a step of the last layer");

extern const uint8_t fashion_records[]; // kernels/data/README.md

RT_L1_BSS __attribute__((aligned(16))) uint8_t net_l1[NET_L1_BYTES];
__attribute__((aligned(16))) uint8_t net_l2[NET_L2_BYTES];

static uint8_t features[EXAMPLES][FEATURES], scores[EXAMPLES][CLASSES], labels[EXAMPLES];
static RT_L1_BSS float delta[WEIGHTS], bias[CLASSES], delta_grad[WEIGHTS], bias_grad[CLASSES];
static RT_L1_BSS float in[BATCH * FEATURES], out[BATCH * CLASSES], out_grad[BATCH * CLASSES];
static RT_L1_BSS uint8_t truth[BATCH];
static RT_L1_BSS float partial[TRAIN_LOSS_PARTS], loss;

uint32_t net_clock(void) {
  return 0;
}

// ---------------------------------------------------------------- the deployed network

static const uint8_t *record_of(uint32_t example) {
  uint32_t at = example < TRAINED ? example : FIRST_HELD + example - TRAINED;
  return fashion_records + at * RECORD;
}

static void show(uint32_t example) {
  const uint8_t *record = record_of(example);
  uint8_t *image = net_l2 + net_inputs[0].l2;
  struct rt_range rows = rt_share(2 * SIDE);
  for (uint32_t y = rows.begin; y < rows.end; y++) {
    for (uint32_t x = 0; x < 2 * SIDE; x++) {
      uint32_t pixel = SIDE * SIDE - 1 - (y / 2 * SIDE + x / 2);
      image[y * 2 * SIDE + x] = (uint8_t)((record[1 + pixel / 2] >> pixel % 2 * 4 & 15) * 17);
    }
  }
  rt_barrier();
}

static int look(uint32_t example) {
  show(example);
  int status = net_run(net_l1, net_l2, 0);
  rt_barrier();
  if (rt_core_id() == 0) {
    labels[example] = record_of(example)[0];
    for (uint32_t i = 0; i < CLASSES; i++)
      scores[example][i] = net_l2[net_outputs[0].l2 + i];
    for (uint32_t i = 0; i < FEATURES; i++)
      features[example][i] = net_l2[net_outputs[1].l2 + i];
  }
  rt_barrier();
  return status;
}

// ---------------------------------------------------------------- the last layer

static const struct train_linear layer = {.in = in,
                                          .weights = delta,
                                          .bias = bias,
                                          .out = out,
                                          .out_grad = out_grad,
                                          .weights_grad = delta_grad,
                                          .bias_grad = bias_grad,
                                          .batch = BATCH,
                                          .in_n = FEATURES,
                                          .out_n = CLASSES};
static const struct train_loss cross_entropy = {.in = out,
                                                .labels = truth,
                                                .in_grad = out_grad,
                                                .loss = &loss,
                                                .partial = partial,
                                                .rows = BATCH,
                                                .columns = CLASSES};

// The scores of examples `first` to `first` + BATCH - 1, corrected.
static void score(uint32_t first) {
  for (uint32_t b = rt_core_id(); b < BATCH; b += rt_core_count()) {
    for (uint32_t i = 0; i < FEATURES; i++)
      in[b * FEATURES + i] = FEATURE_SCALE * (float)features[first + b][i];
    truth[b] = labels[first + b];
  }
  rt_barrier();
  train_linear_fw(&layer);
  rt_barrier();
  for (uint32_t b = rt_core_id(); b < BATCH; b += rt_core_count()) {
    for (uint32_t i = 0; i < CLASSES; i++)
      out[b * CLASSES + i] += SCORE_SCALE * (float)(scores[first + b][i] - SCORE_ZERO);
  }
  rt_barrier();
}

static void descend(float *w, const float *grad, uint32_t count) {
  for (uint32_t i = rt_core_id(); i < count; i += rt_core_count())
    w[i] = __builtin_fmaf(-RATE, grad[i], w[i]);
}

static void learn(uint32_t first) {
  score(first);
  train_loss_cross_entropy(&cross_entropy);
  rt_barrier();
  train_linear_wg(&layer);
  rt_barrier();
  descend(delta, delta_grad, WEIGHTS);
  descend(bias, bias_grad, CLASSES);
  rt_barrier();
}

static uint32_t best(const float *values) {
  uint32_t at = 0;
  for (uint32_t i = 1; i < CLASSES; i++)
    at = values[i] > values[at] ? i : at;
  return at;
}

static uint32_t right(uint32_t begin, uint32_t end) {
  uint32_t count = 0;
  for (uint32_t first = begin; first < end; first += BATCH) {
    score(first);
    for (uint32_t b = 0; b < BATCH; b++)
      count += best(out + b * CLASSES) == truth[b];
    rt_barrier();
  }
  return count;
}

static void report(const char *when) {
  uint32_t trained = right(0, TRAINED), held = right(TRAINED, EXAMPLES);
  if (rt_core_id() == 0)
    rt_printf("%s: %u of %u held-out examples right, %u of %u others\n", when, (unsigned)held,
              (unsigned)HELD, (unsigned)trained, (unsigned)TRAINED);
}

int main(void) {
  for (uint32_t i = 0; i < EXAMPLES; i++) {
    rt_region_begin_if(1, i == 4);
    if (look(i) != 0)
      return 1;
    rt_region_end_if(1, i == 4);
  }
  report("as deployed");
  for (uint32_t epoch = 0; epoch < EPOCHS; epoch++) {
    for (uint32_t first = 0; first < TRAINED; first += BATCH) {
      rt_region_begin_if(2, epoch == 0 && first == 4 * BATCH);
      learn(first);
      rt_region_end_if(2, epoch == 0 && first == 4 * BATCH);
    }
  }
  report("having learned");
  return 0;
}
