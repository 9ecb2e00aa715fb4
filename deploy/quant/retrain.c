// deploy/quant/retrain.c
#include "retrain.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "deploy/memory.h"
#include "fake.h"
#include "kernels/rt/rt.h"
#include "kernels/train/train_loss.h"
#include "kernels/train/train_optim.h"
#include "quantize_layer.h"

// A batch is split into as many parts, each with gradients of its own, whatever the threads.
enum { BATCH = 32, PARTS = 4, THREADS_MOST = PARTS, SEED = 1, JUDGED = 1000 };

// Steps of the parameters, in their units (fake.h).
static const float rates[FAKE_PARTS] = {[FAKE_WEIGHTS] = 0.003F,
                                        [FAKE_BIASES] = 0.003F,
                                        [FAKE_WEIGHT_SCALES] = 0.001F,
                                        [FAKE_SCALES] = 0.001F};

struct course {
  const struct real_net *real;
  const struct quantize_samples *data;
  struct fake *fake;
  struct fake_run *runs[PARTS];
  float **targets;         // per sample: the real network's output
  float *m, *v;            // of Adam
  uint32_t *order, *first; // shuffled; as they came
  uint32_t outputs, threads, step, seed;
  // of the batch at work
  const uint32_t *batch;
  uint32_t batch_count;
  bool learns;
  double losses[PARTS];
};

// ---------------------------------------------------------------------------- targets

static size_t output_elements(const struct real_net *real) {
  const struct net_tensor *t = &real->net->tensors[real->net->outputs[0]];
  return (size_t)t->h * t->w * t->c;
}

static void set_targets(struct course *c) {
  const struct net *net = c->real->net;
  struct real_run *run = real_run_new(c->real);
  c->targets = memory_new(c->data->count, sizeof *c->targets);
  for (uint32_t i = 0; i < c->data->count; i++) {
    memcpy(real_tensor(run, net->inputs[0]), c->data->values[i],
           real_elements(run, net->inputs[0]) * sizeof(float));
    real_execute(run);
    c->targets[i] = memory_copy(real_tensor(run, net->outputs[0]), c->outputs, sizeof(float));
  }
  real_run_free(run);
}

static float loss_of(const struct course *c, const struct fake_run *run, uint32_t sample,
                     float *grad) {
  float loss = 0, partial[TRAIN_LOSS_PARTS];
  const struct train_loss how = {.in = fake_output(run),
                                 .target = c->targets[sample],
                                 .in_grad = grad,
                                 .loss = &loss,
                                 .partial = partial,
                                 .count = c->outputs};
  if (train_loss_mse(&how) != KERNEL_OK)
    abort(); // the shapes are ours
  return loss;
}

// ---------------------------------------------------------------------------- a batch

static void do_part(struct course *c, uint32_t part) {
  struct fake_run *run = c->runs[part];
  float *gradients = fake_gradients(run), *grad = memory_new(c->outputs, sizeof *grad);
  memset(gradients, 0, c->fake->parts[FAKE_PARTS] * sizeof *gradients);
  c->losses[part] = 0;
  for (uint32_t i = part; i < c->batch_count; i += PARTS) {
    fake_forward(run, c->data->values[c->batch[i]]);
    c->losses[part] += (double)loss_of(c, run, c->batch[i], grad);
    if (c->learns)
      fake_backward(run, grad);
  }
  free(grad);
}

struct worker {
  struct course *course;
  uint32_t number;
  bool alone; // it is a thread of its own
  pthread_t thread;
};

static void *work(void *argument) {
  const struct worker *w = argument;
  for (uint32_t part = w->number; part < PARTS; part += w->course->threads)
    do_part(w->course, part);
  return NULL;
}

static double do_batch(struct course *c, const uint32_t *batch, uint32_t count, bool learns) {
  struct worker workers[THREADS_MOST] = {{.course = c}};
  c->batch = batch, c->batch_count = count, c->learns = learns;
  for (uint32_t i = 0; i < c->threads; i++) {
    workers[i] = (struct worker){.course = c, .number = i};
    if (i > 0)
      workers[i].alone = pthread_create(&workers[i].thread, NULL, work, &workers[i]) == 0;
  }
  for (uint32_t i = 0; i < c->threads; i++) {
    if (!workers[i].alone)
      work(&workers[i]);
  }
  for (uint32_t i = 1; i < c->threads; i++) {
    if (workers[i].alone)
      pthread_join(workers[i].thread, NULL);
  }
  double sum = 0;
  for (int part = 0; part < PARTS; part++)
    sum += c->losses[part];
  return sum;
}

// ---------------------------------------------------------------------------- steps

static void descend(struct course *c, const float *gradients, float part_of_rate) {
  const uint32_t *parts = c->fake->parts;
  float beta1 = 0.9F, beta2 = 0.999F;
  c->step++;
  for (int part = 0; part < FAKE_PARTS; part++) {
    uint32_t at = parts[part];
    const struct train_optim adam = {.weights = c->fake->parameters + at,
                                     .grad = gradients + at,
                                     .m = c->m + at,
                                     .v = c->v + at,
                                     .count = parts[part + 1] - at,
                                     .rate = rates[part] * part_of_rate,
                                     .beta1 = beta1,
                                     .beta2 = beta2,
                                     .epsilon = 1e-8F,
                                     .correction1 = 1 - powf(beta1, (float)c->step),
                                     .correction2 = 1 - powf(beta2, (float)c->step)};
    if (adam.count && train_optim_adam(&adam) != KERNEL_OK)
      abort();
  }
  fake_prepare(c->fake);
}

static void learn_batch(struct course *c, const uint32_t *batch, uint32_t count, float rate) {
  do_batch(c, batch, count, true);
  float *sum = fake_gradients(c->runs[0]);
  for (int part = 1; part < PARTS; part++) {
    const float *more = fake_gradients(c->runs[part]);
    for (uint32_t i = 0; i < c->fake->parts[FAKE_PARTS]; i++)
      sum[i] += more[i];
  }
  for (uint32_t i = 0; i < c->fake->parts[FAKE_PARTS]; i++)
    sum[i] /= (float)count;
  fake_finish(c->fake, sum);
  descend(c, sum, rate);
}

static void shuffle(uint32_t *order, uint32_t count, uint32_t *seed) {
  for (uint32_t i = count; i > 1; i--) {
    uint32_t j = (uint32_t)((uint64_t)rt_random(seed) * i >> 32), other = order[i - 1];
    order[i - 1] = order[j];
    order[j] = other;
  }
}

static void learn_epoch(struct course *c, uint32_t epoch, uint32_t epochs) {
  uint32_t count = c->data->count;
  shuffle(c->order, count, &c->seed);
  for (uint32_t i = 0; i < count; i += BATCH) {
    double done = ((double)i / count + epoch) / epochs;
    double rate = 0.5 + 0.5 * cos(3.14159265358979 * done);
    learn_batch(c, c->order + i, count - i < BATCH ? count - i : BATCH, (float)rate);
  }
}

// Mean loss of the first samples.
static double judge(struct course *c) {
  uint32_t count = c->data->count < JUDGED ? c->data->count : JUDGED;
  return do_batch(c, c->first, count, false) / count;
}

// The best of all epochs; false: that was the beginning.
static bool learn(struct course *c, const struct retrain_options *o) {
  uint32_t all = c->fake->parts[FAKE_PARTS];
  double best = judge(c);
  float *kept = memory_copy(c->fake->parameters, all, sizeof *kept);
  bool better = false;
  if (o->progress)
    fprintf(o->progress, "retraining: squared distance %.5g\n", best);
  for (uint32_t epoch = 0; epoch < o->epochs; epoch++) {
    learn_epoch(c, epoch, o->epochs);
    double loss = judge(c);
    if (o->progress)
      fprintf(o->progress, "epoch %u of %u: %.5g\n", epoch + 1, o->epochs, loss);
    if (!(loss < best))
      continue;
    best = loss, better = true;
    memcpy(kept, c->fake->parameters, all * sizeof *kept);
  }
  memcpy(c->fake->parameters, kept, all * sizeof *kept);
  fake_prepare(c->fake);
  free(kept);
  return better;
}

// ---------------------------------------------------------------------------- the result

static void take_over(const struct course *c, struct quantized *q,
                      const struct quantize_options *how) {
  struct net *net = q->net;
  for (uint32_t i = 0; i < net->layer_count; i++) {
    if (q->numbers[i].scales)
      fake_codes(c->fake, i, net->layers[i].weights, q->numbers[i].scales, q->numbers[i].biases);
  }
  for (uint32_t t = 0; t < net->tensor_count; t++)
    net->tensors[t].scale = (double)c->fake->scale[t];
  for (uint32_t i = 0; i < net->layer_count; i++)
    quantize_rescale(c->real, i, net, &net->layers[i], how, &q->numbers[i]);
}

static void course_free(struct course *c) {
  for (uint32_t i = 0; c->targets && i < c->data->count; i++)
    free(c->targets[i]);
  for (int i = 0; i < PARTS; i++)
    fake_run_free(c->runs[i]);
  fake_free(c->fake);
  free(c->targets);
  free(c->order);
  free(c->first);
  free(c->m);
  free(c->v);
}

bool retrain(const struct real_net *real, struct quantized *q, const struct quantize_options *how,
             const struct quantize_samples *data, const struct retrain_options *o,
             struct net_error *error) {
  struct course c = {
      .real = real, .data = data, .outputs = (uint32_t)output_elements(real), .seed = SEED};
  c.fake = fake_new(real, q->net, q->numbers, error);
  if (!c.fake)
    return false;
  c.threads = o->threads < 1 ? 1 : o->threads > THREADS_MOST ? THREADS_MOST : o->threads;
  c.order = memory_new(data->count, sizeof *c.order);
  c.m = memory_new(c.fake->parts[FAKE_PARTS], sizeof *c.m);
  c.v = memory_new(c.fake->parts[FAKE_PARTS], sizeof *c.v);
  for (uint32_t i = 0; i < data->count; i++)
    c.order[i] = i;
  c.first = memory_copy(c.order, data->count, sizeof *c.first);
  for (int i = 0; i < PARTS; i++)
    c.runs[i] = fake_run_new(c.fake);
  set_targets(&c);
  if (learn(&c, o))
    take_over(&c, q, how);
  course_free(&c);
  return net_check(q->net, error);
}
