// sim/number.h: numbers as users write them.
#ifndef PULPSIM_NUMBER_H
#define PULPSIM_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

// "4096" (never octal) or "0x1000"; no sign, no blanks. Behind a decimal number, k (or K), M and G
// stand for the powers of `kilo`: 1000, 1024, or 0 if there is to be none. False if it is anything
// else, or above 64 bits.
bool number_parse(const char *text, unsigned kilo, uint64_t *value);

#endif
