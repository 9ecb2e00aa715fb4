// tests/fuzz/driver.c: what libFuzzer calls.
#include "tests/fuzz/fuzz.h"

#ifndef FUZZ_TARGET
#define FUZZ_TARGET fuzz_elf
#endif

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  return FUZZ_TARGET(data, size);
}
