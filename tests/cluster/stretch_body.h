// tests/cluster/stretch_body.h: what a loop's body in such a program is made of.
#ifndef PULPSIM_TESTS_STRETCH_BODY_H
#define PULPSIM_TESTS_STRETCH_BODY_H

#include "stretch_parts.h"

void stretch_access(struct stretch *s);

// One of what a body is made of, without branches.
void stretch_one(struct stretch *s);

// What only chosen turns or rounds do.
void stretch_rarely(struct stretch *s);

#endif
