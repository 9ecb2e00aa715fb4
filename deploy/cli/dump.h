// deploy/cli/dump.h: tensors of a run as files.
#ifndef DUMP_H
#define DUMP_H

#include "deploy/graph/array.h"
#include "deploy/host/int_run.h"

// Every tensor as DIR/NNN_NAME.npy (NumPy, height x width x channels, int8, uint8 or int32); makes
// the directory. The exit status.
int dump_tensors(const struct net *net, const struct int_run *run, const char *directory);

// Makes the directory; one array as DIR/NNN_NAME.npy, in its own type. The exit status.
int dump_directory(const char *directory);
int dump_array(const struct array *array, int number, const char *name, const char *directory);

#endif
