"""Waves of every format that tendex-waves reads, from files written here by the formats' descriptions."""

import json
import math
import sys
import tempfile
import types
import unittest
from dataclasses import replace
from pathlib import Path
from unittest import mock

import h5py
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
sys.path.insert(0, str(Path(__file__).resolve().parent))
import synthetic  # noqa: E402
from tendex.waves.catalogues import catalogue, catalogue_model, metadata  # noqa: E402
from tendex.waves.extraction import standard  # noqa: E402
from tendex.waves.reading import wavefile  # noqa: E402
from tendex.waves.reading.run import Run  # noqa: E402
from tendex.waves.signal import frame  # noqa: E402
from tendex.waves.signal.modes import WaveError, Waves  # noqa: E402

# One whose psi4 the integration does not harm: fixed-frequency integration changes this strain by 0.5%.
WAVE = synthetic.Chirp(slow=0.08, grow=60.0)
MODES = [(2, -2), (2, 1), (2, 2), (3, 3)]


def values(t, l, m, tag=1.0):
    """Something else for every mode."""
    return tag * (l + 0.1 * m) * np.exp(-((t - 60) ** 2) / 800 - 1j * m * 0.2 * t)


class Scratch(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.scratch = Path(folder.name)

    def near(self, t, found, tolerance):
        """That (2,2) of a strain at retarded times is WAVE's, relative to its largest."""
        inside = (t > 60) & (t < 290)
        exact = WAVE.strain(t[inside], 2, 2)
        self.assertLess(np.abs(found[inside] - exact).max() / np.abs(exact).max(), tolerance)


class Sxs(Scratch):
    T = np.concatenate([np.arange(0.0, 50.0, 0.5), np.arange(50.0, 120.0, 0.1)])  # they are not even

    def write(self, name, groups, t=None):
        t = self.T if t is None else t
        with h5py.File(self.scratch / name, "w") as h:
            h.attrs["note"] = "made up"
            for group, tag in groups.items():
                for l, m in MODES:
                    v = values(t, l, m, tag)
                    h[f"{group}/Y_l{l}_m{m}.dat"] = np.column_stack([t, v.real, v.imag])
                h[f"{group}/History.txt"] = "what else is there"
        return self.scratch / name

    def same(self, waves, tag):
        np.testing.assert_array_equal(waves.t, self.T)
        self.assertEqual(sorted(waves.modes), MODES)
        for lm in MODES:
            np.testing.assert_array_equal(waves.mode(*lm), values(self.T, *lm, tag))

    def test_extrapolated(self):
        file = self.write("rhOverM_Asymptotic_GeometricUnits.h5", {
            "Extrapolated_N2.dir": 1.0, "Extrapolated_N3.dir": 2.0, "Extrapolated_N4.dir": 3.0,
            "OutermostExtraction.dir": 4.0})
        self.same(catalogue.load(file), 1.0)
        self.same(catalogue.load(self.scratch), 1.0)
        self.same(catalogue.load(file / "Extrapolated_N4.dir"), 3.0)
        self.same(catalogue.load(f"{file}/OutermostExtraction.dir"), 4.0)
        self.assertEqual(catalogue.find(file).form, "SXS")
        with self.assertRaisesRegex(WaveError, "no group Extrapolated_N7.dir; there are Extrapolated_N2.dir, "):
            catalogue.load(file / "Extrapolated_N7.dir")

    def test_junk_by_metadata(self):
        file = self.write("rhOverM_x.h5", {"Extrapolated_N2.dir": 1.0})
        self.assertAlmostEqual(catalogue.find(file).begins, 30, delta=0.1)  # half of the time to the peak, no more
        (self.scratch / "metadata.json").write_text(json.dumps(
            {"relaxation_time": 14.0, "reference_mass1": 0.4, "reference_mass2": 0.3}))
        self.assertAlmostEqual(catalogue.find(file).begins, 20.0)
        (self.scratch / "metadata.json").write_text("{")
        with self.assertRaisesRegex(WaveError, "metadata.json"):
            catalogue.find(file)

    def test_finite_radius(self):
        file = self.write("rh_FiniteRadii_CodeUnits.h5", {"R0050.dir": 1.0, "R0100.dir": 2.0})
        with self.assertRaisesRegex(WaveError, "--mass"):
            catalogue.load(file)
        (self.scratch / "metadata.json").write_text(json.dumps({"reference_mass1": 1.5, "reference_mass2": 0.5}))
        found = catalogue.load(file)
        self.assertEqual(found.radius, 50.0)
        np.testing.assert_allclose(found.t, self.T / 2, rtol=1e-15)
        np.testing.assert_allclose(found.mode(2, 2), values(self.T, 2, 2, 2.0) / 2, rtol=1e-15)
        self.assertEqual(catalogue.load(file / "R0050.dir", mass=1.0).radius, 50.0)
        with h5py.File(file, "a") as h:
            h["R0050.dir/CoordRadius.dat"] = [[0.0, 50.5]]
        self.assertEqual(catalogue.load(file / "R0050.dir", mass=1.0).radius, 50.5)

    def test_psi4(self):
        t = np.arange(0.0, 380.0, 0.25)
        psi4 = WAVE.psi4(t, 2, 2)
        with h5py.File(self.scratch / "rMPsi4_Asymptotic_GeometricUnits.h5", "w") as h:
            h["Extrapolated_N2.dir/Y_l2_m2.dat"] = np.column_stack([t, psi4.real, psi4.imag])
        found = catalogue.load(self.scratch / "rMPsi4_Asymptotic_GeometricUnits.h5")
        self.assertEqual(found.kind, "strain")
        self.near(t, found.mode(2, 2), 0.008)
        other = catalogue.load(self.scratch / "rMPsi4_Asymptotic_GeometricUnits.h5", cutoff=0.5)
        self.assertGreater(np.abs(other.mode(2, 2) - found.mode(2, 2)).max(), 0.05)

    def test_bad(self):
        file = self.write("rhOverM_x.h5", {"Extrapolated_N2.dir": 1.0})
        with h5py.File(file, "a") as h:
            del h["Extrapolated_N2.dir/Y_l2_m1.dat"]
            h["Extrapolated_N2.dir/Y_l2_m1.dat"] = np.zeros((len(self.T), 2))
        with self.assertRaisesRegex(WaveError, r"Y_l2_m1.dat: shape \(800, 2\)"):
            catalogue.load(file)
        with h5py.File(file, "a") as h:
            del h["Extrapolated_N2.dir/Y_l2_m1.dat"]
            h["Extrapolated_N2.dir/Y_l2_m1.dat"] = np.column_stack([self.T + 1, self.T, self.T])
        with self.assertRaisesRegex(WaveError, "times differ"):
            catalogue.load(file)

    def test_compressed(self):
        with h5py.File(self.scratch / "Strain_N2.h5", "w") as h:
            h.attrs["sxs_format"] = "rotating_paired_diff_multishuffle_bzip2"
            h["data"] = np.zeros(8)
        with mock.patch.dict(sys.modules, {"sxs": None}):
            with self.assertRaisesRegex(WaveError, "install the Python package sxs"):
                catalogue.load(self.scratch / "Strain_N2.h5")
        columns = np.column_stack([values(self.T, *lm) for lm in MODES])
        unpacked = types.SimpleNamespace(t=self.T, LM=MODES, ndarray=columns)
        package = types.SimpleNamespace(load=lambda file: unpacked)
        with mock.patch.dict(sys.modules, {"sxs": package}):
            self.same(catalogue.load(self.scratch / "Strain_N2.h5"), 1.0)

    def test_other_groups(self):
        file = self.write("rhOverM_x.h5", {"OutermostExtraction.dir": 1.0, "Perturbative.dir": 2.0})
        self.same(catalogue.load(file), 2.0)
        file = self.write("rh_x.h5", {"R0050.dir": 1.0, "R0070.50.dir": 2.0})
        self.assertEqual(catalogue.load(file, mass=1.0).radius, 70.5)


class LvcNr(Scratch):
    # Polynomials of degree 5, which splines of that degree hold exactly; the ends of X differ, as theirs do.
    AMP = np.polynomial.Polynomial([0.3, 1e-3, -2e-5, 1e-7, 2e-9, -3e-11])
    PHASE = np.polynomial.Polynomial([0.4, -0.3, -1e-3, 2e-6, 1e-8, 1e-10])

    def write(self, skip=None, **more):
        file = self.scratch / "strain.h5"
        with h5py.File(file, "w") as h:
            h.attrs["Format"] = 1
            h.attrs["NR-group"] = "made up"
            h.create_group("auxiliary-info")
            for l, m in MODES:
                for what, curve, first in (("amp", self.AMP * l, -100), ("phase", self.PHASE * m, -101)):
                    if (what, l, m) == skip:
                        continue
                    x = np.concatenate([[first], np.linspace(-95.0, 40.0, 23) ** 3 / 1600, [41.0]])
                    x = np.unique(np.clip(x, first, 41.0))
                    g = h.create_group(f"{what}_l{l}_m{m}")
                    g["X"], g["Y"], g["tol"], g["errors"] = x, curve(x), 1e-6, np.zeros(len(x))
                    if (l, m) != (2, 2):
                        g["deg"] = 5
            for name, data in more.items():
                h[name] = data
        return file

    def test_splines(self):
        found = catalogue.load(self.write())
        self.assertEqual((found.t[0], found.t[-1]), (-100.0, 41.0))
        self.assertEqual(sorted(found.modes), MODES)
        for l, m in MODES:
            exact = l * self.AMP(found.t) * np.exp(1j * m * self.PHASE(found.t))
            np.testing.assert_allclose(found.mode(l, m), exact, atol=1e-11)
        entry = catalogue.find(self.scratch / "strain.h5")
        self.assertEqual((entry.form, entry.begins), ("LVC-NR", -100.0))

    def test_own_times(self):
        times = np.array([-120.0, -90.0, -3.5, 7.0, 50.0])
        np.testing.assert_array_equal(catalogue.load(self.write(NRTimes=times)).t, times[1:4])

    def test_bad(self):
        with self.assertRaisesRegex(WaveError, "amp_l2_m1 has no phase_l2_m1"):
            catalogue.load(self.write(skip=("phase", 2, 1)))
        file = self.write()
        with h5py.File(file, "a") as h:
            del h["amp_l2_m2/Y"]
        with self.assertRaisesRegex(WaveError, "amp_l2_m2: not a group with X and Y"):
            catalogue.load(file)
        with h5py.File(file, "a") as h:
            h["amp_l2_m2/Y"] = np.zeros(3)
        with self.assertRaisesRegex(WaveError, "no spline of degree 5"):
            catalogue.load(file)


class Model(unittest.TestCase):
    STILL = np.zeros(3)
    BINARY = catalogue_model.Binary(1.0, (0.5, 0.5), (STILL, STILL), None)

    def test_no_such_model(self):
        """A word that is no path may be meant as a model, or as the name of an entry of a catalogue."""
        fetch = "the name of an entry of a catalogue, which is not fetched: download its waves and give the file, for instance"
        for name, said in (
                ("SEOBNRv9HM", "no such file or folder, and no model that is known: of models there are IMRPhenomTHM, SEOBNRv4HM, SEOBNRv5HM, "
                               "IMRPhenomTPHM, SEOBNRv5PHM, NRSur7dq2; understood are: a run folder"),
                ("SXS:BBH:0305", f"{fetch} SXS_BBH_0305/rhOverM_Asymptotic_GeometricUnits_CoM.h5/Extrapolated_N2.dir"),
                ("RIT:BBH:0001", f"{fetch} ExtrapStrain_RIT-BBH-0001-n100.h5"),
                ("out/nothing", "no such file or folder; understood are: a run folder")):
            with self.assertRaisesRegex(WaveError, f"{name}: {said}"):
                catalogue.find(name)

    def test_without_lalsimulation(self):
        t = np.arange(0.0, 400.0, 0.5)
        waves = Waves("strain", t, {(2, 2): WAVE.strain(t, 2, 2)})
        with mock.patch.dict(sys.modules, {"lal": None, "lalsimulation": None}):
            with self.assertRaisesRegex(WaveError, "IMRPhenomTHM: LALSimulation.*is not there.*pip install lalsuite"):
                catalogue.find("IMRPhenomTHM", beside=catalogue.Entry(waves, "run", 50.0, binary=self.BINARY))

    def test_of_pyseobnr(self):
        """What it is asked for, of a run whose second hole is the heavier one, and what becomes of its modes; without it."""
        asked = []

        def generate(*given, **options):
            asked.append((given, options))
            return np.arange(50.0), {f"2,{m}": m * np.exp(-0.1j * m * np.arange(50)) for m in (1, 2)} | {"3,3": np.full(50, 3j)}
        binary = replace(self.BINARY, masses=(0.3, 0.6), chis=(np.array([0, 0, 0.1]), np.array([0, 0, -0.2])))
        module = types.SimpleNamespace(generate_modes_opt=generate)
        with mock.patch.dict(sys.modules, {"pyseobnr": types.SimpleNamespace(), "pyseobnr.generate_waveform": module}):
            found = catalogue_model.of("SEOBNRv5HM", 0.04, binary)
            catalogue_model.of("SEOBNRv5HM", 0.3, binary)
        (given, options), (late, _) = asked
        np.testing.assert_allclose(given, (2.0, -0.2, 0.1, 0.02), rtol=1e-14)
        self.assertEqual(late[3], catalogue_model.SLOWEST_EOB / 2)
        self.assertEqual(options["approximant"], "SEOBNRv5HM")
        self.assertAlmostEqual(options["settings"]["dt"] / (options["settings"]["M"] * 4.92549e-6), catalogue_model.STEP, 5)
        np.testing.assert_allclose(found.t, catalogue_model.STEP * np.arange(50))
        self.assertEqual(sorted(found.modes), [(2, -2), (2, -1), (2, 1), (2, 2), (3, -3), (3, 3)])
        np.testing.assert_array_equal(found.mode(2, -2), 2 * np.exp(0.2j * np.arange(50)))
        np.testing.assert_array_equal(found.mode(3, -3), np.full(50, 3j))
        module.generate_modes_opt = mock.Mock(side_effect=ValueError("mass ratio"))
        with mock.patch.dict(sys.modules, {"pyseobnr": types.SimpleNamespace(), "pyseobnr.generate_waveform": module}):
            with self.assertRaisesRegex(WaveError, "SEOBNRv5HM: pyseobnr makes no wave .* M w = 0.04: mass ratio"):
                catalogue_model.of("SEOBNRv5HM", 0.04, binary)
        with mock.patch.dict(sys.modules, {"pyseobnr": None}):
            with self.assertRaisesRegex(WaveError, "SEOBNRv5HM: pyseobnr, .*is not there.*pip install pyseobnr"):
                catalogue_model.of("SEOBNRv5HM", 0.04, binary)

    def test_beside_no_wave(self):
        t = np.arange(0.0, 100.0, 0.5)
        for h, begins in ((WAVE.strain(t, 2, 2), 99.5), (np.zeros(len(t), complex), 50.0)):
            entry = catalogue.Entry(Waves("strain", t, {(2, 2): h}, label="here"), "run", begins, binary=self.BINARY)
            with self.assertRaisesRegex(WaveError, "here: shows no frequency of .* after t = .* IMRPhenomTHM"):
                catalogue.find("IMRPhenomTHM", beside=entry)

    @staticmethod
    def tilted():
        """(the quaternion from the axes of its orbit into the run's, a binary whose second hole is the heavier one)"""
        q = frame.multiply(frame.about([0.6, 0, 0.8], 0.7), frame.about([0, 1.0, 0], 0.4))
        x, y, z = (frame.turn(q, unit) for unit in np.eye(3))
        # The line is not quite across the axis.
        then = metadata.Reference(48.0, (0.2, 0.6), (frame.turn(q, [0.1, 0.2, 0.3]), frame.turn(q, [-0.4, 0.5, 0.6])),
                                  (-3 * x, x + 0.01 * z), z, 0.025)
        return q, catalogue_model.Binary(0.82, (0.3, 0.5), (0, 0), then)

    def test_precessing(self):
        """What LALSimulation is asked for, of a run whose second hole is the heavier one, and what becomes of its modes."""
        asked = []

        def modes(*given):
            asked.extend(given)
            first = None
            for m in range(-2, 3):
                data = types.SimpleNamespace(data=(3.0 + m) * np.exp(-0.1j * np.arange(50)))
                first = types.SimpleNamespace(l=2, m=m, mode=types.SimpleNamespace(data=data), next=first)
            return first
        lal = types.SimpleNamespace(MSUN_SI=2.0, MTSUN_SI=1e-3, MRSUN_SI=1.5, PC_SI=3.0)
        q, binary = self.tilted()
        with mock.patch.dict(sys.modules, {"lal": lal, "lalsimulation": types.SimpleNamespace(
                SimIMRPhenomTPHM_ChooseTDModes=modes)}):
            found = catalogue_model.of("IMRPhenomTPHM", 0.2, binary)
            asked_first, asked[:] = asked[:], []
            catalogue_model.of("IMRPhenomTPHM", 0.2, replace(binary, turn=math.pi / 2))
        solar, distance, second = catalogue_model.SOLAR, catalogue_model.MEGAPARSEC * 3e6, catalogue_model.SOLAR * 1e-3
        orbit = 2 * 0.025 * 0.82
        np.testing.assert_allclose(asked_first[:12], [
            0.75 * solar * 2, 0.25 * solar * 2, -0.4, 0.5, 0.6, 0.1, 0.2, 0.3, distance, catalogue_model.STEP * second,
            0.9 * orbit / (2 * np.pi * second), orbit / (2 * np.pi * second)], rtol=1e-12)
        # A quarter of a turn from x, along the line, to y.
        np.testing.assert_allclose(asked[2:8], [-0.5, -0.4, 0.6, -0.2, 0.1, 0.3], atol=1e-12)
        self.assertEqual(asked[8:12], asked_first[8:12])
        there = frame.turned(found, q)
        for m in range(-2, 3):
            np.testing.assert_allclose(there.mode(2, m), -(3.0 + m) * np.exp(-0.1j * np.arange(50)) * distance / (solar * 1.5),
                                       rtol=1e-9)
        for change, said in (({"omega": None}, "needs the orbit when the junk has left.* t = 48"),
                             ({"omega": 0.0}, "needs the orbit")):
            with mock.patch.dict(sys.modules, {"lal": lal, "lalsimulation": types.SimpleNamespace()}):
                with self.assertRaisesRegex(WaveError, said):
                    catalogue_model.of("IMRPhenomTPHM", 0.2, replace(binary, then=replace(binary.then, **change)))

    def test_precessing_of_pyseobnr(self):
        """The same of pyseobnr: it has all m, and frequencies of the orbit."""
        asked = []

        def generate(*given, **options):
            asked.append((given, options))
            return np.arange(50.0), {f"2,{m}": (3.0 + m) * np.exp(-0.1j * np.arange(50)) for m in range(-2, 3)}
        q, binary = self.tilted()
        module = types.SimpleNamespace(generate_modes_opt=generate)
        with mock.patch.dict(sys.modules, {"pyseobnr": types.SimpleNamespace(), "pyseobnr.generate_waveform": module}):
            found = catalogue_model.of("SEOBNRv5PHM", 0.2, binary)
            catalogue_model.of("SEOBNRv5PHM", 0.01, replace(binary, turn=math.pi / 2))
            with self.assertRaisesRegex(WaveError, "SEOBNRv5PHM: needs the orbit when the junk has left"):
                catalogue_model.of("SEOBNRv5PHM", 0.2, replace(binary, then=replace(binary.then, omega=None)))
        (given, options), (turned, _) = asked
        orbit = 0.025 * 0.82
        for value, right in zip(given, (3.0, (-0.4, 0.5, 0.6), (0.1, 0.2, 0.3), 0.9 * orbit)):
            np.testing.assert_allclose(value, right, rtol=1e-12)
        self.assertAlmostEqual(options["omega_ref"], orbit, 14)
        self.assertEqual(options["approximant"], "SEOBNRv5PHM")
        self.assertTrue(options["settings"]["enable_antisymmetric_modes"])
        self.assertEqual(options["settings"]["M"], catalogue_model.SOLAR)
        for value, right in zip(turned, (3.0, (-0.5, -0.4, 0.6), (-0.2, 0.1, 0.3), 0.005)):
            np.testing.assert_allclose(value, right, rtol=1e-12, atol=1e-12)
        there = frame.turned(found, q)
        for m in range(-2, 3):
            np.testing.assert_allclose(there.mode(2, m), (3.0 + m) * np.exp(-0.1j * np.arange(50)), rtol=1e-9)

    def test_of_the_surrogate(self):
        """What NRSur7dq2 is asked for, of a run whose second hole is the heavier one, along z and not; from where its waves are taken,
        and with which sign; what it cannot do."""
        asked = []

        class Surrogate:
            def __call__(self, ratio, *chis, t, **options):
                asked.append((ratio, *chis, options))
                if ratio > 2.5 and not options:
                    raise Exception("Mass ratio 3.0 > 2 outside training range")
                phase = 0.03 * t + 2e-6 * (t + 4500) ** 2    # M w = 0.03 at the start, 0.04 after 2500 M
                return {(2, m): (3.0 + m) * np.exp(-0.5j * m * phase) for m in range(-2, 3)}
        q, tilted = self.tilted()
        tilted = replace(tilted, chis=tilted.then.chis)
        aligned = replace(self.BINARY, masses=(0.3, 0.6), chis=(np.array([0, 0, 0.1]), np.array([0, 0, -0.2])))
        with mock.patch.dict(sys.modules, {"NRSur7dq2": types.SimpleNamespace(NRSurrogate7dq2=Surrogate)}):
            found = catalogue_model.of("NRSur7dq2", 0.04, aligned)
            along, precessing = asked[0], catalogue_model.of("NRSur7dq2", 0.04, tilted)
            whole = catalogue_model.of("NRSur7dq2", 0.02, aligned)
            catalogue_model.of("NRSur7dq2", 0.04, replace(tilted, turn=math.pi / 2))
            for binary, slowest, said in (
                    (replace(aligned, masses=(0.25, 0.75)), 0.04, "mass ratios to 2, .*: Mass ratio 3.0 > 2 outside"),
                    (replace(tilted, then=replace(tilted.then, omega=None)), 0.04, "needs the orbit when the junk has left")):
                with self.assertRaisesRegex(WaveError, "NRSur7dq2: .*" + said):
                    catalogue_model.of("NRSur7dq2", slowest, binary)
        for value, right in zip(along, (2.0, (0, 0, -0.2), (0, 0, 0.1))):
            np.testing.assert_allclose(value, right, rtol=1e-14)
        self.assertEqual(along[3], {})
        self.assertAlmostEqual(4600 - found.t[-1], 2500, delta=2 * catalogue_model.STEP)
        self.assertEqual(len(whole.t), 4600 / catalogue_model.STEP)
        t = np.arange(-4500, 100, catalogue_model.STEP)[-len(found.t):]
        np.testing.assert_allclose(found.mode(2, 1), -4 * np.exp(-0.5j * (0.03 * t + 2e-6 * (t + 4500) ** 2)), rtol=1e-9)
        for value, right in zip(asked[1], (3.0, (-0.4, 0.5, 0.6), (0.1, 0.2, 0.3))):
            np.testing.assert_allclose(value, right, rtol=1e-12)
        self.assertAlmostEqual(asked[1][3]["f_ref"], 0.025 * 0.82 / np.pi, 14)
        np.testing.assert_allclose(asked[3][1], (-0.5, -0.4, 0.6), rtol=1e-12)
        self.assertIn("NRSur7dq2", catalogue_model.TURN)
        there = frame.turned(precessing, q)
        for m in range(-2, 3):
            np.testing.assert_allclose(there.mode(2, m), -(3.0 + m) * np.exp(-0.5j * m * (0.03 * t + 2e-6 * (t + 4500) ** 2)), rtol=1e-9)
        with mock.patch.dict(sys.modules, {"NRSur7dq2": None}):
            with self.assertRaisesRegex(WaveError, "NRSur7dq2: the package NRSur7dq2, .*is not there.*pip install NRSur7dq2"):
                catalogue_model.of("NRSur7dq2", 0.04, aligned)

    def test_aligned_alone(self):
        binary = replace(self.BINARY, chis=(np.array([0.1, 0, 0]), self.STILL))
        module = types.SimpleNamespace(MTSUN_SI=1.0, PC_SI=1.0)
        with mock.patch.dict(sys.modules, {"lal": module, "lalsimulation": module}):
            with self.assertRaisesRegex(WaveError, "has spins along z alone; .* take IMRPhenomTPHM"):
                catalogue_model.of("IMRPhenomTHM", 0.04, binary)
            with self.assertRaisesRegex(WaveError, "SEOBNRv4HM: has spins along z alone"):
                catalogue_model.of("SEOBNRv4HM", 0.04, binary)
        with mock.patch.dict(sys.modules, {"pyseobnr": module, "pyseobnr.generate_waveform": mock.Mock()}):
            with self.assertRaisesRegex(WaveError, "SEOBNRv5HM: has spins along z alone"):
                catalogue_model.of("SEOBNRv5HM", 0.04, binary)

    def test_of_no_binary(self):
        waves = Waves("strain", np.arange(3.0), {(2, 2): np.ones(3, complex)})
        for beside in (None, catalogue.Entry(waves, "SXS", 0.0)):
            with self.assertRaisesRegex(WaveError, "IMRPhenomTHM: a model, of no binary: name a run of Tendex first"):
                catalogue.find("IMRPhenomTHM", beside=beside)


class Toolkit(Scratch):
    """Folders as the Einstein Toolkit's simulation factory makes them: output-0000/name/..., restarts that overlap."""

    RADII = (60.0, 80.0, 120.0)
    MASS = 0.98

    def rows(self, radius, l, m, first, last):
        t = np.arange(first, last, 0.4)
        psi4 = synthetic.at_sphere(WAVE, t, l, m, synthetic.areal_radius(radius, self.MASS), self.MASS) / radius
        return np.column_stack([t, psi4.real, psi4.imag])

    def write(self, style):
        for number, (first, last) in enumerate([(0.0, 240.0), (200.0, 460.0)]):
            folder = self.scratch / f"output-000{number}" / "bbh"
            folder.mkdir(parents=True)
            if style == "h5":
                with h5py.File(folder / "mp_psi4.h5", "w") as h:
                    for r in self.RADII:
                        for l, m in ((2, 2), (2, -2), (1, 0)):
                            h[f"l{l}_m{m}_r{r:.2f}"] = self.rows(r, 2, m, first, last)
            else:
                for r in self.RADII:
                    for l, m in ((2, 2), (2, -2)):
                        np.savetxt(folder / f"mp_{style}_l{l}_m{m}_r{r:.2f}.asc", self.rows(r, l, m, first, last))

    def data(self):
        (self.scratch / "output-0000" / "bbh" / "TwoPunctures.bbh").write_text(
            "[metadata]\ninitial-ADM-energy = 0.98\ninitial-separation = 8\ninitial-data-type = Bowen-York\n"
            "initial-bh-puncture-adm-mass1 = 0.5\ninitial-bh-puncture-adm-mass2 = 0.48\n")

    def found(self, **options):
        entry = catalogue.find(self.scratch, **options)
        self.assertEqual(entry.form, "Einstein Toolkit")
        self.near(entry.waves.t * self.MASS, entry.waves.mode(2, 2) * self.MASS, 0.012)
        self.assertNotIn((1, 0), entry.waves.modes)
        return entry

    def test_bundle_with_restart(self):
        self.write("h5")
        self.data()
        self.assertAlmostEqual(self.found().begins, 48 / self.MASS, delta=1e-9)

    def test_tables(self):
        for style in ("Psi4", "psi4"):
            with self.subTest(style), tempfile.TemporaryDirectory() as folder:
                self.scratch = Path(folder)
                self.write(style)
                self.data()
                self.found()

    def test_mass_must_be_known(self):
        self.write("h5")
        with self.assertRaisesRegex(WaveError, "--mass"):
            catalogue.load(self.scratch)
        self.found(mass=self.MASS)

    def test_folder_of_several_runs(self):
        self.write("h5")
        self.data()
        first = self.scratch / "output-0000" / "bbh" / "TwoPunctures.bbh"
        copy = self.scratch / "output-0001" / "bbh" / "TwoPunctures.bbh"
        copy.write_text(first.read_text())
        self.found()
        copy.write_text(first.read_text().replace("0.48", "0.47"))
        with self.assertRaisesRegex(WaveError, "several runs"):
            catalogue.load(self.scratch)

    def test_bad_table(self):
        self.write("psi4")
        self.data()
        file = next(self.scratch.rglob("mp_psi4_l2_m2_r60.00.asc"))
        file.write_text("0 1 2 3\n1 2 3 4\n")
        with self.assertRaisesRegex(WaveError, r"mp_psi4_l2_m2_r60.00.asc: line 1: 4 values, not 3; a damaged line\? Remove it, and 1 others"):
            catalogue.load(self.scratch)
        file.write_text("0 what 1\n")
        with self.assertRaisesRegex(WaveError, "mp_psi4_l2_m2_r60.00.asc: line 1: 'what' is no number"):
            catalogue.load(self.scratch)


class Ours(Scratch):
    def test_run_folder(self):
        run = synthetic.write_run(self.scratch / "run", WAVE, masses=(0.57, 0.38))
        entry = catalogue.find(run)
        self.assertIn("Tendex", entry.form)
        self.near(entry.waves.t * 0.95, entry.waves.mode(2, 2) * 0.95, 0.012)
        exact = standard.of_run(Run(run), cutoff=0.1 / 0.95).strain.geometric()
        synthetic.assert_same(catalogue.load(run, cutoff=0.1).mode(2, 2), exact.mode(2, 2))


    def test_files(self):
        t = np.arange(0.0, 300.0, 0.5)
        far = Waves("strain", t, {lm: values(t - 140, *lm) for lm in MODES}, mass=0.5, label="far")
        near = Waves("strain", t, {lm: values(t - 140, *lm, 2.0) for lm in MODES}, 60.0, 61.0, 0.5, "near")
        news = replace(far, kind="news")
        file = self.scratch / "waves.h5"
        wavefile.write(file, {"extrapolated_N2": far, "r60.00": near, "news_extrapolated_N2": news}, "extrapolated_N2",
                       reference_time=14.0)
        entry = catalogue.find(file)
        self.assertEqual((entry.form, entry.begins), ("tendex-waves", 28.0))
        np.testing.assert_allclose(entry.waves.t, t / 0.5, rtol=1e-15)
        np.testing.assert_allclose(entry.waves.mode(2, 2), values(t - 140, 2, 2) / 0.5, rtol=1e-15)
        entry = catalogue.find(file / "r60.00")
        self.assertEqual((entry.begins, entry.waves.radius), ((14.0 + 60.0) / 0.5, 120.0))
        with self.assertRaisesRegex(WaveError, "is news; ask for a group of strain"):
            catalogue.load(file / "news_extrapolated_N2")


class Unknown(Scratch):
    def test_errors_say_what_is_there(self):
        with self.assertRaisesRegex(WaveError, "nothing.h5: no such file"):
            catalogue.load(self.scratch / "nothing.h5")
        with self.assertRaisesRegex(WaveError, "no waves found in nothing; understood are"):
            catalogue.load(self.scratch)
        (self.scratch / "readme.txt").write_text("hello")
        with self.assertRaisesRegex(WaveError, "no waves found in readme.txt"):
            catalogue.load(self.scratch)
        with self.assertRaisesRegex(WaveError, "not an HDF5 file"):
            catalogue.load(self.scratch / "readme.txt")
        with h5py.File(self.scratch / "grid.h5", "w") as h:
            h["coordinates"] = np.zeros(3)
        with self.assertRaisesRegex(WaveError, "grid.h5: has coordinates, and no waves"):
            catalogue.load(self.scratch / "grid.h5")


if __name__ == "__main__":
    unittest.main()
