"""Problems that grow with the ranks, for weak scaling: as many points and as much work a rank on any number."""

import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "dev"))
from tendex_dev.bench_runs import RunError  # noqa: E402
from tendex_dev.family import BALL, HOLES, Family, closest, grid_of  # noqa: E402


class Program:
    """Answers as `tendex check': a coarse level that grows with the ball, and a fine one that grows with the holes' radius, with
    eight times the steps."""

    defaults = {key: "0" for key in (*HOLES, BALL)}

    def __init__(self):
        self.asked = []

    @staticmethod
    def settings(words):
        return dict(w.split("=") for w in words)

    def ask(self, *words):
        self.asked.append(words)
        given = dict(w.split("=") for w in words if "=" in w)
        fine = round(100 * float(given.get("grid.bh_radius", 2)) ** 3) * 8
        coarse = round(float(given.get("grid.ball_radius", 30)) ** 3 / 10) + 100
        octants = fine + coarse
        return (f"  grid        {octants:,} octants of 8^3 points, {512 * octants:,} points\n"
                f"  macro step  0.25 M, chosen: 8 time steps; all levels are synchronised after each\n"
                f"                  2        0.25  {coarse:,}  {fine // 8:,}        10.0%\n"
                f"                  5     0.03125  {fine:,}  0        90.0%\n")


class FamilyTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.file = Path(scratch.name) / "run.yaml"
        self.file.write_text("grid:\n  bh_radius: 2   # M\n  ball_radius: 30\n")

    def members(self, *sets):
        return Family(Program(), str(self.file), ["run.t_end=6", *sets]).members(1e6, {1, 2, 4, 8})

    def test_points_and_work_a_rank_stay(self):
        found = self.members()
        work = found[1][1].work
        for ranks, (words, grid) in found.items():
            self.assertEqual([w.split("=")[0] for w in words], ["run.t_end", "grid.bh_radius", "grid.ball_radius"])
            self.assertLess(abs(grid.points / ranks / 1e6 - 1), 0.02)
            self.assertLess(abs(grid.work / ranks / work - 1), 0.03)

    def test_a_radius_of_the_command_line_counts(self):
        """A file's radii, or those of --set in their place, start the search and keep their ratio on one rank."""
        words = self.members("grid.ball_radius=0")[8][0]
        self.assertEqual([w.split("=")[0] for w in words], ["run.t_end", "grid.bh_radius"])
        with self.assertRaisesRegex(RunError, "no refined regions to grow"):
            self.members("grid.ball_radius=0", "grid.bh_radius=0")

    def test_the_radius_of_a_single_hole_grows_too(self):
        words = dict(w.split("=") for w in self.members("grid.bh2_radius=3")[8][0])
        self.assertAlmostEqual(float(words["grid.bh2_radius"]) / float(words["grid.bh_radius"]), 1.5, 4)

    def test_work_of_levels(self):
        grid = grid_of(Program().ask())
        self.assertEqual((grid.points, grid.work), (512 * (6400 + 2800), 512 * (2800 + 800 + 8 * 6400)))
        text = "  grid        10 octants of 8^3 points, 5,120 points\n"
        self.assertEqual(grid_of(text).work, 5120)
        with self.assertRaisesRegex(RunError, "nothing of a grid"):
            grid_of("")

    def test_closest_of_steps(self):
        """Grids grow by leaps: the nearest is taken, and the search ends."""
        tried = []

        def measure(factor):
            tried.append(factor)
            return factor, 100 if factor < 1.7 else 300
        factor, _ = closest(measure, 150)
        self.assertLess(factor, 1.7)
        self.assertLessEqual(len(tried), 12)


if __name__ == "__main__":
    unittest.main()
