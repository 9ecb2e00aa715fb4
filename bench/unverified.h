// bench/unverified.h: figures that depend on what is not known of a machine.
//
// A machine's file (configs/) says "unverified" in the comment of each key whose value has no
// public source. A figure depends on such a key if its cores waited, for a thousandth of their
// cycles or more, for what the key decides.
#ifndef BENCH_UNVERIFIED_H
#define BENCH_UNVERIFIED_H

#include <stddef.h>

#include "bench/report.h"

#define UNVERIFIED_MARK "†" // behind such a figure

enum { UNVERIFIED_TEXT = 512 };

// The keys that the run's figure depends on, unless its case sets them: "a, b"; "" if there are
// none.
const char *run_unverified(const struct bench_run *run, char text[UNVERIFIED_TEXT]);

// All those of a machine that a figure may depend on.
const char *machine_unverified(const char *machine, char text[UNVERIFIED_TEXT]);

// UNVERIFIED_MARK, or "".
const char *run_mark(const struct bench_run *run);

#endif
