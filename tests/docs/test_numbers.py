"""Numbers of the pages are those of the records: of docs/benchmarks, docs/results and tests, or what the program says.

    test_numbers.py TENDEX

The tables of BENCHMARKS.md, RESULTS.md and docs/studies are made of the records, and other tests compare. Here is prose: a claim is a
text of a page with {} in place of each number. A number agrees if the record rounds to its digits."""

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "dev"))
from tendex_dev.results import kept, tables  # noqa: E402

TENDEX = str(Path(sys.argv[1]).resolve()) if len(sys.argv) > 1 else None


def load(name):
    return json.loads((ROOT / "docs" / name).read_text())


MEASURED = {(r["table"], r["name"]): r["value"] for r in load("benchmarks/measurements.json")}
SERIES = {name: s["rows"] for name, s in load("benchmarks/series.json").items()}
RUNS = {name: r["rows"] for name, r in load("benchmarks/runs.json").items()}
PUBLISHED = {r["case"]: r for r in load("benchmarks/published.json")}
WALL = {case: MEASURED["production", f"{case}: wall time"] for case in (
    "q = 1, 748 M, local time steps", "q = 4, 602 M, local time steps", "QC-0, 110 M, local time steps", "QC-0, 110 M, local time steps, CPU")}
ELLIPTIC = {(float(points), float(tolerance)): (float(time), setup) for points, tolerance, _, time, *_, setup, _ in SERIES["elliptic"]}
Q1, Q4 = WALL["q = 1, 748 M, local time steps"], WALL["q = 4, 602 M, local time steps"]
SHELF = kept.Shelf(ROOT / "docs" / "results")
FINEST, SC22 = SHELF.numbers("q1_51s"), SHELF.numbers("seed_q1l")


def efficiency(name, ranks, key="run_s"):
    """Of a series of whole runs: point-stages a second and GPU, over that on one."""
    one, many = (next(r for r in RUNS[name] if r["ranks"] == n) for n in (1, ranks))
    return many["point_stages"] / many[key] / ranks / (one["point_stages"] / one[key])


def shown(key, kept, n=0):
    """A number of a row of a kept run, as tables show it."""
    return float(re.findall(r"[-+]?[\d.]+(?:e[-+]\d+)?", tables.ROWS[key][1](kept))[n])


def summary(case, column, n=0):
    """A number of the table of all cases."""
    head, _, *rows = re.search(r"(?:^\|.*\n)+", (ROOT / "RESULTS.md").read_text(), re.M)[0].splitlines()
    row = next(row for row in rows if row.startswith(f"| [{case}]"))
    cell = row.split(" | ")[[h.strip() for h in head.strip("|").split("|")].index(column)]
    return float(re.findall(r"[-+]?\d*\.?\d+(?:e[-+]\d+)?", cell)[n])


D10 = "q = 1, D = 10 M"
# {page: [(text, numbers)]}; a number that ends in % is a hundred times what is given.
CLAIMS = {
    "README.md": [
        ("M/{} at the holes | {} min on one H200, half the domain by mirror symmetry (published: {} h on four A100, the whole domain)",
         [1 / SC22["run"]["finest_spacing"], Q1 / 60, PUBLISHED["q = 1"]["hours"]]),
        ("11 levels, global time step | {} point-stages/s", [MEASURED["one_gpu", "RK4 stages, grid of `par/bbh_q1.yaml`, 11 levels, 10 steps"]]),
        ("parallel efficiency {} on eight H200s with a global time step ({} point-stages/s)",
         [MEASURED["scaling", "strong, 8 GPUs: efficiency"], MEASURED["scaling", "strong, 8 GPUs: throughput"]]),
        ("with local time steps on four H200s: {} (q = 1), {} (q = 8)", [efficiency("q1", 4), efficiency("q8", 4)]),
        ("| {} s on one H200, {} min on two cores", [WALL["QC-0, 110 M, local time steps"], WALL["QC-0, 110 M, local time steps, CPU"] / 60]),
        ("on {} million points, to a residual of 1e-10 | {} ms on one H100, after a setup of {} s",
         [10.6, 1e3 * ELLIPTIC[1.06e7, 1e-10][0], float(ELLIPTIC[1.06e7, 1e-10][1])]),
        ("D = 10 M, M/{} at the holes", [1 / FINEST["run"]["finest_spacing"]]),
        ("| {} rad, unaligned; mismatch below {} |", [summary(D10, "phase difference of (2,2), rad"), summary(D10, "mismatch")]),
        ("| {} M and {} (catalogues: {} M and {}) |", [shown("mass", FINEST), shown("chi", FINEST), summary(D10, "M_f", 1), summary(D10, "a_f/M_f", 1)]),
        ("| energy and angular-momentum balance | {} and {} |", [shown("balance_e", FINEST) / 100, shown("balance_j", FINEST) / 100]),
        ("| {} rad apart, unaligned", [summary("q = 1, ten orbits", "phase difference of (2,2), rad")]),
        ("M/45, local time steps | {} |", [shown("odd", SHELF.numbers("q1_45l"))]),
        ("On one H200 this run takes {} minutes", [SHELF.numbers("q2_spin4_core")["run"]["wall_s"] / 60]),
        ("[mismatch of at most {} in (2,2)]", [SHELF.numbers("q2_spin4_core")["model"]["modes"]["2,2"]["mismatch"][1]]),
    ],
    "BENCHMARKS.md": [
        ("One NVIDIA H200 computes {} point-stages/s", [MEASURED["one_gpu", "RK4 stages, grid of `par/bbh_q1.yaml`, 11 levels, 10 steps"]]),
        ("eight H200s reach {} parallel efficiency; with local time steps, whole runs on four H200s reach {} to {}, the steps of q = 1 {} on four and {} on eight",
         [MEASURED["scaling", "strong, 8 GPUs: efficiency"], efficiency("q8", 4), efficiency("q1", 4), efficiency("q1", 4, "steps_s"),
          MEASURED["macro_steps", "q = 1, macro steps of local time steps, 8 GPUs: throughput"]
          / MEASURED["macro_steps", "q = 1, macro steps of local time steps, 1 GPU: throughput"] / 8]),
        ("production run of 748 M takes {} minutes", [Q1 / 60]),
        ("grows from {} point-stages/s at {} million points to {} at {} million",
         [SERIES["throughput"][0][2], SERIES["throughput"][0][0] / 1e6, SERIES["throughput"][-1][2], SERIES["throughput"][-1][0] / 1e6]),
        ("strong-scaling efficiency is {}, {} and {} on 2, 4 and 8 GPUs", [MEASURED["scaling", f"strong, {n} GPUs: efficiency"] for n in (2, 4, 8)]),
        ("whole runs of q = 1 keep {} and {} on 2 and 4 GPUs, those of q = 8 {} and {}", [efficiency(q, n) for q in ("q1", "q8") for n in (2, 4)]),
        ("| strong scaling, q = 1 | {} | {}, ", [efficiency("q1", 2), efficiency("q1", 4)]),
        ("| strong scaling, q = 8 | {} | {} |", [efficiency("q8", 2), efficiency("q8", 4)]),
        ("| weak scaling, q = 1 | {} | {} |", [efficiency("q1_weak", 2), efficiency("q1_weak", 4)]),
        ("takes {} H200-hours with local time steps and a mirror symmetry, against {} A100-hours", [Q1 / 3600, 4 * PUBLISHED["q = 1"]["hours"]]),
        ("The q = 4 run takes {} H200-hours against {} A100-hours", [2 * Q4 / 3600, 4 * PUBLISHED["q = 4"]["hours"]]),
        ("Published step counts are 183,000 and 506,000, those here {} and {}", [748 * 4 * 64, 602 * 4 * 256]),
        ("it spends {}.\nRegrids", [1 - MEASURED["share", "q = 4, 602 M, local, two GPUs"]]),
        ("On two GPUs q = 1 is {} times faster than on one, an efficiency of {}",
         [MEASURED["wall", "q = 1 to 20 M, local, beside the run on two GPUs"] / MEASURED["wall", "q = 1 to 20 M, local, two GPUs"],
          MEASURED["wall", "q = 1 to 20 M, local, beside the run on two GPUs"] / MEASURED["wall", "q = 1 to 20 M, local, two GPUs"] / 2]),
        ("take {} times the memory a point of a global step for q = 1, {} times for q = 4",
         [MEASURED["memory", f"q = {q}, local, two GPUs: a point"] / MEASURED["memory", f"q = {q}, global, two GPUs: a point"] for q in (1, 4)]),
        ("of R1 takes {} ms to a residual of 1e-10 with 10.6 million points, on one H100, after a setup of {} s",
         [1e3 * ELLIPTIC[1.06e7, 1e-10][0], float(ELLIPTIC[1.06e7, 1e-10][1])]),
        ("1.7 million points take {} ms after {} s, 100 million {} s after {} s",
         [1e3 * ELLIPTIC[1.70e6, 1e-10][0], ELLIPTIC[1.70e6, 1e-10][1], ELLIPTIC[9.99e7, 1e-10][0], ELLIPTIC[9.99e7, 1e-10][1]]),
        ("The stage kernel reaches {} of its roof and takes {} of a step",
         [SERIES["stage_kernel"][0][2] / (SERIES["stage_kernel"][0][1] * load("benchmarks/series.json")["stage_kernel"]["roofs"]["triad_gb_per_s"]),
          float(SERIES["stage_kernel"][0][3].strip("%")) / 100]),
    ],
    "RESULTS.md": [
        ("differ in (2,2) phase at the peak by {} rad, unaligned. Two runs of ten orbits, with larger refinement radii than planned, differ by {} rad",
         [summary(D10, "phase difference of (2,2), rad"), summary("q = 1, ten orbits", "phase difference of (2,2), rad")]),
        ("The remnant mass of the six orbits differs by {} M", [shown("mass", FINEST) - summary(D10, "M_f", 1)]),
        ("The run takes {} minutes on one H200, by local time steps and a mirror symmetry. Published were {} hours", [Q1 / 60, PUBLISHED["q = 1"]["hours"]]),
        ("The run to {} M takes {} minutes on two H200s, by local time steps and a mirror symmetry. Published were {} A100-hours",
         [SHELF.numbers("q4")["run"]["t"], Q4 / 60, 4 * PUBLISHED["q = 4"]["hours"]]),
    ],
    "docs/numerics.md": [
        ("After {} steps with two regrids they differ by less than {} of",
         [int(re.search(r"\bSTEPS = (\d+)", (ROOT / "tests/backend/test_agreement.c").read_text())[1]),
          float(re.search(r"define TOLERANCE (\S+)", (ROOT / "tests/backend/test_agreement.c").read_text())[1])]),
    ],
    "docs/machines.md": [
        ("1 million points reach {} of the throughput of 10 million",
         [next(r[2] for r in SERIES["throughput"] if r[0] == 1e6) / next(r[2] for r in SERIES["throughput"] if r[0] == 1e7)]),
        ("| {} on two, {} on eight |", [MEASURED["memory", "q = 1, global, two GPUs: a point"], MEASURED["scaling", "strong, 8 GPUs: device memory a point"]]),
    ],
    "docs/guide/four_gpus.md": [
        ("| wall time | {} min, {} steps |", [Q1 / 60, SC22["run"]["steps"]]),
        ("| remnant | {} M, a/m = {} |", [shown("mass", SC22), shown("chi", SC22)]),
        ("| common horizon | from t = {} M on |", [shown("common", SC22)]),
        ("| peak of r h22 / M | {} |", [shown("h", SC22)]),
        ("| share of the steps in the wall time | {};", [MEASURED["share", "q = 1, 748 M, local"]]),
    ],
    "docs/guide/first_merger.md": [("QC-0, in {} minutes", [WALL["QC-0, 110 M, local time steps, CPU"] / 60])],
    "docs/guide/cost.md": [("| one H200 | {} |", [MEASURED["one_gpu", "RK4 stages, grid of `par/bbh_q1.yaml`, 11 levels, 10 steps"]])],
    "docs/studies/elliptic.md": [
        ("Hyperbolic relaxation takes {} to {} times as long as multigrid", [
            choice(float(row.rstrip("| ").rpartition("|")[2]) for row in re.findall(r"^\| (?:CPU|H200) .*$", re.search(
                r"## Hyperbolic.*?(?=\n!)", (ROOT / "docs/studies/elliptic.md").read_text(), re.S)[0], re.M)) for choice in (min, max)]),
    ],
}


def agrees(text, value):
    """Whether a value rounds to a text."""
    percent, text = text.endswith("%"), text.rstrip("%").replace(",", "")
    digits, _, power = text.partition("e")
    unit = 10.0 ** (int(power or 0) - len(digits.partition(".")[2]))
    return abs(float(text) - (100 if percent else 1) * value) <= 0.5000001 * unit


class Claims(unittest.TestCase):
    def test_claims_are_the_records(self):
        for page, claims in CLAIMS.items():
            text = " ".join((ROOT / page).read_text().split())
            for claim, values in claims:
                with self.subTest(page, claim=claim):
                    pattern = re.escape(" ".join(claim.split())).replace(r"\{\}", r"([-+]?\d[\d,.]*(?:e[-+]?\d+)?%?)(?<![,.])")
                    found = re.findall(pattern, text)
                    self.assertEqual(len(found), 1, "the page does not say so once")
                    numbers = [found[0]] if isinstance(found[0], str) else found[0]
                    self.assertEqual(len(numbers), len(values))
                    for number, value in zip(numbers, values):
                        self.assertTrue(agrees(number, value), f"{number} for {value:.6g}")

    def test_digits(self):
        self.assertTrue(agrees("6.7", 6.69) and agrees("1.37e9", 1.3691e9) and agrees("87%", 0.866) and agrees("191,488", 191488))
        self.assertFalse(agrees("6.7", 6.76) or agrees("900", 895) or agrees("62", 61.4) or agrees("-0.1%", -0.002))

    def test_tests_that_pages_name_exist(self):
        known = "\n".join(f.read_text() for pattern in ("CMakeLists.txt", "support/*.h") for f in (ROOT / "tests").rglob(pattern))
        files = {f.stem for f in (ROOT / "tests").rglob("test_*")}
        for page in [ROOT / "CONTRIBUTING.md", ROOT / "ARCHITECTURE.md", *(ROOT / "docs").rglob("*.md")]:
            for name in re.findall(r"\b(test_\w+?)(?:_py)?(?![\w])", page.read_text()):
                self.assertTrue({name, name.replace("test_waves_", "test_")} & files or re.search(rf"\b{name}\b", known),
                                f"{page.name}: {name}")

    @unittest.skipUnless(TENDEX, "no program")
    def test_what_the_program_says(self):
        with tempfile.TemporaryDirectory() as folder:
            planned = re.search(r"# plan it: (\S+) hours on 2 cores\n *build/release/tendex (new .*) -o", (ROOT / "README.md").read_text())
            said = self.said(*planned[2].replace('"2 cores, 2 days"', "BUDGET").split(), "-o", f"{folder}/q2.yaml")
            self.assertIn(f"about {planned[1]} h and", said)
        page = (ROOT / "docs/studies/two_cores.md").read_text()
        rows = re.findall(r"^\| .* \| `tendex (check par/head_on\.yaml.*)` \| (\d+) bytes a point \|$", page, re.M)
        self.assertEqual(len(rows), 2)
        for words, size in rows:
            self.assertIn(f", {size} bytes per point, without", self.said(*words.split(), "--speed", "1e6"))

    def said(self, *words):
        words = ["2 cores, 2 days" if word == "BUDGET" else word for word in words]
        p = subprocess.run([TENDEX, *words], capture_output=True, text=True, cwd=ROOT, env={**os.environ, "OMP_NUM_THREADS": "2"})
        self.assertEqual(p.returncode, 0, p.stderr)
        return p.stdout


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
