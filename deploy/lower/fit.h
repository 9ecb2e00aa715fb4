// deploy/lower/fit.h: a requantization that gives exactly the codes that a quantized operator's
// floating-point arithmetic gives.
//
// Such an operator brings an integer sum to a code by a function that does not fall:
// saturate(round(sum * factor) + zero), rounded in binary32, ties to even (deploy/op/op_quant.h).
// It is known completely by the least sum of each code. clip((kappa * sum + lambda) >> shift) is
// the same function if it is on the right side of each of these steps; for a given kappa the
// lambdas that are form an interval. Where there is none (ties of a factor that is a power of two
// go up and down in turns) thresholds say it.
#ifndef DEPLOY_FIT_H
#define DEPLOY_FIT_H

#include "deploy/net/net.h"

enum { FIT_CODES = 256 };

// One channel: code low + 1 + i begins at sum first[i], and ends below at sum last[i] (the largest
// that can come with a lower code). Sums beyond INT32 do not come.
struct fit_channel {
  int64_t first[FIT_CODES], last[FIT_CODES];
  double factor; // codes per unit of the sum, about
};

struct fit {
  struct fit_channel *channels;
  uint32_t count;
  int32_t low, high; // the codes; those between have steps
  uint8_t bits;      // of the output
  bool is_signed;
};

void fit_begin(struct fit *fit, uint32_t channels, int32_t low, int32_t high, bool is_signed);
void fit_end(struct fit *fit);
// Finds the steps of channel c's function between two sums, by bisection.
void fit_function(struct fit *fit, uint32_t c, int64_t least, int64_t most, double factor,
                  int64_t (*code)(const void *data, int64_t sum), const void *data);
// Fills `requant`, whose arrays are allocated: a product, or thresholds.
void fit_requant(const struct fit *fit, struct net_requant *requant);

#endif
