"""`tendex tune` on the emulated GPU: what it writes, that runs take it, with the same bits, and what becomes of files that are no
good.

    tune.py TENDEX_CUDA_HOST TENDEX MPIRUN...

TENDEX_CUDA_HOST: the program with the emulated GPU; TENDEX: the usual one; MPIRUN...: how to start ranks, less the number."""

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

RUN = """
run: {max_steps: 2, t_end: 1}
grid: {extent: 8, level_min: 1, level_max: 2, reflect: xyz, bh_radius: 1}
initial_data: {type: single_puncture, bh1_mass: 1}
checkpoint: {at_end: false}
"""
# What is said at the start needs no more.
SHORT = ("run.max_steps=1", "grid.level_max=1", "horizons.every=0", "output.norms_every=0")
ROW = re.compile(r"stage \w+ (6|4u?) (keep|read) \S+")


def call(command, code=0, **environment):
    done = subprocess.run(command, env={**os.environ, "OMP_NUM_THREADS": "1", **environment}, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True)
    assert done.returncode == code, (command, done.returncode, done.stdout, done.stderr)
    return done.stdout + done.stderr


class Runs:
    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        (folder / "run.yaml").write_text(RUN)

    def text(self, *settings, **environment):
        settings = [word for setting in (f"run.folder={self.folder / 'out'}", *settings) for word in ("--set", setting)]
        return call([self.program, "run", str(self.folder / "run.yaml"), "--overwrite", *settings], **environment)

    def ignored(self, path, why, **environment):
        """A run with a file that is no good: named once, with the reason, and the plan by shared memory."""
        said = self.text(*SHORT, TENDEX_TUNING=str(path), **environment)
        assert said.count(f"warning: {path} is ignored: {why}") == 1 and "by shared memory" in said, said


def checksum(said):
    return re.search(r"checksum +(\w+)", said).group(1)


def check_file(path, said, systems):
    lines = path.read_text().splitlines()
    assert lines[0].startswith("#") and lines[1] == "tendex-tuning 1" and lines[2] == "card emulated GPU", lines
    assert lines[3].startswith("build ") and lines[-1] == "end", lines
    rows = lines[4:-1]
    assert all(ROW.fullmatch(row) for row in rows), rows
    assert {tuple(row.split()[1:3]) for row in rows} >= {(system, "6") for system in systems}, rows
    for row in rows:
        _, system, scheme, best, speed = row.split()
        shown = re.search(rf"^ +{system} +{scheme} +keep (\S+), \d+ KB a block  read (\S+), \d+ KB a block: (\w+)$", said, re.M)
        speeds = dict(keep=float(shown.group(1)), read=float(shown.group(2)))
        assert shown.group(3) == best, (row, shown)
        assert speeds[best] == max(speeds.values()), (row, shown)  # alike in all digits shown, either may be the faster one
        assert abs(float(speed) / speeds[best] - 1) < 2e-3, (row, shown)


def check_runs(runs, path):
    default = runs.text(XDG_CACHE_HOME=str(runs.folder / "empty"))
    assert "stages take the plan `keep', by shared memory" in default, default
    sums = {checksum(default)}
    text = path.read_text()
    for plan in ("keep", "read"):
        path.write_text(re.sub(r"(stage \w+ \w+) \w+", rf"\1 {plan}", text))
        said = runs.text(TENDEX_TUNING=str(path))
        assert f"stages take the plan `{plan}', as tuned: {path}" in said and "warning" not in said, said
        sums.add(checksum(said))
    assert len(sums) == 1, sums
    path.write_text(text)


def check_bad_files(runs, path):
    text, bad = path.read_text(), runs.folder / "bad"
    runs.ignored(runs.folder / "missing", "No such file or directory")
    for content, why in ((text[:-4], "its end is missing"), (text + "more\n", "its end is missing"),
                         ("a\n", "it does not begin with 'tendex-tuning 1'"), ("", "it is empty"),
                         ("tendex-tuning 1\n", "it does not name a card and a build"),
                         (text.replace("stage z4c 6", "stage z4c 6 fast"), "it has the line 'stage z4c 6 fast"),
                         (text.replace("card emulated GPU", "card NVIDIA H200"), "it is of NVIDIA H200 and "),
                         (re.sub("build .*", "build 0.0.1", text), "it is of emulated GPU and 0.0.1"),
                         (text + 20000 * "#", "it is too long")):
        bad.write_text(content)
        runs.ignored(bad, why)
    # A plan that does not fit the card, of the same name but with less shared memory.
    bad.write_text(re.sub(r"(stage \w+ \w+) \w+", r"\1 keep", text))
    runs.ignored(bad, "it has the line 'stage bssn 6 keep", TX_CUDA_HOST_SHARED="99")


def check_refusals(program, cpu, mpirun, folder):
    assert "only GPUs have launch plans to choose from, and the CPU computes" in call([cpu, "tune"], 3, CUDA_VISIBLE_DEVICES="")
    assert "tune measures one GPU, and there are 2 ranks" in call(mpirun + ["-n", "2", program, "tune"], 2)
    assert "'x' is one argument too many" in call([program, "tune", "x"], 2)
    (folder / "file").write_text("")
    quick = [program, "tune", "--points", "8000", "--levels", "1", "--steps", "1"]
    assert "file" in call(quick, 4, TENDEX_TUNING=str(folder / "file/below"))
    assert "neither HOME nor XDG_CACHE_HOME is set" in call(["env", "-u", "HOME"] + quick, 4, XDG_CACHE_HOME="")
    assert "the path of the launch plans of this GPU is too long" in call(quick, 4, TENDEX_TUNING=5000 * "x")
    return quick


def main():
    program, cpu, *mpirun = sys.argv[1:]
    with tempfile.TemporaryDirectory(prefix="tendex-tune-") as top:
        folder = Path(top)
        quick = check_refusals(program, cpu, mpirun, folder)
        said = call(quick, XDG_CACHE_HOME=str(folder / "cache"))
        path, = (folder / "cache/tendex").iterdir()
        assert f"written to {path}" in said and path.name.startswith("emulated_GPU-"), said
        listed = json.loads(call([program, "--help-params=json"]))
        systems, = (p["words"] for p in listed if p["key"] == "evolution.system")
        assert len(systems) > 2, systems
        check_file(path, said, systems)
        runs = Runs(program, folder)
        check_runs(runs, path)
        check_bad_files(runs, path)
    print("tune: what it writes is taken, and what is no good is named")


if __name__ == "__main__":
    main()
