// The instruction cache as one unit of compilation, so that the compiler sees through the calls of
// a cycle (measured: docs/performance.md). NOLINTBEGIN(bugprone-suspicious-include)
#include "cluster/icache.c"
#include "cluster/icache_bank.c"
#include "cluster/icache_control.c"
#include "cluster/icache_lines.c"
#include "cluster/icache_prefetch.c"
#include "cluster/icache_private.c"
#include "cluster/icache_tags.c"
// NOLINTEND(bugprone-suspicious-include)
