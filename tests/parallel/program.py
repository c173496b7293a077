"""The program from the outside: every command does what its help says, on one rank and on several.

    program.py TENDEX MPIRUN..."""

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TENDEX, MPIRUN = sys.argv[1], sys.argv[2:]
PARAMETERS = """run:
  t_end: 0.3
grid:
  extent: 16
  reflect: xyz
  level_min: 1
  level_max: 3
  bh_radius: 0.7
  regrid_every: 4
initial_data:
  type: brill_lindquist
  bh1_mass: 0.5
  bh1_position: [0, 0, 1]
  bh2_mass: 0.5
  bh2_position: [0, 0, -1]
waves:
  radii: [6, 10]
  every: 2
output:
  log_every: 1
"""
PHASES = {"halo", "ghosts", "rhs", "regrid", "initial_data", "extraction", "tracking", "norms", "output", "other"}


class Program(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="tendex-program-")
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)
        (self.folder / "small.yaml").write_text(PARAMETERS)

    def tendex(self, *arguments, ranks=1, threads=1, code=0):
        command = [*MPIRUN, "-n", str(ranks)] if ranks > 1 else []
        p = subprocess.run([*command, TENDEX, *arguments], cwd=self.folder, capture_output=True, text=True,
                           env=dict(os.environ, OMP_NUM_THREADS=str(threads)), timeout=100)
        self.assertEqual(p.returncode, code, p.stderr)
        return p.stdout

    def summary(self, folder):
        return json.loads((self.folder / folder / "summary.json").read_text())

    def test_help_and_version(self):
        text = self.tendex("--help")
        for word in ("run FILE", "check FILE", "id FILE", "bench", "Examples:", "Exit codes:"):
            self.assertIn(word, text)
        for command in ("run", "check", "id", "bench"):
            text = self.tendex(command, "--help")
            self.assertIn(f"Usage: tendex {command}", text)
            self.assertIn("Example", text)
        self.assertIn("summary.json", self.tendex("run", "--help"))
        self.assertRegex(self.tendex("--version"), r"^tendex \d+\.\d+\.\d+-\S+\n.*octants of \d+\^3 points")
        self.assertEqual(self.tendex("--version", ranks=3).count("tendex "), 1)
        self.assertIn("grid.wavelet_tol", self.tendex("--help-params", "wavelet"))
        self.assertNotIn("run.t_end", self.tendex("--help-params", "wavelet"))
        self.assertIn("run.t_end", self.tendex("--help-params"))

    def test_run(self):
        log = self.tendex("run", "small.yaml", ranks=2)
        self.assertEqual(log, (self.folder / "out/small/log.txt").read_text())
        s = self.summary("out/small")
        dt = 16 / s["octant_points"] / 2**3 / 4
        self.assertEqual((s["name"], s["ranks"], s["threads"], s["backend"]), ("small", 2, 1, "cpu"))
        self.assertEqual((s["t_end"], s["time_step"]), (0.3, dt))
        self.assertEqual(s["steps"], -(-0.3 // dt))  # the last step is cut to end at t_end
        self.assertEqual(s["adm_energy"], 1.0)
        self.assertEqual(s["points"], sum(s["levels"].values()) * s["octant_points"] ** 3)
        self.assertEqual(set(s["phases"]), PHASES)
        self.assertAlmostEqual(sum(p["share"] for p in s["phases"].values()), 1.0, places=6)
        self.assertEqual(s["point_stages"], 4 * s["points"] * s["steps"])
        for key in ("evolution_wall_s", "m_per_hour", "point_stages_per_s", "memory_bytes_per_point",
                    "energy_radiated", "hamiltonian_norm2", "wall_s", "det_gt_off_most", "tr_at_most"):
            self.assertGreater(s[key], 0, key)
        self.assertEqual(list(s["energy_radiated_at"]), ["6.00", "10.00"])
        self.assertLess(s["memory_bytes_per_point"], 1500)
        rows = [line for line in log.splitlines() if re.match(r"^ +\d+ +\d+\.\d{4} ", line) and "regrid" not in line]
        self.assertEqual(len(rows), s["steps"] + 1)
        self.assertEqual(len({row.index("(") for row in rows}), 1, "columns are not aligned")
        self.assertRegex(log, r"patch, RHS and update +\d+\.\d+ +\d+\.\d%")

    def test_run_again(self):
        """run.yaml repeats a run to the last bit; a run is replaced only when told, and nothing else is."""
        self.tendex("run", "small.yaml", "--quiet")
        first = self.summary("out/small")
        self.tendex("run", "out/small/run.yaml", "--quiet", code=4)
        (self.folder / "out/small/notes.txt").write_text("mine\n")
        (self.folder / "out/small/waves/mine.asc").write_text("mine\n")
        stale = self.folder / "out/small/fields/fields.9999999.h5"
        stale.parent.mkdir(exist_ok=True)
        stale.write_text("old\n")
        self.assertEqual(self.tendex("run", "small.yaml", "--quiet", "--overwrite"), "")
        self.assertFalse(stale.exists())
        self.assertTrue((self.folder / "out/small/notes.txt").exists())
        self.assertTrue((self.folder / "out/small/waves/mine.asc").exists())
        self.tendex("run", "out/small/run.yaml", "--set", "run.folder=again/and/again", "--quiet")
        again = self.summary("again/and/again")
        for key in ("field_checksum", "steps", "energy_radiated", "punctures"):
            self.assertEqual(again[key], first[key])

    def test_max_steps_ends_a_run(self):
        self.tendex("run", "small.yaml", "--quiet", "--set", "run.max_steps=3")
        self.assertEqual(self.summary("out/small")["steps"], 3)

    def test_check(self):
        text = self.tendex("check", "small.yaml", "-n", "8")
        points = int(re.search(r"grid .*, ([\d,]+) points\n", text)[1].replace(",", ""))
        self.tendex("run", "small.yaml", "--quiet", "--set", "run.max_steps=1")
        self.assertEqual(points, self.summary("out/small")["points"])
        for pattern in (r"time step +\d", r"r = 10 M, where the spacing is up to [\d.]+ M", r"on 8 ranks",
                        r"point-stages", r"small.yaml: good"):
            self.assertRegex(text, pattern)
        self.assertEqual(text.count("good"), 1)

    def test_id(self):
        text = self.tendex("id", "small.yaml", ranks=2)
        self.assertIn("bare mass 0.5, ADM mass 0.5625", text)
        self.assertIn("ADM energy 1,", text)
        self.assertRegex(text, r"Hamiltonian +\d\.\d+e-\d\d")

    def test_bench(self):
        text = self.tendex("bench", "--levels", "3", "--octants", "60", "--steps", "1", "--json", "b.json", ranks=2)
        b = json.loads((self.folder / "b.json").read_text())
        step = b["rk4_step"]
        self.assertEqual((b["backend"], b["levels"], b["cores"]), ("cpu", 3, 2))
        self.assertEqual(b["points"], b["octants"] * b["octant_points"] ** 3)
        self.assertAlmostEqual(step["point_stages_per_s_per_core"] * 2, step["point_stages_per_s"], places=3)
        self.assertAlmostEqual(step["point_stages_per_s"] * step["seconds"] / 4 / b["points"], 1, places=9)
        self.assertGreater(b["triad_bytes_per_s"], 1e8)
        kernels = {k["name"]: k for k in b["kernels"]}
        self.assertLessEqual({"octant_to_patch", "right_hand_side", "update"}, set(kernels))
        for k in b["kernels"]:
            self.assertEqual(set(k), {"name", "point_stages_per_s", "bytes_per_point", "gb_per_s", "flop_per_point",
                                      "gflop_per_s", "percent_of_triad"})
            self.assertAlmostEqual(k["gb_per_s"] * 1e9, k["bytes_per_point"] * k["point_stages_per_s"], delta=1)
        self.assertGreater(kernels["right_hand_side"]["flop_per_point"], 1000)
        self.assertIn("triad", text)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
