"""Movies of runs: fields of slices as pictures, outlines of horizons, frames, and the files."""

import contextlib
import io
import itertools
import os
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import numpy as np
from PIL import Image

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
import quick_plots  # noqa: E402, F401
import synthetic  # noqa: E402
from tendex.waves.commands import cli, movie  # noqa: E402
from tendex.waves.holes import outlines  # noqa: E402
from tendex.waves.pictures import movie_plot, plots, plots_holes  # noqa: E402
from tendex.waves.reading import live, slices  # noqa: E402
from tendex.waves.signal.modes import WaveError  # noqa: E402

# In place of ffmpeg: what it reads, into the file that is its last argument.
STAND_IN = '#!/bin/sh\nfor last; do :; done\nexec cat > "$last"\n'


def plane(field, at=0.0, **how):
    """The Plane z = 0 of one slice of a field."""
    with tempfile.TemporaryDirectory() as folder:
        synthetic.write_slices(Path(folder), [at], {how.pop("name", "f"): field}, **how)
        found, bad = slices.found(folder)
        assert not bad
        return slices.read(found[0], found[0].fields[0], "z")


class Pictures(unittest.TestCase):
    def test_linear_fields_are_exact_on_all_levels(self):
        made = plane(lambda x, y, z, t: 1 + 2 * x - 3 * y + t, at=0.5)
        self.assertEqual((sorted(set(made.level)), made.mirrored), ([2, 3], (False, False)))
        x, y = (np.arange(50) + 0.5) / 25 * 9 - 9, (np.arange(40) + 0.5) / 20 * 15 - 15
        np.testing.assert_allclose(made.picture((9, 15, 50, 40)), 1.5 + 2 * x - 3 * y[:, None], rtol=1e-13)

    def test_beyond_the_grid(self):
        picture = plane(lambda x, y, z, t: 1 + 0 * (x + y)).picture((32, 8, 64, 16))
        np.testing.assert_array_equal(np.isnan(picture[0]), np.abs((np.arange(64) + 0.5) - 32) > 16)

    def test_mirrors(self):
        x = (np.arange(16) + 0.5) / 2 - 4
        for name, f in (("alpha", lambda x, y, z, t: np.abs(x) + 2 * np.abs(y)), ("beta_x", lambda x, y, z, t: x + 0 * y),
                        ("At_xy", lambda x, y, z, t: x * y), ("psi4_im", lambda x, y, z, t: x * y)):
            for mirrored in (False, True):
                picture = plane(f, name=name, mirrored=mirrored).picture((4, 4, 16, 16))
                np.testing.assert_allclose(picture, f(x, x[:, None], 0, 0) * np.ones((16, 16)), atol=1e-13)

    def test_parities(self):
        odd = {name: [slices.is_odd(name, axis) for axis in "xyz"] for name in ("alpha", "beta_x", "gt_xx", "At_xz", "psi4_re",
                                                                                "psi4_im")}
        self.assertEqual(odd, {"alpha": [False] * 3, "beta_x": [True, False, False], "gt_xx": [False] * 3,
                               "At_xz": [True, False, True], "psi4_re": [False] * 3, "psi4_im": [True] * 3})


class Times(unittest.TestCase):
    def test_between_searches(self):
        times = np.array([0.0, 1.0, 2.0, 9.0])
        self.assertEqual(outlines.between(times, 1.0), [(1, 1.0)])
        self.assertEqual(outlines.between(times, 1.25), [(1, 0.75), (2, 0.25)])
        for t in (-0.1, 5.0, 10.5):  # before, in a gap, after
            self.assertIsNone(outlines.between(times, t))
        self.assertEqual(outlines.between(times, 9.5), [(3, 1.0)])
        self.assertEqual(outlines.between(np.array([3.0]), 3.0), [(0, 1.0)])


    def test_outlines_move_with_the_punctures(self):
        """Between searches a hole is on its track, not on the line from search to search; nor does its shape jump."""
        t = np.linspace(0.0, 2.0, 201)
        way = np.column_stack([np.cos(t), np.sin(t), 0 * t])
        holes = plots_holes.HoleData(t, [way, -way], {1: None}, {1: (t[::100], 1.01 * way[::100], np.array([[1.0], [2.0], [2.0]]))},
                                     holes={1: (1,)})
        curve = outlines.Outlines(holes, "z").at(0.5)[0].curve
        np.testing.assert_allclose(np.linalg.norm(curve[:-1].mean(axis=0) - way[50]), 0.0, atol=0.011)
        np.testing.assert_allclose(np.ptp(curve, axis=0)[:2], 2 * 1.5 / np.sqrt(4 * np.pi), rtol=1e-3)


class Movies(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(temporary.cleanup)
        cls.folder = Path(temporary.name) / "pair"
        synthetic.write_run(cls.folder, radii=(60.0,), l_max=2, t_end=350.0, dt=0.5, common=190.0, remnant=(0.95, 0.62))
        (cls.folder / "horizons").mkdir()
        rows = [[0, t, 0, 0, 0, 3.6, 0, 0, 0, 0, 0, 0, 0, 0.5] for t in np.arange(190.0, 351.0)]
        np.savetxt(cls.folder / "horizons" / "ah3.surface.asc", rows)
        cls.times = (100.0, 188.0, 240.0, 340.0)
        synthetic.write_slices(cls.folder, cls.times, {
            "alpha": lambda x, y, z, t: np.tanh(0.3 * np.sqrt(x**2 + y**2 + z**2)), "chi": lambda x, y, z, t: 1 + 0 * (x + y + z),
            "psi4_re": lambda x, y, z, t: 0.01 * np.cos(0.5 * (x + y + z - t)) / (1 + np.sqrt(x**2 + y**2 + z**2))})

    def said(self, *options, status=0, path=None):
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            self.assertEqual(cli.main(["movie", str(path or self.folder), *map(str, options)]), status)
        return out.getvalue() if status == 0 else err.getvalue()

    def frames(self, *options):
        """movie_plot.Frames, and its slices."""
        args = cli.parser(["movie"]).parse_args(["movie", str(self.folder), *options])
        folder = live.Live(self.folder)
        chosen = movie.frames_of(folder, args.first, args.last)
        with plots.style(plots.STYLE | movie_plot.STYLE):
            made = movie.make(folder, chosen, args)
            self.addCleanup(plots.plt.close, made.fig)
            return made, chosen

    def test_a_frame(self):
        """Size, scales, what grows and what stands where; no two panels may touch."""
        made, chosen = self.frames("--extent", "5")
        with plots.style(plots.STYLE | movie_plot.STYLE):
            for one in (chosen[-1], chosen[1]):
                self.assertEqual(made.draw(one).shape, (1080, 1920, 4))
            self.assertEqual((made.clock.get_text(), made.state.get_text()[:19]), ("t = 188.00 M", "coordinate distance"))
            u, y = made.curves[0].get_data()
            self.assertTrue(187 < u[-1] <= 188)
            np.testing.assert_allclose(y[u > 60], synthetic.Chirp().strain(u[u > 60], 2, 2).real, atol=0.04)
            renderer = made.fig.canvas.get_renderer()
            boxes = [ax.get_tightbbox(renderer) for ax in made.fig.axes]
            texts = [text.get_window_extent() for text in made.fig.texts]
        for a, b in itertools.combinations(texts + [box for i, box in enumerate(boxes) if i in (0, 2, len(boxes) - 1)], 2):
            self.assertFalse(a.overlaps(b), (a, b))
        for box in boxes + texts:
            self.assertTrue(box.x0 >= 0 and box.y0 >= 0 and box.x1 <= 1920 and box.y1 <= 1080, box)
        (left, image, view, half), (right, _, waves, _) = made.panels
        self.assertEqual((left.get_ylim(), image.get_clim(), view.label), ((-5, 5), (0, 1), r"lapse  $\alpha$"))
        self.assertEqual(waves.low, -waves.high)
        for ax in (left, right):
            box = ax.get_window_extent()
            (x0, x1), (y0, y1) = ax.get_xlim(), ax.get_ylim()
            self.assertAlmostEqual((x1 - x0) / box.width / ((y1 - y0) / box.height), 1, places=6)
        x, y = (np.arange(n) + 0.5 for n in (half[2], half[3]))
        exact = np.tanh(0.3 * np.hypot((x / half[2] * 2 - 1) * half[0], ((y / half[3] * 2 - 1) * half[1])[:, None]))
        np.testing.assert_allclose(image.get_array(), exact, atol=0.03)

    def test_horizons(self):
        """Circles of the measured radius at the tracks before the merger, the shape that was found after it."""
        made, chosen = self.frames()
        before, after = made.lines.at(188.0), made.lines.at(240.0)
        self.assertEqual([(o.number, o.shape) for o in before], [(1, False), (2, False)])
        for o in before:
            centre = made.lines.position(o.number, 188.0)
            np.testing.assert_allclose(np.linalg.norm(o.curve - centre, axis=1), 0.85 * 0.5, rtol=1e-12)
        self.assertEqual([(o.number, o.shape) for o in after], [(3, True)])
        radii = np.linalg.norm(after[0].curve, axis=1)
        self.assertGreater(radii.max() - radii.min(), 0.1)
        self.assertAlmostEqual(radii.mean(), 3.6 / np.sqrt(4 * np.pi), places=2)
        with plots.style():
            made.draw(chosen[2])
        self.assertIn("common horizon: 0.9500 M, spin 0.6200", made.state.get_text())

    def test_gif(self):
        file = self.folder / "analysis" / "merger.gif"
        text = self.said("-o", file, "--field", "psi4_re", "--fps", 10, "--to", 250, "--range", -0.02, 0.02)
        self.assertIn("3 frames, t = 100 to 240 M, 0.3 s", text)
        with Image.open(file) as made:
            self.assertEqual((made.n_frames, made.size, made.info["duration"]), (3, (960, 540), 100))
            made.seek(2)
            self.assertEqual(made.convert("RGB").getpixel((3, 3)), (255, 255, 255))
        self.assertEqual([f.name for f in file.parent.iterdir()], ["merger.gif"])

    def test_mp4(self):
        """All frames go to ffmpeg; where it fails there is no file."""
        tools = self.folder / "tools"
        tools.mkdir()
        file, program = self.folder / "m.mp4", tools / "ffmpeg"
        with mock.patch.dict(os.environ, PATH=str(tools)):
            self.assertRegex(self.said("-o", file, status=1), r"m\.mp4: MP4 needs the program ffmpeg.*apt install ffmpeg.*m\.gif")
        program.write_text(STAND_IN)
        program.chmod(0o755)
        with mock.patch.dict(os.environ, PATH=f"{tools}:{os.environ['PATH']}"):
            self.said("-o", file, "--field", "chi", "--to", 250)
            self.assertEqual(file.stat().st_size, 3 * 1920 * 1080 * 4)
            file.unlink()
            program.write_text("#!/bin/sh\necho no encoder >&2\nexit 1\n")
            self.assertIn("ffmpeg: no encoder", self.said("-o", file, "--field", "chi", "--to", 250, status=1))
        self.assertEqual(list(self.folder.glob("m*.mp4")), [])

    def test_wrong_wishes(self):
        gif = ("-o", self.folder / "w.gif")
        for options, text in (((*gif, "--field", "K"), r'K is not in all of the slices.*alpha, chi, psi4_re.*output\.variables="'),
                              ((*gif, "--field", "psi4_im"), r"output\.slices_psi4=true"),
                              ((*gif, "--field", "alpha", "chi", "psi4_re"), "3 fields, but a movie shows one or two"),
                              ((*gif, "--from", 300), r"1 slices from t = 300 to inf M, but a movie takes 3 or more; the run has 4, "
                               r"from t = 100 to 340 M"),
                              ((*gif, "--range", 1, 0), "LOW must be below HIGH"),
                              ((*gif, "--field", "chi", "--extent", 1, 2), "at most once for each of 1 fields"),
                              (("-o", "x.avi"), r"x\.avi: movies are \.mp4 or \.gif")):
            self.assertRegex(self.said(*options, status=1), text)
        self.assertFalse((self.folder / "w.gif").exists())

    def test_fields_that_came_later(self):
        made = [slices.Slice(Path("f"), t, ("alpha", "psi4_re") if t > 1 else ("alpha",)) for t in (0.0, 1.0, 2.5, 3.0)]
        self.assertEqual(movie.fields_of(made, None, "run"), ["alpha"])
        with self.assertRaisesRegex(WaveError, r"those from t = 2\.5 M on have it: --from 2\.5"):
            movie.fields_of(made, ["psi4_re"], "run")

    def test_runs_with_little(self):
        """No slices: the parameter and an example; no waves: no panel below; a file that is damaged is left out."""
        bare = self.folder.parent / "bare"
        synthetic.write_run(bare, radii=(60.0,), l_max=2, t_end=20.0, common=999.0)
        gif = ("-o", bare / "m.gif")
        self.assertRegex(self.said(*gif, status=1, path=bare), r"bare: no slices in it: set output\.slices_every .*"
                         r"--set output\.slices_every=64 --set output\.slices_psi4=true")
        synthetic.write_slices(bare, (0, 1, 2, 3), {"chi": lambda x, y, z, t: 1 + 0 * (x + y)})
        (bare / "fields" / "slices.0000003.h5").write_bytes(b"\x89HDF")
        (bare / "waves" / "mp_psi4.h5").unlink()
        text = (bare / "run.yaml").read_text()
        (bare / "run.yaml").write_text(text[: text.index("# Gravitational waves")])
        said = self.said(*gif, path=bare)
        self.assertIn("3 frames", said)
        self.assertIn("not shown: waves: the run has none (waves.radii)", said)
        self.assertIn("slices.0000003.h5: cannot be read", said)


if __name__ == "__main__":
    unittest.main()
