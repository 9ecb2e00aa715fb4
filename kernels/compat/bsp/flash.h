// kernels/compat/bsp/flash.h: in pmsis.h.
#include "pmsis.h"
