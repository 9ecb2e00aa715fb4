#include "isa/host_cpu.h"

#include <stdlib.h>

#if defined __x86_64__ && defined __GNUC__
#include <cpuid.h>

static bool find_avx2(void) {
  unsigned a, b, c, d;
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
         __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
         __builtin_cpu_supports("popcnt") && __get_cpuid(1, &a, &b, &c, &d) && (c & bit_F16C) &&
         !getenv("PULPSIM_PORTABLE");
}
#else
static bool find_avx2(void) {
  return false;
}
#endif

bool host_cpu_has_avx2(void) {
  static int has = -1;
  if (has < 0)
    has = find_avx2();
  return has;
}
