"""Pages of plots of all kinds of runs."""

import contextlib
import io
import itertools
import os
import shutil
import sys
import tempfile
import unittest
from pathlib import Path

import h5py
import numpy as np
from PIL import Image

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
import quick_plots  # noqa: E402, F401
import synthetic  # noqa: E402
import test_runlog  # noqa: E402
from tendex.base.folder import TRACKS, Octants  # noqa: E402
from tendex.base.parameter_file import changed  # noqa: E402
from tendex.waves.commands import arguments, cli, show  # noqa: E402
from tendex.waves.holes import hole  # noqa: E402
from tendex.waves.pictures import plots, plots_cost, plots_holes, plots_waves  # noqa: E402
from tendex.waves.reading import live  # noqa: E402
from tendex.waves.signal.modes import Waves  # noqa: E402


# Re M w of the slowest mode l = m = 2 of a hole with this a/m (Leaver 1985).
SPIN, KERR = 0.6238, 0.502282


class Words(unittest.TestCase):
    def test_phases(self):
        found, gpu = plots_cost.main_phases([("a", 10.0, 3.0), ("b", 1.0, 7.0), ("c", 5.0, 0.05), ("other", 9.0, 0.0)])
        self.assertTrue(gpu)
        self.assertEqual([name for name, _ in found], ["b", "a", "all others"])
        self.assertAlmostEqual(found[2][1], 0.05)
        found, gpu = plots_cost.main_phases([("a", 1.0, None), ("b", 3.0, None)])
        self.assertEqual((found, gpu), ([("b", 3.0), ("a", 1.0)], False))

    def test_numbers(self):
        self.assertEqual([plots_cost.duration(s) for s in (36, 356, 8000, 4e5)], ["36 s", "5.93 min", "2.22 h",
                                                                                    "4.63 d"])
        self.assertEqual([plots_cost.number(x) for x in (14054.2, 0.2564)], ["14,054", "0.256"])
        self.assertEqual(plots.scaled(3e-6), (1e6, "$10^{6}$ "))
        self.assertEqual(plots.scaled(0.3), (1.0, ""))
        self.assertEqual(arguments.mode("2,-1"), (2, -1))
        self.assertEqual([plots_holes._ranges(of) for of in ((1, 2), (1, 2, 3), (1, 3, 4, 5), (2, 3, 5, 6, 8))],
                         ["1+2", "1-3", "1+3-5", "2+3+5+6+8"])


class Pictures(unittest.TestCase):
    def saved(self, image):
        """A picture of an image, as it was written."""
        with tempfile.TemporaryDirectory() as folder, plots.style():
            file = Path(folder) / "p.PNG"
            fig, ax = plots.plt.subplots()
            ax.imshow(image)
            plots.save(fig, [file], dpi=50)
            with Image.open(file) as made:
                made.load()
                return made

    def test_few_colours(self):
        """Lines and steps fit into a palette; of what does not nothing is lost."""
        x = np.linspace(0, 1, 300)
        self.assertEqual(self.saved(np.floor(8 * np.outer(x, x))).mode, "P")
        waves = np.stack([np.outer(x, x), np.outer(x, 1 - x), np.outer(1 - x, x)], 2)
        for smooth in (waves, np.random.default_rng(1).random((200, 200, 3))):
            self.assertEqual(self.saved(smooth).mode, "RGBA")


class Grid(unittest.TestCase):
    def boxes(self, low, plane="z", half=3.0):
        low = np.array(low, float)
        return sorted(plots_holes.boxes(Octants(0.0, np.ones(len(low)), low, np.full(len(low), 2.0)), plane, half))

    def test_octants_of_a_plane(self):
        low = [[x, y, z] for x in (-4, -2, 0, 2) for y in (-4, -2, 0, 2) for z in (0, 2)]
        self.assertEqual(self.boxes(low, half=1.0), [(x, y, 2.0) for x in (-2, 0) for y in (-2, 0)])
        self.assertEqual(len(self.boxes(low)), 16)

    def test_mirror_images(self):
        four = [(x, z, 2.0) for x in (-2, 0) for z in (-2, 0)]
        self.assertEqual(self.boxes([[0, 0, 0], [4, 0, 0], [0, 2, 0]], "y"), four)
        self.assertEqual(self.boxes([[-2, -2, 0], [0, 0, 0], [-2, 0, 0]], "y"), four)


class Span(unittest.TestCase):
    def span(self, *times):
        return plots_waves.WaveData((2, 2), [Waves("psi4", np.array(t), {(2, 2): np.zeros(len(t), complex)}) for t in times], []).span

    def test_from_before_the_wave_to_the_end(self):
        self.assertEqual(self.span((-40, 320), (-70, 300)), (-17, 300))

    def test_no_wave_is_there_yet(self):
        """Time runs to the right all the same, and all that is known can be seen."""
        self.assertEqual(self.span((-40, -20), (-70, -50)), (-70, -20))


class Ring:
    """A head-on collision's wave: modes (2, 0) and (4, 0) that do not turn, from u = 20 M on."""

    def psi4(self, u, l, m):
        size = {(2, 0): 0.02, (4, 0): 1e-3}.get((l, m), 0.0)
        x = u - 20
        rise = np.exp(-np.minimum(x, 0) ** 2 / 9)
        return size * rise * np.exp(-0.089 * np.maximum(x, 0)) * np.cos(0.3737 * x) + 0j

    def news(self, u, l, m):
        return 0j * u

    strain = news

    def orbit(self, u):
        return 0 * u, 0.01 + 0 * u, 0 * u

    peak = 20.0


class Pages(unittest.TestCase):
    def make(self, name="pair", log=True, **how):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name) / name
        synthetic.write_run(self.folder, **{"radii": (60.0, 75.0, 100.0), "l_max": 2, "t_end": 350.0, "dt": 0.5, **how})
        (self.folder / "horizons").mkdir()
        for k, size in ((1, 1.8), (2, 1.8), (3, 3.6)):
            rows = [[0, 10 * k, 0, 0, 0, size], [8, 200, 0, 0, 0, 1.2 * size]]
            np.savetxt(self.folder / "horizons" / f"ah{k}.surface.asc", rows, header="1:iteration 2:time 3:centre_x")
        if log:
            (self.folder / "log.txt").write_text(test_runlog.text() + test_runlog.SECOND)

    def shown(self, *options, status=0):
        """(what is printed, errors)."""
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            self.assertEqual(cli.main(["show", str(self.folder), *options]), status)
        return out.getvalue(), err.getvalue()

    def page(self, chosen=None):
        """Titles of the panels, and texts at the foot; no two panels may touch."""
        with plots.style():
            page, missing = show.make(live.Live(self.folder), chosen)
            fig = page.draw()
            self.addCleanup(plots.plt.close, fig)
            renderer = fig.canvas.get_renderer()
            boxes = [ax.get_tightbbox(renderer) for ax in fig.axes]
        titles = [ax.get_title(loc="left") for ax in fig.axes]
        for (a, first), (b, second) in itertools.combinations(zip(titles, boxes), 2):
            self.assertFalse(first.x0 < second.x1 and second.x0 < first.x1 and first.y0 < second.y1
                             and second.y0 < first.y1, f"{a!r} and {b!r} overlap: {first}, {second}")
        for title, box in zip(titles, boxes):
            self.assertTrue(box.x0 > 0 and box.y0 > 0 and box.x1 < fig.bbox.x1 and box.y1 < fig.bbox.y1, title)
        self.words = [text.get_text() for text in fig.texts]
        self.figure = fig
        return titles, missing

    def panel(self, title):
        return next(ax for ax in self.figure.axes if ax.get_title(loc="left").startswith(title))

    def line(self, title, label):
        return next(l for l in self.panel(title).lines if str(l.get_label()).startswith(label)).get_data()

    def test_a_binary(self):
        self.make(common=190.0, remnant=(0.95, SPIN))
        titles, missing = self.page()
        self.assertEqual(len(titles), 13)
        self.assertEqual(missing, [])
        for word in ("pair", "t = 350 of 10 M", "complete", "1 x NVIDIA H200", "2 starts"):
            self.assertIn(word, " ".join(self.words))
        u, h = self.line("Strain", "at infinity")
        middle = (u > 60) & (u < 220)
        exact = synthetic.Chirp().strain(u[middle], 2, 2).real
        np.testing.assert_allclose(h[middle], exact, atol=0.03)  # amplitudes up to 0.5
        t, omega = self.line("Frequency", "of $R\\,h")
        inside = (t > 70) & (t < 205)
        np.testing.assert_allclose(omega[inside], 2 * synthetic.Chirp().orbit(t[inside])[1], rtol=0.12)
        t, omega = self.line("Frequency", "$2")
        np.testing.assert_allclose(omega[5:-5], 2 * synthetic.Chirp().orbit(t[5:-5])[1], rtol=0.02)
        self.assertAlmostEqual(self.line("Frequency", "ringdown")[1][0], KERR / 0.95, places=4)

    def test_the_ringdown_is_along_the_sense_of_the_wave(self):
        self.make(common=190.0, remnant=(0.95, SPIN), radii=(100.0,))
        for chosen in ((2, 2), (2, -2)):
            waves = show.wave_data(live.Live(self.folder), chosen)
            self.assertAlmostEqual(waves.ringing, KERR / 0.95, places=4)
        mirrored = self.folder.with_name("mirrored")
        synthetic.write_run(mirrored, synthetic.Chirp(slow=-0.035, fast=-0.265), radii=(100.0,), l_max=2, t_end=350.0,
                            dt=0.5, common=190.0, remnant=(0.95, -SPIN))
        self.assertAlmostEqual(show.wave_data(live.Live(mirrored)).ringing, KERR / 0.95, places=4)

    def test_files(self):
        self.make()
        out, err = self.shown("--mode=2,-2", "--pdf")
        page = self.folder / "analysis" / "page.png"
        self.assertEqual((err, out.split()), ("", [str(page), str(page.with_suffix(".pdf"))]))
        self.assertTrue(page.read_bytes().startswith(b"\x89PNG"))
        self.assertTrue(page.with_suffix(".pdf").read_bytes().startswith(b"%PDF"))

    def legend(self, draw):
        """Texts of the legend of a panel about the holes."""
        fig, ax = plots.plt.subplots()
        self.addCleanup(plots.plt.close, fig)
        draw(ax, show.hole_data(live.Live(self.folder)))
        return [text.get_text() for text in ax.get_legend().get_texts()]

    def test_holes_of_the_inspiral(self):
        """Legends have medians before the merger, not what was found last, and say when a hole was lost."""
        self.make(common=190.0, chis=(0.31, 0.1), radii=(100.0,), log=False)
        file = self.folder / "horizons.asc"
        head, rows = "".join(file.read_text().splitlines(True)[:2]), np.loadtxt(file)

        def write(rows):
            with file.open("w") as out:
                out.write(head)
                np.savetxt(out, rows, fmt="%.16e")
        inside = (rows[:, 2] < 3) & (rows[:, 1] >= 190)
        rows[inside, 5] *= 0.24 / 0.31
        write(rows)
        one, two, common = self.legend(plots_holes.draw_spins)
        self.assertRegex(one, r"^hole 1: 0\.31000 ± \S+, lost at 194 M$")
        self.assertRegex(two, r"^hole 2: 0\.10000 ± \S+, lost at 194 M$")
        self.assertRegex(common, r"^common: 0\.\d{5}$")
        write(rows[(rows[:, 2] == 3) | inside])
        self.assertEqual(self.legend(plots_holes.draw_masses)[:2], ["hole 1: not seen before the merger",
                                                                    "hole 2: not seen before the merger"])

    def test_three_holes(self):
        """Groups have names and colours of their own; what is alone ends with its own merger."""
        self.make(radii=(100.0,), log=False)
        synthetic.make_three(self.folder, 40.0, 70.0)
        for k in (4, 5):  # of the surfaces, those of the groups are the common one's
            shutil.copy(self.folder / "horizons/ah3.surface.asc", self.folder / f"horizons/ah{k}.surface.asc")
        titles, missing = self.page()
        self.assertEqual(missing, [])
        self.assertIn("Distance to the nearest puncture", titles)
        self.assertRegex(self.words[1], r"two punctures   ·   3 holes   ·   ADM energy \d\.\d{6} M   ·   remnant 0\.850000 M")
        names = [text.get_text() for text in self.panel("Masses").get_legend().get_texts()]
        self.assertEqual([name.split(":")[0] for name in names], ["hole 1", "hole 2", "hole 3", "holes 1+2", "common"])
        self.assertIn("lost at 44 M", names[1])
        self.assertIn("lost at 74 M", names[2])
        self.assertEqual([text.get_text() for text in self.panel("Distance").texts],
                         ["holes 1+2, t = 40 M", "common horizon, t = 70 M"])
        boxes = [text.get_window_extent() for text in self.panel("Tracks").texts]
        self.assertEqual(len(boxes), 7)
        self.assertFalse(any(a.overlaps(b) for a, b in itertools.combinations(boxes, 2)))
        near = self.panel("Distance").lines[:3]
        np.testing.assert_allclose([line.get_ydata()[0] for line in near], [2, 2, np.sqrt(64.25)])
        self.assertEqual(len({line.get_color() for line in self.panel("Masses").lines}), 5)
        folder = live.Live(self.folder)
        self.assertEqual((folder.merger_time(), folder.remnant().mass, folder.adm_energy),
                         (70.0, 0.85, folder.summary["adm_energy"]))
        ends = [hole.inspiral(folder.searches(), k).window[1] for k in range(1, 6)]
        self.assertEqual(ends, [35, 35, 62, 66, 350])

    def test_three_holes_at_their_start(self):
        """Nothing has merged, and the energy is known from the log alone."""
        self.make(radii=(100.0,), summary=False)
        synthetic.make_three(self.folder, 400.0, 700.0)
        (self.folder / "log.txt").write_text("  ADM energy 0.9875 M, angular momentum (0, 0, 0) M^2\n" + test_runlog.text())
        folder = live.Live(self.folder)
        self.assertEqual((folder.common(), folder.remnant(), folder.adm_energy), (None, None, 0.9875))
        self.assertIsNone(hole.horizon(folder.searches(), folder.mass))
        self.assertAlmostEqual(folder.separation, np.sqrt(66.25))

    def test_a_file_cut_short(self):
        self.make(radii=(100.0,), log=False)
        for name in ("horizons.asc", TRACKS):
            file = self.folder / name
            os.truncate(file, file.stat().st_size - 11)
        folder = live.Live(self.folder)
        show.hole_data(folder)
        self.assertEqual(len(folder.missing), 2)
        for name, text in zip((TRACKS, "horizons.asc"), folder.missing):
            self.assertRegex(text, rf"{name}: line \d+ is cut short and left out")

    def test_a_binary_that_precesses(self):
        """Tracks in space, components of spins, and angles to the axis, against the known rotation."""
        wave = synthetic.Precessing(slow=0.05, around=0.006)
        one, two = np.array([0.4, 0.0, 0.3]), np.array([0.0, -0.2, 0.2])
        self.make(wave=wave, chis=(one, two), common=190.0, remnant=(0.95, SPIN), radii=(100.0,), log=False)
        titles, missing = self.page()
        self.assertEqual(missing, [])
        self.assertEqual(self.panel("Tracks").name, "3d")
        self.assertIn("Components of spins: x dotted, y dashed, z solid", titles)
        t, z = self.line("Components", "hole 2")
        np.testing.assert_allclose(z, wave.rotation(t).apply(two)[:, 2], atol=1e-12)
        # Of the orbit's angular momentum, which the precession of its axis takes off that by 0.05.
        for name, exact in (("hole 1", np.arctan2(0.4, 0.3)), ("hole 2", np.pi / 4), ("between", np.pi / 2)):
            t, degrees = self.line("Angles", name)
            self.assertTrue(24 <= t[0] < 26 and 189 < t[-1] <= 190)
            np.testing.assert_allclose(degrees, np.degrees(exact), atol=np.degrees(0.25 if name == "between" else 0.06))
        t, degrees = self.line("Angles", "axis")
        axis = wave.rotation(t).apply([0, 0, 1])
        np.testing.assert_allclose(degrees, np.degrees(np.arccos(axis @ axis[0])), atol=np.degrees(0.1))
        way = np.array(self.panel("Tracks").lines[4].get_data_3d())
        np.testing.assert_allclose((way / np.linalg.norm(way, axis=0)).T, axis, atol=0.06)

    def test_holes_that_leave_a_plane(self):
        """Three have no axis; without horizons there are tracks alone."""
        self.make(radii=(100.0,), log=False)
        synthetic.make_three(self.folder, 40.0, 70.0)
        t, tracks = live.Live(self.folder).tracks()
        synthetic._write_tracks(self.folder, t, [x + [0, 0, 0.01] * (t * k)[:, None] for k, x in enumerate(tracks)])
        titles, missing = self.page()
        self.assertEqual((missing, self.panel("Tracks").name), ([], "3d"))
        self.assertIn("Components of spins: x dotted, y dashed, z solid", titles)
        self.assertFalse([title for title in titles if title.startswith("Angles")])
        (self.folder / "horizons.asc").unlink()
        titles, _ = self.page()
        self.assertEqual(self.panel("Tracks").name, "3d")
        self.assertFalse([title for title in titles if title.startswith("Comp")])

    def test_a_run_too_short_for_a_frequency(self):
        """Neither strain at infinity nor that of the spheres can be had, for one reason, which is said once."""
        self.make(log=False, t_end=9.0)
        (self.folder / TRACKS).unlink()
        self.assertEqual(self.shown()[0].count("r = 100: the waves are too short to have a frequency"), 1)

    def test_wrong_wishes(self):
        self.make()
        self.assertIn("no mode l = 8, m = 8; there are l = 2 to 2", self.shown("--mode=8,8", status=1)[1])
        self.assertRegex(self.shown("-o", str(self.folder / "page.gifs"), status=1)[1], r"page\.gifs.*gifs")
        for wrong in ("2", "2,3", "1,0", "x,y"):
            with self.assertRaises(SystemExit), contextlib.redirect_stderr(io.StringIO()):
                cli.main(["show", str(self.folder), f"--mode={wrong}"])
        self.folder = self.folder / "nothing"
        self.assertIn("no such run folder", self.shown(status=1)[1])

    def test_a_run_that_goes_on(self):
        self.make(summary=False, t_end=230.0, common=999.0, text=True)
        for name in (TRACKS, "constraints.asc", "horizons.asc", "log.txt", "waves/areal_radius.asc"):
            file = self.folder / name
            os.truncate(file, file.stat().st_size - 11)
        os.truncate(self.folder / live.MODES, 30000)
        titles, missing = self.page()
        self.assertEqual(len(titles), 13)
        self.assertRegex(missing[0], r"mp_psi4\.h5: cannot be read")
        self.assertIn("running", self.words)
        self.assertTrue(any(text.startswith("Missing: waves/mp_psi4.h5") for text in self.words))

    def test_a_run_that_has_just_begun(self):
        self.make(summary=False, t_end=20.0, log=False, common=999.0)
        (self.folder / "log.txt").write_text(test_runlog.text(""))
        with h5py.File(self.folder / live.MODES, "a") as h:
            for name in list(h):
                rows = h[name][:1]
                del h[name]
                h[name] = rows
        (self.folder / "constraints.asc").write_text("# Norms\n")
        (self.folder / "grid.asc").write_text("# Octants\n# 1:time 2:level 3:x 4:y 5:z 6:size\n")
        titles, missing = self.page()
        self.assertEqual(titles, ["Separation of the punctures", "Masses", "Spins", "Tracks and horizons"])
        self.assertEqual(len(missing), 2)
        self.assertRegex(self.shown("--mode=2,2", status=1)[1], "--mode 2,2: ")

    def test_waves_that_have_not_come_yet(self):
        self.make(summary=False, t_end=60.0, common=999.0)
        titles, missing = self.page()
        self.assertIn("Strain, l = 2, m = 2", titles)

    def test_no_punctures(self):
        self.make()
        for name in (TRACKS, "horizons.asc", "TwoPunctures.bbh"):
            (self.folder / name).unlink()
        titles, missing = self.page()
        self.assertEqual(missing, [])
        self.assertEqual(titles, ["$\\mathbf{\\Psi_4}$, l = 2, m = 2", "Strain, l = 2, m = 2",
                                  "Amplitudes of $\\mathbf{\\Psi_4}$, r = 100 M", "Amplitudes of the strain",
                                  "Frequency, l = 2, m = 2", "Constraints", "Grid, by level", "Speed",
                                  "Where the time went"])

    def test_neither_waves_nor_punctures(self):
        self.make()
        for name in (TRACKS, "horizons.asc", "TwoPunctures.bbh", live.MODES, "waves/areal_radius.asc"):
            (self.folder / name).unlink()
        text = (self.folder / "run.yaml").read_text()
        (self.folder / "run.yaml").write_text(text[: text.index("# Gravitational waves")])
        titles, missing = self.page()
        self.assertEqual((titles, missing), (["Constraints", "Grid, by level", "Speed", "Where the time went"], []))
        (self.folder / "log.txt").unlink()
        (self.folder / "constraints.asc").unlink()
        titles, missing = self.page()
        self.assertEqual((titles, len(missing)), ([], 1))

    def solve(self, rows):
        names = "1:solve 2:step 3:rms 4:largest 5:evaluations a point 6:seconds"
        (self.folder / "elliptic.asc").write_text(f"# residuals, over that of u = 0\n# {names}\n# of the Hamiltonian constraint\n" + "".join(
            " ".join(f"{x:g}" for x in row) + "\n" for row in rows))
        file = self.folder / "run.yaml"
        file.write_text(changed(file.read_text(), {"elliptic.method": "krylov", "elliptic.tolerance": "1e-8"}))

    def test_solves_for_the_initial_data(self):
        """Work goes on from solve to solve; what is not known within Newton steps is not drawn."""
        self.make(common=190.0)
        self.solve([(1, 0, 1, 10, 0.5, 0), (1, 1, 1e-3, 0, 12, 1), (1, 2, 1e-9, 1e-7, 24, 2.5), (2, 0, 1e-4, 1e-2, 0.5, 0),
                    (2, 1, 1e-9, 1e-8, 12.5, 1)])
        titles, missing = self.page()
        self.assertEqual((len(titles), missing), (14, []))
        self.assertEqual(titles[-6:-1], ["Initial data", "Constraints", "Grid, by level", "Speed", "Where the time went"])
        first, largest, second, also, tolerance = self.panel("Initial data").lines
        np.testing.assert_allclose(first.get_data(), [[0.5, 12, 24], [1, 1e-3, 1e-9]])
        np.testing.assert_allclose(largest.get_data(), [[0.5, 24], [10, 1e-7]])
        np.testing.assert_allclose(second.get_data(), [[24.5, 36.5], [1e-4, 1e-9]])
        np.testing.assert_allclose(also.get_data(), [[24.5, 36.5], [1e-2, 1e-8]])
        self.assertEqual((list(tolerance.get_ydata()), tolerance.get_label()), ([1e-8, 1e-8], "tolerance 1e-08"))
        self.assertEqual(self.panel("Initial data").get_yscale(), "log")
        self.assertEqual(self.panel("Initial data").texts[0].get_text(), "krylov: 2 solves, 3 iterations, 3.5 s")

    def test_a_solve_that_is_not_all_there(self):
        self.make(common=190.0, radii=())

        def read():
            folder = live.Live(self.folder)
            return show.cost_data(folder).solves, folder.missing
        self.assertEqual(read(), (None, []))
        self.solve([(1, 0, 1, 10, 0.5, 0), (1, 1, 1e-3, 0, 12)])
        found, missing = read()
        self.assertEqual((list(found.step), found.seconds, missing), ([0], 0, ["elliptic.asc: 1 damaged line left out"]))
        self.solve([])
        self.assertEqual(read(), (None, []))
        (self.folder / "elliptic.asc").write_text("1 2 3\n")
        self.assertRegex(read()[1][0], r"elliptic\.asc: no names of columns")

    def test_head_on(self):
        self.make(wave=Ring(), radii=(20.0, 30.0, 60.0), t_end=110.0, common=10.0, remnant=(0.999, 0.0))
        self.page()
        t, omega = self.line("Frequency", "of $R\\,\\psi")
        ringing = omega[(t > 20) & np.isfinite(omega)]
        self.assertGreater(len(ringing), 1)
        np.testing.assert_allclose(ringing, 0.3737, rtol=0.01)
        self.assertAlmostEqual(self.line("Frequency", "ringdown")[1][0], 0.37367 / 0.999, places=4)
        self.assertTrue(any("before the ringdown has faded" in text for text in self.words))


if __name__ == "__main__":
    unittest.main()
