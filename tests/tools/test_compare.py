"""tendex-waves compare against differences that were put in."""

import contextlib
import io
import json
import math
import sys
import tempfile
import unittest
from dataclasses import replace
from pathlib import Path
from unittest import mock

import h5py
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
sys.path.insert(0, str(Path(__file__).resolve().parent))
import quick_plots  # noqa: E402, F401
import synthetic  # noqa: E402
from tendex.waves.catalogues import catalogue, catalogue_model, metadata  # noqa: E402
from tendex.waves.commands import cli  # noqa: E402
from tendex.waves.comparison import difference, mismatch  # noqa: E402
from tendex.waves.signal import frame  # noqa: E402
from tendex.waves.signal.modes import WaveError, Waves  # noqa: E402

WAVE = synthetic.Chirp(amplitudes={(2, 2): 0.6, (2, 1): 0.05, (3, 3): 0.08, (4, 4): 0.03}, peak=400.0)
# Of its amplitude, where both exponentials have the same slope.
PEAK = 400.0 + math.log(WAVE.decay / WAVE.grow) / (1 / WAVE.grow + 1 / WAVE.decay)


def write(file, wave=WAVE, dt=0.0, dphi=0.0, step=0.2, last=470.0, change=None, modes=synthetic.modes()):
    """The wave as an asymptotic SXS file, dt later and turned by dphi; change: f(u, h, m) -> h."""
    t = np.arange(dt, dt + last, step)
    with h5py.File(file, "w") as h:
        for l, m in modes:
            if (l, abs(m)) in wave.amplitudes and m:
                v = wave.strain(t - dt, l, m) * np.exp(-1j * m * dphi)
                v = change(t - dt, v, m) if change else v
                h[f"Extrapolated_N2.dir/Y_l{l}_m{m}.dat"] = np.column_stack([t, v.real, v.imag])
    return str(file)


class Command(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.scratch = Path(folder.name)
        self.a = write(self.scratch / "a.h5")

    def compare(self, b, *more, code=0):
        """What is printed, and what is in the JSON."""
        out, err = io.StringIO(), io.StringIO()
        file = self.scratch / "numbers.json"
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            found = cli.main(["compare", self.a, b, "--json", str(file), *more])
        self.assertEqual(found, code, err.getvalue())
        return (out.getvalue(), json.loads(file.read_text())) if code == 0 else err.getvalue()


class Known(Command):
    def test_copy_moved_and_turned(self):
        b = write(self.scratch / "b.h5", dt=123.4567, dphi=2.5, step=0.17)
        for how in (["peak"], ["window", "-150", "20"]):
            text, found = self.compare(b, "--align", *how, "--modes", "2,2", "3,3", "2,1", "--inclination", "70",
                                       "--masses", "30", "60", "200")
            self.assertAlmostEqual(found["alignment"]["dt"], -123.4567, delta=1e-5)
            self.assertAlmostEqual(found["alignment"]["dphi"], 2.5, delta=1e-5)
            for lm, values in found["modes"].items():
                self.assertLess(values["mismatch_flat"], 1e-12)
                self.assertLess(max(row["mismatch"] for row in values["mismatch"]), 1e-12)
                self.assertLess(values["all"]["amplitude_max"], 1e-5)
                self.assertLess(values["all"]["phase_max"], 1e-4)
                self.assertAlmostEqual(values["peak"]["ratio"], 1, delta=1e-7)
            self.assertLess(max(row["mismatch"] for row in found["observers"][0]["mismatch"]), 1e-12)
            self.assertAlmostEqual(found["alignment"]["a_peak"], PEAK, delta=1e-6)
            self.assertIn(f"B aligned with A ({' '.join(how)})", text)

    def test_known_differences(self):
        # Amplitude 2% too large, phase too large by m s u/2 until the peak's time, and frozen there after it.
        s = 1e-3

        def change(u, v, m):
            x = u - PEAK
            return 1.02 * v * np.exp(-0.5j * m * s * -np.logaddexp(0, -x))
        b = write(self.scratch / "b.h5", change=change)
        text, found = self.compare(b, "--modes", "2,2", "3,3", "--start", "-180")
        for lm, m in (("2,2", 2), ("3,3", 3)):
            values = found["modes"][lm]
            self.assertAlmostEqual(values["all"]["amplitude_max"], 0.02, delta=1e-3)
            self.assertAlmostEqual(values["inspiral"]["amplitude_rms"], 0.02, delta=1e-4)
            self.assertAlmostEqual(values["peak"]["ratio"], 1.02, delta=1e-5)
            self.assertAlmostEqual(values["peak"]["amplitude"], 0.02, delta=1e-5)
            # Peaks are on each other: what is left is s m u / 2 at u = -180 less that at the peak, log 2 s m / 2.
            exact = 0.5 * m * s * (180 - math.log(2))
            self.assertAlmostEqual(values["inspiral"]["phase_max"], exact, delta=5e-3 * m / 2)
            self.assertLess(values["ringdown"]["phase_max"], 5e-3)
            rms = 0.5 * m * s * 180 / math.sqrt(3)
            self.assertAlmostEqual(values["inspiral"]["phase_rms"] / rms, 1, delta=0.05)
            self.assertAlmostEqual(values["inspiral"]["from"], -180, delta=0.2)
            # Until 1% of the peak's amplitude is left.
            u = np.arange(PEAK, PEAK + 80, 0.01)
            h = np.abs(WAVE.strain(u, 2, 2))
            self.assertAlmostEqual(values["ringdown"]["to"], u[(h < 0.01 * h[0]).argmax()] - PEAK, delta=0.25)
        self.assertRegex(text, r"B/A = 1.0200")

    def test_long_before_the_peak(self):
        """A mean, in which an eccentric orbit's swing of 60 M is nothing; none where a wave begins later."""
        t = np.arange(0.0, 450.0, 0.25)
        size = np.exp(-((t - 400) ** 2) / 8e4)
        larger = 1.03 + 0.02 * np.sin(2 * math.pi * t / 60)
        a, b = (Waves("strain", t, {(2, 2): x * np.exp(-0.3j * t)}) for x in (size, size * larger))
        early = difference.summary(difference.of_mode(a, b, (2, 2)), 400.0)["early"]
        self.assertAlmostEqual(early["amplitude"], 0.03, delta=2e-4)
        self.assertEqual((early["time"], early["about"]), (-300.0, 60.0))
        self.assertNotIn("early", difference.summary(difference.of_mode(a, b, (2, 2), start=71.0), 400.0))

    def test_sign_of_the_phase(self):
        # b runs ahead of a by 8 rad until the peak, where phases are told modulo 2 pi, and by 0.3 rad more after it.
        t = np.arange(0.0, 200.0, 0.1)
        size, turn = np.exp(-((t - 100) ** 2) / 1800), 0.4 * t
        ahead = 8 / (1 + np.exp(-(t - 50) / 4)) + 0.3 / (1 + np.exp(-(t - 115) / 1))
        a, b = (Waves("strain", t, {(2, 2): size * np.exp(-1j * x)}) for x in (turn, turn + ahead))
        d = difference.of_mode(a, b, (2, 2))
        at = [float(np.interp(u, d.t, d.phase)) for u in (20, 100, 130)]
        np.testing.assert_allclose(at, [-2 * math.pi, 8 - 2 * math.pi, 8.3 - 2 * math.pi], atol=6e-3)

    def test_faint_modes_do_not_align(self):
        # Modes of odd m of 0.5% that are turned by half an orbit: noise, for all that is known.
        wave = synthetic.Chirp(amplitudes={(2, 2): 0.6, (3, 3): 0.003}, peak=400.0)
        self.a = write(self.scratch / "a.h5", wave)
        b = write(self.scratch / "b.h5", wave, change=lambda u, v, m: -v if m % 2 else v)
        for how in (["peak"], ["window", "-150", "20"]):
            found = self.compare(b, "--align", *how, "--masses", "60")[1]["alignment"]
            self.assertAlmostEqual(found["dphi"], 0, delta=1e-5)

    def test_inclination(self):
        # At the south pole only m = -2 is seen. Without (2, 1) what differs between m and -m tilts no axis.
        wave = synthetic.Chirp(amplitudes={(2, 2): 0.6, (3, 3): 0.08, (4, 4): 0.03}, peak=400.0)
        self.a = write(self.scratch / "a.h5", wave)
        b = write(self.scratch / "b.h5", wave, change=lambda u, v, m: v if m == -2 else 0.9 * v * np.exp(1j * np.cos(u / 9)))
        found = [self.compare(b, "--inclination", i, "--masses", "60")[1]["observers"][0] for i in ("180", "90")]
        seen = [one["mismatch_flat"] for one in found]
        self.assertLess(seen[0], 1e-10)
        self.assertGreater(seen[1], 1e-3)

    def test_mismatch_is_half_the_variance(self):
        # b = a exp(i e g(t)): flat mismatch e^2/2 (mean of g^2 less what a constant and a shift in time, the phase's
        # slope, can do), means weighted with |a|^2 of the windowed waves.
        e = 2e-3
        b = write(self.scratch / "b.h5", change=lambda u, v, m: v * np.exp(1j * e * np.cos(u / 7) * np.sign(m)))
        _, found = self.compare(b, "--masses", "50")
        w = found["window"]
        t = np.linspace(w["start"], w["end"], 4001)
        u = t + found["alignment"]["a_peak"]
        left, right = (t - w["start"]) / w["rise"], (w["end"] - t) / w["fall"]

        def rising(x):
            inside = np.clip(x, 1e-6, 1 - 1e-6)
            return np.where(x >= 1, 1.0, 1 / (1 + np.exp(np.clip(1 / inside - 1 / (1 - inside), -600, 600))))
        h = WAVE.strain(u, 2, 2) * rising(left) * rising(right)
        g = h * np.cos(u / 7)
        base = np.column_stack([1j * h, np.gradient(h, t)])
        base = np.vstack([base.real, base.imag])
        error = np.concatenate([(1j * g).real, (1j * g).imag])
        # What scales b also drops out of the overlap: errors along h.
        base = np.column_stack([base, np.concatenate([h.real, h.imag])])
        rest = error - base @ np.linalg.lstsq(base, error, rcond=None)[0]
        expected = 0.5 * e**2 * (rest**2).sum() / (np.abs(h) ** 2).sum()
        self.assertAlmostEqual(found["modes"]["2,2"]["mismatch_flat"] / expected, 1, delta=0.01)


class Precessing(Command):
    WAVE = synthetic.Precessing(amplitudes={(2, 2): 0.6, (2, 1): 0.05, (3, 3): 0.08}, peak=400.0, tilt=0.5, around=0.012)

    def write(self, name, turn=None, dt=0.0, wave=WAVE):
        """As an asymptotic SXS file, in axes turned by a quaternion."""
        t = np.arange(0.0, 470.0, 0.2)
        waves = Waves("strain", t + dt, {lm: wave.strain(t, *lm) for lm in synthetic.modes(3)})
        waves = waves if turn is None else frame.turned(waves, turn)
        with h5py.File(self.scratch / name, "w") as h:
            for (l, m), v in waves.modes.items():
                h[f"Extrapolated_N2.dir/Y_l{l}_m{m}.dat"] = np.column_stack([waves.t, v.real, v.imag])
        return str(self.scratch / name)

    def test_in_any_axes(self):
        """Two inertial frames and a shift in time leave nothing, at any inclination; what precesses otherwise does."""
        self.a = self.write("a.h5")
        turn = frame.multiply(frame.about([0.6, 0, 0.8], 2.0), frame.about([0, 1.0, 0], 1.9))
        b = self.write("b.h5", turn, 33.3)
        for how in (["peak"], ["window", "-150", "-50"]):
            text, found = self.compare(b, "--align", *how, "--masses", "60", "200", "--inclination", "0", "70", "--azimuth", "0",
                                       "90")
            self.assertEqual([seen["inclination_deg"] for seen in found["observers"]], [0, 70])
            for seen in (found["modes"]["2,2"], *found["observers"]):
                self.assertLess(max(row["mismatch"] for row in seen["mismatch"]), 1e-7)
                self.assertLess(seen["mismatch_flat"], 1e-7)
            self.assertLess(found["modes"]["2,2"]["inspiral"]["amplitude_max"], 1e-3)
            np.testing.assert_allclose(frame.turn(turn, found["axes"]["b"]), found["axes"]["a"], atol=1e-7)
            self.assertIn("about the radiation axis from", text)
        other = self.write("c.h5", turn, wave=replace(self.WAVE, around=0.006))
        seen = self.compare(other, "--masses", "60", "--inclination", "70")[1]["observers"][0]
        self.assertGreater(seen["mismatch_flat"], 1e-3)

    def test_mean_of_azimuths(self):
        """Of what A's azimuths show, weighted with rho^3."""
        self.a = self.write("a.h5")
        b = self.write("b.h5", wave=replace(self.WAVE, around=0.006))
        words = ["--masses", "60", "--inclination", "70", "--azimuth"]
        one, two, both = (self.compare(b, *words, *x)[1]["observers"][0]["mismatch_flat"] for x in (["0"], ["90"], ["0", "90"]))
        self.assertGreater(abs(one / two - 1), 1e-2)
        self.assertTrue(min(one, two) < both < max(one, two))

    def test_weights(self):
        """(sum rho^3 match^3 / sum rho^3)^(1/3), rho^2 the square of A."""
        f, random = np.fft.fftfreq(64, 0.5), np.random.default_rng(2)
        a, b = random.standard_normal((2, 64)) + 1j * random.standard_normal((2, 64))
        seen = [mismatch.Seen(f, a, {2: a + 0.5 * b}, 0.5), mismatch.Seen(f, 3 * b, {2: b + 1.5 * a}, 0.5)]
        one, two = (1 - mismatch.best_azimuth(s, np.ones(64))[0].mismatch for s in seen)
        self.assertGreater(one, two + 0.1)
        rho = np.linalg.norm(a) ** 3, np.linalg.norm(3 * b) ** 3
        expected = ((rho[0] * one**3 + rho[1] * two**3) / sum(rho)) ** (1 / 3)
        self.assertAlmostEqual(1 - difference._weighted(seen, np.ones(64)).mismatch, expected, places=12)

    def test_through_psi4_of_a_run(self):
        """psi4 through spheres of what precesses, corrected and integrated, leaves next to nothing beside the strain itself, at
        all inclinations. Spheres far out, as theirs is psi4 to two orders in 1/R; a frequency that rises no faster than those of
        binaries, as else 3% of the wave are below the cut-off."""
        wave = replace(self.WAVE, on=0.0, rise=25.0)
        run = synthetic.write_run(self.scratch / "run", wave, (200.0, 300.0), t_end=800.0, dt=0.4, l_max=3, remnant=(0.95, 0.7))
        self.a = str(run)
        _, found = self.compare(self.write("b.h5", wave=wave), "--masses", "20", "200", "--inclination", "0", "90", "--azimuth", "0", "120")
        for seen in (found["modes"]["2,2"], found["sky"], *found["observers"]):
            self.assertLess(max(row["mismatch"] for row in seen["mismatch"]), 2e-5)

    def test_spins_of_a_model_are_turned(self):
        """A model whose orbit is 0.7 rad ahead where its spins are as measured, 0.7 less where they are turned by as much."""
        t, asked = np.arange(0.0, 470.0, 0.4), []

        def waves(wave):
            return Waves("strain", t, {lm: wave.strain(t, *lm) for lm in synthetic.modes(3)})
        still = metadata.Reference(0.0, (0.5, 0.5), (np.array([0.3, 0, 0]), np.zeros(3)), (), np.array([0, 0, 1.0]), 0.02)
        a = catalogue.Entry(waves(self.WAVE), "run", 0.0, binary=catalogue_model.Binary(1.0, (0.5, 0.5), still.chis, still))

        def find(path, *_, beside=None):
            if beside is None:
                return a
            asked.append(beside.binary.turn)
            return catalogue.Entry(waves(replace(self.WAVE, phase=0.7 - beside.binary.turn)), "model", 0.0)
        words = "--masses 60 --inclination 70 --azimuth 0 90".split()
        with mock.patch.object(catalogue, "find", find):
            text, best = self.compare("IMRPhenomTPHM", *words)
            measured = self.compare("IMRPhenomTPHM", *words, "--turn-spins", "0")[1]
            none = self.compare("IMRPhenomTHM", *words)[1]
            halfway = self.compare("IMRPhenomTPHM", *words, "--turn-spins", "20")[1]["spins"]
            found = best["spins"]
            self.assertAlmostEqual(found["turned_deg"], math.degrees(0.7), delta=0.05)
            self.assertEqual((measured["spins"]["turned_deg"], halfway["turned_deg"]), (0.0, 20.0))
            self.assertNotIn("spins", none)
            for seen in ("sky", "observers"):
                was, now = ((x[seen] if seen == "sky" else x[seen][0])["mismatch_flat"] for x in (measured, best))
                self.assertGreater(was, 1e-2)
                self.assertLess(now, 1e-6)
            self.assertAlmostEqual(found["sky_flat_as_measured"], measured["sky"]["mismatch_flat"], places=12)
            self.assertIn("spins of B turned by 40.1", text)
            asked.clear()
            still.chis[0][0] = 0.0  # nothing to turn
            self.assertNotIn("spins", self.compare("IMRPhenomTPHM", *words)[1])
            self.assertEqual(asked, [0.0])

    def test_detectors(self):
        """One detector's mismatch is none where both polarisations have none, and the mean over many."""
        self.a = self.write("a.h5")
        b = self.write("b.h5", frame.about([0.6, 0, 0.8], 2.0), 12.3)
        words = "--masses 60 --inclination 70 --polarisation".split()
        self.assertLess(self.compare(b, *words, "0", "90")[1]["observers"][0]["mismatch_flat"], 1e-7)
        other = self.write("c.h5", wave=replace(self.WAVE, around=0.006))
        one, two, both = (self.compare(other, *words, *x)[1]["observers"][0]["mismatch_flat"] for x in (["0"], ["90"], ["0", "90"]))
        self.assertGreater(abs(one / two - 1), 1e-2)
        self.assertTrue(min(one, two) < both < max(one, two))

    def test_one_axis(self):
        """A wave that leaves the plane beside one that has no axis at all."""
        self.a = self.write("a.h5")
        t = np.arange(0.0, 470.0, 0.2)
        still = np.exp(-((t - 400) ** 2) / 200) * np.cos(0.4 * t)
        with h5py.File(self.scratch / "b.h5", "w") as h:
            h["Extrapolated_N2.dir/Y_l2_m0.dat"] = np.column_stack([t, still, 0 * t])
        self.assertIn("b.h5, Extrapolated_N2: the waves have no axis", self.compare(str(self.scratch / "b.h5"), code=1))


class Output(Command):
    def test_picture_table_and_marks(self):
        b = write(self.scratch / "b.h5", dphi=0.3, modes=[(2, 2), (2, -2), (3, 3)])
        picture = self.scratch / "out.png"
        text, found = self.compare(b, "-o", str(picture), "--masses", "60", "500", "--inclination", "30")
        self.assertEqual(picture.read_bytes()[:8], b"\x89PNG\r\n\x1a\n")
        self.assertEqual(found["observers"][0]["modes"], ["2,-2", "2,2", "3,3"])
        self.assertEqual([row["mass"] for row in found["modes"]["2,2"]["mismatch"]], [60.0, 500.0])
        # 2 * 0.035 rad/M is 38 Hz at 60 Msun, 4.5 Hz at 500.
        first, second = (row["from_hz"] for row in found["modes"]["2,2"]["mismatch"])
        self.assertAlmostEqual(first, 0.07 / (2 * math.pi * 60 * 4.925491e-6), delta=0.5)
        self.assertEqual(second, 20.0)
        self.assertRegex(text, r"(?m)^60 .*\*")
        self.assertRegex(text, r"(?m)^500 [^*]*$")
        self.assertIn("above f_low", text)

    def test_noise_of_a_file(self):
        curve = self.scratch / "curve.txt"
        f = np.geomspace(5, 5000, 400)
        np.savetxt(curve, np.column_stack([f, 1e-23 * np.sqrt((40 / f) ** 4 + 1)]))
        b = write(self.scratch / "b.h5", change=lambda u, v, m: v * np.exp(0.1j * np.sign(m) * np.cos(u / 20)))
        _, by_asd = self.compare(b, "--asd", str(curve), "--masses", "100")
        _, by_name = self.compare(b, "--masses", "100")
        self.assertEqual(by_asd["noise"]["name"], "curve.txt")
        one, other = (x["modes"]["2,2"]["mismatch"][0]["mismatch"] for x in (by_asd, by_name))
        self.assertGreater(abs(one / other - 1), 1e-3)
        np.savetxt(curve, np.column_stack([f, 1e-46 * ((40 / f) ** 4 + 1)]))
        _, by_psd = self.compare(b, "--psd", str(curve), "--masses", "100")
        self.assertAlmostEqual(by_psd["modes"]["2,2"]["mismatch"][0]["mismatch"] / one, 1, delta=1e-9)


class Errors(Command):
    def test_messages(self):
        b = write(self.scratch / "b.h5", modes=[(2, 2), (3, 3)])
        for why, *more in (("--align sideways: it is `peak'", "--align", "sideways"),
                           ("with T1 < T2", "--align", "window", "10", "-10"),
                           ("with T1 < T2", "--align", "window", "10"),
                           ("--masses", "--masses", "-3"),
                           ("--mass -1: must be above zero", "--mass", "-1"),
                           ("--start -900: both waves have", "--start", "-900"),
                           ("--start 5: both", "--start", "5"),
                           ("no mode l = 4, m = 4", "--modes", "4,4"),
                           ("no noise curve of that name", "--psd", "nonsense"),
                           ("nothing of the waves", "--f-low", "1e7"),
                           ("what.xyz", "-o", str(self.scratch / "what.xyz"))):
            with self.subTest(why):
                self.assertIn(why, self.compare(b, *more, code=1))
        self.assertIn("no such file", self.compare("/nowhere.h5", code=1))
        cut = self.scratch / "cut.h5"
        cut.write_bytes(Path(b).read_bytes()[:3000])
        self.assertIn(f"{cut}: cannot be read", self.compare(str(cut), code=1))
        cut.rename(self.scratch / "mp_psi4.h5")
        self.assertIn("mp_psi4.h5: cannot be read", self.compare(str(self.scratch), "--mass", "1", code=1))

    def test_nothing_to_align_at_the_peak(self):
        """As in a head-on collision along z; a window aligns it."""
        b = write(self.scratch / "b.h5", change=lambda u, v, m: v * (1e-9 if abs(m) == 2 else 1))
        self.assertIn("(2,2), whose phase aligns B with A at the peak, is zero or faint", self.compare(b, "--modes", "3,3", code=1))
        self.assertIn("3,3", self.compare(b, "--modes", "3,3", "--align", "window", "-100", "-20")[0])

    def test_command_line(self):
        for bad in (("--turn-spins", "inf"), ("--turn-spins", "most"), *(("--modes", lm) for lm in ("2", "1,1", "2,3", "x,y")), ("--cutoff", "0"), ("--cutoff", "-0.1")):
            with self.assertRaises(SystemExit) as stop, contextlib.redirect_stderr(io.StringIO()):
                cli.main(["compare", self.a, self.a, *bad])
            self.assertEqual(stop.exception.code, 2)

    def test_misspelt_words(self):
        for why, *words in (("usage: tendex-waves extrapolate ", "extrapolate", "RUN", "--radi", "25", "--centr=off", "--x"),
                            ("extrapolate: error: unrecognized arguments: --ordr=3; did you mean --order? see --help", "extrapolate", "RUN", "--ordr=3"),
                            ("extrapolate: error: unrecognized arguments: more; see --help", "extrapolate", "RUN", "more"),
                            ("error: there is no command 'shwo'; did you mean show? give one of show, movie, ", "shwo", "RUN"),
                            ("error: there is no command 'plot it'; give one of show, ", "plot it")):
            with self.subTest(why), self.assertRaises(SystemExit) as stop, contextlib.redirect_stderr(io.StringIO()) as said:
                cli.main(list(words))
            self.assertEqual(stop.exception.code, 2)
            self.assertIn(why, said.getvalue())

    def test_waves_without_overlap(self):
        t = np.arange(0.0, 10.0, 0.5)
        a = Waves("strain", t, {(2, 2): np.exp(-1j * t)}, label="A")
        with self.assertRaisesRegex(WaveError, "too little to compare"):
            difference.of_mode(a, Waves("strain", t + 9, a.modes), (2, 2))
        with self.assertRaisesRegex(WaveError, "no mode in common"):
            difference.matching(a, Waves("strain", t, {(3, 3): np.exp(-1j * t)}))
        with self.assertRaisesRegex(WaveError, "vanishes"):
            difference.of_mode(Waves("strain", t, {(2, 2): np.exp(-1j * t) * (t > 3)}), a, (2, 2))


if __name__ == "__main__":
    unittest.main()
