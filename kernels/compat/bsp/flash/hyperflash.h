// kernels/compat/bsp/flash/hyperflash.h: in pmsis.h.
#include "pmsis.h"
