// bench/compiler.h: which compiler made a program, with which flags.
#ifndef BENCH_COMPILER_H
#define BENCH_COMPILER_H

enum { COMPILER_TEXT = 300 };

// Of the first unit of the program that a compiler of C or C++ made, as its debug information says:
// "GNU C17 12.2.0 -march=rv32imfc -O3". "" if there is none.
const char *compiler_of(const char *elf, char text[COMPILER_TEXT]);

#endif
