// deploy/net/net_base64.c
#include "net_base64.h"

#include <string.h>

enum { LINE_BYTES = 57 };

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static void write_group(FILE *out, const uint8_t *bytes, size_t count) {
  uint32_t group = (uint32_t)bytes[0] << 16;
  group |= count > 1 ? (uint32_t)bytes[1] << 8 : 0;
  group |= count > 2 ? bytes[2] : 0;
  for (size_t i = 0; i < 4; i++)
    fputc(i <= count ? digits[group >> (18 - 6 * i) & 63] : '=', out);
}

void net_base64_write(FILE *out, const void *data, size_t size, int indent) {
  const uint8_t *bytes = data;
  for (size_t i = 0; i < size; i += 3) {
    if (i % LINE_BYTES == 0)
      fprintf(out, "%s%*s", i ? "\n" : "", indent, "");
    write_group(out, bytes + i, size - i < 3 ? size - i : 3);
  }
  fputc('\n', out);
}

static int digit(char c) {
  if (c >= 'A' && c <= 'Z')
    return c - 'A';
  if (c >= 'a' && c <= 'z')
    return c - 'a' + 26;
  if (c >= '0' && c <= '9')
    return c - '0' + 52;
  return c == '+' ? 62 : c == '/' ? 63 : -1;
}

bool net_base64_read(const char *text, size_t length, void *data, size_t size) {
  uint8_t *bytes = data;
  uint32_t group = 0, bits = 0;
  size_t filled = 0;
  for (size_t i = 0; i < length; i++) {
    if (strchr(" \n\r\t=", text[i]) && text[i])
      continue;
    int value = digit(text[i]);
    if (value < 0)
      return false;
    group = group << 6 | (uint32_t)value;
    bits += 6;
    if (bits < 8)
      continue;
    bits -= 8;
    if (filled == size)
      return false;
    bytes[filled++] = (uint8_t)(group >> bits);
  }
  return filled == size;
}
