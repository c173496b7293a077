"""The program from the outside: every command does what its help says, on one rank and on several.

    program.py TENDEX MPIRUN..."""

import json
import math
import os
import re
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from program_test import ProgramTest  # noqa: E402

TENDEX, MPIRUN = sys.argv[1], sys.argv[2:]
# With octants of 16 points a side the same spacings, a level lower.
LOWER = int("of 16^3 points" in subprocess.run([TENDEX, "--version"], capture_output=True, text=True, check=True).stdout)
PARAMETERS = f"""run:
  t_end: 0.3
grid:
  extent: 16
  reflect: xyz
  level_min: {1 - LOWER}
  level_max: {3 - LOWER}
  bh_radius: 0.7
  regrid_every: 4
initial_data:
  type: brill_lindquist
  bh1_mass: 0.5
  bh1_position: [0, 0, 1]
  bh2_mass: 0.5
  bh2_position: [0, 0, -1]
evolution:
  time_steps: global
waves:
  radii: [6, 10]
  every: 2
output:
  log_every: 1
"""
ORBIT = f"""run:
  t_end: 1
grid:
  extent: 32
  reflect: z
  level_min: {1 - LOWER}
  level_max: {4 - LOWER}
  bh_radius: 0.7
initial_data:
  type: two_punctures
  bh1_mass: 0.5
  bh1_position: [2, 0, 0]
  bh1_momentum: [0, 0.1, 0]
  bh2_mass: 0.5
  bh2_position: [-2, 0, 0]
  bh2_momentum: [0, -0.1, 0]
"""
PHASES = {"halo", "ghosts", "rhs", "wait", "device", "regrid", "initial_data", "extraction", "tracking", "horizons",
          "norms", "output", "checkpoint", "other"}


class Program(ProgramTest):
    program, mpirun = TENDEX, MPIRUN

    def setUp(self):
        super().setUp()
        (self.folder / "small.yaml").write_text(PARAMETERS)

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

    def test_no_more_of_mpi_than_is_needed(self):
        """Texts start no MPI. One process alone starts no daemon of Open MPI, whose plugin ends with a race, and shares no
        folder with other processes."""
        def code(*words, **environment):
            environment = {**os.environ, "OMP_NUM_THREADS": "1", **environment}
            return subprocess.run([TENDEX, *words], cwd=self.folder, env=environment, capture_output=True, timeout=60).returncode
        check = ("check", "small.yaml", "--speed", "1e6")
        without = {"OMPI_MCA_pml": "nowhere", "PMI_FD": "99"}  # Open MPI and MPICH cannot start
        for words in (["run", "--help"], ["--version"]):
            self.assertEqual(code(*words, **without), 0)
        self.assertEqual(code("nothing", **without), 2)
        self.assertNotEqual(code(*check, **without), 0)
        (self.folder / "barred").touch()
        self.assertEqual(code(*check, OPAL_BINDIR="/nowhere", OMPI_MCA_orte_tmpdir_base=str(self.folder / "barred")), 0)

    def test_parameters_for_programs(self):
        listed = {p["key"]: p for p in json.loads(self.tendex("--help-params=json"))}
        text = self.tendex("--help-params")
        self.assertEqual(list(listed), re.findall(r"^  (\w+\.\w+): ", text, flags=re.M))
        self.assertEqual(listed["horizons.l_max"], {
            "key": "horizons.l_max", "type": "integer", "default": 8, "unit": "", "min": 2, "max": 24,
            "text": "highest l of the spherical harmonics of a surface", "section_text": "Apparent horizons",
            "used_only_if": "there are punctures or horizons.radius is above 0, and horizons.every is above 0", "restart_may_change": False, "default_is_for": ""})
        self.assertEqual(listed["run.t_end"]["restart_may_change"], True)
        self.assertEqual(listed["gauge.eta_far"]["used_only_if"], "gauge.eta_form is radial")
        self.assertEqual(listed["compute.device"]["words"], ["auto", "cpu", "gpu"])
        self.assertEqual((listed["waves.radii"]["default"], listed["run.name"]["default"]), ([], ""))
        few = [p["key"] for p in json.loads(self.tendex("--help-params=json", "bh1_m"))]
        self.assertEqual(few, ["initial_data.bhN_mass", "initial_data.bhN_momentum"])
        self.assertEqual([listed[f"initial_data.bhN_{name}"]["n_max"] for name in ("mass", "chi")], [8, 2])
        self.assertEqual(json.loads(self.tendex("--help-params=json", "nothing like it")), [])

    def test_run(self):
        log = self.tendex("run", "small.yaml", ranks=2)
        self.assertEqual(log, (self.folder / "out/small/log.txt").read_text())
        phases = {name.strip(): float(s) for name, s in
                  re.findall(r"^  (\D{24}) +([\d.]+)(?: |$)", log.split("  phase ")[1].split("\n\n")[0], re.M)}
        self.assertNotIn("waiting for the GPU", phases)
        self.assertAlmostEqual(2 * phases["all"], sum(phases.values()), delta=0.005 * len(phases) + 0.001)
        s = self.summary("out/small")
        self.assertIn("device", s["phases"])
        dt = 16 / 8 / 2**3 / 4  # with any octants
        self.assertEqual((s["name"], s["ranks"], s["threads"], s["backend"]), ("small", 2, 1, "cpu"))
        self.assertEqual((s["t"], s["t_end"], s["complete"], s["time_step"]), (0.3, 0.3, True, dt))
        self.assertIn(f"tendex {s['code_version']}\n", self.tendex("--version"))
        self.assertEqual(s["steps"], -(-0.3 // dt))  # the last step is cut to end at t_end
        self.assertEqual(s["adm_energy"], 1.0)
        self.assertEqual(s["points"], sum(s["levels"].values()) * s["octant_points"] ** 3)
        self.assertEqual(set(s["phases"]), PHASES)
        self.assertAlmostEqual(sum(p["share"] for p in s["phases"].values()), 1.0, places=6)
        operations = s["operations"]
        self.assertLessEqual({"stage", "ghosts", "initial_data", "samples"}, set(operations))
        self.assertAlmostEqual(sum(o["share"] for o in operations.values()), 1.0, places=9)
        self.assertGreater(operations["stage"]["share"], 0.1)
        self.assertLess(sum(o["mean_s"] for o in operations.values()), s["wall_s"])
        self.assertEqual(s["point_stages"], 4 * s["points"] * s["steps"])
        for key in ("evolution_wall_s", "m_per_hour", "point_stages_per_s", "memory_bytes_per_point",
                    "energy_radiated", "hamiltonian_norm2", "wall_s", "det_gt_off_most", "tr_at_most"):
            self.assertGreater(s[key], 0, key)
        self.assertEqual(list(s["energy_radiated_at"]), ["6.00", "10.00"])
        self.assertLess(s["memory_bytes_per_point"], 2000)  # few points: tables and the buffers of output count
        rows = [line for line in log.splitlines() if re.match(r"^ +\d+ +\d+\.\d{4} +[-\d]", line)]
        self.assertEqual(len(rows), s["steps"] + 1)
        self.assertEqual(len({row.index("(") for row in rows}), 1, "columns are not aligned")
        self.assertRegex(log, r"patch, RHS and update +\d+\.\d+ +\d+\.\d%")
        self.assertIn("|H|: L2 norm of the Hamiltonian constraint, without balls of 1 M around the punctures", log)

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
        s = self.summary("out/small")
        self.assertEqual((s["steps"], s["t"], s["t_end"], s["complete"]), (3, 3 * s["time_step"], 0.3, True))

    def test_time_steps_of_levels(self):
        """Levels that step by themselves: what is due is done at its step, lines of the log where levels meet."""
        words = [word for setting in ("evolution.time_steps=levels", "output.log_every=3", "output.norms_every=4",
                                      "output.track_every=2", "run.t_end=1", "run.max_steps=10") for word in ("--set", setting)]
        log = self.tendex("run", "small.yaml", *words, ranks=2)
        s = self.summary("out/small")
        self.assertEqual((s["time_steps"], s["macro_step"], s["steps"]), ("levels", 2 * s["time_step"], 10))
        self.assertEqual(s["t"], 10 * s["time_step"])
        self.assertEqual(s["point_stages_global"], 40 * s["points"])
        self.assertLess(s["point_stages"], s["point_stages_global"])
        rows = re.findall(r"^ {0,7}(\d+) +\d+\.\d{4} +[-\d]", log, re.M)
        self.assertEqual([int(row) for row in rows], [0, 4, 6, 10])
        for name, every in (("energy.asc", 2), ("constraints.asc", 4), ("puncturetracker-pt_loc..asc", 2)):
            self.assertEqual(self.column(name, 0), sorted({*range(0, 10, every), 10}), name)
        self.assertRegex(log, r"macro step +\S+ M, chosen: 2 time steps; all levels are synchronised after each\n +limited by ")
        self.assertRegex(log, r"levels +\S+ point-stages, 1\.\d+ times less than with one time step for all")
        self.tendex("run", "small.yaml", "--quiet", "--overwrite")
        s = self.summary("out/small")
        self.assertEqual((s["time_steps"], s["macro_step"]), ("global", s["time_step"]))
        self.assertEqual(s["point_stages"], s["point_stages_global"])

    def test_time_steps_of_levels_end_in_time(self):
        """The last macro step is cut to end at t_end."""
        self.tendex("run", "small.yaml", "--quiet", "--set", "evolution.time_steps=levels", "--set", "output.track_every=2")
        s = self.summary("out/small")
        self.assertEqual((s["t"], s["complete"], s["steps"] % 2), (0.3, True, 0))

    def column(self, name, column):
        rows = (self.folder / "out/small" / name).read_text().splitlines()
        return [float(row.split()[column]) for row in rows if not row.startswith("#")]

    def test_last_step(self):
        """Every series has a row of the last step, and one only, whether it is a multiple of its interval or not."""
        for last in (4, 5):
            self.tendex("run", "small.yaml", "--quiet", "--overwrite", "--set", "run.t_end=1", "--set",
                        f"run.max_steps={last}", "--set", "output.norms_every=4", "--set", "output.track_every=3",
                        "--set", "output.slices_every=2")
            dt = self.summary("out/small")["time_step"]
            for name, every in (("energy.asc", 2), ("waves/areal_radius.asc", 2), ("waves/expansion.asc", 2),
                                ("waves/turning.asc", 2), ("waves/lapse.asc", 2),
                                ("constraints.asc", 4), ("hamiltonian.norm2.asc", 4), ("puncturetracker-pt_loc..asc", 3)):
                expect = sorted({*range(0, last, every), last})
                self.assertEqual(self.column(name, 0), expect, name)
            waves = [dt * step for step in sorted({*range(0, last, 2), last})]
            self.assertEqual(self.column("waves/mp_psi4_l2_m0_r10.00.asc", 0), waves)
            found = {int(f.name.split(".")[1]) for f in (self.folder / "out/small/fields").glob("slices.*.h5")}
            self.assertEqual(found, {*range(0, last, 2), last})

    def test_rows_are_there_when_the_log_says_so(self):
        """A run that is killed leaves whole rows, at least those up to the last line of its log."""
        command = [TENDEX, "run", "small.yaml", "--set", "run.t_end=1000", "--set", "waves.every=1", "--set",
                   "output.log_every=3"]
        with subprocess.Popen(command, cwd=self.folder, env=dict(os.environ, OMP_NUM_THREADS="1"), text=True,
                              stdout=subprocess.PIPE) as process:
            for line in process.stdout:
                shown = re.match(r" +(\d+) +\d+\.\d{4} +\S+ +\S+ +\d", line)
                if shown and int(shown[1]) >= 6:
                    break
            process.kill()
        files = list((self.folder / "out/small/waves").glob("mp_psi4_l*.asc"))
        self.assertEqual(len(files), 2 * 21)
        for file in files:
            text = file.read_text()
            self.assertTrue(text.endswith("\n"))
            self.assertEqual({len(row.split()) for row in text.splitlines()}, {3})
            self.assertGreaterEqual(len(text.splitlines()), int(shown[1]) + 1)

    def test_modes_without_text(self):
        self.tendex("run", "small.yaml", "--quiet", "--set", "waves.text=false", "--set", "run.max_steps=1")
        found = {f.name for f in (self.folder / "out/small/waves").iterdir()}
        self.assertEqual(found, {"mp_psi4.h5", "areal_radius.asc", "expansion.asc", "turning.asc", "lapse.asc"})

    def test_breakdown(self):
        """A run that breaks down leaves a summary that says so."""
        self.tendex("run", "small.yaml", "--quiet", "--set", "initial_data.type=noise", "--set",
                    "initial_data.amplitude=0.9", "--set", "run.t_end=100", ranks=2, code=6)
        s = self.summary("out/small")
        self.assertEqual((s["complete"], s["t_end"]), (False, 100))
        self.assertEqual(s["t"], s["steps"] * s["time_step"])
        log = (self.folder / "out/small/log.txt").read_text()
        self.assertRegex(log, rf"step {s['steps']}, t = [\d.]+ M: all variables of the octants around the bad point")
        self.assertIn("broken off: t = ", log)
        self.assertNotIn("done: ", log)

    def test_override_warning(self):
        """What an override makes useless is said once, on the screen and in log.txt."""
        log = self.tendex("run", "small.yaml", "--set", "waves.radii=[]", "--set", "run.max_steps=1", ranks=2)
        self.assertEqual(log.count("warning: without effect after --set: waves.every\n"), 1)
        self.assertEqual(log, (self.folder / "out/small/log.txt").read_text())

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
        self.assertIn("ADM energy 1 M,", text)
        self.assertRegex(text, r"Hamiltonian +\d\.\d+e-\d\d")

    def test_bench(self):
        text = self.tendex("bench", "--levels", "3", "--octants", "60", "--steps", "1", "--profile", "--json", "b.json",
                           ranks=2)
        b = json.loads((self.folder / "b.json").read_text())
        step = b["rk4_step"]
        self.assertEqual((b["backend"], b["levels"], b["cores"]), ("cpu", 3, 2))
        self.assertEqual(b["points"], b["octants"] * b["octant_points"] ** 3)
        self.assertAlmostEqual(step["point_stages_per_s_per_core"] * 2, step["point_stages_per_s"], places=3)
        self.assertAlmostEqual(step["point_stages_per_s"] * step["seconds"] / 4 / b["points"], 1, places=9)
        self.assertGreater(b["triad_bytes_per_s"], 1e8)
        kernels = {k["name"]: k for k in b["kernels"]}
        self.assertLessEqual({"ghosts", "right_hand_side", "update"}, set(kernels))
        for k in b["kernels"]:
            self.assertEqual(set(k), {"name", "seconds", "point_stages_per_s", "bytes_per_point", "gb_per_s",
                                      "flop_per_point", "gflop_per_s", "percent_of_triad", "percent_of_fma"})
            self.assertAlmostEqual(k["gb_per_s"] * 1e9, k["bytes_per_point"] * k["point_stages_per_s"], delta=1)
        self.assertGreater(kernels["right_hand_side"]["flop_per_point"], 1000)
        self.assertGreater(b["fma_flop_per_s"], kernels["right_hand_side"]["gflop_per_s"] * 1e9)
        self.assertEqual([p["pipeline"] for p in b["pipelines"]], ["cpu"])
        self.assertEqual(b["pipelines"][0]["rk4_step"], step)
        self.assertIn("triad", text)
        self.check_profile(b, kernels, text)

    def check_profile(self, b, kernels, text):
        """Of one step on two ranks: the kinds of operations, and stages with the work that their formulae give."""
        profile = b["profile"]
        rows = {row["name"]: row for row in profile["rows"]}
        self.assertEqual(profile["rows_are"], "operations")
        self.assertEqual(profile["point_stages"], 4 * b["points"] / 2)
        self.assertEqual(profile["fma_flop_per_s"], b["fma_flop_per_s"] / 2)
        self.assertLessEqual({"stage", "ghosts", "constraints", "psi4"}, set(rows))
        self.assertNotIn("registers", rows["stage"])
        self.assertAlmostEqual(sum(row["share"] for row in rows.values()), 1, places=9)
        self.assertEqual([row["share"] for row in rows.values() if not row["in_steps"]], [0, 0])
        row = rows["stage"]
        self.assertGreater(row["share"], 0.3)
        self.assertEqual(row["flop"], profile["point_stages"] * kernels["stage"]["flop_per_point"])
        self.assertAlmostEqual(rows["ghosts"]["bytes"] / profile["point_stages"] / kernels["ghosts"]["bytes_per_point"], 1)
        self.assertAlmostEqual(row["gflop_per_s"], 1e-9 * row["flop"] / row["seconds"])
        self.assertAlmostEqual(row["percent_of_triad"],
                               100 * row["bytes"] / row["seconds"] / profile["triad_bytes_per_s"])
        self.assertAlmostEqual(row["ns_per_point_stage"], 1e9 * row["seconds"] / profile["point_stages"])
        self.assertRegex(text, r"stage +[0-9.]+% +[0-9.]+ +[0-9.]+ +[0-9.]+% +[0-9.]+ +[0-9.]+%")
        self.assertRegex(text, r"psi4 +- +- +- +- +- +-")

    def test_bench_of_levels(self):
        """Whole macro steps: their point-stages, and those of one time step for all levels."""
        (self.folder / "orbit.yaml").write_text(ORBIT)
        text = self.tendex("bench", "orbit.yaml", "--octants", "60", "--steps", "1", "--json", "b.json", "--set",
                           "evolution.time_steps=levels", ranks=2)
        b = json.loads((self.folder / "b.json").read_text())
        step = b["rk4_step"]
        self.assertGreater(step["macro_step"], 0)
        self.assertAlmostEqual(step["point_stages_per_s"] * step["seconds"] / step["point_stages"], 1, places=9)
        self.assertEqual(math.log2(step["point_stages_global"] / 4 / b["points"]) % 1, 0)
        self.assertNotEqual(step["point_stages"], step["point_stages_global"])
        self.assertEqual(b["kernels"], [])
        self.assertIn(f"macro steps of {step['macro_step']:.6g} M in ", text)

    def test_bench_of_a_file(self):
        """The grid of a parameter file, scaled or as it is, without a solve."""
        (self.folder / "orbit.yaml").write_text(ORBIT)
        for arguments, about in ((("--octants", "200"), 200), ((), None)):
            text = self.tendex("bench", "orbit.yaml", "--steps", "1", "--json", "b.json", *arguments)
            self.assertNotIn("solving", text)
            b = json.loads((self.folder / "b.json").read_text())
            self.assertEqual(b["parameters"], "orbit.yaml")
            if about:
                self.assertLess(abs(b["octants"] / about - 1), 0.3)
            else:
                check = self.tendex("check", "orbit.yaml", "--speed", "1e6")
                self.assertIn(f"{b['points']:,} points", check)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
