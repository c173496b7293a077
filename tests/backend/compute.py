"""compute.py TENDEX_CUDA_HOST MPIRUN...: what the program tells of the GPUs (emulated ones) that compute."""

import json
import os
import re
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support.program_test import ProgramTest  # noqa: E402

PARAMETERS = """\
run: {t_end: 0.5, max_steps: 3}
grid: {extent: 8.0, reflect: xyz, level_min: 1, level_max: 2, bh_radius: 0.5}
initial_data: {type: single_puncture, bh1_mass: 1.0}
horizons: {every: 0}
"""


class Compute(ProgramTest):
    def setUp(self):
        super().setUp()
        (self.folder / "a.yaml").write_text(PARAMETERS)
        for name in [n for n in os.environ if n.startswith("TX_CUDA_HOST")]:
            del os.environ[name]

    def environment(self, **settings):
        for name, value in settings.items():
            os.environ[name] = value
            self.addCleanup(os.environ.pop, name, None)

    def test_what_computes_is_told(self):
        text = self.tendex("run", "a.yaml", "--set", "compute.device=gpu")
        self.assertRegex(text, r"computes +1 x emulated GPU, .* multiprocessors, .* CUDA \d+\.\d+\n")
        self.assertIn("# computes: 1 x emulated GPU", (self.folder / "out/a/run.yaml").read_text())
        self.environment(TX_CUDA_HOST_DEVICES="2")
        text = self.tendex("run", "a.yaml", "--set", "run.folder=two", ranks=2)
        self.assertRegex(text, r"computes +2 x emulated GPU.*\n +between GPUs \S+")

    def test_a_driver_that_is_too_old(self):
        self.environment(TX_CUDA_HOST_DRIVER="11080")
        why = r"there is no GPU on \S+: its driver is for CUDA 11\.8, too old for this program's CUDA \d+\.\d+: update it"
        self.assertRegex(self.tendex("run", "a.yaml", "--set", "compute.device=gpu", code=3), rf"compute\.device is gpu, but {why}")
        self.assertRegex(self.tendex("run", "a.yaml"), rf"computes +the CPU: {why}\n")

    def test_seconds_of_the_gpu(self):
        """Phases on the GPU add up, are part of the run, and say how much of it the steps were."""
        text = self.tendex("run", "a.yaml", "--set", "output.norms_every=2")
        s = json.loads((self.folder / "out/a/summary.json").read_text())
        self.assertEqual(s["backend"], "cuda")
        self.assertIn("emulated GPU", s["device"])
        device = {name: phase["device_s"] for name, phase in s["phases"].items()}
        operations = {name: operation["mean_s"] for name, operation in s["operations"].items()}
        self.assertAlmostEqual(sum(operations.values()), sum(device.values()), places=6)
        self.assertLess(operations["stage"], device["rhs"] * (1 + 1e-9))
        self.assertGreater(operations["stage"], 0.5 * device["rhs"])
        for name in ("ghosts", "rhs", "norms", "tracking", "initial_data"):
            self.assertGreater(device[name], 0.0, name)
        self.assertLess(sum(device.values()), s["wall_s"])
        self.assertLess(device["rhs"], s["phases"]["rhs"]["mean_s"] * 1.01 + 0.001)  # emulated work is done at once
        self.assertTrue(0.0 < s["step_share"] < 1.0 and 0.0 < s["device_idle_share"] < 1.0)
        share, rest, idle = map(float, re.search(r"steps +Runge-Kutta steps took (\S+)% of the evolution.*, all else (\S+)%; "
                                                 r"GPUs were idle for (\S+)%", text).groups())
        self.assertAlmostEqual(share, 100 * s["step_share"], delta=0.06)
        self.assertAlmostEqual(share + rest, 100, delta=0.11)
        self.assertAlmostEqual(idle, 100 * s["device_idle_share"], delta=0.06)

    def test_memory_of_the_gpu_is_foreseen(self):
        for ranks, steps in ((1, "global"), (2, "global"), (1, "levels"), (2, "levels")):
            self.environment(TX_CUDA_HOST_DEVICES=str(ranks))
            settings = ["--set", "grid.level_max=4", "--set", "run.max_steps=1", "--set", "run.overwrite=true",
                        "--set", f"evolution.time_steps={steps}"]
            text = self.tendex("check", "a.yaml", "--speed", "1e9", "-n", str(ranks), *settings)
            need = float(re.search(r"on GPUs .*, (\d+) bytes per point", text)[1])
            self.assertIn("of the 16 GiB that it has", text)
            self.tendex("run", "a.yaml", *settings, ranks=ranks)
            s = json.loads((self.folder / "out/a/summary.json").read_text())
            # What does not grow with the grid is much of so small a one.
            self.assertTrue(0.95 < need / s["device_bytes_per_point"] < 1.35, (need, s["device_bytes_per_point"]))
            # Whole fields of analysis quantities: seven numbers a point more, which are computed on the GPU.
            fields = ["--set", "output.fields_every=1", "--set", "output.variables=hamiltonian momentum_x"]
            text = self.tendex("check", "a.yaml", "--speed", "1e9", "-n", str(ranks), *settings, *fields)
            more = float(re.search(r"on GPUs .*, (\d+) bytes per point", text)[1])
            self.tendex("run", "a.yaml", *settings, *fields, ranks=ranks)
            held = json.loads((self.folder / "out/a/summary.json").read_text())["device_bytes_per_point"]
            self.assertTrue(54 < more - need < 62, (more, need))
            self.assertGreater(held - s["device_bytes_per_point"], 45)
            self.assertTrue(0.95 < more / held < 1.35, (more, held))
        self.environment(TX_CUDA_HOST_MEMORY="20000000")
        text = self.tendex("check", "a.yaml", "--speed", "1e9", *settings)
        self.assertRegex(text, r"note: a GPU needs \S+ MiB and has 19\.1 MiB")

    def test_check_for_gpus_where_there_are_none(self):
        self.environment(TX_CUDA_HOST_DEVICES="0")
        text = self.tendex("check", "a.yaml", "--set", "compute.device=gpu")
        self.assertIn("not known, as this machine has no GPU", text)
        self.assertIn("on GPUs", text)
        self.assertNotIn("cost", text)
        text = self.tendex("check", "a.yaml", "--set", "compute.device=gpu", "--speed", "1e9")
        self.assertRegex(text, r"cost .* GPU hours")

    def test_bench(self):
        one_step = ("--set", "evolution.time_steps=global", "--set", "grid.level_min=0", "--set", "grid.level_max=1")
        text = self.tendex("bench", "a.yaml", "--steps", "1", "--profile", "--json", "b.json", *one_step)
        b = json.loads((self.folder / "b.json").read_text())
        self.assertEqual((b["backend"], b["device"]["transport"]), ("cuda", "none"))
        self.assertEqual([p["pipeline"] for p in b["pipelines"]], ["gather"])
        self.assertTrue(b["triad_bytes_per_s"] > 1e6 and b["fma_flop_per_s"] > 1e6)
        self.assertEqual(b["pipelines"], [{key: b[key] for key in b["pipelines"][0]}])
        self.assertEqual({k["name"] for k in b["kernels"]}, {"ghosts", "right_hand_side", "update", "boundary", "stage"})
        self.assertGreater(b["device_bytes_per_point"], 4 * 24 * 8)
        share = b["rk4_step"]["device_share"]
        self.assertTrue(share["ghosts"] > 0.0 and share["rhs"] > 0.0 and 0.0 <= share["idle"] < 1.0, share)
        self.assertAlmostEqual(sum(share.values()), 1.0, delta=1e-6)
        self.assertEqual(text.count("point-stages/s in whole time steps"), 1)
        self.check_profile(b, text)

    def check_profile(self, b, text):
        """One row a kernel, with what the emulation says of it; the four stages move 3, 5, 5 and 3 copies of the state."""
        profile, step = b["profile"], b["rk4_step"]
        rows = {row["name"]: row for row in profile["rows"]}
        stage = rows["tx_stage_kernel"]
        self.assertEqual(profile["point_stages"], 4 * b["points"])
        self.assertEqual((stage["source"], stage["threads"], stage["launches"]), ("stage_launch.cuh", 256, 4))
        self.assertEqual((stage["registers"], stage["local_bytes"], stage["blocks_per_sm"]), (128, 0, 2))
        self.assertGreater(stage["shared_bytes"], 100000)
        self.assertAlmostEqual(stage["flop"] / profile["point_stages"] / step["flop_per_point"], 1)
        self.assertAlmostEqual(stage["bytes"] / profile["point_stages"] / step["bytes_per_point"], 1)
        self.assertAlmostEqual(sum(row["share"] for row in profile["rows"]), 1, places=9)
        self.assertNotIn("update", rows)
        self.assertEqual([row["name"] for row in profile["rows"] if not row["in_steps"]],
                         ["analysis", "sample_points", "psi4_points"])
        self.assertGreater(rows["psi4_points"]["gflop_per_s"], 0)
        self.assertRegex(text, r"stage_launch.cuh: tx_stage_kernel +128 +0 +1\d\d\.\d +2 +[0-9.]+% ")

    def test_bench_of_levels(self):
        """Whole macro steps."""
        self.tendex("bench", "a.yaml", "--steps", "1", "--json", "b.json")
        b = json.loads((self.folder / "b.json").read_text())
        self.assertEqual([(p["pipeline"], p["kernels"]) for p in b["pipelines"]], [("gather", [])])
        step = b["rk4_step"]
        self.assertGreater(step["macro_step"], 0)
        self.assertAlmostEqual(sum(step["device_share"].values()), 1.0, delta=1e-6)


if __name__ == "__main__":
    Compute.program, Compute.mpirun = sys.argv[1], sys.argv[2:]
    unittest.main(argv=sys.argv[:1])
