// tests/cluster/stretch_loop.h: the loops of such a program.
#ifndef PULPSIM_TESTS_STRETCH_LOOP_H
#define PULPSIM_TESTS_STRETCH_LOOP_H

#include "stretch_parts.h"

void stretch_loops(struct stretch *s);

#endif
