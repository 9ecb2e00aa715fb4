// sim/observe/sink.h: where traces and profiles are written to: a file, compressed when its name
// ends in
// ".gz" or ".zst"; "-" is stdout.
#ifndef PULPSIM_SINK_H
#define PULPSIM_SINK_H

#include <stdbool.h>
#include <stddef.h>

#include "sim/pulpsim.h"

struct sink;

// NULL on failure, with a sentence in `error`.
struct sink *sink_open(const char *path, struct pulpsim_error *error);

// Room for `size` <= SINK_MOST bytes; sink_advance() says how many were used.
enum { SINK_MOST = 4096 };
char *sink_room(struct sink *sink, size_t size);
void sink_advance(struct sink *sink, size_t used);

void sink_write(struct sink *sink, const char *bytes, size_t count);
void sink_print(struct sink *sink, const char *format, ...) __attribute__((format(printf, 2, 3)));

// Writes what is left. Returns false if anything could not be written, with a sentence in `error`.
bool sink_close(struct sink *sink, struct pulpsim_error *error);

#endif
