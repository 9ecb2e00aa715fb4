// kernels/rt/printf.c: formatted output through the stdout register, without a C library.
#include "rt.h"

#include <stdarg.h>

#include "platform.h"

struct spec {
  unsigned width;
  char pad;  // ' ' or '0'
  bool left; // '-'
};

static int put(char c) {
  uint32_t hart;
  __asm__("csrr %0, mhartid" : "=r"(hart));
  uint32_t address = RT_STDOUT + ((hart & 31) << 3) + ((hart >> 5) << 7);
  *(volatile uint32_t *)address = (uint8_t)c;
  return 1;
}

static int pad(char c, unsigned have, unsigned want) {
  int count = 0;
  for (; have < want; have++)
    count += put(c);
  return count;
}

static int put_text(const char *text, unsigned length, struct spec spec) {
  int count = spec.left ? 0 : pad(spec.pad, length, spec.width);
  for (unsigned i = 0; i < length; i++)
    count += put(text[i]);
  return count + (spec.left ? pad(' ', length, spec.width) : 0);
}

static int put_number(uint32_t value, unsigned base, const char *digits, bool minus,
                      struct spec spec) {
  char text[12];
  unsigned at = sizeof text;
  do
    text[--at] = digits[value % base];
  while ((value /= base) != 0);
  int count = 0;
  if (minus && spec.pad == '0') { // the sign stands before the zeros
    count += put('-');
    spec.width -= spec.width > 0;
  } else if (minus) {
    text[--at] = '-';
  }
  return count + put_text(text + at, (unsigned)sizeof text - at, spec);
}

static const char *parse(const char *f, struct spec *spec) {
  *spec = (struct spec){0, ' ', false};
  for (; *f == '0' || *f == '-'; f++) {
    if (*f == '-')
      spec->left = true;
    else
      spec->pad = '0';
  }
  if (spec->left)
    spec->pad = ' ';
  for (; *f >= '0' && *f <= '9'; f++)
    spec->width = spec->width * 10 + (unsigned)(*f - '0');
  while (*f == 'l' || *f == 'h' || *f == 'z') // all integers have 32 bits here
    f++;
  return f;
}

static unsigned length_of(const char *text) {
  unsigned n = 0;
  while (text[n])
    n++;
  return n;
}

int rt_printf(const char *f, ...) {
  static const char lower[] = "0123456789abcdef", upper[] = "0123456789ABCDEF";
  va_list args;
  va_start(args, f);
  int count = 0;
  for (; *f; f++) {
    if (*f != '%') {
      count += put(*f);
      continue;
    }
    struct spec spec;
    f = parse(f + 1, &spec);
    if (*f == 'd' || *f == 'i') {
      int32_t v = va_arg(args, int32_t);
      count += put_number(v < 0 ? 0u - (uint32_t)v : (uint32_t)v, 10, lower, v < 0, spec);
    } else if (*f == 'u') {
      count += put_number(va_arg(args, uint32_t), 10, lower, false, spec);
    } else if (*f == 'x' || *f == 'p' || *f == 'X') {
      count += put_number(va_arg(args, uint32_t), 16, *f == 'X' ? upper : lower, false, spec);
    } else if (*f == 'c') {
      char c = (char)va_arg(args, int);
      count += put_text(&c, 1, spec);
    } else if (*f == 's') {
      const char *text = va_arg(args, const char *);
      count += put_text(text, length_of(text), spec);
    } else if (*f == '%') {
      count += put('%');
    } else {
      break; // an unknown conversion ends the text: what follows cannot be interpreted
    }
  }
  va_end(args);
  return count;
}
