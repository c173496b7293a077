"""RESULTS.md: numbers come from what the analysis wrote, and from nowhere else; waves of runs become differences and figures."""

import contextlib
import copy
import io
import json
import math
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
from tendex_dev.results import figures, kept, page, pairs, records, tables, take, thinned  # noqa: E402
from tendex.waves.signal import align  # noqa: E402
from tendex.waves.signal.ffi import interpolated  # noqa: E402
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
        self.assertEqual(one.shown(results.texts_of(ROOT).values()), SHELF.runs())

    def test_sizes(self):
        docs = ROOT / "docs"
        for file in docs.glob("**/*.webp"):
            self.assertLess(file.stat().st_size, 90e3, file.name)
        self.assertLess(SHELF.records.file.stat().st_size, 6e3 * len(SHELF.runs()))


class Thinned(unittest.TestCase):
    def test_a_small_copy_is_a_run_with_the_same_waves(self):
        with tempfile.TemporaryDirectory() as folder:
            run = synthetic.write_run(Path(folder) / "run", dt=0.2, l_max=5, radii=(25.0, 32.0, 50.0, 90.0))
            archive = thinned.pack(run, Path(folder) / "kept" / "small.tar.xz", spheres=(25.0, 50.0))
            self.assertLess(archive.stat().st_size, 0.1 * sum(file.stat().st_size for file in run.rglob("*.h5")))
            small = thinned.unpack(archive, folder)
            spheres = thinned.Run(small).spheres()
            self.assertEqual([(s.radius, s.l_max) for s in spheres], [(25.0, 5), (50.0, 5)])
            whole = {s.radius: s for s in thinned.Run(run).spheres()}
            for sphere in spheres:
                for lm in ((2, 2), (3, 3), (4, 4), (5, 5)):
                    there = interpolated(sphere.t, sphere.mode(*lm), whole[sphere.radius].t)
                    exact = whole[sphere.radius].mode(*lm)
                    np.testing.assert_allclose(there[20:-20], exact[20:-20], atol=1e-5 * np.abs(exact).max())
            found = standard.of_run(thinned.Run(small))
            self.assertEqual(found.strain.l_max, 5)
            self.assertAlmostEqual(thinned.Run(small).adm_energy, 0.99)

    def test_kept_runs_are_small_and_shown(self):
        """Each is a run that the page of runs names."""
        page_of_runs = (ROOT / "docs" / "studies" / "runs.md").read_text()
        kept_runs = sorted(results.WAVES.glob("*.tar.xz"))
        self.assertTrue(kept_runs)
        for file in kept_runs:
            self.assertLess(file.stat().st_size, 1e6, file.name)
            self.assertTrue(f"| {file.name.removesuffix('.tar.xz')} |" in page_of_runs, file.name)


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
        self.assertLess(len(curve["after"]), 300)
        self.assertEqual(curve["tolerance"], 1e-4)

    def test_noise_does_not_fill_files(self):
        noise = 1e-2 * np.random.default_rng(1).standard_normal(len(self.t))
        curve = kept.pack(self.t, self.t + noise, 1e-4)
        self.assertLessEqual(len(curve["after"]), kept.MOST)
        self.assertLess(np.abs(kept.unpack(curve, len(noise)) - self.t - noise).max(), 1.5 * curve["tolerance"])


class Blocks(unittest.TestCase):
    def complains(self, text, of):
        with self.assertRaisesRegex(kept.KeptError, of):
            page.cases_of(text)

    def test_what_is_wrong(self):
        self.complains("<!-- case a\nname: x\nmas: 1\n-->\n", r"case a: 'mas: 1': known are name, anchor, runs")
        self.complains("<!-- case a\nrows: mas\n-->\n", "no row 'mas'")
        self.complains("<!-- case a\nfigure: pie\n-->\n", "figure: waves, spacings, beside")
        self.complains("<!-- case a\nname: x\n-->\n<!-- case a\nname: x\n-->\n", "two cases a")


class Records(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)
        self.file = self.folder / "records.tar.xz"

    def test_they_come_back(self):
        self.assertEqual(records.Records(self.folder).read(), {})
        for name, record in (("b.json", b"{}"), ("series/a.json", b"[1]"), ("b.json", b"{1}")):
            records.Records(self.folder).add({name: record})
        self.assertEqual(records.Records(self.folder).read(), {"b.json": b"{1}", "series/a.json": b"[1]"})
        self.assertEqual(self.file.read_bytes(), records.packed({"series/a.json": b"[1]", "b.json": b"{1}"}))

    def test_what_is_wrong(self):
        records.Records(self.folder).add({"b.json": b"{1}", "c.json": b"{}", "series/c.json": b"{}"})
        shelf = kept.Shelf(self.folder)
        for of, action in (("no run a is kept", lambda: shelf.numbers("a")), ("b.json: no JSON", lambda: shelf.numbers("b")),
                           ("c.json: not what `dev/results.py take' keeps", lambda: shelf.numbers("c")),
                           ("series/c.json: not what `dev/results.py take' keeps", lambda: shelf.series("c"))):
            with self.assertRaisesRegex(kept.KeptError, of):
                action()
        self.assertIsNone(shelf.series("a"))
        for damaged in (self.file.read_bytes()[:60], b"nothing"):
            self.file.write_bytes(damaged)
            with self.assertRaisesRegex(kept.KeptError, r"records\.tar\.xz: damaged"):
                records.Records(self.folder).read()


SPACINGS, ORDER = (1.0, 0.8, 0.64), 6
CHIRP = synthetic.Chirp(amplitudes={(2, 2): 0.6, (3, 3): 0.05}, slow=0.08)
TEXT = """# Head

<!-- table summary -->
<!-- end of table -->

<!-- case synthetic
name: a chirp
runs: low, med, high
mass: .9
-->
![a chirp](docs/figures/synthetic.webp)

<!-- table synthetic -->
<!-- end of table -->
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
        (cls.root / "RESULTS.md").write_text(TEXT)
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
        off = align.resample(self.best.strain.geometric(), found.t).mode(2, 2) - found.mode(2, 2)
        self.assertLess(np.abs(off).max(), 2e-4 * np.abs(found.mode(2, 2)).max())
        self.assertLess(len(kept.Shelf(self.root / "docs/results").records.read()["series/high.json"]), 30e3)

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
        (self.root / "RESULTS.md").write_text(TEXT)
        self.assertIn("RESULTS.md, docs/studies/one.md, docs/figures/synthetic.webp: run", self.said("write", "--check", status=1))
        self.said("write")
        self.said("write", "--check")
        lines = (self.root / "RESULTS.md").read_text().splitlines()
        numbers = pairs.numbers(self.series("med"), self.series("high"))
        self.assertEqual(lines[0], "# Head")
        row, = (line for line in lines if line.startswith("| a chirp |"))
        self.assertIn(f"| 32, 40, 50 | {numbers.unaligned:.2g} / {numbers.aligned:.2g} | {numbers.mismatch:.1e} |", row)
        self.assertRegex(row, r"\| 0\.\d{6} \(\.9\) \| .* 0\.056 \|$")
        self.assertIn("|  | low | med | high | reference |", lines)
        self.assertIn("![a chirp](docs/figures/synthetic.webp)", lines)
        self.assertRegex((self.root / "docs/studies/one.md").read_text(), r"^a\n<!--.*-->\n\n\|  \| med \| reference \|\n.*\n\| M_f \|[^o]*\n\n<!-- end")
        file = self.root / "docs/figures/synthetic.webp"
        self.assertLess(file.stat().st_size, 80e3)
        shelf = self.root / "docs/results"
        before = kept.Records(shelf).read()
        self.addCleanup(self.said, "write")
        self.addCleanup(kept.Records(shelf).add, before)
        changed = before["series/med.json"].replace(b'"tolerance":', b'"tolerance": 0.5, "old":')
        kept.Records(shelf).add({"series/med.json": changed})
        self.assertIn("out of date: docs/figures/synthetic.webp: run", self.said("write", "--check", status=1))
        kept.Records(shelf).add({"series/med.json": b"{}"})
        self.assertIn("series/med.json: not what `dev/results.py take' keeps", self.said("write", status=1))

    def test_figure_without_waves(self):
        shelf = kept.Shelf(self.root / "docs/results")
        shelf.records.known = {name: record for name, record in shelf.records.read().items() if "/" not in name}
        one = page.Page(shelf, self.root / "RESULTS.md", self.root)
        case = one.cases["synthetic"]
        with self.assertRaisesRegex(kept.KeptError, "no waves are kept of low, med, high"):
            one.draw(case)
        for kind, panels in (("spacings", 3), ("beside", 2)):
            case.said.update(figure=kind, hours="published (A100) = 10")
            figure = one.draw(case)
            self.assertEqual(len(figure.axes), panels)
            figures.plots.plt.close(figure)

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


if __name__ == "__main__":
    unittest.main()
