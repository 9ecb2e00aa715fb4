// sim/terminal.h: where output goes.
#ifndef PULPSIM_TERMINAL_H
#define PULPSIM_TERMINAL_H

#include <stdbool.h>
#include <stdio.h>

// Whether `out` is a terminal that can clear a line and show colours (TERM is set, not to dumb).
bool terminal_is_able(FILE *out);

// Columns of the terminal that `out` is; 0: it is none, or does not say.
int terminal_columns(FILE *out);

#endif
