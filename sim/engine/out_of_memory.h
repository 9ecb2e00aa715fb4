// sim/engine/out_of_memory.h: what is left to do when the host's memory is out in the middle of a
// run, or its report, which would be incomplete without a word.
#ifndef PULPSIM_OUT_OF_MEMORY_H
#define PULPSIM_OUT_OF_MEMORY_H

// Says so on stderr and ends the process with status 70.
_Noreturn void out_of_memory(void);

// `block`, unless the allocation that it comes from has failed.
void *must_have(void *block);

#endif
