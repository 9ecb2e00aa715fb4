// kernels/compat/bsp/ram/spiram.h: in pmsis.h.
#include "pmsis.h"
