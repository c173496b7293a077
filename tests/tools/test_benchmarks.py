"""BENCHMARKS.md and its figures: numbers come from docs/benchmarks, and from nowhere else."""

import contextlib
import io
import json
import re
import shutil
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import benchmarks  # noqa: E402
from tendex import benchmark_figures  # noqa: E402
from tendex.benchmarks import BenchmarkError, Page, bar, named, number, published_beside  # noqa: E402


class Kept(unittest.TestCase):
    def test_page_is_up_to_date(self):
        self.assertEqual(benchmarks.PAGE.read_text(), Page(benchmarks.KEPT).text(), "run tools/benchmarks.py write")

    def test_figures_show_what_is_kept(self):
        """Each carries the digest of its data, and is small enough for a page."""
        page = Page(benchmarks.KEPT)
        for name in benchmark_figures.FIGURES:
            file = benchmarks.KEPT / f"{name}.png"
            self.assertTrue(benchmark_figures.digest(page, name).encode() in file.read_bytes(), f"{name}: run tools/benchmarks.py draw")
            self.assertLess(file.stat().st_size, 150e3, file)
            self.assertIn(f"](docs/benchmarks/{name}.png)", benchmarks.PAGE.read_text())


class Change(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name) / "kept"
        shutil.copytree(benchmarks.KEPT, self.folder)
        for name, path in (("KEPT", self.folder), ("PAGE", self.folder / "page.md")):
            self.addCleanup(setattr, benchmarks, name, getattr(benchmarks, name))
            setattr(benchmarks, name, path)

    def said(self, *words, status=0):
        err = io.StringIO()
        with contextlib.redirect_stderr(err):
            self.assertEqual(benchmarks.main(list(words)), status)
        return err.getvalue()

    def change(self, name, change):
        data = json.loads((self.folder / name).read_text())
        change(data)
        (self.folder / name).write_text(json.dumps(data))

    def test_a_number_that_changes_shows(self):
        page = Page(self.folder)
        digests = {name: benchmark_figures.digest(page, name) for name in benchmark_figures.FIGURES}
        self.said("write")
        self.said("write", "--check")
        self.change("measurements.json", lambda rows: rows[[r["name"] for r in rows].index("strong, 8 GPUs: efficiency")].update(value=0.5))
        self.assertIn("run tools/benchmarks.py write", self.said("write", "--check", status=1))
        self.said("write")
        self.assertIn("| strong, 8 GPUs: efficiency | 50.0% | ≥ 80%: **missed** |", benchmarks.PAGE.read_text())
        page = Page(self.folder)
        self.assertEqual([n for n in digests if benchmark_figures.digest(page, n) != digests[n]], ["scaling"])

    def test_tables_that_are_not_shown_or_not_there(self):
        self.change("series.json", lambda series: series.update(other=series["tune"]))
        self.assertIn("does not show other", self.said("write", status=1))
        with (self.folder / "text.md").open("a") as text:
            text.write("{{series: nothing}}\n")
        self.assertIn("no 'nothing'", self.said("write", status=1))
        self.change("measurements.json", lambda rows: rows[0].pop("date"))
        self.assertIn("lacks date", self.said("write", status=1))

    def test_a_command_has_one_number(self):
        text = Page(self.folder).text()
        commands = re.findall(r"^\d+\. (`.+`)$", text, flags=re.M)
        self.assertEqual(len(commands), len(set(commands)))
        rows = json.loads((self.folder / "measurements.json").read_text())
        self.assertLessEqual({f"`{r['command']}`" for r in rows}, set(commands))
        row = rows[0]
        line = next(line for line in text.splitlines() if line.startswith(f"| {named(row)} |"))
        self.assertIn(f"[{1 + commands.index('`' + row['command'] + '`')}](#commands)", line)

    def test_gpu_hours(self):
        rows = json.loads((self.folder / "measurements.json").read_text())
        published = [{"case": "q = 1", "card": "A100", "gpus": 4, "hours": 87}]
        (p, ours), = published_beside(rows, published)
        self.assertEqual([round(o["hours"], 3) for o in ours], [1.635, 0.389])
        with self.assertRaisesRegex(BenchmarkError, "q = 3"):
            published_beside(rows, [{**published[0], "case": "q = 3"}])


class Numbers(unittest.TestCase):
    def test_number_and_bar(self):
        self.assertEqual([number(1.31e9, "point-stages/s"), number(0.929, "%"), number(42.76, "s"), number(1e9, trim=True),
                          number(1.049e10, trim=True), number(2e-4)],
                         ["1.310e9", "92.9%", "42.76", "1e9", "1.049e10", "2.000e-4"])
        row = {"value": 2.0, "unit": "s"}
        self.assertEqual([bar(row), bar({**row, "at_least": 2}), bar({**row, "at_most": 1})],
                         ["-", "≥ 2: met", "≤ 1: **missed**"])


if __name__ == "__main__":
    unittest.main()
