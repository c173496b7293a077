"""RESULTS.md: numbers come from what the analysis wrote, and from nowhere else; waves of runs become differences and figures."""

import contextlib
import copy
import io
import json
import math
import shutil
import sys
import tempfile
import unittest
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "dev"), str(Path(__file__).resolve().parent)]
import results  # noqa: E402
import synthetic  # noqa: E402
from tendex_dev.results import figures, kept, page, pairs, records, tables, take  # noqa: E402
from tendex.waves.signal import align  # noqa: E402
from tendex.waves.catalogues import catalogue_model  # noqa: E402
from tendex.waves.commands import remnant  # noqa: E402
from tendex.waves.extraction import standard  # noqa: E402
from tendex.waves.signal.modes import Waves, WaveError  # noqa: E402

SHELF = kept.Shelf(ROOT / "docs" / "results")


class Project(unittest.TestCase):
    def test_is_up_to_date(self):
        self.assertEqual(results.outdated(ROOT), [], "run dev/results.py write")

    def test_every_run_is_shown(self):
        """No numbers are kept that no page shows, and every run that one shows is kept."""
        one, _ = results.made(ROOT)
        shown = one.shown([file.read_text() for file in (ROOT / "docs" / "studies").glob("*.md")])
        self.assertEqual(shown, {file.stem for file in SHELF.folder.glob("*.json")})
        self.assertLessEqual({file.stem for file in SHELF.folder.glob("series/*.json")}, shown)

    def test_sizes(self):
        for pattern, most in (("../**/*.png", 110e3), ("series/*.json", 20e3), ("*.json", 8e3)):
            for file in SHELF.folder.glob(pattern):
                self.assertLess(file.stat().st_size, most, file.name)

    @unittest.skipUnless(SHELF.records.file.exists(), "the whole records are a file apart")
    def test_parts_say_what_whole_records_do(self):
        for name, record in SHELF.records.read().items():
            whole = json.loads(record)
            if "/" in name:
                self.assertEqual(SHELF.series(Path(name).stem).strain.t.size, whole["strain"]["samples"])
            else:
                part = SHELF.numbers(Path(name).stem)
                for key, (_, text) in tables.ROWS.items():
                    self.assertEqual(text(part), text(whole), f"{name}: {key}")


class Table(unittest.TestCase):
    def setUp(self):
        self.run = SHELF.numbers("q1_high")

    def row(self, key):
        return tables.table({"q1_high": self.run}, ["q1_high"], [key], {"mass": ".951609", "kick": "0"})[2:]

    def test_number_and_reference(self):
        self.run["remnant"]["horizon"]["mass"].update(value=0.9)
        self.assertEqual(self.row("mass"), ["| M_f | 0.900000 | .951609 |"])

    def test_kick_is_the_size_of_the_vector(self):
        self.run["remnant"]["radiated"]["value"].update(kick_km_s=[3.0, 4.0, 0.0])
        self.run["remnant"]["radiated"]["error"].update(kick_km_s=[0.0, 0.0, 0.5])
        self.assertEqual(self.row("kick"), ["| kick, km/s | 5 ± 0.5 | 0 |"])

    def test_peak_next_to_the_cutoff_is_none(self):
        self.assertEqual(len(self.row("h")), 1)
        self.run["remnant"]["peak"]["strain"].update(near_cutoff=True)
        self.assertEqual(self.row("h"), [])

    def test_odd_modes_of_unequal_holes_are_no_errors(self):
        self.assertEqual([len(self.row(key)) for key in ("odd", "odd_h")], [1, 1])
        self.run["remnant"]["odd_m"].update(equal_holes=False)
        self.assertEqual([self.row(key) for key in ("odd", "odd_h")], [[], []])

    def test_gpu_hours(self):
        self.run["run"].update(ranks=3, wall_s=1800.0)
        self.assertEqual(self.row("gpu_hours"), ["| GPU-hours | 1.5 |"])
        self.run["run"].update(backend="cpu")
        self.assertEqual(self.row("gpu_hours"), [])


class Curves(unittest.TestCase):
    t = np.arange(0.0, 500.0, 0.25)

    def test_within_the_tolerance(self):
        y = np.exp(-self.t / 300) * np.sin(self.t**1.2 / 40)
        curve = json.loads(json.dumps(kept.pack(self.t, y, 1e-4)))
        self.assertLess(np.abs(kept.unpack(curve, len(y)) - y).max(), 1.5e-4)
        self.assertLess(len(curve["at"]), 300)
        self.assertEqual(curve["tolerance"], 1e-4)

    def test_noise_does_not_fill_files(self):
        noise = 1e-2 * np.random.default_rng(1).standard_normal(len(self.t))
        curve = kept.pack(self.t, self.t + noise, 1e-4)
        self.assertLessEqual(len(curve["at"]), kept.MOST)
        self.assertLess(np.abs(kept.unpack(curve, len(noise)) - self.t - noise).max(), 1.5 * curve["tolerance"])


class Blocks(unittest.TestCase):
    def complains(self, text, of):
        with self.assertRaisesRegex(kept.KeptError, of):
            page.cases_of(text)

    def test_what_is_wrong(self):
        self.complains("{{case a\nname: x\nmas: 1\n}}\n", r"case a: 'mas: 1': known are name, anchor, runs")
        self.complains("{{case a\nrows: mas\n}}\n", "no row 'mas'")
        self.complains("{{case a\nfigure: pie\n}}\n", "figure: waves, spacings, beside")
        self.complains("{{case a\nname: x\n}}\n{{case a\nname: x\n}}\n", "two cases a")


class Records(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.one = records.Records(Path(scratch.name))
        self.one.add({"b.json": b"{}", "series/a.json": b"[1]"})

    def test_they_come_back(self):
        self.one.add({"b.json": b"{1}"})
        self.assertEqual(self.one.read(), {"b.json": b"{1}", "series/a.json": b"[1]"})
        self.assertEqual(self.one.file.read_bytes(), records.packed({"series/a.json": b"[1]", "b.json": b"{1}"}))
        self.assertRegex(self.one.list.read_text(), r"^[0-9a-f]{64}  b\.json\n[0-9a-f]{64}  series/a\.json\n$")

    def complains(self, of, action):
        with self.assertRaisesRegex(kept.KeptError, of):
            action()

    def test_what_is_wrong(self):
        self.one.file.write_bytes(records.packed({"b.json": b"{2}", "series/a.json": b"[1]"}))
        self.complains(r"records\.tar\.xz: b\.json: not as records\.sha256 says", self.one.read)
        self.one.file.write_bytes(records.packed({"b.json": b"{}"}))
        self.complains("a record that lacks: not as", self.one.read)
        self.one.file.write_bytes(self.one.file.read_bytes()[:60])
        self.complains(r"records\.tar\.xz: damaged", self.one.read)
        self.one.file.unlink()
        self.assertIsNone(self.one.read())
        self.complains("not there; take it from a clone, or from the release", lambda: self.one.add({"c.json": b"{}"}))


SPACINGS, ORDER = (1.0, 0.8, 0.64), 6
CHIRP = synthetic.Chirp(amplitudes={(2, 2): 0.6, (3, 3): 0.05}, slow=0.08)
TEXT = """<!-- how -->
# Head

{{summary}}

{{case synthetic
name: a chirp
runs: low, med, high
mass: .9
}}
{{figure}}

{{table}}
"""


class Whole(unittest.TestCase):
    """Three runs whose orbit is ahead by t / 1000 h^6: from their folders to page and figure."""

    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.root = Path(scratch.name)
        for folder in ("docs/results", "docs/studies"):
            (cls.root / folder).mkdir(parents=True)
        (cls.root / "docs/results/text.md").write_text(TEXT)
        (cls.root / "docs/studies/one.md").write_text("a\n<!-- table synthetic: med; mass -->\nold\n<!-- end of table -->\nb\n")
        cls.rooted = mock.patch.object(results, "ROOT", cls.root)
        cls.rooted.start()
        cls.addClassCleanup(cls.rooted.stop)
        analyse, known = remnant.analyse, []

        def once(folder, waves):
            known.append(known[0] if known else analyse(folder, waves))
            cls.best = waves  # of the last run at the end
            return copy.deepcopy(known[0])
        rings = {"infinity": {"off_percent": [0.1, -0.2]}}
        with mock.patch.object(remnant, "analyse", once), mock.patch.object(remnant, "rings", return_value=rings), \
                mock.patch.object(catalogue_model, "of", cls.model):
            for name, h in zip(("low", "med", "high"), SPACINGS):
                cls.write_run(name, h)
                cls.said("take", f"{name}={cls.root / f'run_{name}'}", "--model", "IMRPhenomTHM" if name == "high" else "none")

    @classmethod
    def said(cls, *words, status=0):
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), \
                mock.patch.object(take.importlib.util, "find_spec", return_value=True):
            code = results.main([str(w) for w in words])
        assert code == status, err.getvalue()
        return out.getvalue() + err.getvalue()

    @classmethod
    def write_run(cls, name, h):
        orbit = replace(CHIRP, slow=CHIRP.slow + 1e-3 * h**ORDER, fast=CHIRP.fast + 1e-3 * h**ORDER)
        path = synthetic.write_run(cls.root / f"run_{name}", orbit, radii=(60.0, 70.0), t_end=360.0, dt=0.5)
        summary = json.loads((path / "summary.json").read_text())
        summary.update(octant_points=8, ranks=2, backend="cuda", device="1 x NVIDIA H200", steps=100, point_stages=1e9, point_stages_per_s=1e7)
        (path / "summary.json").write_text(json.dumps(summary))
        text = (path / "run.yaml").read_text().replace("extent: 512", f"extent: {512 * h:g}")
        (path / "run.yaml").write_text(text)

    @staticmethod
    def model(name, slowest, binary):
        """The chirp, 3% higher, as in LALSimulation at times of its own."""
        t = np.arange(0.0, 330.0, 0.25)
        return Waves("strain", t + 1000, {(l, m): 1.03 * CHIRP.strain(t, l, m) for l, m in synthetic.modes()}, label=name)

    def series(self, name):
        return kept.Shelf(self.root / "docs/results").series(name)

    def whole(self, name):
        return json.loads(kept.Shelf(self.root / "docs/results").records.read()[name])

    def test_waves_are_those_of_the_analysis(self):
        found = kept.waves_of(self.whole("series/high.json")["strain"], "high")
        self.assertEqual(set(found.modes), {(2, 2), (3, 3)})
        shown = self.series("high").strain
        self.assertEqual((set(shown.modes), abs(shown.mode(2, 2) - found.mode(2, 2)).max()), ({(2, 2)}, 0))
        off = align.resample(self.best.strain.geometric(), found.t).mode(2, 2) - found.mode(2, 2)
        self.assertLess(np.abs(off).max(), 2e-4 * np.abs(found.mode(2, 2)).max())
        self.assertLess((self.root / "docs/results/series/high.json").stat().st_size, 30e3)

    def test_numbers(self):
        numbers = self.whole("high.json")
        self.assertAlmostEqual(numbers["run"]["gpu_hours"], 2 * 100 / 3600, delta=1e-9)
        self.assertEqual(numbers["run"]["parameters"]["grid.level_max"], 11)
        self.assertEqual([hole["mass"]["value"] for hole in numbers["holes"]], [0.5, 0.5])
        numbers["holes"][1]["mass"]["drift"] = 2e-6
        self.assertRegex(tables.drift(numbers, "mass"), r"e-1\d, \+2\.0e-06$|^[+-]0\.0e\+00, \+2\.0e-06$")

    def test_without_a_binary_s_mode(self):
        waves = Waves("strain", self.best.strain.t, {**self.best.strain.modes, (2, 2): 1e-4 * self.best.strain.mode(4, 4)})
        with mock.patch.object(remnant, "analyse", lambda folder, waves: {"merger": None, "radiated": None, "balance": None, "ringdown": {"infinity": {}}}), \
                mock.patch.object(take.standard, "of_run", lambda folder: replace(self.best, strain=waves)):
            numbers, series, notes = take.run(self.root / "run_high")
        self.assertIsNone(series)
        self.assertIn("has no (2,2)", notes[0])

    def test_errors_and_tracks(self):
        one = self.series("high")
        error = self.best.error.phase(2, 2)
        u, amplitude, angle = one.errors[2, 2]
        self.assertTrue(u.shape == amplitude.shape == angle.shape and 40 < len(u) <= take.ERRORS)
        self.assertTrue(0 < angle.max() <= 1.06 * np.nanmax(error))
        way = self.whole("series/high.json")["tracks"]
        t = way["start"] + way["step"] * np.arange(way["samples"])
        separation, turned = (kept.unpack(way[name], len(t)) for name in ("separation", "angle"))
        self.assertAlmostEqual(separation[0], 8.0, delta=1e-3)
        h = CHIRP.slow + 1e-3 * SPACINGS[2] ** ORDER
        self.assertAlmostEqual(turned[50] - turned[0], h * (t[50] - t[0]), delta=2e-3)

    def test_differences_have_the_order_that_was_put_in(self):
        found = pairs.neighbours([self.series(name) for name in ("low", "med", "high")], SPACINGS)
        self.assertAlmostEqual(found.order()[0], ORDER, delta=0.05)
        (k, scaled), = found.scaled(found.phase)
        early = found.t < found.peak
        self.assertEqual(k, 0)
        np.testing.assert_allclose(scaled[early], found.phase[0][early], atol=0.03 * np.abs(found.phase[0][early]).max())
        exact = 2e-3 * (SPACINGS[0] ** ORDER - SPACINGS[1] ** ORDER) * (found.peak - found.t[0])
        self.assertAlmostEqual(abs(found.phase[0][early][-1] - found.phase[0][0]), exact, delta=0.02 * exact)

    def test_numbers_of_the_two_finest(self):
        found = pairs.numbers(self.series("med"), self.series("high"))
        self.assertTrue(0 < found.aligned and 0 < found.unaligned < math.pi and 0 < found.mismatch < 1e-3, found)
        same = pairs.numbers(self.series("high"), self.series("high"))
        self.assertTrue(max(same.aligned, same.unaligned, same.mismatch) < 1e-9, same)

    def test_model(self):
        numbers = self.whole("high.json")["model"]
        self.assertEqual((numbers["name"], set(numbers["modes"])), ("IMRPhenomTHM", {"2,2", "3,3"}))
        self.assertAlmostEqual(numbers["modes"]["2,2"]["peak_ratio"], 1.03, delta=0.01)
        name, wave = self.series("high").model
        t, angle, size = pairs.model(self.series("high"))
        inspiral = t < 180
        self.assertLess(np.abs(angle[inspiral]).max(), 0.15)
        self.assertAlmostEqual(size[inspiral].max(), 0.03, delta=0.01)
        self.assertIsNone(take.chosen_model(take.Run(self.root / "run_low"), "none")[0])
        with mock.patch.object(take, "beside_model", side_effect=WaveError("no wave of so few orbits")), \
                mock.patch.object(take, "of_remnant", return_value={"merger": None}), \
                mock.patch.object(take.importlib.util, "find_spec", return_value=True), \
                mock.patch.object(take.standard, "of_run", lambda folder: self.best):
            numbers, series, notes = take.run(self.root / "run_high")
            self.assertEqual((notes, "model" in numbers, "model" in series), (["run_high: not beside IMRPhenomTHM: no wave of so few orbits"], False, False))
            with self.assertRaises(WaveError):
                take.run(self.root / "run_high", "IMRPhenomTHM")
        with mock.patch.object(take.importlib.util, "find_spec", return_value=None):
            self.assertIn("LALSimulation is not there", take.chosen_model(take.Run(self.root / "run_low"), None)[1])

    def test_page_and_figure(self):
        (self.root / "RESULTS.md").unlink(missing_ok=True)
        self.assertIn("RESULTS.md, docs/studies/one.md, docs/figures/synthetic.png: run", self.said("write", "--check", status=1))
        self.said("write")
        self.said("write", "--check")
        lines = (self.root / "RESULTS.md").read_text().splitlines()
        numbers = pairs.numbers(self.series("med"), self.series("high"))
        self.assertEqual(lines[0], "# Head")
        row, = (line for line in lines if line.startswith("| a chirp |"))
        self.assertIn(f"| 32, 40, 50 | {numbers.unaligned:.2g} / {numbers.aligned:.2g} | {numbers.mismatch:.1e} |", row)
        self.assertRegex(row, r"\| 0\.\d{6} \(\.9\) \| .* 0\.056 \|$")
        self.assertIn("|  | low | med | high | reference |", lines)
        self.assertIn("![a chirp](docs/figures/synthetic.png)", lines)
        self.assertRegex((self.root / "docs/studies/one.md").read_text(), r"^a\n<!--.*-->\n\n\|  \| med \| reference \|\n.*\n\| M_f \|[^o]*\n\n<!-- end")
        file = self.root / "docs/figures/synthetic.png"
        self.assertLess(file.stat().st_size, 80e3)
        series = self.root / "docs/results/series/med.json"
        before = series.read_text()
        series.write_text("{}")
        self.assertIn("out of date: docs/results/series/med.json: run", self.said("write", "--check", status=1))
        self.said("write")
        self.assertEqual(series.read_text(), before)
        archive = self.root / "docs/results/records.tar.xz"  # a release's sources are without it
        self.addCleanup(archive.write_bytes, archive.read_bytes())
        archive.unlink()
        self.addCleanup(self.said, "write")
        self.addCleanup(series.write_text, before)
        series.write_text(before.replace('"tolerance":', '"tolerance": 0.5, "old":'))
        self.assertIn("out of date: docs/figures/synthetic.png: run", self.said("write", "--check", status=1))
        series.write_text("{}")
        self.assertIn("series/med.json: not what `dev/results.py take' writes", self.said("write", status=1))

    def test_figure_without_waves(self):
        shelf = self.root / "scalars"
        shutil.copytree(self.root / "docs/results", shelf)
        shutil.rmtree(shelf / "series")
        one = page.Page(kept.Shelf(shelf), shelf, "")
        case = one.cases["synthetic"]
        with self.assertRaisesRegex(kept.KeptError, "no waves are kept of low, med, high"):
            one.draw(case)
        for kind, panels in (("spacings", 3), ("beside", 2)):
            case.said.update(figure=kind, hours="published (A100) = 10")
            figure = one.draw(case)
            self.assertEqual(len(figure.axes), panels)
            figures.plots.plt.close(figure)
        self.assertIn("no such run is kept", str(self.missing(shelf)))

    def test_precessing_waves_are_kept_in_their_own_frame(self):
        wave = synthetic.Precessing(amplitudes={(2, 2): 0.6}, slow=0.08)
        folder = take.Run(synthetic.write_run(self.root / "tilted", wave, radii=(60.0, 70.0), t_end=330.0, dt=0.5))
        found = standard.of_run(folder)
        best, tilted = take.kept_part(folder, found)
        self.assertTrue(tilted)
        size = 0.6 * wave.amplitude(best.t)[0]
        self.assertLess(np.abs(np.abs(best.mode(2, 2)) - size).max(), 0.05 * size.max())
        self.assertGreater(np.ptp(np.abs(found.strain.mode(2, 1))), 0.1 * size.max())
        # The model is the run itself, turned about its axis.
        moved = replace(align.rotate(found.strain, 0.7), t=found.strain.t - 180)
        made = take.model_waves(SimpleNamespace(b=moved, start=best.t[0] - 180, peak=180.0), best, tilted)
        model = kept.waves_of(made, "model")
        off = align.resample(best, model.t[1:-1]).mode(2, 2) - model.mode(2, 2)[1:-1]
        self.assertLess(np.abs(off).max(), 1e-3)

    def missing(self, shelf):
        with self.assertRaises(kept.KeptError) as raised:
            kept.Shelf(shelf).numbers("none")
        return raised.exception


if __name__ == "__main__":
    unittest.main()
