// sim/cli/signature.h: the memory between two symbols as text, for architecture tests.
#ifndef PULPSIM_SIGNATURE_H
#define PULPSIM_SIGNATURE_H

#include "sim/pulpsim.h"

// Before the run: whether the program has a signature.
bool signature_check(const struct pulpsim *sim, const char *path, struct pulpsim_error *error);

// Writes begin_signature..end_signature, `granularity` bytes (4, 8, 16) per line, most significant
// byte first. Returns false with a sentence in `error`.
bool signature_write(const struct pulpsim *sim, const char *path, uint32_t granularity,
                     struct pulpsim_error *error);

#endif
