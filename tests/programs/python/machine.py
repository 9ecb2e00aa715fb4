"""What the Python module promises. usage: machine.py KERNELS"""

import sys

import numpy as np

import pulpsim

KERNELS = sys.argv[1]
ELF = f"{KERNELS}/vec_axpy.elf"


def refused(call, kind, part):
    try:
        call()
    except kind as error:
        assert part in str(error), error
        return
    raise AssertionError(f"nobody minded: {part}")


def test_run_and_statistics():
    for plain in (False, True):
        with pulpsim.Machine("pulp-open", {"cluster.cores": 4}, plain=plain) as machine:
            machine.load(ELF)
            assert machine.state == pulpsim.State.READY
            assert machine.run() == pulpsim.State.EXITED and machine.exit_status == 0
            stats = machine.stats()
        (region,) = stats["regions"].values()
        assert len(stats["cores"]) == 4 and region["useful_macs"] == 16384
        for core in stats["cores"]:
            assert core["cycles"] == core["instructions"] + sum(core["stalls"].values())
        assert stats["banks"]["grants"].sum() > 3 * 16384
        if plain:
            assert stats["cycles"] == cycles
        cycles = stats["cycles"]


def test_pause_step_and_state():
    machine = pulpsim.Machine()
    machine.load(ELF)
    assert machine.run(500) == pulpsim.State.READY and machine.cycle == 500
    pc = machine.pc(0)
    assert machine.step(0) == pulpsim.State.BREAK and machine.pc(0) != pc
    kept = machine.save()
    machine.run()
    total = machine.stats()["cycles"]
    machine.restore(kept)
    machine.run()
    assert machine.stats()["cycles"] == total
    assert machine.run() == pulpsim.State.EXITED


def test_memory_and_registers():
    machine = pulpsim.Machine()
    machine.load(ELF)
    start = machine.symbol("_start")
    assert machine.function_at(start + 4) == ("_start", 4)
    assert machine.run_until("main") == pulpsim.State.BREAK
    assert any(machine.pc(core) == machine.symbol("main") for core in range(machine.cores))
    wanted = np.arange(12, dtype=np.float32).reshape(3, 4)
    machine.write(0x10000100, wanted)
    assert (machine.read(0x10000100, (3, 4), np.float32) == wanted).all()
    assert machine.read(0x10000104, 1, "<u4")[0] == 0x3F800000
    machine.set_register(10, -1, core=3)
    assert machine.registers(3)[10] == 0xFFFFFFFF and machine.registers(3).shape == (64,)
    assert machine.csr(0xF14, core=3) == 3
    assert "addi" in machine.disassemble(0x00150513)


def test_events():
    seen, marks, transfers = [], [], []
    machine = pulpsim.Machine()
    machine.load(ELF)
    machine.observe(instruction=seen.append, region=marks.append, in_regions=True)
    machine.run()
    (region,) = machine.stats()["regions"].values()
    assert len(seen) == sum(core["instructions"] for core in region["cores"])
    assert len(marks) == 16 and {mark.core for mark in marks} == set(range(8))
    assert sum(1 for i in seen if i.access and i.access.write) > 0
    assert {i.cause for i in seen} <= set(pulpsim.CAUSES) | {""}
    with pulpsim.Machine() as other:
        other.load(f"{KERNELS}/lab_dma.elf")
        other.observe(dma=transfers.append)
        other.run()
    assert transfers and sum(t.bytes for t in transfers if t.begin) > 0

    def fails(_event):
        raise ZeroDivisionError("mine")

    third = pulpsim.Machine()
    third.load(ELF)
    third.observe(instruction=fails)
    refused(third.run, ZeroDivisionError, "mine")


def test_sweep():
    runs = pulpsim.sweep(ELF, {"cluster.cores": [1, 8], "cluster.tcdm.banks": [8, 16]})
    assert [tuple(run.settings.values()) for run in runs] == [(1, 8), (1, 16), (8, 8), (8, 16)]
    assert all(run.exit_status == 0 for run in runs)
    one, eight = (runs[i].stats["regions"].popitem()[1]["cycles"] for i in (0, 2))
    assert one > 2 * eight, (one, eight)
    again = pulpsim.sweep(ELF, {"cluster.cores": [1, 8], "cluster.tcdm.banks": [8, 16]}, jobs=1)
    assert [run.stats["cycles"] for run in runs] == [run.stats["cycles"] for run in again]


def test_refusals():
    error = pulpsim.Error
    refused(lambda: pulpsim.Machine("pulp-opne"), error, "pulp-open")
    refused(lambda: pulpsim.Machine("pulp-open", {"cluster.corse": 1}), error, "cluster.cores")
    machine = pulpsim.Machine()
    refused(machine.run, error, "load()")
    refused(lambda: machine.load("no.elf"), error, "no.elf")
    refused(lambda: machine.load(__file__), error, "ELF")
    refused(lambda: machine.read(0x30000000, 4), error, "0x30000000")
    refused(lambda: machine.pc(99), IndexError, "core 99")
    machine.load(ELF)
    refused(lambda: machine.symbol("nothing"), KeyError, "nothing")
    machine.close()
    refused(machine.run, error, "closed")


for name, test in list(globals().items()):
    if name.startswith("test_"):
        test()
print("all of the Python module")
