// kernels/compat/bsp/flash/spiflash.h: in pmsis.h.
#include "pmsis.h"
