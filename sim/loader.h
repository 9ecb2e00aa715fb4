// sim/loader.h: puts programs and data into a machine's memories. (Most of it is in pulpsim.h.)
#ifndef PULPSIM_LOADER_H
#define PULPSIM_LOADER_H

#include "sim/machine.h"

// Into a machine that has been built anew: what it held when it was first run.
void loader_start(struct pulpsim *sim);

#endif
