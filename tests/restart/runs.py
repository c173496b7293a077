"""Tiny runs that are interrupted and go on, and what must come out of them; used by the tests beside it."""

import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

import h5py
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from alone import alone  # noqa: E402

TENDEX, MPIRUN = sys.argv[1], sys.argv[2:]
SEED = int(os.environ.get("TX_SEED", "20261120"))

# With octants of 16 points a side the same spacings, a level lower.
SIXTEEN = "of 16^3 points" in subprocess.run([TENDEX, "--version"], capture_output=True, text=True, check=True).stdout
LOWER = int(SIXTEEN)
PARAMETERS = f"""run:
  t_end: 3.05
grid:
  extent: 8
  reflect: xyz
  level_min: {1 - LOWER}
  level_max: {2 - LOWER}
  bh_radius: 0.3
  wavelet_tol: {'1e-4' if not LOWER else '1e-3'}
  regrid_every: 4
initial_data:
  type: brill_lindquist
  bh1_mass: 0.5
  bh1_position: [0, 0, 1]
  bh2_mass: 0.5
  bh2_position: [0, 0, -1]
evolution:
  cfl: 0.4
gauge:
  slow_start: 0.6
  slow_start_time: 2
waves:
  radii: [3, 6]
  l_max: 3
  every: 2
horizons:
  every: 8
  l_max: 4
checkpoint:
  every: 3
output:
  log_every: 6
  norms_every: 5
  track_every: 1
  slices_every: 7
  fields_every: 8
"""
STEPS = 31
# Files that tell of a start, not of the run.
OF_A_START = {"log.txt", "run.yaml", "summary.json"}
# What summary.json says of the run, whoever ran it.
OF_THE_RUN = ("steps", "t", "complete", "ended", "field_checksum", "octants", "points", "points_most", "regrids",
              "point_stages", "energy_radiated", "hamiltonian_norm2", "det_gt_off_most", "tr_at_most", "punctures",
              "time_step", "horizons")


def h5_content(path):
    content = {}
    with h5py.File(path, "r") as h:
        def take(name, item):
            for key, value in item.attrs.items():
                content[f"{name}@{key}"] = np.asarray(value).tobytes() if not isinstance(value, str) else value
            if isinstance(item, h5py.Dataset):
                content[name] = (item.shape, str(item.dtype), item[()].tobytes())
        take("", h)
        h.visititems(take)
    return content


def files(folder):
    found = {str(f.relative_to(folder)) for f in Path(folder).rglob("*") if f.is_file()}
    return {f for f in found if f not in OF_A_START and not f.startswith("checkpoints/")}


class Runs(unittest.TestCase):
    """Each test has a folder of its own; the reference, a run that nothing interrupted, is made once."""

    maxDiff = None
    reference = None

    @classmethod
    def setUpClass(cls):
        place = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
        cls.top = Path(tempfile.mkdtemp(prefix="tendex-restart-", dir=place))
        cls.addClassCleanup(shutil.rmtree, cls.top, ignore_errors=True)
        (cls.top / "tiny.yaml").write_text(PARAMETERS)
        started = time.monotonic()
        cls.run_now("tiny.yaml", "--set", "run.folder=reference")
        cls.reference_s = time.monotonic() - started
        cls.reference = cls.top / "reference"
        summary = cls.summary("reference")
        assert summary["steps"] == STEPS and summary["complete"], summary
        assert LOWER or summary["regrids"] > 0, "the grid never changes: this tests too little"
        assert summary["octants"] >= 5, "too few octants for 5 ranks"

    def setUp(self):
        self.random = random.Random(SEED)
        self.folder = self.top / self._testMethodName
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    @classmethod
    def popen(cls, *arguments, ranks=1, **options):
        command = [*MPIRUN, "-n", str(ranks)] if ranks > 1 else []
        # What MPI shares between ranks, and killed ranks leave, goes with the folder.
        environment = dict(os.environ, OMP_NUM_THREADS="1", OMPI_MCA_btl_vader_backing_directory=str(cls.top),
                           **({} if command else alone(cls.top)))
        return subprocess.Popen([*command, TENDEX, "run", *map(str, arguments)], cwd=cls.top, env=environment,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                start_new_session=True, **options)

    @staticmethod
    def finish(process, code=0):
        out, err = process.communicate(timeout=100)
        assert code is None or process.returncode == code, f"exit code {process.returncode}, not {code}:\n{out}{err}"
        return out + err

    @classmethod
    def run_now(cls, *arguments, code=0, **options):
        return cls.finish(cls.popen(*arguments, **options), code)

    def start(self, *arguments, **options):
        return self.popen("tiny.yaml", "--set", f"run.folder={self.folder}", *arguments, **options)

    def restart(self, *arguments, folder=None, **options):
        return self.run_now("--restart", folder or self.folder, *arguments, **options)

    @classmethod
    def summary(cls, folder):
        return json.loads((cls.top / folder / "summary.json").read_text())

    def checkpoints(self, folder=None):
        return sorted((Path(folder or self.folder) / "checkpoints").glob("checkpoint.*.h5"))

    def wait_for(self, process, happens, what):
        """Look often until something is so; the process must not have ended before."""
        end = time.monotonic() + 90
        while not happens():
            self.assertIsNone(process.poll(), f"the run ended before {what}")
            self.assertLess(time.monotonic(), end, what)
            time.sleep(0.002)

    def wait_for_step(self, process, step, folder=None):
        self.wait_for(process, lambda: any(int(f.name.split(".")[1]) >= step for f in self.checkpoints(folder)),
                      f"a checkpoint of step {step}")

    def kill_after_step(self, step, ranks=1, folder=None):
        """A run that is killed some time after the checkpoint of a step."""
        folder = folder or self.folder
        process = self.popen("tiny.yaml", "--set", f"run.folder={folder}", ranks=ranks)
        self.wait_for_step(process, step, folder)
        self.kill(process)

    @staticmethod
    def children(process):
        path = Path(f"/proc/{process.pid}/task/{process.pid}/children")
        try:
            return [int(pid) for pid in path.read_text().split()]
        except OSError:
            return []

    def kill(self, process):
        """SIGKILL to all of it, the ranks first."""
        if process.poll() is not None:
            return
        for pid in [*self.children(process), process.pid]:
            try:
                os.kill(pid, 9)
            except ProcessLookupError:
                pass
        process.communicate(timeout=60)

    def same_as_reference(self, folder=None, **differ):
        """Every series and field is that of the run that nothing interrupted."""
        folder = Path(folder or self.folder)
        self.assertEqual(files(folder), files(self.reference))
        for name in sorted(files(folder)):
            ours, theirs = folder / name, self.reference / name
            same = h5_content(ours) == h5_content(theirs) if name.endswith(".h5") \
                else ours.read_bytes() == theirs.read_bytes()
            self.assertTrue(same, f"{name} differs from that of an uninterrupted run")
        ours, theirs = self.summary(folder), self.summary("reference")
        for key in OF_THE_RUN:
            self.assertEqual(ours.get(key), differ.get(key, theirs.get(key)), key)
        self.assertEqual([f for f in folder.rglob("*.part")], [])


def main():
    print(f"TX_SEED={SEED}", flush=True)
    unittest.main(argv=sys.argv[:1], verbosity=2)
