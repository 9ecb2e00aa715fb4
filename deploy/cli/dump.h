// deploy/cli/dump.h: tensors of a run as files.
#ifndef DUMP_H
#define DUMP_H

#include "deploy/host/int_run.h"

// Every tensor as DIR/NNN_NAME.npy (NumPy, height x width x channels, int8, uint8 or int32); makes
// the directory. The exit status.
int dump_tensors(const struct net *net, const struct int_run *run, const char *directory);

#endif
