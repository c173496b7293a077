"""Broken parameter files and command lines: each has its one message on standard error and its exit code, and leaves
nothing behind; on 3 ranks under mpirun too, of the many parameters that are refused one of EACH.

    broken_inputs.py TENDEX MPIRUN...

TENDEX: the program; MPIRUN...: how to start ranks, less the number. The cases are in broken_inputs_list.py."""

import os
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import broken_inputs_list as cases

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from alone import alone  # noqa: E402

TIMEOUT_S = 60
EACH = 6  # parameters all end the same way, wherever they are refused
# What mpirun adds when the program leaves with a code that is not 0.
MPIRUN_NOTES = ("---", "Primary job", "a non-zero exit code", "mpirun detected", "prterun detected", "the job to be",
                "thus causing the job to be", "Process name", "Exit code", "mpirun noticed", "prterun noticed")


def run(command, folder, **environment):
    env = dict(os.environ, OMP_NUM_THREADS="1", CUDA_VISIBLE_DEVICES="", TX_CUDA_HOST_DEVICES="0", **environment)
    p = subprocess.run(command, cwd=folder, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                       timeout=TIMEOUT_S)
    lines = [line for line in p.stderr.splitlines()
             if line.strip() and not line.strip().startswith(MPIRUN_NOTES)]
    return p.returncode, lines, p.stdout


def prepare(case, folder):
    """The files that the case needs, and the names of all that is in the folder then."""
    for name, text in case.files.items():
        path = folder / os.fsdecode(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        if text is cases.FOLDER:
            path.mkdir()
        else:
            path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return sorted(str(p) for p in folder.rglob("*"))


def faults(case, code, lines, before, after):
    """What is wrong with what the program did."""
    message = "\n".join(lines)
    if code != case.code:
        yield f"exit code {code}, not {case.code}"
    if message.count(case.message) != 1:
        yield f"the message stands there {message.count(case.message)} times, not once"
    if len(lines) > 2:
        yield f"{len(lines)} lines on standard error, not at most 2"
    if before != after:
        yield f"left behind: {sorted(set(after) ^ set(before))}"


def check(tendex, mpirun, case, ranks):
    top = Path(tempfile.mkdtemp(prefix="tendex-broken-"))
    folder = top / "test"
    folder.mkdir()
    try:
        before = prepare(case, folder)
        command = [tendex, *case.arguments]
        if ranks > 1:
            command = [*mpirun, "-n", str(ranks), *command]
        code, lines, _ = run(command, folder, **({} if ranks > 1 else alone(top)))
        after = sorted(str(p) for p in folder.rglob("*"))
        found = list(faults(case, code, lines, before, after))
        if not found:
            return True
        print(f"{case.name} on {ranks} ranks: tendex {' '.join(map(os.fsdecode, case.arguments))!r}")
        for fault in found:
            print(f"    {fault}")
        print(f"    expected: {case.message}")
        for line in lines:
            print(f"    got:      {line}")
        return False
    finally:
        shutil.rmtree(top)


def check_full_output(tendex, arguments):
    """Standard output on a full device."""
    with tempfile.TemporaryDirectory(prefix="tendex-broken-") as folder, open("/dev/full", "wb") as full:
        Path(folder, "a.yaml").write_text(cases.GOOD)
        p = subprocess.run([tendex, *arguments], cwd=folder, env=dict(os.environ, OMP_NUM_THREADS="1"), stdout=full,
                           stderr=subprocess.PIPE, text=True, timeout=TIMEOUT_S)
    good = p.returncode == cases.IO and p.stderr.count(cases.FULL_OUTPUT) == 1
    if not good:
        print(f"tendex {' '.join(arguments)} > /dev/full: exit code {p.returncode}\n    {p.stderr}")
    return good


def check_other_ranks(tendex):
    """Of a bad command line rank 0 alone complains and fails: mpirun would end it with the first that does."""
    with tempfile.TemporaryDirectory(prefix="tendex-broken-") as folder:
        code, lines, out = run([tendex, "run", "a.yaml", "b.yaml"], folder, OMPI_COMM_WORLD_RANK="1",
                               OMPI_COMM_WORLD_SIZE="3")
    if code or lines or out:
        print(f"a bad command line on rank 1: exit code {code}, {lines} {out}; rank 0 may be ended before it has said what is wrong")
    return not (code or lines or out)


def main():
    tendex, mpirun = sys.argv[1], sys.argv[2:]
    names = [case.name for case in cases.CASES]
    if len(names) < 30 or len(set(names)) != len(names):
        print(f"{len(names)} cases, {len(set(names))} names: at least 30, all different, are wanted")
        return 1
    several = [case for case in cases.CASES if case.code != cases.PARAM]
    several += [case for case in cases.CASES if case.code == cases.PARAM][::EACH]
    jobs = [(case, 1) for case in cases.CASES] + [(case, 3) for case in several]
    with ThreadPoolExecutor(max_workers=6) as pool:  # they wait for each other's ends more than they work
        good = list(pool.map(lambda job: check(tendex, mpirun, *job), jobs))
    good += [check_full_output(tendex, arguments) for arguments in cases.OUTPUTS]
    good += [check_other_ranks(tendex)]
    print(f"{sum(good)} of {len(good)} good: {len(names)} broken inputs, {len(several)} on 3 ranks too, full devices, "
          "a rank that is not the first")
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
