// kernels/compat/bsp/bsp.h: in pmsis.h.
#include "pmsis.h"
