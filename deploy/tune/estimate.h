// deploy/tune/estimate.h: what a way of a product will cost, about, and what it cannot do without.
//
// The estimate orders the ways, so that the first ones simulated are likely the fastest; the bound
// holds for every run.
#ifndef TUNE_ESTIMATE_H
#define TUNE_ESTIMATE_H

#include "deploy/tune/space.h"

// Cycles of a warm call: for each step the longer of what the busiest core computes and what the
// DMA moves meanwhile; in front the first tiles, behind the last one. Constants are fitted to runs
// on machine trainlib (estimate.c). Steps whose sum has passed `enough` are not looked at any more.
uint64_t tune_estimate(const struct tune_product *product, const struct tune_machine *machine,
                       const struct tune_way *way, uint64_t enough);

// Cycles that a way cannot do without: multiplications and loads of the busiest core, the bytes
// that the DMA moves in and out at 8 a cycle; in front the first tiles, behind the last one.
uint64_t tune_bound(const struct tune_product *product, const struct tune_machine *machine,
                    const struct tune_way *way);

#endif
