// isa/tables.c: the tables that isagen makes from the rows.
#include "isa/tables.h"

#include "isa_ops.h"
#include "isa_table.inc"
