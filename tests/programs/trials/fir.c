// tests/programs/trials/fir.c: an int16 FIR filter by the runtime, its outputs shared by the cores.
#include "kernels/rt/rt.h"

enum { TAPS = 32, OUTPUTS = 1024 };

RT_L1_BSS static int16_t input[OUTPUTS + TAPS - 1];
RT_L1_BSS static int16_t output[OUTPUTS], expected[OUTPUTS];
RT_L1_BSS static int16_t tap[TAPS];

// Q15, rounded to nearest.
static int16_t fir(const int16_t *x) {
  int32_t sum = 1 << 14;
  for (unsigned k = 0; k < TAPS; k++)
    sum += x[k] * tap[k];
  return (int16_t)(sum >> 15);
}

static void make_data(void) {
  uint32_t state = 1;
  for (unsigned i = 0; i < OUTPUTS + TAPS - 1; i++, state = state * 1664525 + 1013904223)
    input[i] = (int16_t)(state >> 16);
  for (unsigned k = 0; k < TAPS; k++)
    tap[k] = (int16_t)(100 * k - 1500);
  for (unsigned i = 0; i < OUTPUTS; i++)
    expected[i] = fir(input + i);
}

int main(void) {
  unsigned core = rt_core_id(), cores = rt_core_count(), wrong = 0;
  if (core == 0)
    make_data();
  rt_barrier();
  for (unsigned i = core; i < OUTPUTS; i += cores)
    output[i] = fir(input + i);
  rt_barrier();
  for (unsigned i = 0; core == 0 && i < OUTPUTS; i++)
    wrong += output[i] != expected[i];
  if (core == 0)
    rt_printf("FIR of %d taps on %u cores: %u of %d outputs wrong\n", TAPS, cores, wrong, OUTPUTS);
  return wrong != 0;
}
