// sim/core/pipeline_stages.h: the parts of pipeline.c, one file per stage.
#ifndef PULPSIM_PIPELINE_STAGES_H
#define PULPSIM_PIPELINE_STAGES_H

#include "core/pipeline.h"

// ---- pipeline_fetch.c

// Instruction data that arrive in this cycle.
bool fetch_arrives(const struct pipeline *p, cycle_t now, uint32_t *word);
// Passes the fetch's request on.
void fetch_present(struct pipeline *p, cycle_t now);
// Clock edge of fetch and IF/ID registers.
void fetch_edge(struct pipeline *p, cycle_t now);
// Next cycle in which the fetch will change by itself.
cycle_t fetch_next(const struct pipeline *p, cycle_t now);

// ---- pipeline_id.c

// Interlocks that the controller looks at, and those that look at the controller.
void id_jump_stall(struct pipeline *p);
void id_stalls(struct pipeline *p);
// Executes the instruction that leaves ID and moves it to EX.
void id_issue(struct pipeline *p, cycle_t now);
void id_count_loops(struct pipeline *p);

// ---- pipeline_ex.c

void ex_cycle(struct pipeline *p, cycle_t now);        // responses, float unit, write ports
void ex_present(struct pipeline *p, cycle_t now);      // data request
void ex_announce_fpu(struct pipeline *p, cycle_t now); // the next cycle's request to shared units
void ex_settle(struct pipeline *p, cycle_t now);       // after the grants: ready, valid
void ex_write_back(struct pipeline *p);                // EX/WB registers
void ex_bubble(struct pipeline *p);                    // EX moves on, nothing follows
void ex_second_half(struct pipeline *p);               // of a word-crossing access
cycle_t ex_next(const struct pipeline *p, cycle_t now);

// ---- pipeline_cause.c

// Accounts for cycle `now` and for those left out before it.
void cause_count_events(struct pipeline *p, cycle_t now);
void cause_account(struct pipeline *p, cycle_t now);

#endif
