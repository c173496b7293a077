"""dev/profile.py: its parser on stored output of ncu's raw page, and all of it with a bench of an emulated GPU.

    profile_tool.py TENDEX_CUDA_HOST"""

import contextlib
import io
import json
import os
import re
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "dev"), str(ROOT / "tests")]
import profile as profile_tool  # noqa: E402  dev/profile.py, not the module of Python
from support.alone import alone  # noqa: E402
from tendex_dev import ncu  # noqa: E402

TENDEX, SAMPLE = str(Path(sys.argv[1]).resolve()), Path(__file__).resolve().parent / "ncu_raw.csv"
# Answers with the sample, and notes how it was asked.
FAKE = """#!/bin/sh
printf '%s\\n' "$@" > {asked}
while [ "$1" != --log-file ]; do shift; done
cp {sample} "$2"
"""


PARAMETERS = """\
grid: {extent: 8.0, reflect: xyz, level_min: 1, level_max: 1}
initial_data: {type: single_puncture, bh1_mass: 1.0}
"""


class Parser(unittest.TestCase):
    def setUp(self):
        self.text = SAMPLE.read_text()

    def test_counters(self):
        """Means are weighted with the times of the launches; what was moved is added up."""
        kernels = ncu.parse(self.text)
        self.assertEqual(set(kernels), {"tx_stage_kernel", "combine"})
        stage, combine = kernels["tx_stage_kernel"], kernels["combine"]
        self.assertEqual((stage.launches, combine.launches), (2, 1))
        self.assertAlmostEqual(stage.seconds, 4e-3)
        self.assertAlmostEqual(stage.pipes["FP64"], (3 * 20 + 12) / 4)
        self.assertAlmostEqual(stage.pipes["L1/shared"], (3 * 76 + 72) / 4)
        self.assertEqual(set(stage.pipes), set(ncu.PIPES))
        self.assertAlmostEqual(stage.occupancy, 24.8)
        self.assertAlmostEqual(stage.stalls["wait"], 1.25)
        self.assertAlmostEqual(stage.excess["shared"], 0.25)
        self.assertAlmostEqual(stage.excess["global"], 0.4)
        self.assertNotIn("misc", combine.stalls)  # n/a
        self.assertNotIn("shared", combine.excess)  # it has none

    def test_names(self):
        for text, name in (("void (anonymous namespace)::f<g<int>, (bool)1>(double *, int)", "f"), ("f", "f"),
                           ("void a::b::norms(tx_cuda_mesh)", "norms")):
            self.assertEqual(ncu.kernel_name(text), name)

    def test_units(self):
        stage = ncu.parse(self.text.replace('"ns"', '"us"'))["tx_stage_kernel"]
        self.assertAlmostEqual(stage.seconds, 4.0)

    def test_bad_input(self):
        lines = self.text.splitlines()
        for text, said in (("", "no column 'Kernel Name'"),
                           ("==ERROR== ERR_NVGPUCTRPERM - no permission", "ncu says: ERR_NVGPUCTRPERM"),
                           ("\n".join(lines[:3]), "no kernel was looked at"),
                           (self.text[:-300], "cut off"),
                           (self.text.replace(ncu.DURATION, "other"), ncu.DURATION),
                           (self.text.replace('"ns"', '"cycle"'), "unit 'cycle'")):
            with self.assertRaisesRegex(ncu.CountersError, said):
                ncu.parse(text)


class Tool(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory(prefix="tendex-test-")
        cls.addClassCleanup(cls.temporary.cleanup)
        cls.folder = Path(cls.temporary.name)
        os.environ.update(alone(cls.folder))
        ours = cls.folder / "ncu"
        ours.write_text(FAKE.format(asked=cls.folder / "asked", sample=SAMPLE))
        ours.chmod(0o755)
        cls.words = [str(cls.folder / "out"), "--program", TENDEX, "--launches", "7", "--arguments",
                     f"{cls.folder / 'a.yaml'} --device gpu --steps 1"]
        (cls.folder / "a.yaml").write_text(PARAMETERS)
        cls.result = cls.call(*cls.words, "--ncu", str(ours))

    @staticmethod
    def call(*words):
        out, errors = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
            code = profile_tool.main(list(words))
        return code, out.getvalue(), errors.getvalue()

    def of_bench(self, change, *words):
        """The tool on the bench's JSON after a change."""
        data = json.loads((self.folder / "out/bench.json").read_text())
        change(data)
        file = self.folder / "changed.json"
        file.write_text(json.dumps(data))
        return self.call(str(self.folder / "again"), "--bench", str(file), *words)

    def check_picture(self, file):
        data = file.read_bytes()
        self.assertEqual(data[:8], b"\x89PNG\r\n\x1a\n")
        self.assertGreater(len(data), 10000)

    def test_all_of_it(self):
        code, out, errors = self.result
        self.assertEqual((code, errors), (0, ""))
        folder = self.folder / "out"
        self.assertEqual(out, (folder / "profile.md").read_text())
        stage = next(line for line in out.splitlines() if line.startswith("| tx_stage_kernel"))
        self.assertIn("| L1/shared 75%, issue 40%, L2 36% | 25% | short_scoreboard 2.50, barrier 1.25, wait 1.25 | "
                      "25% | 40% |", stage)
        self.assertRegex(stage, r"\| 128 \| 0 \| 1\d\d\.\d \| 2 \|")
        data = json.loads((folder / "profile.json").read_text())
        self.assertEqual(data["card"], "emulated GPU")
        self.assertEqual(data["counters"]["tx_stage_kernel"]["launches"], 2)
        self.check_picture(folder / "roofline.png")

    def test_ncu_is_asked_for_our_kernels(self):
        asked = (self.folder / "asked").read_text().splitlines()
        after = dict(zip(asked, asked[1:]))
        kernels = re.fullmatch(r"regex:\^\((.*)\)\$", after["--kernel-name"])[1].split("|")
        self.assertIn("tx_stage_kernel", kernels)
        self.assertNotIn("psi4_points", kernels)  # no part of steps
        self.assertEqual(after["--launch-count"], str(7 * len(kernels)))
        self.assertEqual((after["--clock-control"], after["--page"]), ("none", "raw"))
        self.assertEqual(after["--metrics"].split(","), ncu.METRICS)
        self.assertEqual(asked[asked.index(TENDEX) + 1], "bench")
        self.assertNotIn("--profile", asked)

    def test_without_ncu(self):
        code, out, errors = self.of_bench(lambda data: None, "--ncu", "/nowhere/ncu")
        self.assertEqual(code, 0)
        self.assertEqual(errors, "profile: no hardware counters: /nowhere/ncu, NVIDIA Nsight Compute, is not installed\n")
        self.assertNotIn("stalled", out)
        self.check_picture(self.folder / "again/roofline.png")

    def test_stored_counters(self):
        code, out, _ = self.of_bench(lambda data: None, "--counters", str(SAMPLE))
        self.assertEqual(code, 0)
        self.assertIn("| short_scoreboard 2.50, barrier 1.25, wait 1.25 |", out)

    def test_a_bench_without_profile(self):
        """Its roofline is that of the parts of a stage."""
        def change(data):
            data["backend"] = "cpu"
            pipeline = data["pipelines"][0]
            del pipeline["profile"]
            pipeline["kernels"] = [{"name": "stage", "bytes_per_point": 960, "flop_per_point": 3737, "gflop_per_s": 2.0},
                                   {"name": "ghosts", "bytes_per_point": 973, "flop_per_point": 0, "gflop_per_s": 0}]

        code, out, errors = self.of_bench(change)
        self.assertEqual((code, errors), (0, "profile: no hardware counters: the CPU computed\n"))
        self.assertIn("tendex bench --profile", out)
        self.check_picture(self.folder / "again/roofline.png")

    def failing(self, *words):
        code, out, errors = self.call(*words)
        self.assertEqual((code, out), (1, ""))
        self.assertEqual(errors.count("\n"), 1)
        return errors

    def test_bad_input(self):
        folder, bad = str(self.folder / "bad"), self.folder / "bad.json"
        bad.write_text("{}")
        self.assertIn("is not the JSON of `tendex bench'", self.failing(folder, "--bench", str(bad)))
        self.assertIn("No such file", self.failing(folder, "--bench", "nowhere.json"))
        self.assertIn("cannot run /nowhere/tendex", self.failing(folder, "--program", "/nowhere/tendex"))
        self.assertIn("ended with code 2", self.failing(folder, "--program", TENDEX, "--arguments", "--levels 99"))
        good = ["--bench", str(self.folder / "out/bench.json")]
        self.assertIn("bad.json: there is no column", self.failing(folder, *good, "--counters", str(bad)))
        code, _, errors = self.of_bench(lambda data: data["pipelines"][0].update(profile={"rows": []}, kernels=[]),
                                        "--counters", str(SAMPLE))
        self.assertEqual(code, 1)
        self.assertIn("knows operations and bytes of nothing", errors)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
