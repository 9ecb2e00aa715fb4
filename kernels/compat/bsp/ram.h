// kernels/compat/bsp/ram.h: in pmsis.h.
#include "pmsis.h"
