// kernels/ref/ref_pair.h: sums in twice the precision of a float, from float operations alone.
//
// The simulated machine has no doubles, and in software each addition of two takes hundreds of
// instructions. Here what an operation rounds away is computed exactly and added up beside the sum
// (TwoSum, TwoProduct with a fused multiply-add, Dot2: Ogita, Rump, Oishi, Accurate Sum and Dot
// Product, SIAM J. Sci. Comput. 26, 2005): relative to the sum of the magnitudes of n terms, the
// error is below 2^-24 of the value and n^2 * 2^-48. Without overflow; a sum that is NaN or
// infinite is so in `high`, whatever `low` is.
#ifndef REF_PAIR_H
#define REF_PAIR_H

struct ref_pair {
  float high, low;
};

static inline void ref_pair_add(struct ref_pair *sum, float term) {
  float total = sum->high + term, added = total - sum->high;
  sum->low += (sum->high - (total - added)) + (term - added);
  sum->high = total;
}

static inline void ref_pair_add_product(struct ref_pair *sum, float a, float b) {
  float product = a * b;
  sum->low += __builtin_fmaf(a, b, -product);
  ref_pair_add(sum, product);
}

#endif
