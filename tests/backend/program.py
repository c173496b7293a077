"""program.py TENDEX TENDEX_CUDA_HOST MPIRUN...: the program with CUDA (emulated) and without, from the outside."""

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
initial_data: {type: single_puncture, bh1_mass: 1.0}
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

    def test_gpus_with_little_shared_memory(self):
        """Their kernels give the same bits."""
        points = int(re.search(r"octants of (\d+)\^3", self.tendex("--version"))[1])
        least = 99 if points == 8 else 163
        for n, system in enumerate(("bssn", "z4c")):
            said = []
            for kilobytes in {227, 163, least}:
                self.environment(TX_CUDA_HOST_SHARED=str(kilobytes))
                text = self.tendex_with_cuda("run", "a.yaml", "--set", f"run.folder=s{n}_{kilobytes}", "--set",
                                             f"evolution.system={system}", "--set", "compute.device=gpu",
                                             "--set", "gauge.advect_Gt=false")  # with all that is parked
                said.append(re.search(r"checksum +(\w+)", text)[1])
            self.assertEqual(len(set(said)), 1, said)

    def test_gpus_without_kernels(self):
        self.environment(TX_CUDA_HOST_SHARED="64")
        said = self.tendex_with_cuda("run", "a.yaml", "--set", "compute.device=gpu", code=8)
        self.assertRegex(said, r"has 64 KB of shared memory a block, and the kernels .* need \d+ KB; take another GPU")
        self.environment(TX_CUDA_HOST_SHARED="227", TX_CUDA_HOST_CAPABILITY="7")
        said = self.tendex_with_cuda("run", "a.yaml", "--set", "compute.device=gpu", code=8)
        self.assertIn("has compute capability 7.0, and the kernels need 8.0 (A100) or later", said)
        self.assertEqual(said.count("tendex: error"), 1)

    @unittest.skipIf(os.environ.get("TENDEX_WITH_CUDA") == "ON", "this one is built with CUDA")
    def test_a_program_without_cuda_says_so(self):
        said = self.tendex("run", "a.yaml", "--set", "compute.device=gpu", code=3)
        self.assertIn("without CUDA", said)
        self.assertIn("TENDEX_CUDA=ON", said)

    def test_out_of_device_memory_names_the_largest_consumers(self):
        cubes = (int(re.search(r"octants of (\d+)\^3", self.tendex("--version"))[1]) // 8) ** 3
        command = ("run", "a.yaml", "--set", "compute.device=gpu", "--set", "grid.level_max=5")
        self.environment(TX_CUDA_HOST_MEMORY=str(30000000 * cubes))  # not for four copies of the state
        self.assertRegex(self.tendex_with_cuda(*command, code=5),
                         r"the grid would have \d+ octants or more, .* GB at least, and the GPUs have 0\.\d+ GB")
        self.environment(TX_CUDA_HOST_MEMORY=str(48000000 * cubes))  # for these, and not for ghosts
        said = self.tendex_with_cuda(*command, "--overwrite", code=5)
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


if __name__ == "__main__":
    Backends.program, Backends.with_cuda, Backends.mpirun = sys.argv[1], sys.argv[2], sys.argv[3:]
    unittest.main(argv=sys.argv[:1])
