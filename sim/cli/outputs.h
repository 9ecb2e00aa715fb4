// sim/cli/outputs.h: the files that a run writes, looked at before it.
#ifndef PULPSIM_OUTPUTS_H
#define PULPSIM_OUTPUTS_H

#include "sim/cli/options.h"

// Whether each output has a file of its own, which is not one that is read. Otherwise says so, and
// returns CLI_USAGE; 0 if all is well. What is not a plain file, such as /dev/null, counts as such.
int outputs_check(const struct run_options *options);

// Whether one of them is stdout: then what the program says there would be in the midst of it.
bool outputs_take_stdout(const struct run_options *options);

#endif
