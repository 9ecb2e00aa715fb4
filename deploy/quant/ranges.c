// deploy/quant/ranges.c
#include "ranges.h"

#include <math.h>

enum { SHRINKS = 80 };

void ranges_see(struct ranges *r, const float *values, size_t count) {
  for (size_t i = 0; i < count; i++) {
    r->low = !r->any || values[i] < r->low ? values[i] : r->low;
    r->high = !r->any || values[i] > r->high ? values[i] : r->high;
    r->any = true;
  }
}

void ranges_count(struct ranges *r, const float *values, size_t count) {
  float scale = r->high > r->low ? (float)RANGES_BINS / (r->high - r->low) : 0;
  for (size_t i = 0; i < count; i++) {
    int bin = (int)((values[i] - r->low) * scale);
    r->bins[bin < 0 ? 0 : bin >= RANGES_BINS ? RANGES_BINS - 1 : bin]++;
  }
}

static double centre(const struct ranges *r, int bin) {
  return (double)r->low + ((double)bin + 0.5) * (double)(r->high - r->low) / RANGES_BINS;
}

// 0 is inside, and is a code: the zero is rounded, which moves both ends.
static struct ranges_code code_of(double low, double high, uint32_t bits) {
  int32_t top = (1 << bits) - 1;
  low = fmin(low, 0), high = fmax(high, 0);
  double scale = (high - low) / top;
  if (!(scale > 1e-30))
    scale = 1;
  double zero = round(-low / scale);
  return (struct ranges_code){(float)scale, (int32_t)fmin(fmax(zero, 0), top)};
}

// Mean squared error of the codes of a range, each bin at its centre.
static double squares(const struct ranges *r, struct ranges_code code, uint32_t bits) {
  double sum = 0, top = (1 << bits) - 1, scale = (double)code.scale;
  for (int i = 0; i < RANGES_BINS; i++) {
    if (!r->bins[i])
      continue;
    double x = centre(r, i), q = fmin(fmax(round(x / scale) + code.zero, 0), top);
    double error = x - scale * (q - code.zero);
    sum += (double)r->bins[i] * error * error;
  }
  return sum;
}

// Both ends move together, in steps of their sizes.
static struct ranges_code least_squares(const struct ranges *r, uint32_t bits) {
  struct ranges_code best = code_of((double)r->low, (double)r->high, bits);
  double least = squares(r, best, bits);
  for (int i = 1; i < SHRINKS; i++) {
    double part = 1 - (double)i / SHRINKS;
    struct ranges_code one = code_of((double)r->low * part, (double)r->high * part, bits);
    double error = squares(r, one, bits);
    if (error < least)
      least = error, best = one;
  }
  return best;
}

static struct ranges_code percentile(const struct ranges *r, uint32_t bits) {
  double total = 0, below = 0;
  for (int i = 0; i < RANGES_BINS; i++)
    total += (double)r->bins[i];
  int first = 0, last = RANGES_BINS - 1;
  for (below = 0; first < last && below + (double)r->bins[first] <= total / 10000; first++)
    below += (double)r->bins[first];
  for (below = 0; last > first && below + (double)r->bins[last] <= total / 10000; last--)
    below += (double)r->bins[last];
  double half = (double)(r->high - r->low) / RANGES_BINS / 2;
  return code_of(centre(r, first) - half, centre(r, last) + half, bits);
}

static int bin_of(const struct ranges *r, double x) {
  double bin = (x - (double)r->low) / (double)(r->high - r->low) * RANGES_BINS;
  return (int)fmin(fmax(bin, 0), RANGES_BINS - 1);
}

// What counts of a bin: 0, of which a ReLU gives many, has its own code whatever the range.
static double mass_of(const struct ranges *r, int bin) {
  return bin == bin_of(r, 0) ? 0 : (double)r->bins[bin];
}

// Kullback-Leibler divergence of what `levels` codes keep of the bins first..last from all that was
// seen, of which the rest is clipped to the ends.
static double divergence(const struct ranges *r, int first, int last, int levels) {
  double total = 0, below = 0, above = 0, sum = 0;
  int width = last - first + 1;
  for (int i = 0; i < RANGES_BINS; i++) {
    total += mass_of(r, i);
    below += i < first ? mass_of(r, i) : 0;
    above += i > last ? mass_of(r, i) : 0;
  }
  double inside = fmax(total - below - above, 1);
  for (int level = 0; level < levels; level++) {
    int from = first + level * width / levels, to = first + (level + 1) * width / levels, used = 0;
    double mass = 0;
    for (int i = from; i < to; i++)
      mass += mass_of(r, i), used += mass_of(r, i) > 0;
    for (int i = from; i < to; i++) {
      double p = mass_of(r, i) + (i == first ? below : 0) + (i == last ? above : 0);
      double q = used ? mass / used : 0;
      if (p > 0)
        sum += p / total * log(p / total / (fmax(q, 1e-3) / inside));
    }
  }
  return sum;
}

// Both ends move together, as for least squares.
static struct ranges_code entropy(const struct ranges *r, uint32_t bits) {
  struct ranges_code best = code_of((double)r->low, (double)r->high, bits);
  double least = INFINITY;
  for (int i = 0; i < SHRINKS && r->high > r->low; i++) {
    double part = 1 - (double)i / SHRINKS, low = (double)r->low * part,
           high = (double)r->high * part;
    int first = r->low < 0 ? bin_of(r, low) : 0,
        last = r->high > 0 ? bin_of(r, high) : RANGES_BINS - 1;
    if (last - first + 1 < 1 << bits)
      break;
    double d = divergence(r, first, last, 1 << bits);
    if (d < least)
      least = d, best = code_of(low, high, bits);
  }
  return best;
}

struct ranges_code ranges_choose(const struct ranges *r, enum ranges_method method, uint32_t bits) {
  if (method == RANGES_AUTO)
    method = bits == 8 ? RANGES_MINMAX : RANGES_ENTROPY;
  if (!r->any)
    return (struct ranges_code){1, 0};
  switch (method) {
  case RANGES_PERCENTILE:
    return percentile(r, bits);
  case RANGES_ENTROPY:
    return entropy(r, bits);
  case RANGES_SQUARES:
    return least_squares(r, bits);
  default:
    return code_of((double)r->low, (double)r->high, bits);
  }
}
