// The DMA as one unit of compilation: a cycle is some thirty calls among these files, which differ
// between its two channels; the compiler sees through them here (measured: docs/performance.md).
// NOLINTBEGIN(bugprone-suspicious-include)
#include "cluster/mchan.c"
#include "cluster/mchan_align.c"
#include "cluster/mchan_bus.c"
#include "cluster/mchan_port.c"
#include "cluster/mchan_split.c"
#include "cluster/mchan_tcdm.c"
// NOLINTEND(bugprone-suspicious-include)
