"""Machines: configure, load, run, look inside, count, observe."""

from __future__ import annotations

import ctypes
import enum
import os
from typing import Any, Callable, Iterator, Mapping, NamedTuple, Optional, Sequence, Union

import numpy as np
import numpy.typing as npt

from . import _library as lib

Setting = Union[str, int, float, bool]
Path = Union[str, "os.PathLike[str]"]


class Error(Exception):
    """What cannot be done, in one sentence: where, and what to do."""


class State(enum.IntEnum):
    """Why run() returned (enum pulpsim_state)."""

    READY = 0  #: loaded, or paused by a limit
    EXITED = 1  #: the program ended: Machine.exit_status
    TRAPPED = 2  #: illegal instruction, bad access, unhandled trap: Machine.reason
    DEADLOCK = 3  #: every core sleeps and nothing is pending
    BREAK = 4  #: interrupt(), or run_until() has got there


#: Names of the causes of lost cycles; the first, "issue", counts those that were not lost.
CAUSES: tuple[str, ...] = tuple(lib.call("cause_name", i).decode() for i in range(lib.CAUSES))


class Access(NamedTuple):
    """A load or store of one instruction."""

    address: int
    size: int  #: bytes
    data: int
    write: bool


class Instruction(NamedTuple):
    """One executed instruction (struct pulpsim_insn_event)."""

    core: int
    pc: int
    word: int
    cycle: int  #: in which it left ID
    done: int  #: in which it left EX
    stall: int  #: cycles the core lost since the instruction before
    cause: str  #: the largest of their causes; "" if none were
    access: Optional[Access]
    written: tuple[tuple[int, int], ...]  #: registers (32..63: f) and their values


class RegionMark(NamedTuple):
    """A core begins or ends a region of measurement."""

    core: int
    region: int
    begin: bool
    cycle: int


class Dma(NamedTuple):
    """A DMA transfer begins or ends."""

    transfer: int
    begin: bool
    cycle: int
    bytes: int


def configurations() -> list[str]:
    """Names of the configurations that come with the simulator."""
    names: list[str] = []
    while (name := lib.call("config_name", len(names))) is not None:
        names.append(name.decode())
    return names


def _setting(value: Setting) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _must(good: Any, error: lib.Error) -> Any:
    if not good:
        raise Error(error.text.decode(errors="replace"))
    return good


class _Config:
    """Holds a struct pulpsim_config while a machine is made of it."""

    def __init__(self, name: str, settings: Mapping[str, Setting]) -> None:
        error = lib.Error()
        self.handle = _must(lib.call("config_new", os.fsencode(name), error), error)
        for key, value in settings.items():
            text = f"{key}={_setting(value)}".encode()
            if not lib.call("config_set", self.handle, text, error):
                self.free()
                _must(False, error)

    def free(self) -> None:
        lib.call("config_free", self.handle)


class Snapshot:
    """A machine's state at one time; made by Machine.save()."""

    def __init__(self, machine: "Machine") -> None:
        self.machine = machine
        self.handle = lib.call("save", machine._sim)
        if not self.handle:
            raise MemoryError("no memory for a snapshot")

    def __del__(self) -> None:
        if getattr(self, "handle", None):
            lib.call("snapshot_free", self.handle)


class Machine:
    """A simulated machine.

    `config` is a name (configurations()) or the path of a YAML file; `settings` change single keys
    of it, as ``--set`` does: ``Machine("pulp-open", {"cluster.cores": 4})``. `plain` chooses the
    engine that computes everything clock by clock: same results, slower. The guest's output is
    kept in `output`, unless `echo` writes it to this process's own.

    One thread may use a machine at a time; machines are independent of each other.
    """

    def __init__(
        self,
        config: str = "pulp-open",
        settings: Optional[Mapping[str, Setting]] = None,
        *,
        plain: bool = False,
        echo: bool = False,
    ) -> None:
        self._sim = None
        self._kept: list[Any] = []  # what the library has pointers to
        self._program = False
        self._output = bytearray()
        self._failure: Optional[BaseException] = None
        error = lib.Error()
        made = _Config(config, settings or {})
        try:
            self._sim = _must(lib.call("new", made.handle, error), error)
        finally:
            made.free()
        if plain:
            lib.call("set_engine", self._sim, 1)
        if not echo:
            self._keep_output()

    def _keep_output(self) -> None:
        def output(_user: Any, _fd: int, text: int, count: int) -> None:
            self._output += ctypes.string_at(text, count)

        callback = lib.OUTPUT(output)
        self._kept.append(callback)
        lib.call("on_output", self._sim, callback, None)

    def close(self) -> None:
        """Frees the machine, which can then do nothing more."""
        if self._sim:
            lib.call("free", self._sim)
            self._sim = None

    def __enter__(self) -> "Machine":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_sim", None):
            self.close()

    def _open(self) -> Any:
        if not self._sim:
            raise Error("the machine is closed")
        return self._sim

    # ---- program

    def load(
        self, elf: Path, arguments: Sequence[str] = (), files: Optional[Path] = None
    ) -> None:
        """Loads an ELF file, whose entry is where the cores start. `arguments` are the program's;
        `files`: the directory in and below which it may open files."""
        sim, error = self._open(), lib.Error()
        if arguments:
            words = [os.fsencode(word) for word in arguments]
            vector = (ctypes.c_char_p * (len(words) + 1))(*words, None)
            self._kept.append((words, vector))
            lib.call("arguments", sim, len(words), vector)
        if files is not None:
            _must(lib.call("grant", sim, os.fsencode(files), False, error), error)
        _must(lib.call("load", sim, os.fsencode(elf), error), error)
        self._program = True

    def symbol(self, name: str) -> int:
        """Address of a symbol of the program; KeyError if there is none."""
        address = ctypes.c_uint32()
        if not lib.call("symbol", self._open(), name.encode(), address):
            raise KeyError(name)
        return address.value

    def function_at(self, address: int) -> Optional[tuple[str, int]]:
        """Function or object that holds an address, and the offset into it."""
        offset = ctypes.c_uint32()
        name = lib.call("symbol_at", self._open(), address, offset)
        return (name.decode(), offset.value) if name else None

    # ---- run

    def _ready(self) -> Any:
        sim = self._open()
        if not self._program:
            raise Error("no program: call load() first")
        return sim

    def _ended(self, state: int) -> State:
        if self._failure:
            failure, self._failure = self._failure, None
            raise failure
        return State(state)

    def run(self, until: Optional[int] = None) -> State:
        """Runs to the end, or up to and including cycle `until`, where everything is as the clock
        left it."""
        sim = self._ready()
        if until is None:
            return self._ended(lib.call("run", sim, lib.NO_LIMIT))
        return self._ended(lib.call("run_exactly", sim, until))

    def run_until(self, place: Union[int, str], limit: Optional[int] = None) -> State:
        """Runs until some core is about to execute the instruction at `place`, an address or a
        symbol: State.BREAK."""
        pc = self.symbol(place) if isinstance(place, str) else place
        most = lib.NO_LIMIT if limit is None else limit
        return self._ended(lib.call("run_until", self._ready(), pc, most))

    def step(self, core: int = 0) -> State:
        """Runs until `core` has executed one more instruction."""
        sim = self._ready()
        self._core(core)
        return self._ended(lib.call("step", sim, core))

    def interrupt(self) -> None:
        """Makes run() return soon; from another thread."""
        lib.call("interrupt", self._open())

    @property
    def state(self) -> State:
        return State(lib.call("state", self._open()))

    @property
    def exit_status(self) -> int:
        return int(lib.call("exit_status", self._open()))

    @property
    def reason(self) -> str:
        """What ended the run, where it was not the program."""
        return (lib.call("reason", self._open()) or b"").decode(errors="replace")

    @property
    def notice(self) -> str:
        """What the program takes for granted and this machine does not do; "" if nothing."""
        return (lib.call("notice", self._open()) or b"").decode(errors="replace")

    @property
    def cycle(self) -> int:
        """Now, in cycles of the cluster's clock since reset."""
        return int(lib.call("now", self._open()))

    @property
    def output(self) -> bytes:
        """What the program has written so far."""
        return bytes(self._output)

    def save(self) -> Snapshot:
        """The state, to go back to."""
        self._open()
        return Snapshot(self)

    def restore(self, snapshot: Snapshot) -> None:
        """Goes back to a state of this machine. Output is not taken back."""
        if snapshot.machine is not self:
            raise Error("the snapshot is another machine's")
        lib.call("restore", self._open(), snapshot.handle)

    # ---- inside

    def _core(self, core: int) -> int:
        if not 0 <= core < self.cores:
            raise IndexError(f"core {core} of {self.cores}")
        return core

    @property
    def cores(self) -> int:
        """How many there are; the fabric controller, if it runs, is the last."""
        return int(lib.call("cores", self._open()))

    def pc(self, core: int = 0) -> int:
        return int(lib.call("pc", self._open(), self._core(core)))

    def registers(self, core: int = 0) -> npt.NDArray[np.uint32]:
        """x0..x31 and f0..f31, as 64 words; a copy."""
        self._core(core)
        words = (lib.call("register", self._open(), core, i) for i in range(64))
        return np.fromiter(words, np.uint32, 64)

    def set_register(self, number: int, value: int, core: int = 0) -> None:
        """x0..x31 are 0..31, f0..f31 are 32..63."""
        if not 0 <= number < 64:
            raise IndexError(f"register {number}: 0..63")
        lib.call("set_register", self._open(), self._core(core), number, value & 0xFFFFFFFF)

    def csr(self, number: int, core: int = 0) -> int:
        """A control and status register; KeyError if the core has none of that number."""
        value = ctypes.c_uint32()
        if not lib.call("csr", self._open(), self._core(core), number, value):
            raise KeyError(number)
        return value.value

    def _address(self, place: Union[int, str]) -> int:
        return self.symbol(place) if isinstance(place, str) else place

    def read(
        self,
        place: Union[int, str],
        shape: Union[int, Sequence[int]],
        dtype: npt.DTypeLike = np.uint8,
    ) -> npt.NDArray[Any]:
        """Memory from an address or a symbol on, as an array of that shape and type; a copy."""
        array = np.empty(shape, np.dtype(dtype).newbyteorder("<"))
        address = self._address(place)
        if not lib.call("read", self._open(), address, array.ctypes.data, array.nbytes):
            raise Error(f"0x{address:08x}: no memory for {array.nbytes} bytes")
        return array

    def write(self, place: Union[int, str], values: npt.ArrayLike) -> None:
        """Places an array's bytes in memory, in the array's own type."""
        array = np.ascontiguousarray(values)
        array = array.astype(array.dtype.newbyteorder("<"), copy=False)
        address = self._address(place)
        if not lib.call("write", self._open(), address, array.ctypes.data, array.nbytes):
            raise Error(f"0x{address:08x}: no memory for {array.nbytes} bytes")

    def disassemble(self, word: int, pc: int = 0) -> str:
        text = ctypes.create_string_buffer(128)
        lib.call("disassemble", self._open(), word, pc, text, len(text))
        return text.value.decode()

    def waits(self, core: int) -> Optional[str]:
        """What a core waits for; None if it runs."""
        text = lib.call("waits", self._open(), self._core(core))
        return text.decode() if text else None

    # ---- statistics

    def stats(self) -> dict[str, Any]:
        """Cycles, instructions, multiply-accumulates and lost cycles by cause: of the machine's
        cores (how many more never started), of the regions by name, of the banks as arrays."""
        s = lib.call("stats", self._open()).contents
        cores = [_core_stats(s.core[i]) for i in range(s.core_count)]
        return {
            "machine": s.machine.decode(),
            "cycles": s.cycles,
            "instructions": sum(core["instructions"] for core in cores),
            "macs": sum(core["macs"] for core in cores),
            "cores": cores,
            "idle_cores": s.idle_cores,
            "regions": {
                s.region[i].name.decode(): _region_stats(s.region[i], s.core_count)
                for i in range(s.region_count)
            },
            "banks": {
                key: np.fromiter(
                    (getattr(s.bank[i], key) for i in range(s.bank_count)), np.uint64, s.bank_count
                )
                for key in ("grants", "conflicts")
            },
        }

    # ---- events

    def observe(
        self,
        instruction: Optional[Callable[[Instruction], None]] = None,
        region: Optional[Callable[[RegionMark], None]] = None,
        dma: Optional[Callable[[Dma], None]] = None,
        *,
        in_regions: bool = False,
    ) -> None:
        """Calls back for every instruction, region and DMA transfer; before the first run. The same
        cycles, at a fraction of the speed. `in_regions`: only for instructions of cores that are in
        a region. An exception of a callback comes out of run()."""
        inside: set[int] = set()

        def mark(m: RegionMark) -> None:
            (inside.add if m.begin else inside.discard)(m.core)
            if region:
                region(m)

        observer = lib.Observer()
        if instruction:
            make = self._guard(instruction, _instruction)
            if in_regions:
                observer.insn = lib.INSN(lambda user, e: make(user, e) if inside and e[0].core in inside else None)
            else:
                observer.insn = lib.INSN(make)
        if region or in_regions:
            observer.region = lib.REGION(self._guard(mark, RegionMark))
        if dma:
            observer.dma = lib.DMA(self._guard(dma, Dma))
        self._kept.append(observer)
        if not lib.call("observe", self._open(), observer):
            raise Error("no room for another observer: 8 is the most")

    def _guard(self, callback: Callable[..., None], make: Callable[..., Any]) -> Any:
        def called(_user: Any, *arguments: Any) -> None:
            if self._failure:
                return
            try:
                callback(make(*arguments))
            except BaseException as failure:  # pylint: disable=broad-except
                self._failure = failure
                lib.call("interrupt", self._sim)

        return called


def _instruction(event: Any) -> Instruction:
    e = event.contents
    access = None
    if e.has_memory:
        access = Access(e.memory_address, e.memory_size, e.memory_data, e.memory_write)
    written = tuple((e.write[i].number, e.write[i].value) for i in range(e.write_count))
    cause = CAUSES[e.stall_cause] if e.stall else ""
    return Instruction(e.core, e.pc, e.word, e.cycle, e.done, e.stall, cause, access, written)


def _counts(counts: Any) -> dict[str, Any]:
    return {
        "cycles": counts.cycles,
        "instructions": counts.instructions,
        "macs": counts.macs,
        "stalls": dict(zip(CAUSES[1:], counts.stalls[1:])),
    }


def _core_stats(core: Any) -> dict[str, Any]:
    markers: Iterator[Any] = (core.markers[i] for i in range(core.marker_count))
    return {
        "hartid": core.hartid,
        "clock_mhz": core.clock_mhz,
        **_counts(core.total),
        "markers": [(m.value, m.cycle, m.instret) for m in markers],
    }


def _region_stats(region: Any, cores: int) -> dict[str, Any]:
    return {
        "id": region.id,
        "cycles": region.cycles,
        "useful_macs": region.useful_macs,
        "entries": region.entries,
        "open": bool(region.open),
        "cores": [_counts(region.core[i]) for i in range(cores)],
    }
