"""The slots in which threads park values: what is read is what was written last, and a plan that cannot be is refused."""
import importlib.util
import os
import re
import sys
import types

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "physics", "codegen"))
from emit import Program, Variable  # noqa: E402
from parking import Parking  # noqa: E402


def module(path):
    spec = importlib.util.spec_from_file_location("described", os.path.join(ROOT, path))
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


def run(parking):
    """Do what the stage kernel does with its slots, statement by statement; the number of values that were read."""
    slot, memory, read, inputs = parking.slot, {}, 0, []

    def write(value):
        if value in slot:
            memory[slot[value]] = value

    def look(value):
        nonlocal read
        if value in slot:
            assert memory[slot[value]] == value, f"{memory[slot[value]]} lies where {value} is read"
            read += 1

    ends = {max(members, key=lambda v: stored(parking, v)): members for members in parking.updates}
    for value in slot:
        if value[0] == "kept":
            write(value)
    for text in parking.statements:
        if m := re.match(r"TX_PARK\((\w+)\)", text):
            write(("names", m[1]))
        if m := re.match(r"TX_UNPARK\((\w+)\)", text):
            look(("names", m[1]))
        if m := re.match(r"TX_AGAIN\(\w+, (\w+)\)", text):
            look(("kept", m[1]))
        for name in inputs:
            if re.search(rf"\b{name}\b", text):
                look(("names", name))
        if m := re.match(r"TX_INPUT\((\w+)\)", text):
            write(("names", m[1]))
            inputs.append(m[1])
        if m := re.match(r"TX_LOAD\d\((\w+)\)", text):
            write(("waiting", m[1]))
        if m := re.match(r"TX_STORE\((\w+),", text):
            look(("waiting", m[1]))
            write(("waiting", m[1]))
            for v in ends.get(m[1], ()):
                for value in (("waiting", v), ("ahead", v, 0), ("ahead", v, 1)):
                    look(value)
            for v in parking.asked.get(m[1], ()):
                write(("ahead", v, 0))
                write(("ahead", v, 1))
    for name in parking.plan.LAST:
        for v in parking.of[name]:
            look(("waiting", v))
    return read


def stored(parking, variable):
    return next(n for n, text in enumerate(parking.statements) if text.startswith(f"TX_STORE({variable},"))


def refused(make, words):
    try:
        make()
    except ValueError as e:
        assert words in str(e), e
    else:
        raise AssertionError("not refused: " + words)


def plan(**changes):
    usual = {"UPDATES": [("a",), ("b",)], "AHEAD": (), "LAST": (), "KEPT": ()}
    return types.SimpleNamespace(**{**usual, **changes})


def small():
    """Two scalars: b's advection is there at once, a's waits."""
    program = Program([Variable("a", text="", falloff=1, speed="1"), Variable("b", text="", falloff=1, speed="1")])
    program.values("a", "b")
    program.load(1, "a")
    program.let("x", "a * b")
    program.let("y", "a + b")
    program.park("x")
    program.load(1, "b")
    program.unpark("x")
    program.park("y")
    program.store("a", "ADV_a + x")
    program.unpark("y")
    program.store("b", "ADV_b + y")
    program.finish()
    return program


def parked(system):
    """The slots of a system's right-hand sides, which have been gone through."""
    described = module(f"physics/{system}/system.py")
    program = Program(described.VARIABLES + described.RESULTS, "rhs", [p.name for p in described.PARAMETERS])
    described.FILES["rhs"][0](program)
    program.finish()
    parking = Parking(program.kept, described.VARIABLES, module(f"physics/{system}/plan.py"))
    read = run(parking)
    assert read > 100, read
    return parking


def main():
    parked("z4c")
    parking = parked("bssn")
    assert parking.slots <= 29, f"two blocks would not fit a multiprocessor: {parking.slots} slots"
    # A slot too few: some pair is written over, and both the generator and this test see it.
    moved = {value: min(slot, parking.slots - 2) for value, slot in parking.slot.items()}
    parking.slot = moved
    refused(parking.check, "reads")
    try:
        run(parking)
    except AssertionError:
        pass
    else:
        raise AssertionError("two values in a slot went unseen")

    program = small()
    variables = list(program.variables.values())
    parking = Parking(program.kept, variables, plan())
    assert set(parking.slot) == {("names", "x"), ("names", "y"), ("waiting", "A")}, parking.slot
    assert parking.slots == 2 and parking.slot[("names", "x")] == parking.slot[("names", "y")], parking.slot
    run(parking)
    refused(lambda: Parking(program.kept, variables, plan(AHEAD=("b",))), "fewer than two loads")


main()
