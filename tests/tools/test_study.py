"""docs/studies/elliptic.md: numbers come from what bench programs printed, and from nowhere else."""

import contextlib
import io
import json
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "dev"), str(ROOT / "tests" / "bench")]
import amg  # noqa: E402
import study  # noqa: E402
from tendex_dev import pages, pictures  # noqa: E402


def elliptic(method, cycles, **more):
    return {"bench": "elliptic", "backend": "cpu", "grid": "punctures", "method": method, "order": 6, "tolerance": 1e-10,
            "points": 1000, "levels": 6, "cycles": cycles, "seconds": 4.0, "processor_s": 2.0, "evaluations": 10.0 * cycles,
            "reached": [[1e-2, 1, 10, 2], [1e-10, cycles, 10.0 * cycles, 4]], **more}


def table(name, lines=""):
    return f"<!-- table {name} -->\n{lines}<!-- end of table -->\n"


def operator(rows, slow, **more):
    return {"bench": "operator", "backend": "cuda", "side": 64, "order": 6, "points": 1000, "seconds": 1e-3, "bytes": 40000.0,
            "matrix": "cuSPARSE", "rows": rows, "matrix_seconds": slow, "matrix_bytes": 240000.0, "difference": 3e-16, **more}


class Study(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)
        for name, path in (("SHELF", self.folder), ("PAGE", self.folder / "page.md")):
            self.addCleanup(setattr, study, name, getattr(study, name))
            setattr(study, name, path)
        study.PAGE.write_text(f"before\n{table('levels')}{table('box')}after\n")

    def said(self, *words, status=0):
        err = io.StringIO()
        with contextlib.redirect_stderr(err):
            self.assertEqual(study.main(list(words)), status)
        return err.getvalue()

    def take(self, machine, *runs):
        (self.folder / "runs").write_text("".join(json.dumps(run) + "\n" for run in runs))
        self.said("take", machine, str(self.folder / "runs"))

    def test_a_run_takes_the_place_of_the_same_before(self):
        self.take("CPU", elliptic("multigrid", 9), elliptic("fgmres", 7))
        self.take("CPU", elliptic("multigrid", 10))
        self.take("H100", elliptic("multigrid", 11, backend="cuda"))
        self.said("write")
        self.said("write", "--check")
        lines = study.PAGE.read_text().splitlines()
        self.assertEqual([lines[0], lines[-1]], ["before", "after"])
        self.assertEqual(lines[5:7], ["| CPU | 0 to 5 | 1,000 | 10, 2 s | 7, 2 s |", "| H100 | 0 to 5 | 1,000 | 11, 4 s |  |"])
        study.PAGE.write_text(study.PAGE.read_text().replace("10, 2 s", "9, 2 s"))
        self.assertIn("run dev/study.py write", self.said("write", "--check", status=1))

    def test_box(self):
        amg = {"bench": "amg", "side": 10, "points": 1000, "order": 6, "method": "ruge_stuben", "tolerance": 1e-10, "iterations": 12,
               "setup_s": 0.25, "seconds": 0.5}
        self.take("CPU", elliptic("cg", 6, grid="box"), amg, elliptic("cg", 5, grid="box", order=2))
        self.assertEqual(study.box_table(study.kept())[2:], ["| CPU | 10³ |  |  | 6, 2 s | 12, 0.25 + 0.5 s |  |"])

    def test_without_runs(self):
        self.said("write")
        empty = "\nNot measured yet.\n\n"
        self.assertEqual(study.PAGE.read_text(), f"before\n{table('levels', empty)}{table('box', empty)}after\n")
        study.PAGE.write_text(table("nothing"))
        self.assertIn("page.md: no table 'nothing' is known", self.said("write", status=1))

    def test_operator_with_the_faster_rows(self):
        self.take("H100", operator("octants", 4e-3), operator("lines", 3e-3))
        row, = study.operator_table(study.kept())[2:]
        self.assertEqual(row, "| H100 | 6 | 64³ | 1 | 3 | cuSPARSE | lines | 3 | 40 | 240 | 6 | 3e-16 |")

    def test_relaxation_beside_multigrid(self):
        """As it went to the tolerance; the process's seconds are shared out, those of a GPU's clock are what it said."""
        fell = [[1e-4, 400, 4000.0, 90], [1e-8, 900, 9000.0, 150], [1e-10, 1500, 15000.0, 240]]
        quick = [[1e-4, 4, 40.0, 0.1], [1e-8, 8, 80.0, 0.2], [1e-10, 9, 90.0, 0.25]]
        runs = (elliptic("relaxation", 1500, processor_s=200.0, reached=fell), elliptic("multigrid", 9, reached=quick),
                elliptic("multigrid", 5, tolerance=1e-6), elliptic("relaxation", 700, points=999))
        self.take("CPU", *runs)
        self.take("GPU", *({**run, "backend": "cuda"} for run in runs[:2]))
        rows = study.relaxation_table(study.kept())[2:]
        self.assertEqual(rows, ["| CPU | 0 to 5 | 1,000 | 1e-08 | 900 | 9,000 | 120 | 8 | 80 | 1.78 | 68 |",
                                "| CPU | 0 to 5 | 1,000 | 1e-10 | 1,500 | 15,000 | 200 | 9 | 90 | 2 | 100 |",
                                "| GPU | 0 to 5 | 1,000 | 1e-08 | 900 | 9,000 | 150 | 8 | 80 | 0.2 | 750 |",
                                "| GPU | 0 to 5 | 1,000 | 1e-10 | 1,500 | 15,000 | 240 | 9 | 90 | 0.25 | 960 |"])

    def test_variants_beside_double_precision(self):
        """They enter no other table; runs of before, which do not say what they are, are of double precision."""
        quick = {"precision": "mixed", "fused": True, "bytes_a_point": 130.0}
        self.take("GPU", elliptic("multigrid", 9, backend="cuda", bytes_a_point=100.0), elliptic("fgmres", 7, backend="cuda"),
                  elliptic("multigrid", 10, backend="cuda", seconds=2.5, **quick),
                  elliptic("multigrid", 9, backend="cuda", seconds=5.0, **{**quick, "precision": "double", "fused": False}))
        self.assertEqual(study.precision_table(study.kept())[2:], [
            "| GPU | 1,000 | 6 | FAS | double | yes | 9 | 4 |  | 100 |",
            "| GPU | 1,000 | 6 | FAS | double | no | 9 | 5 | 0.8 | 130 |",
            "| GPU | 1,000 | 6 | FAS | mixed | yes | 10 | 2.5 | 1.6 | 130 |"])
        self.said("write")
        self.assertIn("| GPU | 0 to 5 | 1,000 | 9, 4 s | 7, 4 s |", study.PAGE.read_text())
        self.take("GPU", elliptic("multigrid", 8, backend="cuda", precision="double", fused=True))
        self.assertEqual([run["cycles"] for run in study.kept()], [8, 7, 10, 9])

    def test_what_no_bench_printed(self):
        (self.folder / "runs").write_text("{}\n")
        self.assertIn("runs, line 1: no line of bench_elliptic", self.said("take", "CPU", str(self.folder / "runs"), status=1))
        old = elliptic("cg", 6)
        del old["reached"]
        (self.folder / "runs").write_text(json.dumps(old) + "\n")
        self.assertIn("has no reached", self.said("take", "CPU", str(self.folder / "runs"), status=1))
        self.assertIn("No such file", self.said("take", "CPU", str(self.folder / "none"), status=1))
        self.assertEqual(study.kept(), [])

    def test_figures(self):
        self.take("CPU", elliptic("relaxation", 1500), elliptic("multigrid", 9), elliptic("cg", 6, grid="box"),
                  elliptic("cg", 6, grid="box", points=8000))
        self.said("draw")
        for name in ("iterations", "relaxation"):
            self.assertEqual(pictures.source(self.folder / f"elliptic_{name}.webp"), study.KEPT)


class Algebraic(unittest.TestCase):
    """What PyAMG is given, and the loop around it."""

    def test_matrix(self):
        """A plane wave is an eigenvector; its eigenvalue is that of the Laplacian to the order of the differences."""
        x = -1 + 2 / 16 * np.arange(16)
        u = np.sin(np.pi * (x[:, None, None] + 2 * x[None, :, None] + 0 * x)).ravel()
        for order, off in ((2, 0.05), (6, 4e-4)):
            ratio = (amg.matrix(16, order) @ u)[u > 0.1] / u[u > 0.1] / (5 * np.pi**2)
            self.assertLess(np.ptp(ratio), 1e-12)
            self.assertTrue(off / 10 < abs(ratio[0] - 1) < off, ratio[0])

    def test_conjugate_gradients(self):
        """The operator has constants in its kernel, and the preconditioner here makes them."""
        a, f = amg.matrix(8, 6), amg.right_hand_side(8)

        class Shifted:
            def __matmul__(self, r):
                return r + 1.0
        u, iterations = amg.conjugate_gradients(a, f, Shifted(), 1e-8)
        self.assertLess(np.linalg.norm(f - a @ u), 2e-8 * np.linalg.norm(f))
        self.assertTrue(5 < iterations < 60, iterations)

    def test_without_pyamg(self):
        err = io.StringIO()
        with mock.patch.dict(sys.modules, {"pyamg": None}), mock.patch.object(sys, "argv", ["amg.py", "8"]), \
                contextlib.redirect_stderr(err):
            self.assertEqual(amg.main(), 1)
        self.assertIn("run `pip install pyamg`", err.getvalue())


class Page(unittest.TestCase):
    def test_is_up_to_date(self):
        self.assertEqual(study.PAGE.read_text(), study.page(), "run dev/study.py write")

    def test_every_table_is_shown_once(self):
        self.assertEqual(sorted(pages.asked(study.PAGE.read_text())), sorted(study.TABLES))


if __name__ == "__main__":
    unittest.main()
