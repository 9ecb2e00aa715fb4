"""pulpsim: a cycle-exact simulator of PULP clusters.

    import pulpsim

    with pulpsim.Machine("pulp-open", {"cluster.cores": 4}) as machine:
        machine.load("kernel.elf")
        machine.run()
        print(machine.output.decode(), machine.stats()["cycles"])

    runs = pulpsim.sweep("kernel.elf", {"cluster.cores": [1, 2, 4, 8]})
"""

from .machine import (
    CAUSES,
    Access,
    Dma,
    Error,
    Instruction,
    Machine,
    RegionMark,
    Snapshot,
    State,
    configurations,
)
from .sweep import Run, sweep
from .version import VERSION as __version__

__all__ = [
    "CAUSES",
    "Access",
    "Dma",
    "Error",
    "Instruction",
    "Machine",
    "RegionMark",
    "Run",
    "Snapshot",
    "State",
    "configurations",
    "sweep",
    "__version__",
]
