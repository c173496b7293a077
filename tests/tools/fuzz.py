#!/usr/bin/python3
"""Break files that users hand in to the tools, in ways of all kinds, and see that each ends in a line that names the file, or in the
same numbers as before.

    tests/tools/fuzz.py --seconds 20 --seed 1 [--only INPUT] [--cases N]
    tests/tools/fuzz.py --seconds 60 --program build/asan/tendex

Everything runs in this process; HDF5 files with changed bytes are read in a child, as their library may crash. Faults: a traceback,
more than LIMIT_S seconds, a message that does not name the file, and other numbers, without a warning, of a file that ends in half a
line or holds what is not finite. A fault is printed with the seed of its case: --seed SEED --cases 1 repeats it."""

import argparse
import contextlib
import io
import os
import random
import re
import shutil
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from pathlib import Path

import fuzz_change
import fuzz_inputs
from tendex.base.folder import TRACKS, FolderError
from tendex.orbits.loop import LoopError
from tendex.rotated import RotatedError
from tendex.sweep_table import SweepError
from tendex.waves.signal.modes import WaveError
from tendex_dev import ncu, study
from tendex_dev.bench_runs import RunError
from tendex_dev.results.kept import KeptError

LIMIT_S = 20
# What the tools print in one line.
SAID = (fuzz_inputs.Refused, FolderError, WaveError, LoopError, SweepError, RotatedError, RunError, KeptError, study.StudyError,
        ncu.CountersError, OSError)
# What can be told of files by their suffix: what was done to them changes no number without a word.
TELLTALE = {".asc": ("cut", "not finite"), ".json": ("cut",)}
HDF5 = b"\x89HDF\r\n\x1a\n"


class Late(BaseException):
    """It takes too long."""


def late(*_):
    raise Late


class Made:
    """The whole files of one of INPUTS, and what is read of them."""

    def __init__(self, name, top):
        self.name, self.folder = name, top / re.sub(r"\W+", "_", name)
        self.folder.mkdir()
        self.files, self.actions = fuzz_inputs.INPUTS[name](self.folder)
        self.whole = {name: got(action) for name, action in self.actions.items()}
        for name, (said, refused, _) in self.whole.items():
            if refused is not None:
                raise SystemExit(f"{self.name}, {name}: the whole files are refused: {said}")
        self.bytes = {file: file.read_bytes() for file in self.files}

    def restore(self, file):
        if file.is_dir() and not file.is_symlink():
            shutil.rmtree(file)
        elif file.exists() or file.is_symlink():
            file.unlink()
        file.write_bytes(self.bytes[file])


def trace(error):
    """The last lines of the tools' own code, and the error."""
    own = [f for f in traceback.extract_tb(error.__traceback__) if "/tools/" in f.filename or "/dev/" in f.filename][-3:]
    return "".join(f"{f.filename}:{f.lineno} {f.line}\n" for f in own) + f"{type(error).__name__}: {error}"


def got(action):
    """(what it says, the error that it ends with in one line or None, the error that it should not end with or None)."""
    signal.setitimer(signal.ITIMER_REAL, LIMIT_S)
    try:
        with warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always")
            said, refused = "", None
            try:
                said = action()
            except SAID as e:
                said, refused = str(e).rstrip() + "\n", e
        return said + "".join(f"warning: {w.message}\n" for w in heard), refused, None
    except Late:
        return "", None, f"takes more than {LIMIT_S} s"
    except BaseException as e:  # noqa: B036
        return "", None, trace(e)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def broken(file, data, dice):
    """Break a file; what was done."""
    if dice.random() < 0.05:
        file.unlink()
        how = dice.randrange(3)
        if how == 0:
            file.mkdir()
        elif how == 1:
            file.symlink_to(file.with_name("nowhere"))
        return ("a folder", "a link to nothing", "missing")[how]
    if data.startswith(HDF5) and dice.random() < 0.8:
        return "in HDF5: " + fuzz_change.in_hdf5(file, dice)
    kinds = fuzz_change.CHANGES
    done = []
    for _ in range(1 if dice.random() < 0.7 else 3):
        kind = dice.choice(list(kinds))
        data = kinds[kind](data, dice)
        done.append(kind)
    file.write_bytes(data)
    return ", ".join(done)


def fault(made, file, action, how, found):
    """What is wrong, or None."""
    said, refused, wrong = found
    if wrong:
        return wrong
    # Numbers that are other numbers may make an orbit that no eccentricity is fitted to: the run is named then.
    named = file.name in said or file.name == TRACKS and "tracks" in said or made.name == "first orbits" and f"{file.parent}: " in said
    if refused is not None:
        if not named and how not in ("missing", "a link to nothing", "a folder"):
            return f"the message does not name the file: {said}"
        lines = [line for line in said.strip().splitlines() if "warning: " not in line]
        return f"more than two lines: {said}" if len(lines) > 2 else None
    whole = made.whole[action][0]
    if how in TELLTALE.get(file.suffix, ()) and said != whole and not named \
            and made.name != "run that goes on":
        return f"{how}: other numbers, without a word"
    return None


def in_child(action):
    """`got' in a process of its own, which may crash."""
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        os.close(reader)
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            said, refused, wrong = got(action)
        with os.fdopen(writer, "wb") as out:
            out.write(f"{'wrong' if wrong else 'refused' if refused is not None else 'good'}\n{wrong or said}".encode(errors="replace"))
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as said:
        word, _, text = said.read().decode().partition("\n")
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if status < 0:  # of the HDF5 library, which knows no better
        return "", None, None, f"signal {-status} in the HDF5 library"
    return text, text if word == "refused" else None, text if word == "wrong" else None, ""


def case(inputs, seed, names, counts):
    """One case by its seed: what is wrong with it, or None."""
    dice = random.Random(seed)
    made = inputs(dice.choice(names))
    file, action = dice.choice(made.files), dice.choice(list(made.actions))
    try:
        how = broken(file, made.bytes[file], dice)
        if made.bytes[file].startswith(HDF5) and not how.startswith("in HDF5") and file.is_file():
            *found, crash = in_child(made.actions[action])
            counts["crashes of the HDF5 library"] += bool(crash)
            if crash:
                return None
        else:
            found = got(made.actions[action])
        counts["refused" if found[1] is not None else "read"] += 1
        said = fault(made, file, action, how, found)
    finally:
        made.restore(file)
    return f"seed {seed}: {made.name}, {action}, {file.relative_to(made.folder)}: {how}\n    " + said.replace("\n", "\n    ") if said else None


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--seconds", type=float, default=20.0, help="time limit of all [s]")
    p.add_argument("--cases", type=int, default=10**9, metavar="N", help="at most so many cases")
    p.add_argument("--seed", type=int, default=1, help="seed of the first case; each further one has the next")
    p.add_argument("--only", nargs="+", metavar="INPUT", help="files of these kinds alone")
    p.add_argument("--program", type=Path, metavar="TENDEX", help="break files of this program instead, one built with sanitizers")
    a = p.parse_args()
    if a.program:
        fuzz_inputs.INPUTS = fuzz_inputs.programs(str(a.program.resolve()))
    a.only = a.only or list(fuzz_inputs.INPUTS)
    signal.signal(signal.SIGALRM, late)
    made, faults, counts, n = {}, [], Counter(), 0
    with tempfile.TemporaryDirectory(prefix="tendex-fuzz-") as top:
        os.chdir(top)  # broken names of folders are made in it

        def inputs(name):
            if name not in made:
                made[name] = Made(name, Path(top))
            return made[name]
        for name in a.only:
            inputs(name)
        end = time.monotonic() + a.seconds
        while n < a.cases and time.monotonic() < end:
            said = case(inputs, a.seed + n, a.only, counts)
            n += 1
            if said:
                faults.append(said)
                print(said, flush=True)
    print(f"{n} cases, seeds {a.seed} to {a.seed + n - 1}: {len(faults)} faults; " + ", ".join(f"{k} {v}" for v, k in sorted(counts.items())))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
