"""A disk that fills up ends the run with one clear message, and what was written before can be read.

    full_disk.py TENDEX MPIRUN...

Runs into small tmpfs mounts of several sizes, so that different files meet the end of the disk. Without the right to
mount it is skipped (exit code 77)."""

import os
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml
from pathlib import Path

import h5py
import numpy as np

SKIPPED = 77
IO = 4
# KiB, ranks; from hardly room for the log to nearly the whole run. With octants of 16 points a side 8 times as much.
DISKS = ((32, 1), (300, 1), (500, 1), (700, 2), (1000, 1), (1400, 1), (2000, 3))

LOG_EVERY = 4  # steps; rows of the modes' text files are written as often
PARAMETERS = f"""run:
  t_end: 100
grid:
  extent: 16
  reflect: xyz
  level_min: 1
  level_max: 3
  bh_radius: 0.7
initial_data:
  type: brill_lindquist
  bh1_mass: 0.5
  bh1_position: [0, 0, 1]
  bh2_mass: 0.5
  bh2_position: [0, 0, -1]
waves:
  radii: [6, 10]
  every: 1
output:
  log_every: {LOG_EVERY}
  norms_every: 2
  track_every: 1
  slices_every: 3
  fields_every: 6
"""


def mount(folder, kib):
    p = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={kib}k", "tmpfs", folder], capture_output=True,
                       text=True)
    return p.returncode == 0


def rows(file):
    """Rows of a series, all of one width."""
    text = file.read_text()
    assert text == "" or text.endswith("\n"), f"{file}: a row is cut short"
    lines = [line.split() for line in text.splitlines() if not line.startswith("#")]
    assert len({len(line) for line in lines}) <= 1, f"{file}: rows of different widths"
    for line in lines:
        np.array(line, float)
    return len(lines)


def check_waves(folder):
    file = folder / "waves" / "mp_psi4.h5"
    texts = list((folder / "waves").glob("mp_psi4_l*.asc"))
    counts = {rows(f) for f in texts}
    assert not counts or max(counts) - min(counts) <= LOG_EVERY, f"modes have {counts} rows"
    if not file.exists() or not counts or max(counts) < 2:
        return 0
    with h5py.File(file, "r") as h:
        assert len(h) == len(texts), f"{len(h)} modes, {len(texts)} text files"
        lengths = {len(d) for d in h.values()}
        assert max(lengths) - min(lengths) <= 1, f"{lengths}"
        assert 0 <= max(lengths) - max(counts) <= LOG_EVERY, f"{lengths}, {counts}"
        for name, data in h.items():
            text = np.loadtxt(folder / "waves" / f"mp_psi4_{name}.asc", ndmin=2)
            n = min(len(data), len(text))
            assert np.array_equal(data[:n], text[:n]), f"{name}: HDF5 and text differ"
    return min(lengths)


def check_fields(folder):
    files = list((folder / "fields").glob("*.h5"))
    for file in files:
        with h5py.File(file, "r") as h:
            h.visititems(lambda name, d: np.isfinite(d[()]).all() if isinstance(d, h5py.Dataset) else None)
    for file in (folder / "fields").glob("*.xmf"):
        for item in xml.parse(file).iter("DataItem"):
            if item.get("Format") != "HDF":
                continue
            name, path = item.text.strip().split(":")
            with h5py.File(file.parent / name, "r") as h:
                assert path in h, f"{file}: no {path} in {name}"
    assert not list(folder.rglob("*.part")), "files cut short are left"
    return len(files)


def check_disk(tendex, mpirun, kib, ranks):
    with tempfile.TemporaryDirectory(prefix="tendex-full-") as top:
        top = Path(top)
        disk = top / "disk"
        disk.mkdir()
        (top / "full.yaml").write_text(PARAMETERS)
        if not mount(disk, kib):
            return None
        try:
            command = [tendex, "run", "full.yaml", "--quiet", "--set", f"run.folder={disk}/run"]
            if ranks > 1:
                command = [*mpirun, "-n", str(ranks), *command]
            p = subprocess.run(command, cwd=top, env=dict(os.environ, OMP_NUM_THREADS="1"), capture_output=True,
                               text=True, timeout=100)
            assert p.returncode == IO, f"exit code {p.returncode}, not {IO}:\n{p.stderr}"
            for part in ("tendex: error: cannot write", str(disk), "MiB free", "give a run.folder on another disk"):
                assert p.stderr.count(part) == 1, f"'{part}' is not there once:\n{p.stderr}"
            assert "HDF5-DIAG" not in p.stderr, p.stderr
            series = [rows(f) for f in (disk / "run").glob("*.asc")]
            modes = check_waves(disk / "run")
            fields = check_fields(disk / "run")
            said = p.stderr.splitlines()[0].split(";")[0].replace(str(disk), "")
            print(f"{kib} KiB, {ranks} ranks: {max(series, default=0)} rows, {modes} rows of modes, {fields} files "
                  f"of fields; {said}")
            return modes
        finally:
            subprocess.run(["umount", disk], check=True)


def main():
    tendex, mpirun = sys.argv[1], sys.argv[2:]
    version = subprocess.run([tendex, "--version"], capture_output=True, text=True, check=True).stdout
    scale = 8 if "16^3" in version else 1
    modes = []
    for kib, ranks in DISKS:
        found = check_disk(tendex, mpirun, scale * kib, ranks)
        if found is None:
            print("skipped: no right to mount a tmpfs")
            return SKIPPED
        modes.append(found)
    assert max(modes) >= 3, "no disk was large enough for a few rows of modes: the sizes have to change"
    return 0


if __name__ == "__main__":
    sys.exit(main())
