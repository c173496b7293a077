"""Broken files, of others and of our own, handed to the tools: each has its one message and exit code, and leaves nothing behind. Tables
that end in half a line are read without it, with a warning.

The cases are in broken_files_list.py; `broken_inputs.py' does the same for the program."""

import contextlib
import io
import os
import sys
import tempfile
import warnings
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
import broken_files_list as cases  # noqa: E402
import numpy as np  # noqa: E402
import sweep  # noqa: E402
from broken_inputs import faults, prepare  # noqa: E402
from tendex.base import tables  # noqa: E402
from tendex.base.folder import TRACKS  # noqa: E402
from tendex.orbits import cli as orbit  # noqa: E402
from tendex.waves.catalogues import catalogue  # noqa: E402
from tendex.waves.commands import cli  # noqa: E402
from tendex.waves.comparison import noise  # noqa: E402
from tendex.waves.reading.run import Run  # noqa: E402

PROGRAM = mock.Mock(settings=lambda words: {}, defaults={})
TOOLS = {"tendex-waves": cli.main, "tendex-orbit": orbit.main, "sweep": sweep.main}


@contextlib.contextmanager
def inside():
    """In a folder of its own."""
    here = os.getcwd()
    with tempfile.TemporaryDirectory(prefix="tendex-broken-") as folder:
        os.chdir(folder)
        try:
            yield Path(folder)
        finally:
            os.chdir(here)


def run(tool, words):
    """(exit code, lines of errors) of a tool in this process."""
    err = io.StringIO()
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(err):
        try:
            code = TOOLS[tool](words)
        except SystemExit as e:
            code = e.code
    return code, err.getvalue().splitlines()


def check(case):
    with inside() as folder:
        before = prepare(case, folder)
        tool, *words = case.arguments
        code, lines = run(tool, words)
        found = list(faults(case, code, lines, before, sorted(str(p) for p in folder.rglob("*"))))
    for fault in found:
        print(f"{case.name}: {' '.join(case.arguments)}\n    {fault}\n    expected: {case.message}")
    for line in lines if found else ():
        print(f"    got:      {line}")
    return not found


def spheres(path, **how):
    found = catalogue.load(path, **how)
    return np.column_stack([found.t, *found.modes.values()])


# Tables: what reads one, what must be left of it where its last line has no end, the file, and its folder's files.
NOISE = "10 1e-44\n50 4.5e-46\n1000 1.25e-48\n"
CUT = {"noise": (lambda: noise.find("psd.txt").highest, lambda whole, found: found == 50.0, "psd.txt", {"psd.txt": NOISE}),
       "tracks": (lambda: Run("run").tracks()[1][0], lambda whole, found: np.array_equal(found, whole[:-1]), f"run/{TRACKS}", cases.WHOLE),
       "Einstein Toolkit": (lambda: tables.read_foreign(f"et/{cases.TABLE}", OSError, 3),
                            lambda whole, found: np.array_equal(found, whole[:-1]), f"et/{cases.TABLE}", {f"et/{cases.TABLE}": "".join(cases.ROWS)}),
       "horizons": (lambda: Run("run").searches()["mass"], lambda whole, found: np.array_equal(found, whole[:-1]), "run/horizons.asc", cases.WHOLE)}


def check_cut(name):
    """Wherever in the last line a table ends: it is left out, and a warning names file and line."""
    read, good, file, files = CUT[name]
    with inside() as folder:
        prepare(cases.Case(name, [], 0, "", files), folder)
        whole, data = read(), (folder / file).read_bytes()
        lines = data.count(b"\n")
        length = len(data.splitlines(True)[-1])
        for off in sorted({1, 2, length // 3, length // 2, length - 1}):
            (folder / file).write_bytes(data[:-off])
            with warnings.catch_warnings(record=True) as heard:
                warnings.simplefilter("always", tables.TableWarning)
                found = read()
            said = [str(w.message) for w in heard]
            if not good(whole, found) or not any(f"{file}: line {lines} " in text for text in said):
                print(f"{name}, {off} bytes off: {found}, {said}")
                return False
    return True


def main():
    every = list(cases.cases())
    names = [case.name for case in every]
    assert len(set(names)) == len(names) >= 60, names
    with mock.patch.object(orbit, "Program", lambda path: PROGRAM), mock.patch.object(sweep, "Program", lambda path: PROGRAM):
        good = [check(case) for case in every] + [check_cut(name) for name in CUT]
    print(f"{sum(good)} of {len(good)} good")
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
