// kernels/rt/printf_float.c: numbers in double precision as text, rounded to nearest, ties to even,
// as C's printf does (C17 7.21.6.1).
#include "decimal.h"
#include "printf.h"

// Digits by the power of ten that they count: 0 is the one in front of the point.
struct rounded {
  struct decimal digits;
  int at;     // the next digit's power
  int last;   // the last one that is kept
  bool up;    // it is rounded up: ...
  int bump;   // ... this digit rises by 1, and those below it are 0
  int lowest; // that is not 0 then, of those kept
};

// Where the first digit is that is not 0; 0 for zero.
static int first_power(uint64_t bits) {
  struct decimal d;
  int power;
  decimal_begin(&d, bits);
  for (power = d.point - 1; decimal_next(&d) == 0; power--)
    if (decimal_is_spent(&d))
      return 0;
  return power;
}

// Goes through the digits once to see how they are rounded, and begins again.
static void round_begin(struct rounded *r, uint64_t bits, int last) {
  unsigned digit = 0;
  decimal_begin(&r->digits, bits);
  *r = (struct rounded){.digits = r->digits,
                        .at = r->digits.point - 1,
                        .last = last,
                        .bump = r->digits.point,
                        .lowest = r->digits.point - 1};
  for (int power = r->at; power >= last; power--) {
    digit = decimal_next(&r->digits);
    if (digit != 9)
      r->bump = power;
    if (digit != 0)
      r->lowest = power;
  }
  unsigned next = decimal_next(&r->digits);
  r->up = next > 5 || (next == 5 && (digit % 2 || !decimal_is_spent(&r->digits)));
  if (r->up && r->bump > r->at)
    r->at++; // all are 9
  if (r->up)
    r->lowest = r->bump;
  decimal_begin(&r->digits, bits);
}

static unsigned round_next(struct rounded *r) {
  int power = r->at--;
  unsigned digit = power < r->digits.point ? decimal_next(&r->digits) : 0;
  if (r->up && power == r->bump)
    return digit + 1;
  return r->up && power < r->bump ? 0 : digit;
}

static int put_digits(struct rounded *r, int down_to) {
  int count = 0;
  while (r->at >= down_to)
    count += printf_put((char)('0' + round_next(r)));
  return count;
}

static int put_special(struct printf_spec spec, const char *sign, const char *text) {
  spec.zeros = false;
  int count = printf_before(&spec, sign, 3);
  for (unsigned i = 0; i < 3; i++)
    count += printf_put(text[i]);
  return count + printf_after(&spec, sign, 3);
}

// 123.45: down to the power `last`.
static int put_plain(const struct printf_spec *spec, const char *sign, struct rounded *r,
                     int last) {
  bool point = last < 0 || spec->alternate;
  unsigned length = (unsigned)(r->at + 1 + point + (last < 0 ? -last : 0));
  int count = printf_before(spec, sign, length);
  count += put_digits(r, 0);
  count += point ? printf_put('.') : 0;
  count += put_digits(r, last);
  return count + printf_after(spec, sign, length);
}

// 1.2345e+02: from the digit of power `first` on.
static int put_scaled(const struct printf_spec *spec, const char *sign, struct rounded *r,
                      int first, int last, char letter) {
  bool point = last < first || spec->alternate;
  unsigned power = first < 0 ? 0u - (unsigned)first : (unsigned)first;
  unsigned length = (unsigned)(1 + point + first - last) + 4 + (power >= 100);
  while (r->at > first)
    (void)round_next(r);
  int count = printf_before(spec, sign, length);
  count += put_digits(r, first);
  count += point ? printf_put('.') : 0;
  count += put_digits(r, last);
  count += printf_put(letter) + printf_put(first < 0 ? '-' : '+');
  count += power >= 100 ? printf_put((char)('0' + power / 100)) : 0;
  count += printf_put((char)('0' + power / 10 % 10)) + printf_put((char)('0' + power % 10));
  return count + printf_after(spec, sign, length);
}

int printf_float(const struct printf_spec *spec, char conversion, uint64_t bits) {
  bool upper = conversion < 'a';
  char kind = (char)(conversion | 0x20);
  const char *sign = bits >> 63 ? "-" : spec->sign;
  struct rounded r;
  if ((bits >> 52 & 0x7ff) == 0x7ff)
    return put_special(*spec, sign, bits << 12 ? upper ? "NAN" : "nan" : upper ? "INF" : "inf");
  int precision = spec->precision < 0 ? 6 : spec->precision;
  if (kind == 'f') {
    round_begin(&r, bits, -precision);
    return put_plain(spec, sign, &r, -precision);
  }
  if (kind == 'g')
    precision = precision > 0 ? precision - 1 : 0; // digits behind the first
  int first = first_power(bits);
  round_begin(&r, bits, first - precision);
  if (r.up && r.bump > first)
    first++;
  int last = first - precision;
  bool plain = kind == 'g' && precision >= first && first >= -4;
  if (kind == 'g' && !spec->alternate && last < r.lowest)
    last = r.lowest; // no zeros at the end
  if (plain)
    return put_plain(spec, sign, &r, last < 0 ? last : 0);
  return put_scaled(spec, sign, &r, first, last < first ? last : first, upper ? 'E' : 'e');
}
