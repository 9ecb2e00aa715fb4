// kernels/compat/pulp.h: in pmsis.h.
#include "pmsis.h"
