// tests/fuzz/fuzz.h: the fuzz targets. Each takes any bytes, and must neither crash nor hang nor
// leak; some check results and abort when they are wrong.
//
// `make fuzz` links each with libFuzzer; the test suite runs the collected corpora through the same
// functions (fuzz_corpus.c).
#ifndef TESTS_FUZZ_H
#define TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>

typedef int fuzz_target(const uint8_t *data, size_t size);

fuzz_target fuzz_elf;     // the reader of programs
fuzz_target fuzz_yaml;    // the reader of configurations
fuzz_target fuzz_word;    // decoder, disassembler, encoder, meaning of single instructions
fuzz_target fuzz_program; // whole programs of random words, on both engines: same result
fuzz_target fuzz_packet;  // the debugger's packets: framing, escapes, numbers
fuzz_target fuzz_gdb;     // ... and commands, on a machine
fuzz_target fuzz_net; // the reader of integer networks; what it accepts is written and read again
fuzz_target fuzz_sample;    // the readers of inputs: the first byte chooses NumPy, PNG or PPM
fuzz_target fuzz_tflite;    // the reader of TensorFlow Lite models, and what it makes of them
fuzz_target fuzz_onnx;      // the reader of ONNX models, and what it makes of them
fuzz_target fuzz_operators; // ONNX operators, executed

#endif
