// bench/unverified.h: what is not known of a machine, and which figures depend on it.
//
// A machine's file (configs/) says "unverified" in the comment of each key whose value has no
// public source. A figure depends on such a key if its cores waited, for a thousandth of their
// cycles or more, for what the key decides; on core.smallfloat if it is of 16-bit floats, on L3's
// keys only if it is of a program that uses L3.
#ifndef BENCH_UNVERIFIED_H
#define BENCH_UNVERIFIED_H

#include "sim/pulpsim.h"

#define UNVERIFIED_MARK "†" // behind such a figure

enum { UNVERIFIED_TEXT = 512, UNVERIFIED_MACHINE = 1024 };
enum { OF_HALVES = 1, OF_L3 = 2 }; // what the program has to do with: 16-bit floats, L3

// The keys that a figure depends on: "a, b"; "" if there are none. `machine`: a configuration's
// name, behind it settings that are asked for, which are not listed: "gap8,l2.latency=9"; `counts`:
// where the cores' cycles went, NULL: anywhere; `of`: OF_...
const char *unverified_keys(const char *machine, const struct pulpsim_counts *counts, unsigned of,
                            char text[UNVERIFIED_TEXT]);

#endif
