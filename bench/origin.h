// bench/origin.h: where a report comes from.
#ifndef BENCH_ORIGIN_H
#define BENCH_ORIGIN_H

#include "bench/compiler.h"

enum { ORIGIN_CITATION = 512 };

struct bench_origin {
  char date[16];                // YYYY-MM-DD, UTC; of SOURCE_DATE_EPOCH if that is set
  char host[200];               // name, system, processors
  char commit[100];             // of the sources
  char compiler[COMPILER_TEXT]; // of the first program that ran; "" if it does not say
};

// `commit`: NULL if it is not known.
void bench_origin_read(struct bench_origin *origin, const char *commit);

// One sentence for a list of references.
const char *origin_citation(const struct bench_origin *origin, char text[ORIGIN_CITATION]);

#endif
