#include "decimal.h"

enum { BIAS = 1075, GROUP = 1000000000 }; // of the exponent, for a significand that is an integer

// `value` << `shift`, from word[0] on; all others are 0. Up to which word it reaches.
static unsigned put_shifted(struct decimal *d, uint64_t value, unsigned shift) {
  unsigned at = shift / 32, by = shift % 32;
  uint32_t low = (uint32_t)value, high = (uint32_t)(value >> 32);
  d->word[at] = low << by;
  d->word[at + 1] = high << by | (by ? low >> (32 - by) : 0);
  d->word[at + 2] = by ? high >> (32 - by) : 0;
  return at + 3;
}

// The integer in the first `count` words becomes groups of digits, and these words 0. Each division
// takes 29.9 bits and gives one group, so 33 words need no more than these 36.
static void make_groups(struct decimal *d, unsigned count) {
  d->group = DECIMAL_WORDS;
  do {
    uint64_t rest = 0;
    while (count > 0 && d->word[count - 1] == 0)
      count--;
    for (unsigned i = count; i-- > 0;) {
      rest = rest << 32 | d->word[i];
      d->word[i] = (uint32_t)(rest / GROUP);
      rest %= GROUP;
    }
    while (count > 0 && d->word[count - 1] == 0)
      count--;
    d->word[--d->group] = (uint32_t)rest;
  } while (count > 0);
  d->point = 9 * (int)(DECIMAL_WORDS - 1 - d->group) + 1;
  for (d->power = 1; d->word[d->group] / d->power >= 10; d->power *= 10)
    d->point++;
}

void decimal_begin(struct decimal *d, uint64_t bits) {
  unsigned exponent = bits >> 52 & 0x7ff;
  uint64_t significand = bits & ((UINT64_C(1) << 52) - 1);
  if (exponent)
    significand |= UINT64_C(1) << 52;
  else
    exponent = 1;
  for (unsigned i = 0; i < DECIMAL_WORDS; i++)
    d->word[i] = 0;
  d->low = d->high = 0;
  if (exponent >= BIAS) {
    make_groups(d, put_shifted(d, significand, exponent - BIAS));
    return;
  }
  unsigned below = BIAS - exponent; // bits of the fraction
  uint64_t whole = below < 64 ? significand >> below : 0;
  make_groups(d, put_shifted(d, whole, 0));
  if (below < 64)
    significand -= whole << below;
  d->high = (below + 31) / 32;
  (void)put_shifted(d, significand, 32 * d->high - below);
  while (d->low < d->high && d->word[d->low] == 0)
    d->low++;
}

static unsigned fraction_next(struct decimal *d) {
  uint64_t carry = 0;
  for (unsigned i = d->low; i < d->high; i++) {
    carry += UINT64_C(10) * d->word[i];
    d->word[i] = (uint32_t)carry;
    carry >>= 32;
  }
  while (d->low < d->high && d->word[d->low] == 0)
    d->low++;
  return (unsigned)carry;
}

unsigned decimal_next(struct decimal *d) {
  if (d->group == DECIMAL_WORDS)
    return fraction_next(d);
  uint32_t *left = &d->word[d->group];
  unsigned digit = *left / d->power;
  *left -= digit * d->power;
  d->power /= 10;
  if (d->power == 0) {
    d->power = GROUP / 10;
    d->group++;
  }
  return digit;
}

bool decimal_is_spent(const struct decimal *d) {
  for (unsigned i = d->group; i < DECIMAL_WORDS; i++)
    if (d->word[i])
      return false;
  return d->low == d->high;
}
