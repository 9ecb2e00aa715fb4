// The same for hosts with AVX2: the build passes the flags where it targets such a processor.
#include "core/stretch_parts.h"

#ifdef __AVX2__
#define STRETCH_RUN stretch_run_through_avx2
static stretch_run stretch_run_through_avx2;
#include "core/stretch_run.h"
stretch_run *const stretch_run_avx2 = stretch_run_through_avx2;
#else
stretch_run *const stretch_run_avx2 = NULL;
#endif
