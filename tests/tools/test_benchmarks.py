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
sys.path.insert(0, str(ROOT / "dev"))
import benchmarks  # noqa: E402
from tendex_dev import benchmark_figures, pictures  # noqa: E402
from tendex_dev.benchmarks import BenchmarkError, Page, bar, named, number, published_beside  # noqa: E402


class Kept(unittest.TestCase):
    def test_page_is_up_to_date(self):
        self.assertEqual(benchmarks.PAGE.read_text(), benchmarks.page(), "run dev/benchmarks.py write")

    def test_figures_show_what_is_kept(self):
        """Each carries the digest of its data, and is small enough for a page."""
        page = Page(benchmarks.KEPT)
        for name in benchmark_figures.FIGURES:
            file = benchmarks.KEPT / f"{name}.webp"
            self.assertEqual(pictures.source(file), benchmark_figures.digest(page, name), f"{name}: run dev/benchmarks.py draw")
            self.assertLess(file.stat().st_size, 60e3, file)
            self.assertIn(f"](docs/benchmarks/{name}.webp)", benchmarks.PAGE.read_text())


class Change(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name) / "kept"
        shutil.copytree(benchmarks.KEPT, self.folder)
        shutil.copy(benchmarks.PAGE, self.folder / "page.md")
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
        self.assertIn("run dev/benchmarks.py write", self.said("write", "--check", status=1))
        self.said("write")
        self.assertIn("| strong, 8 GPUs: efficiency | 50.0% | ≥ 80%: **missed** |", benchmarks.PAGE.read_text())
        page = Page(self.folder)
        self.assertEqual([n for n in digests if benchmark_figures.digest(page, n) != digests[n]], ["scaling"])

    def test_tables_that_are_not_shown_or_not_there(self):
        self.change("series.json", lambda series: series.update(other=series["tune"]))
        self.assertIn("does not show other", self.said("write", status=1))
        with benchmarks.PAGE.open("a") as text:
            text.write("<!-- table series: nothing -->\n<!-- end of table -->\n")
        self.assertIn("no 'nothing'", self.said("write", status=1))
        self.change("measurements.json", lambda rows: rows[0].pop("date"))
        self.assertIn("lacks date", self.said("write", status=1))

    def test_a_command_has_one_number(self):
        text = benchmarks.page()
        commands = re.findall(r"^\d+\. (`.+`)$", text, flags=re.M)
        self.assertEqual(len(commands), len(set(commands)))
        rows = json.loads((self.folder / "measurements.json").read_text())
        self.assertLessEqual({f"`{r['command']}`" for r in rows}, set(commands))
        row = rows[0]
        line = next(line for line in text.splitlines() if line.startswith(f"| {named(row)} |"))
        self.assertIn(f"[{1 + commands.index('`' + row['command'] + '`')}](#commands)", line)

    def run_folders(self, seconds, **changes):
        """Summaries of runs on one, two, ... GPUs that took so many seconds."""
        folders = []
        for ranks, took in enumerate(seconds, 1):
            folders.append(self.folder.with_name(f"run{ranks}"))
            folders[-1].mkdir(exist_ok=True)
            data = {"ranks": ranks, "complete": True, "ended": "run.t_end", "points_most": 5120, "t": 1.5, "time_step": 0.125,
                    "macro_step": 0.25, "regrids": 5, "point_stages": 1e6, "evolution_wall_s": took + 1, "step_share": 0.5,
                    "phases": {"checkpoint": {"mean_s": 1}, "regrid": {"mean_s": 0.3}, "wait": {"mean_s": 0.2}},
                    "field_checksum": "abc", "levels": {"2": 4, "3": 8}, "code_version": "1.0.0-gfeed", "backend": "cuda",
                    "device": f"{ranks} x NVIDIA H200, 140 GiB; driver 1.2 for CUDA 13.0", "machine": "vm",
                    **{key: ranks * value if key == "point_stages" else value for key, value in changes.items()}}
            (folders[-1] / "summary.json").write_text(json.dumps(data))
        return map(str, folders)

    def test_series_of_runs(self):
        """One command takes run folders onto the page and into the figure."""
        names, before = list(Page(self.folder).runs), benchmark_figures.digest(Page(self.folder), "local_scaling")
        words = ["--name", "q8", "--title", "Strong scaling, q = 8", "--command", "mpirun -n RANKS tendex run x.yaml"]
        folders = list(self.run_folders([8, 5]))
        self.said("runs", *folders, *words)
        text = benchmarks.PAGE.read_text()
        self.assertIn("**Strong scaling, q = 8.** 6 macro steps to t = 1.5 M, 5 regrids that changed the grid, 5,120 points. Checksum "
                      "of the last state on all: abc.", text)
        self.assertIn("| 1 | 8 | 5.33 | 4.5 | 0.3 | 0.2 | - | - |\n| 2 | 5 | 3.33 | 3 | 0.3 | 0.2 | 75.0% | 80.0% |", text)
        self.assertIn("| 2 | 1 | 23.8% | 5 | 2 |\n| 3 | 2 | 76.2% | 8 | 4 |", text)
        self.assertIn("1, 2 x H200, ", text)
        after = benchmark_figures.digest(Page(self.folder), "local_scaling")
        self.assertNotEqual(before, after)
        self.assertEqual(pictures.source(self.folder / "local_scaling.webp"), after)
        self.assertEqual(list(Page(self.folder).runs), names, "replaced where it was")
        benchmarks.benchmarks.put_runs(self.folder, "again", "Once more", "x", [benchmarks.read_run(f, "run") for f in folders])
        text = benchmarks.page()
        self.assertEqual(text.count("| 3 | 2 | 76.2% | 8 | 4 |"), 1, "levels are shown once")
        self.assertIn('Levels at the end are those of "Strong scaling, q = 8".', text)

    def test_weak_series_of_runs(self):
        words = ["--weak", "--name", "weak", "--title", "Weak scaling", "--command", "x"]
        folders = list(self.run_folders([8, 10], point_stages=1e6))
        (Path(folders[1]) / "summary.json").write_text(
            (Path(folders[1]) / "summary.json").read_text().replace('"points_most": 5120', '"points_most": 12800'))
        benchmarks.benchmarks.put_runs(self.folder, "weak", "Weak scaling", "x", [benchmarks.read_run(f, "weakrun") for f in folders])
        text = benchmarks.page()
        self.assertIn("| 2 | 6,400 | 1.667e+05 | 10 | 6.67 | 5.5 | 0.3 | 0.2 | 81.8% | 80.0% |", text)
        self.assertIn("on 2 GPUs there are 25% more points a GPU than on 1", text)
        empty = self.folder.with_name("empty")
        empty.mkdir()
        self.assertIn("no --weak runs", self.said("runs", str(empty), *words, status=1))
        self.assertIn("give --command", self.said("runs", str(empty), *words[:-2], status=1))

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
