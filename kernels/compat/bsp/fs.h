// kernels/compat/bsp/fs.h: in pmsis.h.
#include "pmsis.h"
