// deploy/tune/tasks.h: runs of ways as tasks on other machines, by GNU parallel or Slurm.
//
// A folder beside the file of results holds what is to run, `list`, and what came of task I: `I`,
// two numbers, or `I.error`, a sentence. So this program is the only one that writes the file:
// those on other machines need the folder, this program and the measuring one where they are here.
#ifndef TUNE_TASKS_H
#define TUNE_TASKS_H

#include "deploy/tune/measure.h"

// Runs ways[0..count) as with->on says, and fills in their cycles; with->results is a file. False
// with the sentence; the folder stays then.
bool tune_tasks_run(const struct tune_measure *with, const struct tune_product *product,
                    const struct tune_run *run, struct tune_way *const *ways, size_t count,
                    struct net_error *error);

// Task `number` of a folder: on the other machine.
bool tune_tasks_do(const char *folder, unsigned number, struct net_error *error);

#endif
