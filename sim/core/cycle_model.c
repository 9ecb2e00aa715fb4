// The cycle model as one unit of compilation: a clock cycle is some thirty calls among these files,
// and the compiler sees through them here (measured: docs/performance.md).
// NOLINTBEGIN(bugprone-suspicious-include)
#include "core/clocked.c"
#include "core/controller.c"
#include "core/fpu_dispatch.c"
#include "core/interrupt.c"
#include "core/lsu.c"
#include "core/memo_table.c"
#include "core/pipeline.c"
#include "core/pipeline_cause.c"
#include "core/pipeline_ex.c"
#include "core/pipeline_fetch.c"
#include "core/pipeline_id.c"
#include "core/pipeline_key.c"
#include "core/pipeline_memo.c"
#include "core/ports.c"
#include "core/prefetch.c"
#include "core/prefetch_ri5cy.c"
#include "core/segment.c"
#include "core/segment_make.c"
// NOLINTEND(bugprone-suspicious-include)
