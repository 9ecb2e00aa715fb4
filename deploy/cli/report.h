// deploy/cli/report.h: what a network took on the machine, layer by layer.
#ifndef REPORT_H
#define REPORT_H

#include "deploy/emit/machine.h"

// A table: of each layer cycles (of the second image), MAC, MAC per cycle, bytes of L1, its tile.
void report_print(const struct plan *plan, const struct machine_result *result);

// The same as JSON. The exit status.
int report_json(const struct plan *plan, const struct machine_result *result, const char *path);

#endif
