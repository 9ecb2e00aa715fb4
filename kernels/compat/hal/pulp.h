// kernels/compat/hal/pulp.h: in pmsis.h.
#include "pmsis.h"
