// The same for hosts with BMI2: the build passes the flags where it targets such a processor.
#include "core/core_group_parts.h"

#ifdef __BMI2__
#define CORE_GROUP_STEP core_group_step_bmi2
static engine_group_step core_group_step_bmi2;
#include "core/core_group_step.h"
engine_group_step *const core_group_bmi2 = core_group_step_bmi2;
#else
engine_group_step *const core_group_bmi2 = NULL;
#endif
