// kernels/rt/printf.c: formatted output through the stdout register, without a C library.
#include "printf.h"

#include <stdarg.h>

#include "platform.h"
#include "rt.h"

int printf_put(char c) {
  uint32_t hart;
  __asm__("csrr %0, mhartid" : "=r"(hart));
  uint32_t address = RT_STDOUT + ((hart & 31) << 3) + ((hart >> 5) << 7);
  *(volatile uint32_t *)address = (uint8_t)c;
  return 1;
}

static unsigned length_of(const char *text) {
  unsigned n = 0;
  while (text[n])
    n++;
  return n;
}

static int put_text(const char *text, unsigned length) {
  for (unsigned i = 0; i < length; i++)
    printf_put(text[i]);
  return (int)length;
}

void rt_print(const char *text) {
  put_text(text, length_of(text));
}

static int fill(char c, unsigned have, unsigned want) {
  int count = 0;
  for (; have < want; have++)
    count += printf_put(c);
  return count;
}

int printf_before(const struct printf_spec *spec, const char *prefix, unsigned length) {
  unsigned signs = length_of(prefix), want = spec->left ? 0 : spec->width;
  int count = spec->zeros ? 0 : fill(' ', signs + length, want);
  count += put_text(prefix, signs);
  return count + (spec->zeros ? fill('0', signs + length, want) : 0);
}

int printf_after(const struct printf_spec *spec, const char *prefix, unsigned length) {
  return fill(' ', length_of(prefix) + length, spec->left ? spec->width : 0);
}

static int put_field(const struct printf_spec *spec, const char *prefix, const char *text,
                     unsigned length) {
  int count = printf_before(spec, prefix, length);
  count += put_text(text, length);
  return count + printf_after(spec, prefix, length);
}

static int put_number(struct printf_spec spec, const char *prefix, uint64_t value, unsigned base,
                      bool upper) {
  char text[32];
  unsigned at = sizeof text, least = spec.precision < 0 ? 1 : (unsigned)spec.precision;
  for (; value >> 32; value /= base) // 64 bits are slow
    text[--at] = (char)(value % base);
  for (uint32_t rest = (uint32_t)value; rest; rest /= base)
    text[--at] = (char)(rest % base);
  while (sizeof text - at < least && at > 0)
    text[--at] = 0;
  for (unsigned i = at; i < sizeof text; i++)
    text[i] = (char)(text[i] + (text[i] < 10 ? '0' : (upper ? 'A' : 'a') - 10));
  if (spec.precision >= 0)
    spec.zeros = false;
  return put_field(&spec, prefix, text + at, (unsigned)sizeof text - at);
}

// A number behind the flags; `*`: the next argument.
static int parse_number(const char **f, va_list *args) {
  int value = 0;
  if (**f == '*') {
    ++*f;
    return va_arg(*args, int);
  }
  for (; **f >= '0' && **f <= '9'; ++*f)
    value = value * 10 + (**f - '0');
  return value;
}

static struct printf_spec parse(const char **f, va_list *args) {
  struct printf_spec spec = {.precision = -1};
  for (;; ++*f) {
    if (**f == '-')
      spec.left = true;
    else if (**f == '0')
      spec.zeros = true;
    else if (**f == '#')
      spec.alternate = true;
    else if (**f == '+' || (**f == ' ' && !*spec.sign))
      spec.sign[0] = **f;
    else if (**f != ' ')
      break;
  }
  int width = parse_number(f, args);
  spec.left |= width < 0;
  spec.width = width < 0 ? 0u - (unsigned)width : (unsigned)width;
  if (**f == '.') {
    ++*f;
    spec.precision = parse_number(f, args);
    spec.precision = spec.precision < 0 ? -1 : spec.precision;
  }
  return spec;
}

// Bits of an integer argument: 64 with ll or j, 16 with h, 8 with hh.
static unsigned parse_length(const char **f) {
  unsigned bits = 32;
  for (;; ++*f) {
    if (**f == 'h')
      bits = bits == 16 ? 8 : 16;
    else if (**f == 'j' || (**f == 'l' && (*f)[1] == 'l'))
      bits = 64;
    else if (**f != 'l' && **f != 'z' && **f != 't')
      return bits;
  }
}

static int put_integer(const struct printf_spec *spec, char conversion, unsigned bits,
                       va_list *args) {
  bool is_signed = conversion == 'd' || conversion == 'i';
  bool hex = conversion == 'x' || conversion == 'X' || conversion == 'p';
  unsigned unused = 64 - bits;
  uint64_t value = bits == 64 ? va_arg(*args, uint64_t) : va_arg(*args, uint32_t);
  value <<= unused;
  bool minus = is_signed && (int64_t)value < 0;
  value = is_signed ? (uint64_t)((int64_t)value >> unused) : value >> unused;
  const char *prefix = minus ? "-" : is_signed ? spec->sign : "";
  if (hex && value && (spec->alternate || conversion == 'p'))
    prefix = conversion == 'X' ? "0X" : "0x";
  return put_number(*spec, prefix, minus ? 0 - value : value,
                    hex                 ? 16
                    : conversion == 'o' ? 8
                                        : 10,
                    conversion == 'X');
}

static int put_string(const struct printf_spec *spec, const char *text) {
  unsigned length = 0;
  while ((spec->precision < 0 || length < (unsigned)spec->precision) && text[length])
    length++;
  return put_field(spec, "", text, length);
}

static bool is_one_of(char c, const char *text) {
  while (*text && *text != c)
    text++;
  return *text != '\0';
}

// The conversion at `f`, behind its %; where it ends. A conversion that is unknown ends the text:
// what its argument is cannot be known, nor where the next one is.
static const char *convert(const char *f, va_list *args, int *count) {
  const char *begin = f;
  struct printf_spec spec = parse(&f, args);
  unsigned bits = parse_length(&f);
  if (*f == '%') {
    *count += printf_put('%');
  } else if (*f == 'c') {
    char c = (char)va_arg(*args, int);
    *count += put_field(&spec, "", &c, 1);
  } else if (*f == 's') {
    *count += put_string(&spec, va_arg(*args, const char *));
  } else if (*f && is_one_of(*f, "diuxXpo")) {
    *count += put_integer(&spec, *f, bits, args);
  } else if (*f && is_one_of(*f, "fFeEgG")) {
    union {
      double value;
      uint64_t bits;
    } argument = {va_arg(*args, double)};
    *count += printf_float(&spec, *f, argument.bits);
  } else {
    *count += put_text(begin - 1, length_of(begin - 1));
    return begin + length_of(begin);
  }
  return f + 1;
}

int rt_printf(const char *f, ...) {
  va_list args;
  int count = 0;
  va_start(args, f);
  while (*f)
    if (*f++ == '%')
      f = convert(f, &args, &count);
    else
      count += printf_put(f[-1]);
  va_end(args);
  return count;
}
