// kernels/compat/bsp/fs/readfs.h: in pmsis.h.
#include "pmsis.h"
