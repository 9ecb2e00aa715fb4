// deploy/quant/bits_report.h: an assignment of bits for people and programs.
#ifndef BITS_REPORT_H
#define BITS_REPORT_H

#include "bits.h"

struct bits_report {
  const char *model;
  const struct bits_problem *problem;
  const struct bits_budget *budget;
  const struct bits_result *result;
  double cycles; // estimated; 0: not known
};

void bits_print_table(const struct bits_report *report, FILE *out);
void bits_print_json(const struct bits_report *report, FILE *out); // lists of layers with weights
// Bars: bits of weights and outputs, bytes of weights and of activations, per layer (SVG).
void bits_draw(const struct bits_report *report, FILE *out);

#endif
