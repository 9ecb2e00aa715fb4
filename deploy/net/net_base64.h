// deploy/net/net_base64.h: bytes as text (RFC 4648, section 4).
#ifndef NET_BASE64_H
#define NET_BASE64_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

// In lines of 76 characters, each behind `indent` spaces.
void net_base64_write(FILE *out, const void *data, size_t size, int indent);

// Exactly `size` bytes; white space counts as nothing. False: other characters, or another size.
bool net_base64_read(const char *text, size_t length, void *data, size_t size);

#endif
