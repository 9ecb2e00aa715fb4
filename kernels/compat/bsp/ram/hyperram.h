// kernels/compat/bsp/ram/hyperram.h: in pmsis.h.
#include "pmsis.h"
