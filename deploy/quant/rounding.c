// deploy/quant/rounding.c
#include "rounding.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "deploy/memory.h"

enum { SCALES = 24, STEPS_PER_TAP = 20 };

static int least_code(uint32_t bits) {
  return -(1 << (bits - 1));
}

static int low(const struct rounding *r) {
  return least_code(r->bits);
}

static int clipped(const struct rounding *r, double x) {
  return (int)fmin(fmax(round(x), low(r)), -low(r) - 1);
}

// ---------------------------------------------------------------------------- descent

// State of a filter: `slope` is H w - g of the weights that the codes stand for.
struct descent {
  const struct rounding *r;
  double *slope;
  double *own;       // scale * the diagonal of H
  double *potential; // of each code's step, scratch
  double scale;
  int8_t *codes;
};

// to[i] += from[i] * scale * code
static void add_scaled(double *restrict to, const double *restrict from, double scale, double code,
                       size_t count) {
  for (size_t i = 0; i < count; i++)
    to[i] += from[i] * scale * code;
}

static void begin(struct descent *d, const double *g) {
  size_t n = d->r->taps;
  for (size_t i = 0; i < n; i++) {
    d->slope[i] = -g[i];
    d->own[i] = d->scale * d->r->h[i * n + i];
  }
  for (size_t k = 0; k < n; k++) { // H is symmetric
    if (d->codes[k])
      add_scaled(d->slope, d->r->h + k * n, d->scale, d->codes[k], n);
  }
}

// Changes a code by a step: the slope follows.
static void take(struct descent *d, size_t i, int step) {
  d->codes[i] = (int8_t)(d->codes[i] + step);
  add_scaled(d->slope, d->r->h + i * d->r->taps, d->scale, step, d->r->taps);
}

// What the step against the slope takes off the error, of each code.
static void set_potential(double *restrict potential, const double *restrict slope,
                          const double *restrict own, double scale, size_t count) {
  for (size_t i = 0; i < count; i++)
    potential[i] = scale * (2 * fabs(slope[i]) - own[i]);
}

// The step that lowers the error most; 0: none does. Only a step against the slope can.
static int best_step(const struct descent *d, size_t *tap) {
  double most = 1e-12;
  int best = 0, lowest = low(d->r);
  set_potential(d->potential, d->slope, d->own, d->scale, d->r->taps);
  for (size_t i = 0; i < d->r->taps; i++) {
    int step = d->slope[i] > 0 ? -1 : 1;
    if (d->potential[i] > most && d->codes[i] + step >= lowest && d->codes[i] + step < -lowest)
      most = d->potential[i], best = step, *tap = i;
  }
  return best;
}

static void descend(struct descent *d, const double *g) {
  begin(d, g);
  for (size_t steps = STEPS_PER_TAP * d->r->taps; steps > 0; steps--) {
    size_t tap = 0;
    int step = best_step(d, &tap);
    if (!step)
      return;
    take(d, tap, step);
  }
}

// w'Hw - 2 w'g, from the slope.
static double error_of(const struct descent *d, const double *g) {
  double sum = 0;
  for (size_t i = 0; i < d->r->taps; i++)
    sum += d->scale * d->codes[i] * (d->slope[i] - g[i]);
  return sum;
}

// ---------------------------------------------------------------------------- one scale

static double round_each(const struct rounding *r, const float *weights, float scale,
                         int8_t *codes) {
  double sum = 0;
  for (size_t i = 0; i < r->taps; i++) {
    codes[i] = (int8_t)clipped(r, (double)weights[i] / (double)scale);
    double error = (double)weights[i] - (double)scale * codes[i];
    sum += error * error;
  }
  return sum;
}

double rounding_at(const struct rounding *r, const float *weights, const double *g, float scale,
                   int8_t *codes) {
  double plain = round_each(r, weights, scale, codes);
  if (!r->h)
    return plain;
  size_t n = r->taps;
  double *rows = memory_new(3 * n, sizeof *rows);
  struct descent d = {r, rows, rows + n, rows + 2 * n, (double)scale, codes};
  descend(&d, g);
  double error = error_of(&d, g);
  free(rows);
  return error;
}

// ---------------------------------------------------------------------------- the best scale

float rounding_whole(uint32_t bits, const float *weights, size_t count) {
  float most = 0, low = (float)least_code(bits);
  for (size_t i = 0; i < count; i++)
    most = fmaxf(most, weights[i] < 0 ? weights[i] / low : weights[i] / (-low - 1));
  return most > 1e-30f ? most : 1;
}

double rounding_filter(const struct rounding *r, const float *weights, const double *g,
                       int8_t *codes, float *scale) {
  float whole = rounding_whole(r->bits, weights, r->taps);
  int8_t *trial = memory_new(r->taps, 1);
  double least = INFINITY;
  int scales = r->bits == 8 || r->whole ? 1 : SCALES;
  for (int i = 0; i < scales; i++) {
    float one = whole * (1 - (float)i / (r->bits == 2 ? 1.2f : 1.6f) / SCALES);
    double error = rounding_at(r, weights, g, one, trial);
    if (error < least) {
      least = error, *scale = one;
      memcpy(codes, trial, r->taps);
    }
  }
  free(trial);
  return least;
}
