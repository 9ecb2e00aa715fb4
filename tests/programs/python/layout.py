"""Writes a C program that compares sim/pulpsim.h with what the Python module takes it to be: it
prints each difference."""

import ctypes

from pulpsim import _library as lib

NAMES = {
    "error": lib.Error,
    "marker": lib.Marker,
    "counts": lib.Counts,
    "core_stats": lib.CoreStats,
    "region": lib.Region,
    "bank_stats": lib.BankStats,
    "stats": lib.Stats,
    "operand": lib.Operand,
    "insn_event": lib.InsnEvent,
    "observer": lib.Observer,
}

print("#include <pulpsim/pulpsim.h>\n#include <stddef.h>\nint main(void) {\n  int bad = PULPSIM_CAUSES != %d;" % lib.CAUSES)
for name, structure in NAMES.items():
    print(f"  bad += sizeof(struct pulpsim_{name}) != {ctypes.sizeof(structure)};")
    for field, *_ in structure._fields_:
        at = getattr(structure, field)
        print(f"  if (offsetof(struct pulpsim_{name}, {field}) != {at.offset} ||")
        print(f"      sizeof(((struct pulpsim_{name} *)0)->{field}) != {at.size})")
        print(f'    bad++, printf("{name}.{field}\\n");')
for function in lib.FUNCTIONS:
    print(f"  bad += pulpsim_{function} == 0;")
print("  return bad;\n}")
