// Quick executors for hosts with AVX2, FMA, F16C and BMI2: the build passes the flags where it
// targets such a processor.
#ifdef __AVX2__
#define QUICK(name) avx2_##name
#include "core/exec_quick.h"
#else
#include "core/exec.h"
uop_exec *const avx2_table[ISA_OP_COUNT] = {0};
#endif
