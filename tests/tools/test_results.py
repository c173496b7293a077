"""RESULTS.md: numbers come from what the analysis wrote, and from nowhere else."""

import json
import shutil
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tools"), str(Path(__file__).resolve().parent)]
import results  # noqa: E402


class Page(unittest.TestCase):
    def test_is_up_to_date(self):
        self.assertEqual((ROOT / "RESULTS.md").read_text(), results.results(),
                         "run tools/results.py write")

    def test_every_run_is_shown(self):
        """No numbers are kept that the page does not show, and every run that it shows is kept."""
        text = (results.KEPT / "text.md").read_text()
        for kept in results.KEPT.glob("*.json"):
            self.assertRegex(text, rf"\{{\{{\w+: .*\b{kept.stem}\b.*\}}\}}")


class Table(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.addCleanup(setattr, results, "KEPT", results.KEPT)
        shutil.copy(results.KEPT / "q1_high.json", scratch.name)
        results.KEPT = Path(scratch.name)

    def change(self, change):
        file = results.KEPT / "q1_high.json"
        data = json.loads(file.read_text())
        change(data["remnant"])
        file.write_text(json.dumps(data))

    def row(self, title):
        return [line for line in results.table("q1", ["q1_high"]) if line.startswith(f"| {title} ")]

    def test_number_and_reference(self):
        self.change(lambda r: r["horizon"]["mass"].update(value=0.9))
        self.assertEqual(self.row("M_f"), ["| M_f | 0.900000 | .951609 |"])

    def test_kick_is_the_size_of_the_vector(self):
        self.change(lambda r: (r["radiated"]["value"].update(kick_km_s=[3.0, 4.0, 0.0]),
                               r["radiated"]["error"].update(kick_km_s=[0.0, 0.0, 0.5])))
        self.assertEqual(self.row("kick, km/s"), ["| kick, km/s | 5 ± 0.5 | 0 |"])

    def test_peak_next_to_the_cutoff_is_none(self):
        self.assertEqual(len(self.row("peak of r h22 / M")), 1)
        self.change(lambda r: r["peak"]["strain"].update(near_cutoff=True))
        self.assertEqual(self.row("peak of r h22 / M"), [])

    def test_odd_modes_of_unequal_holes_are_no_errors(self):
        self.assertEqual(len(self.row("largest odd m of psi4 over (2,2)")), 1)
        self.assertEqual(len(self.row("largest odd m of h over (2,2)")), 1)
        self.change(lambda r: r["odd_m"].update(equal_holes=False))
        self.assertEqual(self.row("largest odd m of h over (2,2)"), [])
        self.assertEqual(self.row("largest odd m of psi4 over (2,2)"), [])


if __name__ == "__main__":
    unittest.main()
