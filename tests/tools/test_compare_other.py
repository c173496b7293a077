"""tendex-waves compare with waves of other codes in .npz files: made here with differences that are known, and those of other codes
where they are there."""

import contextlib
import io
import json
import math
import shutil
import sys
import tempfile
import unittest
from dataclasses import replace
from pathlib import Path

import numpy as np
from scipy.interpolate import make_interp_spline

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tools"), str(ROOT / "tests" / "tools"), str(ROOT / "tests" / "support")]
import quick_plots  # noqa: E402, F401
import synthetic  # noqa: E402
from reference import WHERE, reference  # noqa: E402
from tendex.waves.catalogues import catalogue, catalogue_npz, equal_radii  # noqa: E402
from tendex.waves.commands import cli  # noqa: E402
from tendex.waves.comparison import difference, noise, recognise, window  # noqa: E402
from tendex.waves.reading.run import Run  # noqa: E402
from tendex.waves.signal.modes import WaveError, Waves  # noqa: E402

OTHERS = {name: reference(f"{name}.npz") for name in ("spec_q1_h22", "spec_q2_h22", "et_qc0_rpsi4", "maya_qc0_rpsi4")}
SUN_S = 4.925490947641267e-6


class Binary:
    """h22 / M of a chirp to leading post-Newtonian order, tau^(-1/4) and frequency tau^(-3/8), tau the time to a merger that is
    softened, with a ringdown: t = 0 near the peak. Other modes have m / 2 of its phase."""

    FIRST, LAST, LATE = -1600.0, 120.0, 8.0
    t = np.arange(FIRST, LAST, 0.05)

    def __init__(self):
        self.tau = self.LATE + 10 * np.logaddexp(0, -self.t / 10)
        self.w = 0.5 * (self.tau / self.LATE) ** -0.375
        self.turned = make_interp_spline(self.t, self.w, k=5).antiderivative()
        self.log = make_interp_spline(self.t, math.log(0.7) - 0.25 * np.log(self.tau / self.LATE) - np.logaddexp(0, self.t / 12), k=5)

    def mode(self, t, m=2, size=1.0):
        return size * np.exp(self.log(t) - 0.5j * m * self.turned(t))

    def frequency(self, t):
        return np.interp(t, self.t, self.w)


BINARY = Binary()
T = np.arange(-1500.0, 110.0, 0.4)
H = BINARY.mode(T)
PEAK = float(T[np.abs(H).argmax()])


class Command(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.scratch = Path(folder.name)
        self.a = self.write("a", T, H)

    def write(self, name, t, h, **more):
        file = self.scratch / f"{name}.npz"
        np.savez(file, t=t, re=h.real, im=h.imag, **more)
        return str(file)

    def compare(self, b, *more, code=0, a=None):
        """What is printed, and what is in the JSON; of a failure its message."""
        out, err = io.StringIO(), io.StringIO()
        file = self.scratch / "numbers.json"
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            found = cli.main(["compare", str(a or self.a), str(b), "--json", str(file), "--masses", "60", *map(str, more)])
        self.assertEqual(found, code, err.getvalue())
        return (out.getvalue(), json.loads(file.read_text())) if code == 0 else err.getvalue()


class Differences(Command):
    def test_moved_and_turned(self):
        """Nothing is left of a shift in time and phase, and the scatter between windows says so."""
        t = np.arange(-1490.0, 100.0, 0.31)
        b = self.write("b", t + 77.7, BINARY.mode(t) * np.exp(-0.6j))
        picture = self.scratch / "out.png"
        text, found = self.compare(b, "-o", picture)
        n, mode = found["alignment"], found["modes"]["2,2"]
        self.assertEqual((n["how"], n["proposed"], len(n["windows"])), (["window"], True, 4))
        self.assertAlmostEqual(n["dt"], -77.7, delta=1e-5)
        self.assertAlmostEqual(n["dphi"], 0.3, delta=1e-6)
        self.assertLess(n["dt_error"], 1e-5)
        for value in (mode["all"]["amplitude_max"], mode["all"]["phase_max"], mode["error"]["phase_max"], mode["error"]["amplitude_max"]):
            self.assertLess(value, 1e-6)
        for key in ("mismatch_flat", "mismatch_news", "mismatch_psi4"):
            self.assertLess(mode[key], 1e-11)
        w = n["windows"][0]
        cycles = (BINARY.turned(PEAK) - BINARY.turned(w["last"] + PEAK)) / (2 * math.pi)
        self.assertAlmostEqual(cycles, 4, delta=0.05)
        self.assertIn(f"B aligned with A (window {round(w['first'], 1):g} {round(w['last'], 1):g}, proposed)", text)
        self.assertRegex(text, r"again in .* shifts differ by up to .* M; `\+-' is the largest")
        self.assertRegex(text, r"(?m)^ +-700 +[-+]\d\.\d{3}e-\d\d +\d\.\de-\d\d +[-+]\d\.\d{3}e-\d\d +\d\.\de-\d\d$")
        self.assertEqual(picture.read_bytes()[:8], b"\x89PNG\r\n\x1a\n")

    def test_a_drift(self):
        """A phase that runs ahead as the square of the time: sign and size of what is left at the peak, and of its error, are those of
        straight fits by least squares of the phase in the windows."""
        rate = 1e-7
        drift = rate * (T - T[0]) ** 2 / 2  # 0.11 rad at the peak, unaligned
        b = self.write("b", T, 1.002 * H * np.exp(-1j * drift))
        _, found = self.compare(b)
        mode, expected = found["modes"]["2,2"], []
        for w in found["alignment"]["windows"]:
            u = np.linspace(w["first"], w["last"], 4000) + found["alignment"]["a_peak"]
            base, weight = np.column_stack([np.ones_like(u), BINARY.frequency(u)]), np.abs(BINARY.mode(u))
            target = np.interp(u, T, drift)
            fit = np.linalg.lstsq(base * weight[:, None], target * weight, rcond=None)[0]
            expected.append(float(np.interp(PEAK, T, drift) - fit @ [1, BINARY.frequency(PEAK)]))
        self.assertGreater(abs(expected[0]), 0.02)
        self.assertAlmostEqual(mode["peak"]["phase"], expected[0], delta=0.02 * abs(expected[0]))
        scatter = max(abs(x - expected[0]) for x in expected)
        self.assertAlmostEqual(mode["error"]["phase_at_peak"], scatter, delta=0.05 * scatter)
        self.assertAlmostEqual(mode["over_time"][0]["amplitude"], 0.002, delta=5e-4)
        windows = found["alignment"]["windows"]
        self.assertAlmostEqual(found["alignment"]["dt_error"], max(abs(w["dt"] - windows[0]["dt"]) for w in windows), delta=1e-9)
        cycles = [BINARY.turned(np.array([w["first"], w["last"]]) + found["alignment"]["a_peak"]) / (2 * math.pi) for w in windows]
        for part, (first, last) in zip(window.PARTS, cycles[1:]):
            np.testing.assert_allclose(np.array([first, last]), cycles[0][0] + np.array(part) * (cycles[0][1] - cycles[0][0]), atol=0.05)
        # The other way round the difference has the other sign.
        turned = self.compare(self.a, a=b)[1]["modes"]["2,2"]["peak"]["phase"]
        self.assertAlmostEqual(turned, -mode["peak"]["phase"], delta=0.05 * abs(expected[0]))

    def test_windows_that_are_given(self):
        text, found = self.compare(self.a, "--align", "window", -900, -300)
        self.assertEqual([found["alignment"]["windows"][0][key] for key in ("first", "last")], [-900, -300])
        self.assertFalse(found["alignment"]["proposed"])
        self.assertNotIn("from where on both waves are clean", text)
        _, found = self.compare(self.write("late", T + 3.25, H), "--align", "none")
        self.assertAlmostEqual(found["alignment"]["dt"], 0, delta=1e-9)
        self.assertAlmostEqual(found["modes"]["2,2"]["peak"]["time"], 3.25, delta=1e-4)
        self.assertNotIn("error", found["modes"]["2,2"])
        self.assertIn("single alignment, of which the error is not known", self.compare(self.a, "--align", "peak")[0])

    def test_junk(self):
        """Where a wave begins in junk, the window and the comparison do not."""
        junk = 0.2 * np.exp(-((T + 1440) / 60) ** 2) * np.cos(0.21 * T)
        b = self.write("b", T, H * (1 + junk))
        text, found = self.compare(b)
        begins = found["alignment"]["windows"][0]["first"] + found["alignment"]["a_peak"]
        self.assertTrue(-1340 < begins < -1200, begins)
        self.assertRegex(text, r"B begins in junk radiation or an edge, which is left out: .* rough by up to \d+\.\d%")
        self.assertLess(found["modes"]["2,2"]["all"]["amplitude_max"], 0.01)
        self.assertIn("the window begins before", self.compare(self.a, "--align", "window", -1420, -300, a=self.sxs(junk))[0])

    def sxs(self, junk):
        """The wave with junk in a format that says nothing of it, and is not cut."""
        import h5py
        file = self.scratch / "rhOverM.h5"
        with h5py.File(file, "w") as h:
            v = H * (1 + junk)
            h["Extrapolated_N2.dir/Y_l2_m2.dat"] = np.column_stack([T, v.real, v.imag])
        (self.scratch / "metadata.json").write_text(json.dumps({"relaxation_time": float(T[0])}))
        return file

    def test_nothing_turns(self):
        """Head-on collisions have m = 0 alone; a window aligns them, and has no error."""
        t = np.arange(0.0, 200.0, 0.4)
        v = np.exp(-((t - 100) ** 2) / 300) * np.cos(0.35 * t)
        waves = Waves("strain", t, {(2, 0): v + 0j})
        found = window.aligned(waves, replace(waves, t=t + 3.0), 60.0, 120.0)
        self.assertAlmostEqual(found.dt, -3.0, delta=1e-5)
        self.assertIsNone(window.scatter(waves, waves, (60.0, 120.0), found, {}))

    def test_the_edge_of_an_integration(self):
        """An oscillation that decays, as the edge leaves it: the window begins after it; an eccentric one that stays is no edge."""
        t = BINARY.t[BINARY.t >= -1500]
        for decays, first, last in ((True, -1300, -500), (False, -1500, -1380)):
            size = 0.05 * np.exp(-(t + 1500) / 150) if decays else 0.01
            waves = Waves("strain", t - PEAK, {(2, 2): BINARY.mode(t) * (1 + size * np.cos(0.03 * t))})
            found = window.propose(waves, waves, (False, False))
            self.assertTrue(first < found.first < last, found)
        integrated = window.propose(waves, waves, (True, False))
        later = (integrated.first - found.first) * BINARY.frequency(-1500) / (2 * math.pi)
        self.assertAlmostEqual(later, window.EDGE, delta=0.3)


class Recognised(Command):
    def test_the_other_sign(self):
        text, found = self.compare(self.write("b", T, H.conj() * np.exp(0.4j)))
        self.assertIn("B turns as exp(+i m w t), of the other sign or of a clockwise orbit: its complex conjugate is taken", text)
        self.assertLess(found["modes"]["2,2"]["all"]["phase_max"], 1e-6)
        text, found = self.compare(self.a, a=self.write("b", T, H.conj()))
        self.assertIn("A turns as exp(+i m w t)", text)
        self.assertNotIn("exp(+i", self.compare(self.a)[0])

    def test_units_are_refused(self):
        seconds = 60 * SUN_S
        self.assertRegex(self.compare(self.write("b", T * seconds, H), code=1),
                         r"b.npz: its \(2,2\) has 0\.\d+ at its peak and turns by [\d.]+ rad per unit of time there, a.npz's 0\.\d+ and 0\.\d+/M: it "
                         r"turns 3.38e\+03 times as fast: its times are not in M, or it is another binary: in seconds a binary of 60 "
                         r"solar masses turns so; .*--mass")
        # What is in seconds is so throughout: r h in seconds too.
        b = self.write("b", T * seconds, H * seconds)
        self.assertLess(self.compare(b, "--mass", seconds, a=b)[1]["modes"]["2,2"]["all"]["phase_max"], 1e-6)
        self.assertIn("it turns 0.1 times as fast: its times are not in M, or it is another binary; give", self.compare(
            self.write("b", T * 10, H), code=1))
        for factor, said in ((1e-21, "as if seen from a distance"), (0.6, "is it another binary, or another normalisation")):
            self.assertRegex(self.compare(self.write("b", T, H * factor), code=1), rf"its size is {factor:.3g} times the other's, {said}")
        self.assertLess(self.compare(self.write("b", T, H * 1.2))[1]["modes"]["2,2"]["peak"]["ratio"], 1.21)

    def test_other_quantities(self):
        curve = make_interp_spline(T, np.column_stack([H.real, H.imag]), k=5)
        for order, said in ((1, "as r times the news has: r h / M is needed"), (2, "as r times psi4 has: r h / M is needed")):
            d = curve.derivative(order)(T)
            self.assertIn(said, self.compare(self.write("b", T, d[:, 0] + 1j * d[:, 1]), code=1))

    def test_other_modes(self):
        b = self.write("b", T, BINARY.mode(T, 3, 0.15))
        self.assertRegex(self.compare(b, code=1), r"it turns 1.5\d? times as fast, as one with m = 3: another mode under the name of \(2,2\)")
        self.assertIn("no mode l = 3, m = 3; it has (2,2); --modes chooses what is compared",
                      self.compare(self.a, "--modes", "3,3", code=1))

    def test_mass_ratios(self):
        a = self.write("a", T, H, q=2.0)
        text, _ = self.compare(self.write("b", T, H, q=0.5), a=a)
        self.assertIn("note on B: q = 0.5 is taken for m2/m1 with m1 the heavier hole: mass ratio 2", text)
        self.assertNotIn("mass ratios differ", text)
        self.assertIn("mass ratios differ: A 2, B 2.01", self.compare(self.write("b", T, H, q=2.01), a=a)[0])
        self.assertIn("b.npz is of mass ratio 3, a.npz of 2: not the same binary", self.compare(self.write("b", T, H, q=3), a=a, code=1))

    def test_noise(self):
        random = np.random.default_rng(3)
        hiss = random.standard_normal(len(T)) + 1j * random.standard_normal(len(T))
        said = r"b.npz: \(2,2\): noise, no wave: it does not turn evenly anywhere"
        self.assertRegex(self.compare(self.write("b", T, 0.1 * hiss), code=1), said)
        for level, known in ((0.3, True), (3e-3, False)):
            waves = Waves("strain", T, {(2, 2): H, (4, 4): 0.05 * (BINARY.mode(T, 4) + level * hiss)}, label="b")
            found = recognise.check_noise(waves, waves, [(2, 2), (4, 4)])
            self.assertEqual(found, [f"{which}'s (4,4) is noise, no wave: its differences mean nothing" for which in "AB"] if known else [])

    def test_too_short(self):
        early = T < PEAK - 50
        self.assertRegex(self.compare(self.write("b", T[early], H[early]), code=1),
                         r"b.npz: no peak of the wave between .*: it is greatest at an end; is the merger in the data\?")
        late = T > PEAK - 90
        text, found = self.compare(self.write("b", T[late], H[late]))
        self.assertRegex(text, r"no window proposed: \d\.\d cycles between -\d+\.\d M and 2 cycles before the peak, and 2 are needed")
        self.assertEqual(found["alignment"]["how"], ["peak"])
        self.assertRegex(self.compare(self.write("b", T[late], H[late]), "--align", "window", -400, -200, code=1), "take a narrower one")


class Files(Command):
    def test_modes_of_strain(self):
        both = {"t": T, "l2_m2_re": H.real, "l2_m2_im": H.imag, "l4_m-4_re": H.real, "l4_m-4_im": H.imag}
        np.savez(self.scratch / "b.npz", **both)
        found = catalogue.find(self.scratch / "b.npz")
        self.assertEqual((sorted(found.waves.modes), found.form, found.ratio), ([(2, 2), (4, -4)], "npz, strain", None))
        np.testing.assert_array_equal(found.waves.mode(4, -4), H)

    def test_broken(self):
        t = T.copy()
        t[5] = t[4]
        bad = {"re": H.real, "im": H.imag}
        for said, arrays in (("no im: there are t, re; understood are", {"t": T, "re": H.real}),
                             ("no t: there are re, im", bad),
                             (r"im: shape \(9,\), where t has \(\d+,\)", {"t": T, "re": H.real, "im": H.imag[:9]}),
                             ("t: time -1498.4 after -1498.4: times must increase", {"t": t, **bad}),
                             ("mode l = 2, m = 2: nan, not a finite number, at t = -1496", {"t": T, **bad, "im": np.where(T == T[10], np.nan, H.imag)}),
                             ("re: values of type complex128, not real numbers", {"t": T, "re": H, "im": H.imag}),
                             ("q: -1: a mass ratio is one number above 0", {"t": T, **bad, "q": -1.0}),
                             ("has x, and no waves that are known; understood are", {"x": T}),
                             ("re has fewer than two numbers", {"t": T[:1], "re": H.real[:1], "im": H.imag[:1]}),
                             ("no r30_l2_m2_im: there are", {"t": T, "r30_l2_m2_re": H.real}),
                             ("a sphere of radius 0.5, which is inside the holes", {"t": T, "r0.5_l2_m2_re": H.real, "r0.5_l2_m2_im": H.imag})):
            np.savez(self.scratch / "b.npz", **arrays)
            with self.subTest(said):
                self.assertRegex(self.compare(self.scratch / "b.npz", code=1), f"b.npz: {said}")
        whole = (self.scratch / "a.npz").read_bytes()
        (self.scratch / "b.npz").write_bytes(whole[:2000] + b"\0" * 500 + whole[2500:])
        self.assertRegex(self.compare(self.scratch / "b.npz", code=1), "b.npz: cannot be read: ")

    def test_command_line(self):
        for bad in (("--radius", "0"), ("--radius", "far")):
            with self.assertRaises(SystemExit), contextlib.redirect_stderr(io.StringIO()):
                cli.main(["compare", self.a, self.a, *bad])
        self.assertIn("--radius compares psi4 through spheres", self.compare(self.a, "--radius", 30, code=1))


# So slow a rise that little of it is slower than the cut-off: there two terms in 1/R, which the spheres have, are not its near field.
WAVE = synthetic.Chirp(amplitudes={(2, 2): 0.6, (3, 3): 0.08}, peak=400.0, rise=30.0)
RADII = 30.0, 40.0, 50.0, 60.0, 80.0


class Spheres(Command):
    def other(self, radii, scale=1.0):
        """An .npz file of R psi4 of the same binary through other spheres, in a unit of length that is `scale' times smaller."""
        arrays = {}
        for sphere in Run(self.run_folder("other", radii)).spheres():
            r = f"r{sphere.radius * scale:g}"
            arrays[f"{r}_t"] = sphere.t * scale
            for l, m in WAVE.amplitudes:
                v = sphere.mode(l, m) / scale
                arrays |= {f"{r}_l{l}_m{m}_re": v.real, f"{r}_l{l}_m{m}_im": v.imag}
        file = self.scratch / "other.npz"
        np.savez(file, **arrays)
        return file

    def run_folder(self, name="run", radii=RADII):
        folder = self.scratch / name
        shutil.rmtree(folder, ignore_errors=True)
        return synthetic.write_run(folder, WAVE, radii, t_end=560.0, dt=0.5, l_max=3, remnant=(0.95, 0.7))

    def test_equal_radii(self):
        run = self.run_folder()
        text, found = self.compare(self.other((30.0, 60.0, 100.0)), "--modes", "2,2", "3,3", a=run)
        self.assertEqual((found["kind"], found["a"]["format"]), ("psi4", "run of Tendex 0.0.0-synthetic, psi4 at r = 60"))
        for values in found["modes"].values():
            self.assertLess(max(values["all"]["amplitude_max"], values["all"]["phase_max"]), 1e-6)
            self.assertLess(max(values[f"mismatch_{key}"] for key in ("flat", "news", "psi4")), 1e-11)
        # At another radius of A's psi4 is another.
        far = self.compare(self.other((30.0,)), "--radius", 30, "--align", "none", a=run)[1]["modes"]["2,2"]
        self.assertLess(far["all"]["amplitude_max"], 1e-9)
        self.assertGreater(abs(far["peak"]["height_a"] / found["modes"]["2,2"]["peak"]["height_a"] - 1), 1e-3)

    def test_unequal_radii(self):
        run, other = self.run_folder(), self.other((35.0, 45.0, 100.0))
        self.assertRegex(self.compare(other, a=run, code=1), "run has psi4 at r = 30, 40, 50, 60, 80, other.npz at r = 35, 45, 100, .*no radius in "
                         "common. compare at infinity, --radius inf, or name one with --radius and interpolate with --between")
        self.assertIn("run: no sphere of r = 45, there are 30, 40, 50, 60, 80: take one that both have, interpolate with --between",
                      self.compare(other, "--radius", 45, a=run, code=1))
        text, found = self.compare(other, "--radius", 45, "--between", "--align", "none", a=run)
        self.assertIn("note on A: psi4 at r = 45 interpolated in 1/R between r = 40, 50, 60, 80", text)
        self.assertLess(found["modes"]["2,2"]["all"]["amplitude_max"], 1e-5)
        self.assertLess(found["modes"]["2,2"]["all"]["phase_max"], 1e-5)
        self.assertIn("not between them, and psi4 is not extrapolated to it", self.compare(other, "--radius", 100, "--between", a=run, code=1))
        _, found = self.compare(other, "--radius", "inf", a=run)
        self.assertEqual((found["kind"], found["b"]["format"]), ("strain", "npz, psi4 through spheres"))
        self.assertLess(abs(found["modes"]["2,2"]["peak"]["ratio"] - 1), 0.02)

    def test_units(self):
        """A file in another unit of length, by its mass; without it the radii differ."""
        run, other = self.run_folder(), self.other((40.0, 60.0), scale=2.0)
        text, found = self.compare(other, "--mass", 2.0, a=run)
        self.assertIn("other.npz: npz, psi4 through spheres, psi4 at r = 120; M = 2, as --mass says", text)
        self.assertLess(found["modes"]["2,2"]["all"]["amplitude_max"], 1e-6)
        self.assertRegex(self.compare(self.other((30.0, 40.0), scale=2.0), "--radius", 60, a=run, code=1), "turns by .* 0.50 times as fast")

    def test_psi4_has_the_mismatch_of_its_strain(self):
        """For a detector and without one, wherever psi4 and strain hold the same frequencies."""
        t = np.arange(50.0, 470.0, 0.2)

        def both(kind):
            made = [Waves(kind, t, {(2, 2): getattr(w, kind)(t, 2, 2)}) for w in (WAVE, replace(WAVE, fast=0.28))]
            return difference.Mismatches(*made)
        strain, news, psi4 = (both(kind) for kind in ("strain", "news", "psi4"))
        for n, exact in ((1, news), (2, psi4)):
            self.assertAlmostEqual(strain.flat((2, 2), n).mismatch / exact.flat((2, 2), n).mismatch, 1, delta=0.05)
        first, other = (m.mode((2, 2), noise.find("aligo"), [150.0], 20.0)[0].match.mismatch for m in (strain, psi4))
        self.assertAlmostEqual(other / first, 1, delta=0.05)
        self.assertGreater(first, 1e-5)
        at = [strain.flat((2, 2), n).mismatch for n in (0, 1, 2)]
        self.assertGreater(at[1] / at[0], 1.2)  # they differ in the ringdown


class Masses(Command):
    """Horizons whose masses, when the junk has left, are 1.2% above the punctures' ADM masses, as those of fast spins."""

    HORIZONS = ((0.506, 0.506), (0.506, 0.506))

    def test_one_unit(self):
        run = synthetic.write_run(self.scratch / "run", WAVE, (50.0, 70.0, 90.0), t_end=560.0, dt=0.5, l_max=3, remnant=(0.95, 0.7),
                                  horizons=self.HORIZONS)
        mass = sum(m for _, m in self.HORIZONS)
        entry = catalogue.find(run)
        self.assertAlmostEqual(entry.mass / mass, 1, delta=1e-12)
        self.assertEqual(entry.unit, "Christodoulou masses of both horizons together, when the junk has left")
        self.assertAlmostEqual(entry.binary.mass, mass, delta=1e-12)
        with contextlib.redirect_stdout(io.StringIO()):
            for words in (["extrapolate", run, "-o", self.scratch / "s.h5"], ["export", run, "--format", "sxs", "rit", "-o", self.scratch]):
                self.assertEqual(cli.main([str(word) for word in words]), 0)
        rit, = (self.scratch / "rit").glob("*.h5")
        for b in (self.scratch / "s.h5", self.scratch / "sxs" / "rhOverM_Asymptotic_GeometricUnits_CoM.h5", rit):
            text, found = self.compare(b, "--align", "peak", a=run)
            self.assertLess(found["modes"]["2,2"]["inspiral"]["amplitude_max"], 2e-5, b)
            self.assertLess(abs(found["modes"]["2,2"]["peak"]["time"]), 1e-4)
        self.assertIn("M = 1.012, Christodoulou masses of both horizons together", text)
        sphere, other = equal_radii.source(run), catalogue.npz_unit(None, equal_radii.source(run))
        self.assertEqual((sphere.mass, other[0]), (entry.mass, entry.mass))

    def test_without_horizons(self):
        run = synthetic.write_run(self.scratch / "run", WAVE, (50.0,), t_end=560.0, dt=0.5, l_max=2, remnant=(0.95, 0.7), horizons=self.HORIZONS)
        (run / "horizons.asc").unlink()
        entry = catalogue.find(run)
        self.assertEqual(entry.mass, Run(run).mass)
        self.assertEqual(entry.unit, "ADM masses of the punctures together: no horizon was found before the merger")


@unittest.skipUnless(all(OTHERS.values()), WHERE)
class Reference(Command):
    def test_resampled(self):
        file = OTHERS["spec_q1_h22"]
        waves, ratio = catalogue_npz.strain(file)
        t = np.arange(waves.t[0] + 1, waves.t[-1] - 1, 0.37)
        h = make_interp_spline(waves.t, waves.mode(2, 2), k=7)(t)
        _, found = self.compare(self.write("b", t - 1000, h * np.exp(1j), q=1.0), a=file)
        mode = found["modes"]["2,2"]
        self.assertAlmostEqual(found["alignment"]["dt"], 1000, delta=1e-4)
        self.assertLess(max(mode["all"]["phase_max"], mode["all"]["amplitude_max"], mode["error"]["phase_max"]), 1e-5)
        self.assertLess(max(mode["mismatch_flat"], mode["mismatch_psi4"]), 1e-10)
        self.assertAlmostEqual(mode["peak"]["height_a"], 0.3929, delta=1e-4)

    def test_amplitude(self):
        file = OTHERS["spec_q2_h22"]
        waves, _ = catalogue_npz.strain(file)
        _, found = self.compare(self.write("b", waves.t, 1.001 * waves.mode(2, 2), q=2.0), a=file)
        mode = found["modes"]["2,2"]
        for row in mode["over_time"]:
            self.assertAlmostEqual(row["amplitude"], 1e-3, delta=1e-6)
            self.assertLess(abs(row["phase"]) + row["phase_error"], 1e-6)
        self.assertIn("of mass ratio 1, spec_q2_h22.npz of 1.99998: not the same binary",
                      self.compare(OTHERS["spec_q1_h22"], a=file, code=1))

    def test_a_recorded_run(self):
        """q = 1 of ten orbits, in the unit of its ADM masses, beside SpEC's: -0.027 rad were found when aligned from -1000 to -200 M."""
        sys.path.insert(0, str(ROOT / "dev"))
        from tendex_dev.results import kept
        waves = kept.Shelf(ROOT / "docs" / "results").series("q1_o10_core5").strain
        _, found = self.compare(OTHERS["spec_q1_h22"], a=self.write("run", waves.t, waves.mode(2, 2)))
        n, mode = found["alignment"]["windows"][0], found["modes"]["2,2"]
        self.assertTrue(-1500 < n["first"] < -1000 and -220 < n["last"] < -120, n)
        self.assertAlmostEqual(mode["peak"]["phase"], 0.027, delta=0.02)
        self.assertTrue(0.01 < mode["error"]["phase_at_peak"] < 0.06)

    def test_psi4_of_two_codes(self):
        """QC-0 of the Einstein Toolkit and of MAYA through equal spheres, which have 2 and 1.5 M between points there."""
        at = {}
        for radius in (70, 80):
            _, found = self.compare(OTHERS["maya_qc0_rpsi4"], "--radius", radius, "--align", "window", -20, 20,
                                    a=OTHERS["et_qc0_rpsi4"])
            at[radius] = found["modes"]["2,2"]
            self.assertLess(abs(at[radius]["peak"]["ratio"] - 1), 0.02)
            self.assertLess(abs(at[radius]["peak"]["phase"]), 0.02)
        self.assertLess(at[80]["peak"]["height_a"], at[70]["peak"]["height_a"])
        self.assertIn("no sphere of r = 30, there are 70, 80",
                      self.compare(OTHERS["maya_qc0_rpsi4"], "--radius", 30, a=OTHERS["et_qc0_rpsi4"], code=1))


if __name__ == "__main__":
    unittest.main()
