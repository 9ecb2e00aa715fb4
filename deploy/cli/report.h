// deploy/cli/report.h: what a network took on the machine, layer by layer.
#ifndef REPORT_H
#define REPORT_H

#include "deploy/emit/machine.h"

// A clock and a power at which cycles become time and energy. The power is the caller's, taken for
// all layers alike: nothing here measures it.
struct report_point {
  double mhz, mw;   // 0: not named
  const char *name; // of a published point; NULL: the caller's numbers
};

// Average powers of GAP8 that Burrello et al. (DORY, IEEE TC 70(8), 2021, table 4) measured:
// "gap8-100": 51.0 mW at 100 MHz, 1.0 V; "gap8-260": 262.2 mW at 260 MHz, 1.15 V. False: there is
// none of that name.
bool report_point_find(const char *name, struct report_point *point);

// A table: of each layer cycles (of the second image), MAC, MAC per cycle, its bounds, bytes of L1
// and of activations in L2, its tile, and what the cores lost their cycles to. Cycles that depend
// on what is unverified of the machine are marked (bench/unverified.h).
void report_print(const struct plan *plan, const struct machine_result *result,
                  const struct report_point *point);

// The same as JSON. The exit status.
int report_json(const struct plan *plan, const struct machine_result *result,
                const struct report_point *point, const char *path);

#endif
