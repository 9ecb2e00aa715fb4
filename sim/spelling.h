// sim/spelling.h: how far a name is from what may have been meant.
#ifndef PULPSIM_SPELLING_H
#define PULPSIM_SPELLING_H

// Levenshtein distance if it is below `limit`, else UINT_MAX; names longer than 63 characters count
// as far from everything.
unsigned spelling_distance(const char *a, const char *b, unsigned limit);

#endif
