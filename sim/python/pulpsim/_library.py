"""The C interface (sim/pulpsim.h), declared for ctypes. Nothing here is public."""

from __future__ import annotations

import ctypes as c
import os
import pathlib
from typing import Any

CAUSES = 17  # PULPSIM_CAUSES
NO_LIMIT = 2**64 - 1  # PULPSIM_NO_LIMIT


class Error(c.Structure):
    _fields_ = [("text", c.c_char * 512)]


class Marker(c.Structure):
    _fields_ = [("value", c.c_uint32), ("cycle", c.c_uint64), ("instret", c.c_uint64)]


class Counts(c.Structure):
    _fields_ = [
        ("cycles", c.c_uint64),
        ("instructions", c.c_uint64),
        ("macs", c.c_uint64),
        ("stalls", c.c_uint64 * CAUSES),
    ]


class CoreStats(c.Structure):
    _fields_ = [
        ("hartid", c.c_uint),
        ("total", Counts),
        ("marker_count", c.c_size_t),
        ("markers", c.POINTER(Marker)),
        ("clock_mhz", c.c_uint),
    ]


class Region(c.Structure):
    _fields_ = [
        ("id", c.c_uint32),
        ("name", c.c_char * 48),
        ("useful_macs", c.c_uint64),
        ("entries", c.c_uint64),
        ("cycles", c.c_uint64),
        ("open", c.c_bool),
        ("core", c.POINTER(Counts)),
    ]


class BankStats(c.Structure):
    _fields_ = [("grants", c.c_uint64), ("conflicts", c.c_uint64)]


class Stats(c.Structure):
    _fields_ = [
        ("machine", c.c_char_p),
        ("config_hash", c.c_uint64),
        ("elf_hash", c.c_uint64),
        ("cycles", c.c_uint64),
        ("core_count", c.c_uint),
        ("core", c.POINTER(CoreStats)),
        ("region_count", c.c_size_t),
        ("region", c.POINTER(Region)),
        ("bank_count", c.c_uint),
        ("bank", c.POINTER(BankStats)),
        ("idle_cores", c.c_uint),
    ]


class Operand(c.Structure):
    _fields_ = [("number", c.c_uint8), ("value", c.c_uint32)]


class InsnEvent(c.Structure):
    _fields_ = [
        ("core", c.c_uint),
        ("pc", c.c_uint32),
        ("word", c.c_uint32),
        ("encoding", c.c_uint16),
        ("size", c.c_uint8),
        ("stall_cause", c.c_uint8),
        ("cycle", c.c_uint64),
        ("done", c.c_uint64),
        ("since", c.c_uint64),
        ("stall", c.c_uint32),
        ("stalls", c.POINTER(c.c_uint32)),
        ("has_memory", c.c_bool),
        ("memory_write", c.c_bool),
        ("memory_size", c.c_uint8),
        ("memory_address", c.c_uint32),
        ("memory_data", c.c_uint32),
        ("has_csr", c.c_bool),
        ("csr", c.c_uint16),
        ("csr_value", c.c_uint32),
        ("write_count", c.c_uint8),
        ("read_count", c.c_uint8),
        ("write", Operand * 2),
        ("read", Operand * 3),
    ]


INSN = c.CFUNCTYPE(None, c.c_void_p, c.POINTER(InsnEvent))
REST = c.CFUNCTYPE(None, c.c_void_p, c.c_uint, c.POINTER(c.c_uint32))
REGION = c.CFUNCTYPE(None, c.c_void_p, c.c_uint, c.c_uint32, c.c_bool, c.c_uint64)
DMA = c.CFUNCTYPE(None, c.c_void_p, c.c_uint, c.c_bool, c.c_uint64, c.c_uint32)
L3 = c.CFUNCTYPE(None, c.c_void_p, c.c_bool, c.c_uint64, c.c_uint64, c.c_uint32)
DMA_COMMAND = c.CFUNCTYPE(None, c.c_void_p, c.c_void_p)
OUTPUT = c.CFUNCTYPE(None, c.c_void_p, c.c_int, c.c_void_p, c.c_size_t)


class Observer(c.Structure):
    _fields_ = [
        ("user", c.c_void_p),
        ("sources", c.c_bool),
        ("ahead", c.c_bool),
        ("insn", INSN),
        ("rest", REST),
        ("region", REGION),
        ("dma", DMA),
        ("l3", L3),
        ("dma_command", DMA_COMMAND),
    ]


class Stop(c.Structure):
    _fields_ = [
        ("kind", c.c_int),
        ("core", c.c_uint),
        ("pc", c.c_uint32),
        ("address", c.c_uint32),
        ("cycle", c.c_uint64),
    ]


_sim, _config, _error, _text = c.c_void_p, c.c_void_p, c.POINTER(Error), c.c_char_p
_u32, _u64, _uint = c.c_uint32, c.c_uint64, c.c_uint

# Name (without "pulpsim_"): result, parameters.
FUNCTIONS = {
    "config_for": (_text, [_text]),
    "config_new": (_config, [_text, _error]),
    "config_free": (None, [_config]),
    "config_set": (c.c_bool, [_config, _text, _error]),
    "config_check": (c.c_bool, [_config, _error]),
    "config_name": (_text, [c.c_size_t]),
    "new": (_sim, [_config, _error]),
    "free": (None, [_sim]),
    "load": (c.c_bool, [_sim, _text, _error]),
    "arguments": (None, [_sim, c.c_int, c.POINTER(_text)]),
    "grant": (c.c_bool, [_sim, _text, c.c_bool, _error]),
    "set_engine": (c.c_bool, [_sim, c.c_int]),
    "on_output": (None, [_sim, OUTPUT, c.c_void_p]),
    "run": (c.c_int, [_sim, _u64]),
    "run_exactly": (c.c_int, [_sim, _u64]),
    "run_until": (c.c_int, [_sim, _u32, _u64]),
    "step": (c.c_int, [_sim, _uint]),
    "interrupt": (None, [_sim]),
    "state": (c.c_int, [_sim]),
    "exit_status": (c.c_int, [_sim]),
    "reason": (_text, [_sim]),
    "notice": (_text, [_sim]),
    "now": (_u64, [_sim]),
    "cores": (_uint, [_sim]),
    "register": (_u32, [_sim, _uint, _uint]),
    "set_register": (None, [_sim, _uint, _uint, _u32]),
    "pc": (_u32, [_sim, _uint]),
    "read": (c.c_bool, [_sim, _u32, c.c_void_p, c.c_size_t]),
    "write": (c.c_bool, [_sim, _u32, c.c_void_p, c.c_size_t]),
    "symbol": (c.c_bool, [_sim, _text, c.POINTER(_u32)]),
    "symbol_at": (_text, [_sim, _u32, c.POINTER(_u32)]),
    "cause_name": (_text, [_uint]),
    "cause_meaning": (_text, [_uint]),
    "stats": (c.POINTER(Stats), [_sim]),
    "observe": (c.c_bool, [_sim, c.POINTER(Observer)]),
    "observe_end": (None, [_sim]),
    "disassemble": (c.c_int, [_sim, _u32, _u32, c.c_char_p, c.c_size_t]),
    "waits": (_text, [_sim, _uint]),
    "csr": (c.c_bool, [_sim, _uint, _uint, c.POINTER(_u32)]),
    "save": (c.c_void_p, [_sim]),
    "restore": (None, [_sim, c.c_void_p]),
    "snapshot_free": (None, [c.c_void_p]),
}


def _candidates() -> list[str]:
    here = pathlib.Path(__file__).resolve().parent
    named = os.environ.get("PULPSIM_LIBRARY")
    if named:
        return [named]
    beside = [here / "libpulpsim.so.0"]
    if here.parent.name == "python":  # a source tree
        beside.append(here.parents[2] / "build" / "libpulpsim.so")
    return [str(path) for path in beside if path.is_file()] + ["libpulpsim.so.0"]


def _open() -> c.CDLL:
    failures = []
    for name in _candidates():
        try:
            library = c.CDLL(name)
        except OSError as error:
            failures.append(f"{name}: {error}")
            continue
        for function, (result, parameters) in FUNCTIONS.items():
            declared = getattr(library, "pulpsim_" + function)
            declared.restype, declared.argtypes = result, parameters
        return library
    raise ImportError(
        "no libpulpsim.so.0: make build/libpulpsim.so, or make install, or set PULPSIM_LIBRARY ("
        + "; ".join(failures) + ")"
    )


library = _open()


def call(function: str, *arguments: Any) -> Any:
    """Calls pulpsim_FUNCTION."""
    return getattr(library, "pulpsim_" + function)(*arguments)
