// bench/suite_reader.h: a suite's file that is being read: what suite.c and suite_figures.c share.
#ifndef BENCH_SUITE_READER_H
#define BENCH_SUITE_READER_H

#include "bench/expand.h"
#include "bench/suite.h"

struct reader {
  struct tree *tree;
  struct bench_suite *suite;
  struct expand expand;
  struct tree figures; // the file of published figures, if the suite names one
};

// The value of `key`, variables replaced.
const char *reader_text(struct reader *r, node *map, const char *key, const char *otherwise);

// Opens the file that the key `figures` names, relative to the suite's own.
void reader_open_figures(struct reader *r, node *root);

// The lists `published` and `targets` of a case, whose numbers of cores are known.
void reader_published(struct reader *r, node *map, struct bench_case *c);
void reader_targets(struct reader *r, node *map, struct bench_case *c);

#endif
