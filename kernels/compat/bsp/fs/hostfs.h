// kernels/compat/bsp/fs/hostfs.h: in pmsis.h.
#include "pmsis.h"
