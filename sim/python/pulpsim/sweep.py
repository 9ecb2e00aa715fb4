"""One program on many machines."""

from __future__ import annotations

import concurrent.futures
import itertools
import os
from typing import Any, Mapping, NamedTuple, Optional, Sequence

from .machine import Machine, Path, Setting, State


class Run(NamedTuple):
    """One run of a sweep."""

    settings: dict[str, Setting]
    state: State
    exit_status: int
    reason: str
    output: bytes
    stats: dict[str, Any]  #: as of Machine.stats()


def _run(elf: Path, config: str, settings: dict[str, Setting], limit: Optional[int]) -> Run:
    with Machine(config, settings) as machine:
        machine.load(elf)
        state = machine.run(limit)
        return Run(
            settings, state, machine.exit_status, machine.reason, machine.output, machine.stats()
        )


def sweep(
    elf: Path,
    axes: Mapping[str, Sequence[Setting]],
    config: str = "pulp-open",
    *,
    limit: Optional[int] = None,
    jobs: Optional[int] = None,
) -> list[Run]:
    """Runs `elf` with every combination of the settings in `axes`, the last varying fastest:
    ``sweep("a.elf", {"cluster.cores": [1, 8], "cluster.tcdm.banks": [8, 16]})``. `limit`: cycles
    after which a run is paused; `jobs`: runs at a time, by default as many as there are processors.
    """
    points = [dict(zip(axes, values)) for values in itertools.product(*axes.values())]
    with concurrent.futures.ThreadPoolExecutor(jobs or os.cpu_count()) as pool:
        return list(pool.map(lambda settings: _run(elf, config, settings, limit), points))
