// The bare executors for hosts with BMI2: the build passes the flags where it targets such a
// processor.
#include "core/exec_host.h"

#ifdef __BMI2__
#define FLAVOUR(name) bmi2_##name
#define OBSERVED      0
#define COMPLETES     0
#include "core/exec_flavour.h"

const struct bare bare_bmi2 = {bmi2_request, bmi2_granted, bmi2_again, bmi2_forwarding};
#else
const struct bare bare_bmi2 = {0};
#endif
