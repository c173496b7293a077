"""program.py TENDEX TENDEX_CUDA_HOST MPIRUN...: the program with CUDA (emulated) and without, from the outside."""

import json
import os
import re
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support.program_test import ProgramTest  # noqa: E402

PARAMETERS = """\
run: {t_end: 0.5, max_steps: 4}
grid: {extent: 8.0, reflect: xyz, level_min: 1, level_max: 2, bh_radius: 0.5}
initial_data: {type: brill_lindquist, bh1_mass: 1.0}
"""


class Backends(ProgramTest):
    with_cuda = None

    def setUp(self):
        super().setUp()
        (self.folder / "a.yaml").write_text(PARAMETERS)
        for name in [n for n in os.environ if n.startswith("TX_CUDA_HOST")]:
            del os.environ[name]

    def environment(self, **settings):
        for name, value in settings.items():
            os.environ[name] = value
            self.addCleanup(os.environ.pop, name, None)

    def tendex_with_cuda(self, *arguments, **options):
        self.program, plain = self.with_cuda, self.program
        try:
            return self.tendex(*arguments, **options)
        finally:
            self.program = plain

    def test_auto_takes_a_gpu_if_there_is_one(self):
        self.assertIn("emulated GPU", self.tendex_with_cuda("run", "a.yaml"))

    def test_auto_takes_the_cpu_if_there_is_no_gpu(self):
        self.environment(TX_CUDA_HOST_DEVICES="0")
        self.assertIn("the CPU", self.tendex_with_cuda("run", "a.yaml"))

    def test_a_gpu_that_is_absent_is_an_error_with_the_reason(self):
        self.environment(TX_CUDA_HOST_DEVICES="0")
        for ranks in (1, 2):
            said = self.tendex_with_cuda("run", "a.yaml", "--set", "compute.device=gpu", ranks=ranks, code=3)
            self.assertIn("no CUDA-capable device is detected", said)
            self.assertIn("compute.device", said)
            self.assertEqual(said.count("tendex: error"), 1)
            self.assertFalse((self.folder / "out").exists())

    def test_a_gpu_for_each_rank_or_an_error(self):
        self.environment(TX_CUDA_HOST_DEVICES="1")
        said = self.tendex_with_cuda("run", "a.yaml", "--set", "compute.device=gpu", ranks=2, code=3)
        self.assertIn("2 ranks", said)
        self.assertIn("1 GPU", said)

    def test_a_program_without_cuda_says_so(self):
        said = self.tendex("run", "a.yaml", "--set", "compute.device=gpu", code=3)
        self.assertIn("without CUDA", said)
        self.assertIn("TENDEX_CUDA=ON", said)

    def test_out_of_device_memory_names_the_largest_consumers(self):
        self.environment(TX_CUDA_HOST_MEMORY="30000000")
        said = self.tendex_with_cuda("run", "a.yaml", "--set", "compute.device=gpu", "--set", "grid.level_max=5",
                                     code=5)
        self.assertRegex(said, r"no memory on the GPU for [0-9.]+ MB \(.+\)")
        self.assertRegex(said, r"largest consumers: .*[0-9]")
        self.assertEqual(said.count("tendex: error"), 1)

    def test_a_run_goes_on_elsewhere(self):
        """From the GPU's checkpoint on the CPU and the other way round, with the numbers of a run in one piece."""
        rows = {}
        for first, second in (("cpu", "gpu"), ("gpu", "cpu"), ("cpu", "cpu")):
            name = f"{first}_{second}"
            common = ["--set", f"run.name={name}", "--set", "output.norms_every=1", "--set", "checkpoint.every=2"]
            self.tendex_with_cuda("run", "a.yaml", *common, "--set", f"compute.device={first}", "--set",
                                  "run.max_steps=2")
            self.tendex_with_cuda("run", "--restart", f"out/{name}", "--set", f"compute.device={second}", "--set",
                                  "run.max_steps=4")
            text = (self.folder / "out" / name / "constraints.asc").read_text()
            rows[name] = [[float(word) for word in line.split()] for line in text.splitlines() if line[0] != "#"]
        for name in ("cpu_gpu", "gpu_cpu"):
            self.assertEqual(len(rows[name]), len(rows["cpu_cpu"]))
            for row, reference in zip(rows[name], rows["cpu_cpu"]):
                for value, expected in zip(row, reference):
                    self.assertAlmostEqual(value, expected, delta=1e-9 * abs(expected))

    def test_what_computes_is_told(self):
        text = self.tendex_with_cuda("run", "a.yaml", "--set", "compute.device=gpu", "--set", "compute.pipeline=patch")
        self.assertRegex(text, r"computes +1 x emulated GPU, .* multiprocessors, .* CUDA \d+\.\d+\n +pipeline patch\n")
        self.assertIn("# computes: 1 x emulated GPU", (self.folder / "out/a/run.yaml").read_text())
        self.environment(TX_CUDA_HOST_DEVICES="2")
        text = self.tendex_with_cuda("run", "a.yaml", "--set", "run.folder=two", ranks=2)
        self.assertRegex(text, r"computes +2 x emulated GPU.*\n +pipeline gather; between GPUs \S+")

    def test_seconds_of_the_gpu(self):
        """Phases on the GPU add up, are part of the run, and say how much of it the steps were."""
        text = self.tendex_with_cuda("run", "a.yaml", "--set", "output.norms_every=2")
        s = json.loads((self.folder / "out/a/summary.json").read_text())
        self.assertEqual(s["backend"], "cuda")
        self.assertIn("emulated GPU", s["device"])
        device = {name: phase["device_s"] for name, phase in s["phases"].items()}
        for name in ("halo", "rhs", "norms", "tracking", "initial_data"):
            self.assertGreater(device[name], 0.0, name)
        self.assertLess(sum(device.values()), s["wall_s"])
        self.assertLess(device["rhs"], s["phases"]["rhs"]["mean_s"] * 1.01 + 0.001)  # emulated work is done at once
        self.assertTrue(0.0 < s["step_share"] < 1.0 and 0.0 < s["device_idle_share"] < 1.0)
        share, rest, idle = map(float, re.search(r"steps +(\S+)% of the evolution.*, (\S+)% all else; GPUs had "
                                                 r"nothing to do for (\S+)%", text).groups())
        self.assertAlmostEqual(share, 100 * s["step_share"], delta=0.06)
        self.assertAlmostEqual(share + rest, 100, delta=0.11)
        self.assertAlmostEqual(idle, 100 * s["device_idle_share"], delta=0.06)

    def test_memory_of_the_gpu_is_foreseen(self):
        for ranks in (1, 2):
            self.environment(TX_CUDA_HOST_DEVICES=str(ranks))
            settings = ["--set", "grid.level_max=4", "--set", "run.max_steps=1", "--set", "run.overwrite=true"]
            text = self.tendex_with_cuda("check", "a.yaml", "--speed", "1e9", "-n", str(ranks), *settings)
            need = float(re.search(r"on GPUs .*, (\d+) bytes a point", text)[1])
            self.assertIn("of the 16 GiB that it has", text)
            self.tendex_with_cuda("run", "a.yaml", *settings, ranks=ranks)
            s = json.loads((self.folder / "out/a/summary.json").read_text())
            self.assertLess(abs(need / s["device_bytes_per_point"] - 1), 0.15)
        self.environment(TX_CUDA_HOST_MEMORY="20000000")
        text = self.tendex_with_cuda("check", "a.yaml", "--speed", "1e9", *settings)
        self.assertRegex(text, r"note: a GPU would need \S+ MiB and has 19\.1 MiB")

    def test_check_for_gpus_where_there_are_none(self):
        self.environment(TX_CUDA_HOST_DEVICES="0")
        text = self.tendex_with_cuda("check", "a.yaml", "--set", "compute.device=gpu")
        self.assertIn("not known without a GPU here", text)
        self.assertIn("on GPUs", text)
        self.assertNotIn("cost", text)
        text = self.tendex_with_cuda("check", "a.yaml", "--set", "compute.device=gpu", "--speed", "1e9")
        self.assertRegex(text, r"cost .* GPU hours")

    def test_bench_of_both_pipelines(self):
        self.tendex_with_cuda("bench", "--levels", "2", "--octants", "8", "--steps", "1", "--json", "b.json")
        b = json.loads((self.folder / "b.json").read_text())
        self.assertEqual((b["backend"], b["device"]["transport"]), ("cuda", "none"))
        self.assertEqual([p["pipeline"] for p in b["pipelines"]], ["gather", "patch"])
        self.assertTrue(b["triad_bytes_per_s"] > 1e6 and b["fma_flop_per_s"] > 1e6)
        rows = [{k["name"] for k in p["kernels"]} for p in b["pipelines"]]
        self.assertEqual(rows[0], {"ghosts", "right_hand_side", "update", "boundary", "stage"})
        self.assertEqual(rows[1], rows[0] | {"octant_to_patch"})
        for p in b["pipelines"]:
            self.assertGreater(p["device_bytes_per_point"], 4 * 24 * 8)
        text = self.tendex_with_cuda("bench", "--levels", "2", "--octants", "8", "--steps", "1", "--pipeline", "patch")
        self.assertEqual(text.count("point-stages/s in whole time steps"), 1)


if __name__ == "__main__":
    Backends.program, Backends.with_cuda, Backends.mpirun = sys.argv[1], sys.argv[2], sys.argv[3:]
    unittest.main(argv=sys.argv[:1])
