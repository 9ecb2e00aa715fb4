// isa/host_cpu.h: what is compiled once more for hosts with more instructions, with the same
// results.
#ifndef PULPSIM_HOST_CPU_H
#define PULPSIM_HOST_CPU_H

#include <stdbool.h>

// AVX2, FMA, F16C and BMI2. PULPSIM_PORTABLE in the environment keeps to the instructions that
// every host has.
bool host_cpu_has_avx2(void);

#endif
