// bench/network.h: a run of a whole network: pulpsim-deploy makes a program of it, and runs that.
#ifndef BENCH_NETWORK_H
#define BENCH_NETWORK_H

#include "bench/case.h"

// Hash of pulpsim-deploy, of the kernels' library, and of all that the job says. False, with a
// sentence, when a file is not there or the job cannot be put into a command.
bool network_key(const struct bench_job *job, uint64_t *key, struct pulpsim_error *error);

// Every layer is compared with the interpreter. The tool's report stays in the folder `cache`, for
// jobs that differ in the region alone; `fresh` makes it again.
void network_run(struct bench_result *result, const struct bench_job *job, const char *cache,
                 bool fresh);

#endif
