"""The error budget of a run from the runs of its series: `converge' with two and three runs, what is refused, exports and pages."""

import contextlib
import io
import json
import shutil
import sys
import tempfile
import unittest
from pathlib import Path

import h5py
import numpy as np

sys.path[:0] = [str(Path(__file__).resolve().parents[2] / "tools"), str(Path(__file__).resolve().parent)]
import quick_plots  # noqa: E402, F401
import synthetic  # noqa: E402
from tendex.base.parameter_file import changed  # noqa: E402
from tendex.waves.commands import cli, show  # noqa: E402
from tendex.waves.reading import live  # noqa: E402

# What the finest run is off by, relative in amplitude, in time, M_f and a_f (synthetic.write_series).
AMPLITUDE, TIME, MASS, SPIN = 0.004, 0.5, 1e-4, 1e-3


def setUpModule():
    global scratch, folders
    scratch = tempfile.TemporaryDirectory(prefix="tendex-budget-")
    unittest.addModuleCleanup(scratch.cleanup)
    folders = synthetic.write_series(scratch.name, more={(3, 3): 0.03})


def command(*words):
    """(exit code, standard output, standard error) of tendex-waves."""
    with contextlib.redirect_stdout(io.StringIO()) as said, contextlib.redirect_stderr(io.StringIO()) as failed:
        code = cli.main([str(w) for w in words])
    return code, said.getvalue(), failed.getvalue()


def altered(name, base, **values):
    """A copy of a run folder with other parameters, section__key=value; None leaves one out."""
    path = Path(scratch.name) / name
    if not path.exists():
        shutil.copytree(base, path)
    text = (path / "run.yaml").read_text()
    for key, value in values.items():
        text = changed(text, {key.replace("__", "."): str(value)})
    (path / "run.yaml").write_text(text)
    return path


class Converge(unittest.TestCase):
    def budget(self, *runs):
        file, picture = Path(scratch.name) / "budget.json", Path(scratch.name) / "budget.png"
        code, shown, errors = command("converge", *runs, "--json", file, "-o", picture)
        self.assertEqual(code, 0, errors)
        self.assertEqual(picture.read_bytes()[:4], b"\x89PNG")
        return json.loads(file.read_text()), shown

    def holds(self, found):
        """Bounds contain what the finest run is off by."""
        numbers, mode = found["budget"]["numbers"], found["budget"]["modes"]["2,2"]
        for name, off in (("M_f", MASS), ("a_f/M_f", SPIN), ("peak of |h_22|, u/M", TIME), ("peak |r h_22|/M", AMPLITUDE * 0.4)):
            self.assertGreaterEqual(numbers[name]["total"], off, name)
            self.assertLess(numbers[name]["total"], 8 * off, name)
        # The phase at the merger: a delay of 0.5 at 0.17 to 0.22 a unit of time.
        total = mode["unaligned"]["phase"]["at_merger"]["total"]
        self.assertTrue(0.02 < total < 0.4, total)
        over = mode["unaligned"]["phase"]["over_time"]
        self.assertTrue(np.all(np.diff(over["numerical"]) >= 0))
        np.testing.assert_allclose(over["total"], np.sum([over[part] for part in ("numerical", "extraction", "integration")], axis=0), rtol=1e-9)
        self.assertLessEqual(len(over["total"]), 1000)
        self.assertGreaterEqual(mode["unaligned"]["amplitude"]["before_merger"]["numerical"], AMPLITUDE)
        self.assertLess(mode["aligned"]["phase"]["before_merger"]["numerical"], 0.01)

    def test_three(self):
        found, shown = self.budget(*folders)
        self.holds(found)
        numbers = found["budget"]["numbers"]
        self.assertTrue(numbers["M_f"]["clean"])
        self.assertAlmostEqual(numbers["M_f"]["numerical"], 1.25 * MASS, places=9)
        self.assertAlmostEqual(numbers["M_f"]["limit"], 0.95, places=9)
        self.assertIn("E radiated", numbers)
        self.assertIn("kick, km/s", numbers)
        snr = found["budget"]["snr"]
        self.assertEqual((snr["parameters"], snr["binary"]), (4, "planar"))
        self.assertEqual(set(snr["detectors"]), {"aplus", "et-d", "ce", "lisa"})
        for rows in snr["detectors"].values():
            for row in rows:
                self.assertAlmostEqual(row["snr"], (2 * row["mismatch"]) ** -0.5)
                self.assertAlmostEqual(row["snr_4_parameters"], 2 * row["snr"])
        self.assertIn("Error budget of HIGH: bounds of 95%, parts added up", shown)
        self.assertRegex(shown, r"\n  ce +50\*: \d+ \(\d+\)")
        self.assertIn("ce: Cosmic Explorer 40 km, CE-T2000017 (arXiv:2201.10668)", shown)

    def test_two(self):
        found, shown = self.budget(*folders[1:])
        self.holds(found)
        self.assertNotIn("same_time", found)
        self.assertNotIn("Unaligned  ", shown)
        mass = found["budget"]["numbers"]["M_f"]
        self.assertEqual((mass["clean"], mass["order"], mass["order_taken"], mass["why"]), (False, None, 2, "with two runs no order can be measured"))
        low, high = mass["values"]
        self.assertAlmostEqual(mass["numerical"], 1.25 * (low - high) / ((6 / 5) ** 2 - 1), places=9)
        self.assertRegex(shown, r"(?m)^low  \S+run5, .*\nhigh \S+run6, ")
        self.assertRegex(shown, r"\nM_f +0\.\d+ +0\.\d+ +\(2\) ")

    def test_chosen_modes(self):
        found, shown = self.budget(*folders[1:], "--modes", "3,3")
        self.assertEqual(list(found["budget"]["modes"]), ["3,3"])
        # A delay of 0.5 at 1.5 times the frequency of (2,2), times 2.5 for the order 2 that is taken.
        phase = found["budget"]["modes"]["3,3"]["unaligned"]["phase"]["at_merger"]["numerical"]
        self.assertTrue(0.06 < phase < 0.3, phase)
        self.assertGreaterEqual(found["budget"]["numbers"]["peak of |h_22|, u/M"]["numerical"], TIME)
        self.assertNotIn("(2,2) phase", shown)

    def test_boundaries_that_differ(self):
        wide = [altered(f"wide{k}", folder, grid__bh_radius=radius) for k, (folder, radius) in enumerate(zip(folders, (1.2, 1.2, 1.6)))]
        found, shown = self.budget(*wide)
        self.assertIn("note: refinement boundaries differ: grid.bh_radius is 1.2 and 1.2 and 1.6; the error at them does not converge", shown)
        self.assertFalse(found["budget"]["numbers"]["M_f"]["clean"])
        self.assertEqual(found["budget"]["numbers"]["M_f"]["why"], "refinement boundaries differ")

    def test_points_of_octants(self):
        """grid.octant_points in place of grid.trees; where the parameter is not there the summary has them."""
        many = altered("many", folders[0], grid__trees=4)
        text = (many / "run.yaml").read_text().replace("  trees: 4\n", "  trees: 4\n  octant_points: 12\n")
        (many / "run.yaml").write_text(text)
        found, shown = self.budget(folders[0], many)
        self.assertEqual(found["spacings"], [512 / (4 * 8 * 2**11), 512 / (4 * 12 * 2**11)])
        self.assertEqual(found["notes"], [])

    def test_waves_without_a_phase(self):
        """As of a head-on collision along z, (2,2) is noise: numbers alone have errors."""
        runs = synthetic.write_series(Path(scratch.name) / "faint", (5, 6), more={(2, 2): 1e-5, (3, 2): 0.5})
        file, picture = Path(scratch.name) / "faint.json", Path(scratch.name) / "faint.png"
        code, shown, errors = command("converge", *runs, "--json", file)
        self.assertEqual(code, 0, errors)
        self.assertIn("note: (2,2) is noise", shown)
        found = json.loads(file.read_text())
        self.assertEqual((found["budget"]["modes"], found["budget"]["snr"]["detectors"]), ({}, {}))
        self.assertGreaterEqual(found["budget"]["numbers"]["M_f"]["total"], MASS)
        self.assertNotIn("peak |r h_22|/M", found["budget"]["numbers"])
        code, _, errors = command("converge", *runs, "-o", picture)
        self.assertEqual((code, picture.exists()), (1, False))
        self.assertIn("faint.png: nothing to draw: (2,2) is noise", errors)
        code, _, errors = command("export", runs[1], "--series", runs[0], "--format", "sxs", "-o", Path(scratch.name) / "faint_out")
        self.assertEqual(code, 0, errors)
        about = json.loads((Path(scratch.name) / "faint_out" / "metadata.json").read_text())["error_budget"]
        self.assertNotIn("phase_22_at_peak", about)
        self.assertIn("remnant_mass", about)
        _, missing = show.make(live.Live(runs[1]), None, [runs[0]])
        self.assertIn("--series: (2,2) is noise", missing[-1])

    def refused(self, *runs):
        code, _, errors = command("converge", *runs)
        self.assertEqual(code, 1)
        return errors

    def test_what_is_refused(self):
        self.assertIn("1 runs: give two or three of one series", self.refused(folders[0]))
        self.assertIn("4 runs: give two or three of one series", self.refused(*folders, folders[0]))
        self.assertRegex(self.refused(folders[0], folders[0]), "of LOW, HIGH: each must be smaller .* runs of the same spacing tell no error")
        self.assertIn("coarsest to the finest", self.refused(folders[1], folders[0]))
        other = altered("other", folders[0], initial_data__bh1_mass=0.51)
        self.assertRegex(self.refused(other, folders[1]), r"not one series: initial_data.bh1_mass is 0.51 and 0.5; only the resolution may differ")

    def test_a_run_that_is_too_short(self):
        short = Path(scratch.name) / "short"
        chirp = synthetic.Chirp(amplitudes={(2, 2): 0.6}, slow=0.08)
        synthetic.write_run(short, chirp, radii=(50.0, 75.0, 100.0), dt=0.5, l_max=3, t_end=150.0)
        (short / "run.yaml").write_text((folders[0] / "run.yaml").read_text())
        summary = json.loads((short / "summary.json").read_text())
        (short / "summary.json").write_text(json.dumps({**summary, "octant_points": 8}))
        self.assertRegex(self.refused(short, folders[1]), "short.*(no peak of the wave|ends at u)")


class Files(unittest.TestCase):
    def test_exports(self):
        out = Path(scratch.name) / "out"
        code, shown, errors = command("export", folders[2], "--series", *folders[:2], "--format", "sxs", "lvcnr", "rit", "-o", out)
        self.assertEqual(code, 0, errors)
        about = json.loads((out / "sxs" / "metadata.json").read_text())["error_budget"]
        self.assertEqual((about["confidence"], about["runs"]), (0.95, ["run4", "run5", "run6"]))
        self.assertAlmostEqual(about["remnant_mass"], 1.25 * MASS, places=8)
        self.assertGreaterEqual(about["peak_time_22"], TIME)
        self.assertGreater(about["indistinguishable_to_snr_ce"], 10)
        with h5py.File(out / "sxs" / "run6_errors.h5") as h:
            group = h["unaligned/l2_m2"]
            parts = sum(group[f"phase_{part}"][:] for part in ("numerical", "extraction", "integration"))
            np.testing.assert_allclose(group["phase"][:], parts, rtol=1e-12)
            self.assertTrue(group["phase"].attrs["clean"])
            self.assertAlmostEqual(group["phase"].attrs["order"], 4, delta=0.5)
            self.assertAlmostEqual(h["numbers/remnant_mass"].attrs["total"], about["remnant_mass"], places=12)
            self.assertEqual(h["snr/aplus"].shape, (4, 3))
            self.assertIn("aligned/l2_m2/amplitude", h)
            first = group["t"][0]
        with h5py.File(out / "lvcnr" / "run6_errors.h5") as h:
            # t = 0 at the peak, as the waves beside it.
            self.assertAlmostEqual(first - h["unaligned/l2_m2/t"][0], h.attrs["zero"], places=9)
            self.assertTrue(170 < h.attrs["zero"] < 210)
        with h5py.File(out / "lvcnr" / "run6.h5") as h:
            self.assertEqual(h.attrs["files-in-error-series"], "run4.h5, run5.h5")
            self.assertAlmostEqual(h["auxiliary-info"].attrs["error-remnant-mass"], about["remnant_mass"], places=12)
        text = next((out / "rit").glob("*_Metadata.txt")).read_text()
        self.assertRegex(text, r"\nerror-phase-22-at-peak += 0\.\d+\n")
        self.assertTrue((out / "rit" / "run6_errors.h5").exists())
        self.assertIn("run6_errors.h5", shown)

    def test_too_many_runs(self):
        with self.assertRaises(SystemExit):
            command("export", folders[2], "--format", "sxs", "--series", *folders)
        code, _, errors = command("export", folders[1], "--series", folders[2], "--format", "sxs", "-o", Path(scratch.name) / "no")
        self.assertEqual(code, 1)
        self.assertIn("coarsest to the finest", errors)


class Page(unittest.TestCase):
    def page(self, *coarser, mode=None):
        return show.make(live.Live(folders[2]), mode, coarser)

    def test_panels(self):
        page, missing = self.page(folders[1])
        self.assertEqual(missing, [])
        titles = [title for row in page.panels()[0] for title, *_ in row]
        self.assertIn("Error of the strain's phase, l = 2, m = 2: bounds of 95%", titles)
        figure = page.draw()
        drawn = next(ax for ax in figure.axes if ax.get_title(loc="left").startswith("Error of the strain's phase"))
        total = drawn.get_legend().get_lines()[-1]
        self.assertEqual([text.get_text() for text in drawn.get_legend().get_texts()], ["numerical", "extraction", "integration", "total"])
        self.assertGreater(total.get_linewidth(), 1.2)
        without, _ = self.page()
        self.assertNotIn("Error of the strain's phase, l = 2, m = 2: bounds of 95%", [title for row in without.panels()[0] for title, *_ in row])

    def test_for_a_browser(self):
        from tendex.waves.pictures import html_panels
        page, _ = self.page(folders[1])
        panels = {panel["title"]: panel for panel in html_panels.of_waves(page.waves)}
        self.assertEqual([one["name"] for one in panels["Error of the strain's amplitude, l = 2, m = 2: bounds of 95%"]["traces"]],
                         ["numerical", "extraction", "integration", "total"])

    def test_what_is_missing(self):
        other = altered("unlike", folders[0], initial_data__bh1_mass=0.52)
        page, missing = self.page(other)
        self.assertIsNone(page.waves.budget)
        self.assertIn("not one series: initial_data.bh1_mass is 0.52 and 0.5", missing[0])
        _, missing = self.page(folders[1], mode=(2, 0))
        self.assertIn("--series: mode 2,0 has no phase", missing[-1])


if __name__ == "__main__":
    unittest.main()
