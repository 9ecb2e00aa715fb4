// tests/kernels/grid_train_streamed.c: chains of fully connected layers, their weights streamed:
// values, gradients, new weights and biases against the definition in double precision. All
// operands are small multiples of powers of two, so that every result is exact in both.
#include "grid_train.h"

#include "kernels/train/train_streamed.h"

enum { MOST = 3, SIDE = 35, WIDEST = 40, HEAD = TRAIN_STREAMED_HEAD };
enum { WEIGHTS = MOST * (HEAD + WIDEST) * SIDE };
static float weights[WEIGHTS];
static double old_weights[WEIGHTS], value[MOST][WIDEST];
static double grad[MOST][WIDEST], old_step[WIDEST];
static struct train_streamed_layer layers[MOST];
static struct train_streamed net;

// Multiples of 1/2 in [-1, 1].
static void fill(float *values, uint32_t count, uint32_t *seed) {
  for (uint32_t i = 0; i < count; i++)
    values[i] = 0.5f * (float)((int32_t)grid_draw(seed, 0, 4) - 2);
}

static float *make_vector(uint32_t count, uint32_t *seed) {
  float *vector = grid_floats(train_streamed_vector(count), seed);
  fill(vector + HEAD, count, seed);
  train_streamed_head(vector, count);
  return vector;
}

// Every other case steps the first layer later, and has something to step it by; every third finds
// its gradients itself: 2 / out_n of the errors is a power of two where the width is.
static void prepare_turn(uint32_t number, uint32_t *seed) {
  struct train_streamed_layer *last = &layers[net.count - 1];
  net.step_input = NULL;
  net.target = NULL;
  if (number % 2 && net.count > 1) {
    net.step_input = make_vector(layers[0].in_n, seed);
    fill(layers[0].grad, layers[0].out_n, seed);
  }
  for (uint32_t i = 0; i < layers[0].out_n; i++)
    old_step[i] = net.step_input ? (double)layers[0].grad[i] : 0;
  if ((last->out_n & (last->out_n - 1)) == 0 && !last->relu) {
    net.target = grid_floats(last->out_n, seed);
    fill((float *)(uintptr_t)net.target, last->out_n, seed);
  }
}

static float *prepare_layer(struct train_streamed_layer *layer, float *w, uint32_t in_n,
                            uint32_t *seed) {
  uint32_t out_n = grid_draw(seed, 1, SIDE);
  *layer = (struct train_streamed_layer){.weights = w,
                                         .in_n = in_n,
                                         .out_n = out_n,
                                         .rows = grid_draw(seed, 1, TRAIN_STREAMED_ROWS),
                                         .relu = grid_draw(seed, 0, 1)};
  layer->value = make_vector(out_n, seed);
  layer->grad = grid_scratch(out_n * 4);
  uint32_t floats = train_streamed_floats(layer);
  for (uint32_t i = 0; i < floats; i++)
    w[i] = 0;
  for (uint32_t o = 0; o < out_n; o++) {
    for (uint32_t i = 0; i <= in_n; i++)
      fill(w + train_streamed_place(layer, o, i), 1, seed);
  }
  return w + floats;
}

static void prepare(uint32_t number, uint32_t seed) {
  uint32_t in_n = grid_draw(&seed, 1, WIDEST), more = grid_draw(&seed, 0, 2000) & ~3u;
  float *w = weights;
  net = (struct train_streamed){.layers = layers, .count = 1 + number % MOST, .rate = 0.5f};
  net.input = make_vector(in_n, &seed);
  for (uint32_t l = 0; l < net.count; l++) {
    w = prepare_layer(&layers[l], w, in_n, &seed);
    in_n = layers[l].out_n;
  }
  fill(layers[net.count - 1].grad, in_n, &seed);
  for (uint32_t i = 0; i < in_n; i++)
    grad[net.count - 1][i] = (double)layers[net.count - 1].grad[i];
  for (uint32_t i = 0; i < WEIGHTS; i++)
    old_weights[i] = (double)weights[i];
  net.l1_bytes = train_streamed_least_bytes(&net) + more;
  net.l1 = grid_scratch(net.l1_bytes);
  prepare_turn(number, &seed);
}

// What a pass before has left over for the first layer is taken by the next one.
static int finish(int status) {
  rt_barrier();
  return status || !net.step_input ? status : (int)train_streamed_finish(&net);
}

static int run(void) {
  if (net.target)
    return finish((int)train_streamed_step(&net));
  int status = (int)train_streamed_fw(&net);
  rt_barrier();
  return finish(status ? status : (int)train_streamed_bw(&net));
}

// Of layer l; of its bias, 1.
static double input_of(uint32_t l, uint32_t i) {
  if (i == layers[l].in_n)
    return 1;
  return l ? value[l - 1][i] : (double)net.input[HEAD + i];
}

static double *old_weight(uint32_t l, uint32_t o, uint32_t i) {
  return &old_weights[layers[l].weights - weights + train_streamed_place(&layers[l], o, i)];
}

// The first layer's weights, as the forward pass uses them.
static void refer_step(void) {
  uint32_t in_n = layers[0].in_n;
  for (uint32_t o = 0; net.step_input && o < layers[0].out_n; o++) {
    for (uint32_t i = 0; i <= in_n; i++)
      *old_weight(0, o, i) += old_step[o] * (i < in_n ? (double)net.step_input[HEAD + i] : 1);
  }
}

static void refer_values(void) {
  for (uint32_t l = 0; l < net.count; l++) {
    for (uint32_t o = 0; o < layers[l].out_n; o++) {
      value[l][o] = 0;
      for (uint32_t i = 0; i <= layers[l].in_n; i++)
        value[l][o] += *old_weight(l, o, i) * input_of(l, i);
      if (layers[l].relu && value[l][o] < 0)
        value[l][o] = 0;
    }
  }
}

static void refer_gradients(void) {
  const struct train_streamed_layer *last = &layers[net.count - 1];
  for (uint32_t i = 0; net.target && i < last->out_n; i++)
    grad[net.count - 1][i] = 2.0 / last->out_n * (value[net.count - 1][i] - (double)net.target[i]);
  for (uint32_t l = net.count - 1; l > 0; l--) {
    for (uint32_t i = 0; i < layers[l].in_n; i++) {
      grad[l - 1][i] = 0;
      for (uint32_t o = 0; o < layers[l].out_n; o++)
        grad[l - 1][i] += grad[l][o] * *old_weight(l, o, i);
      if (layers[l - 1].relu && !(value[l - 1][i] > 0))
        grad[l - 1][i] = 0;
    }
  }
}

static int differs(const char *what, uint32_t l, uint32_t o, double is, double want) {
  if (is == want)
    return 0;
  rt_printf("%s of layer %u of %u (%u to %u, %u bytes of L1): [%u] is %08x, expected %08x\n", what,
            (unsigned)l, (unsigned)net.count, (unsigned)layers[l].in_n, (unsigned)layers[l].out_n,
            (unsigned)net.l1_bytes, (unsigned)o, (unsigned)rt_float_bits((float)is),
            (unsigned)rt_float_bits((float)want));
  return 1;
}

static int check_layer(uint32_t l) {
  const struct train_streamed_layer *layer = &layers[l];
  double rate = (double)net.rate;
  for (uint32_t o = 0; o < layer->out_n; o++) {
    if (differs("value", l, o, (double)layer->value[HEAD + o], value[l][o]))
      return 1;
    for (uint32_t i = 0; i <= layer->in_n; i++) {
      double want = *old_weight(l, o, i) - rate * grad[l][o] * input_of(l, i);
      double is = (double)layer->weights[train_streamed_place(layer, o, i)];
      if (differs(i < layer->in_n ? "weight" : "bias", l, o * layer->in_n + i, is, want))
        return 1;
    }
  }
  return 0;
}

static int check(void) {
  refer_step();
  refer_values();
  refer_gradients();
  for (uint32_t l = 0; l < net.count; l++) {
    if (check_layer(l))
      return 1;
  }
  return 0;
}

int grid_train_streamed(void) {
  static const struct grid_case what = {prepare, run, check};
  return grid_run("train_streamed", &what);
}
