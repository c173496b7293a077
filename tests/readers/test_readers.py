"""Other people's programs read what the program and `tendex-waves export' write, and find our numbers: kuibit, sxs,
scri, LALSimulation and ParaView.

    test_readers.py TENDEX FOLDER

TENDEX: the program; FOLDER: where the readers are installed from the package registry. Read are a short run of the
program, and a run folder made of a wave in closed form, of two unequal, spinning holes whose masses together are not
1. At the end stands how far each reader was from our numbers. Without registry or ParaView the test is skipped, unless
TENDEX_READERS_REQUIRED is set."""

import argparse
import contextlib
import io
import os
import subprocess
import sys
import tempfile
import unittest
import warnings
from dataclasses import replace
from pathlib import Path

import installed

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parents[1] / "tools"), str(HERE.parent / "tools")]
installed.pvpython()  # before half a minute of installing
installed.install(sys.argv[2])
warnings.simplefilter("ignore")
temporary = tempfile.TemporaryDirectory(prefix="tendex-readers-")
ROOT = Path(temporary.name)
os.environ["HOME"] = temporary.name  # sxs and numba keep settings and caches there
os.environ.setdefault("NUMBA_OPT", "0")  # what it compiles runs once: a third of the test went into making it fast
os.environ.setdefault("NUMBA_CACHE_DIR", str(Path(sys.argv[2]).resolve() / "numba"))

installed.compile_when_called()

import h5py  # noqa: E402
import lal  # noqa: E402
import lalsimulation  # noqa: E402
import numpy as np  # noqa: E402
import scri  # noqa: E402
import scri.extrapolation  # noqa: E402
import sxs  # noqa: E402
import synthetic  # noqa: E402
from kuibit.simdir import SimDir  # noqa: E402
from scipy.interpolate import CubicSpline  # noqa: E402
from sxscatalog.metadata import metadata_version  # noqa: E402
from tendex.physics.harmonics import harmonic  # noqa: E402
from tendex.waves.catalogues import catalogue, catalogue_model, export_lvcnr, metadata  # noqa: E402
from tendex.waves.commands import compare, export  # noqa: E402
from tendex.waves.comparison import difference, noise  # noqa: E402
from tendex.waves.extraction import dragging  # noqa: E402
from tendex.waves.extraction.spheres import frequency  # noqa: E402
from tendex.waves.inspiral import initial_orbit  # noqa: E402
from tendex.waves.reading.run import Run  # noqa: E402
from tendex.waves.signal import align, frame, inertial  # noqa: E402
from tendex.waves.signal.ffi import interpolated  # noqa: E402
from tendex.waves.signal.infinity import retarded  # noqa: E402
from tendex.waves.signal.modes import WaveError, Waves  # noqa: E402

EXACT = 1e-12
MASSES, CHIS, ENERGY = (0.66, 0.44), (0.3, -0.2), 1.08
RADII = (50.0, 60.0, 70.5, 80.0, 90.0, 100.0)
PARAMETERS = """
run:
  t_end: 10
  max_steps: 6
grid:
  extent: 8
  reflect: z
  level_min: 1
  level_max: 4
  bh_radius: 0.5
initial_data:
  type: two_punctures
  masses: bare
  bh1_mass: 0.5
  bh1_position: [1.25, 0, 0]
  bh1_momentum: [0, 0.2, 0]
  bh1_spin: [0, 0, 0.05]
  bh2_mass: 0.5
  bh2_position: [-1.25, 0, 0]
  bh2_momentum: [0, -0.2, 0]
  tolerance: 1e-5
evolution:
  cfl: 0.4
waves:
  radii: [4, 5.5]
  l_max: 3
  every: 2
horizons:
  every: 3
  l_max: 6
output:
  norms_every: 2
  track_every: 1
  slices_every: 3
  fields_every: 3
  variables: alpha beta_x
"""
reached = {}  # what was read: largest difference from ours


class Readers(unittest.TestCase):
    def same(self, what, theirs, ours, bound=EXACT):
        """Largest difference, over the largest of ours, is at most `bound`."""
        theirs, ours = np.asarray(theirs), np.asarray(ours)
        self.assertEqual(theirs.shape, ours.shape, what)
        self.assertGreater(ours.size, 0, what)
        size = np.abs(ours).max() or 1.0
        off = float(np.abs(theirs - ours).max() / size)
        reached[what] = max(reached.get(what, 0.0), off)
        self.assertLessEqual(off, bound, what)


def inside(radius):
    """[n] angular momentum along z inside a sphere of the run whose waves are known."""
    return dragging.inside(known, next(w for w in known.spheres() if w.radius == radius))[:, 2]


def setUpModule():
    """The two run folders, and all that is exported of the second."""
    global run, known, wave, folder, facts, made
    (ROOT / "short.yaml").write_text(PARAMETERS)
    subprocess.run([sys.argv[1], "run", "short.yaml", "--set", f"run.folder={ROOT / 'short'}"], cwd=ROOT, check=True,
                   stdout=subprocess.DEVNULL, timeout=300)
    run, wave = Run(ROOT / "short"), synthetic.Chirp()
    known = Run(synthetic.write_run(ROOT / "known", wave, RADII, masses=MASSES, chis=CHIS, energy=ENERGY, l_max=3,
                                    t_end=370.0))
    folder = ROOT / "out"
    values, _ = metadata.user(None, ["name=known", "authors=A", "email=a@b.c", "group=G", "license=public"])
    facts, made, *_ = export.export(known, export.FORMATS, folder, values)


class Kuibit(Readers):
    def test_waves_of_a_run(self):
        theirs, ours = SimDir(str(run.path)).gws, run.modes()
        self.assertEqual(theirs.radii, sorted(ours))
        for radius, modes in ours.items():
            self.assertEqual(set(theirs[radius].available_lm), set(modes))
            for lm, (t, psi4) in modes.items():
                self.same("kuibit: psi4", theirs[radius][lm].t, t)
                self.same("kuibit: psi4", theirs[radius][lm].y, psi4)

    def test_waves_in_closed_form(self):
        theirs = SimDir(str(known.path)).gws
        for radius in RADII:
            areal, spin = synthetic.areal_radius(radius, ENERGY), inside(radius)
            for lm in synthetic.modes(3):
                got = theirs[radius][lm]
                self.same("kuibit: psi4 in closed form", got.y,
                          synthetic.at_sphere(wave, got.t, *lm, areal, ENERGY, spin=spin) / radius)

    def test_strain(self):
        """kuibit's own integration, of psi4 = d2h/dt2: the other sign, no taper, no padding."""
        outermost = SimDir(str(known.path)).gws[RADII[-1]]
        theirs = outermost.get_strain_lm(2, 2, 2 * np.pi / (2 * made.cutoff), trim_ends=True)
        ours = made.finite[-1]
        inside = (ours.t > theirs.tmin - 1e-9) & (ours.t < theirs.tmax + 1e-9)
        self.same("kuibit: strain by its own integration", -theirs.y, ours.mode(2, 2)[inside], 3e-2)

    def test_tracks(self):
        theirs, (times, tracks) = SimDir(str(run.path)).ts.scalar, run.tracks()
        for hole, track in enumerate(tracks):
            for i, x in enumerate("xyz"):
                self.same("kuibit: tracks", theirs[f"pt_loc_{x}[{hole}]"].t, times)
                self.same("kuibit: tracks", theirs[f"pt_loc_{x}[{hole}]"].y, track[:, i])

    def test_reductions(self):
        theirs, ours = SimDir(str(run.path)).ts, run.table("constraints.asc")
        for name in [n for n in ours if "." in n]:
            variable, kind = name.split(".")
            got = (theirs.norm2 if kind == "norm2" else theirs.infnorm)[variable]
            self.same("kuibit: norms", got.t, ours["time"])
            self.same("kuibit: norms", got.y, ours[name])

    def test_horizons(self):
        theirs, table = SimDir(str(run.path)).horizons, run.table("horizons.asc")
        for number in (1, 2):
            seen = (table["horizon"] == number) & (table["found"] == 1)
            surface = theirs.get_apparent_horizon(number).ah
            for name, ours in (("centroid_x", "centroid_x"), ("mean_radius", "radius_mean"), ("area", "area"),
                               ("m_irreducible", "mass_irreducible"), ("areal_radius", "radius_areal")):
                self.same("kuibit: horizons", surface[name].t, table["time"][seen])
                self.same("kuibit: horizons", surface[name].y, table[ours][seen])
            isolated = theirs.get_qlm_horizon(number - 1)
            self.same("kuibit: masses and spins", isolated.mass.y, table["mass"][seen])
            self.same("kuibit: masses and spins", isolated.spin.y, abs(table["spin_z"][seen]))
            rotation = np.loadtxt(run.path / f"horizons/ah{number}.spin.asc", ndmin=2)[:, 8]
            self.same("kuibit: masses and spins", isolated.coordspinz.y, rotation)

    def test_initial_data(self):
        theirs = SimDir(str(run.path)).twopunctures
        for key in ("initial-ADM-energy", "initial-separation", "initial-bh-position2x", "initial-bh-momentum1y",
                    "initial-bh-spin1z", "initial-bh-puncture-adm-mass2"):
            self.same("kuibit: initial data", theirs[key], run.initial(key))


class Sxs(Readers):
    """In units of M, which is 1.1 in the run's own."""

    def test_strain_at_infinity(self):
        mass = sum(MASSES)
        for order, ours in made.orders.items():
            name = f"Extrapolated_N{order}.dir"
            file = folder / "sxs" / "rhOverM_Asymptotic_GeometricUnits.h5"
            theirs = sxs.load(str(file), extrapolation_order=name)
            old = scri.SpEC.read_from_h5(f"{file}/{name}")
            self.assertEqual((theirs.data_type, theirs.spin_weight, old.dataType), ("h", -2, scri.h))
            for l, m in ours.modes:
                for reader, t, values in (("sxs", theirs.t, theirs.ndarray[:, theirs.index(l, m)]),
                                          ("scri", old.t, old.data[:, old.index(l, m)])):
                    self.same(f"{reader}: strain", t, ours.t / mass)
                    self.same(f"{reader}: strain", values, ours.mode(l, m) / mass)

    def test_frame_of_the_centre_of_mass(self):
        """Translation and boost of scri, whose splines are cubic, by the attributes that files _CoM.h5 have."""
        origin, velocity, wave = [0.1, -0.2, 0.15], [3e-3, 2e-3, -1e-3], made.strain.geometric()
        lms = [(l, m) for l in range(2, wave.l_max + 1) for m in range(-l, l + 1)]
        theirs = scri.WaveformModes(t=wave.t, data=np.column_stack([wave.modes[lm] for lm in lms]), ell_min=2, ell_max=wave.l_max,
                                    frameType=scri.Inertial, dataType=scri.h, r_is_scaled_out=True, m_is_scaled_out=True)
        theirs = theirs.transform(space_translation=origin, boost_velocity=velocity)
        ours = inertial.transformed(wave, origin, velocity)
        inside = (ours.t > theirs.t[0]) & (ours.t < theirs.t[-1])
        for k, lm in enumerate(lms):
            size = np.abs(ours.mode(2, 2)).max()
            self.same("scri: centre of mass", (size + interpolated(theirs.t, theirs.data[:, k], ours.t[inside])).view(float),
                      (size + ours.mode(*lm)[inside]).view(float), 1e-5)

    def test_psi4_at_infinity(self):
        mass, file = sum(MASSES), folder / "sxs" / "rMPsi4_Asymptotic_GeometricUnits.h5"
        for order, ours in made.psi4_orders.items():
            theirs = sxs.load(str(file), extrapolation_order=f"Extrapolated_N{order}.dir")
            self.assertEqual((theirs.data_type, theirs.spin_weight), ("psi4", -2))
            self.same("sxs: psi4", theirs.t, ours.t / mass)
            for lm in ours.modes:
                self.same("sxs: psi4", theirs.ndarray[:, theirs.index(*lm)], ours.mode(*lm) * mass)

    def test_psi4_through_spheres(self):
        mass = sum(MASSES)
        for radius, name in zip(RADII, ("R0045.45", "R0054.55", "R0064.09", "R0072.73", "R0081.82", "R0090.91")):
            file = folder / "sxs" / "rPsi4_FiniteRadii_CodeUnits.h5"
            theirs = sxs.load(str(file), extrapolation_order=f"{name}.dir")
            old = scri.SpEC.read_from_h5(f"{file}/{name}.dir")
            self.assertEqual((theirs.data_type, old.dataType, old.m_is_scaled_out), ("psi4", scri.psi4, False))
            areal, spin = synthetic.areal_radius(radius, ENERGY), inside(radius)
            for lm in synthetic.modes(3):
                exact = synthetic.at_sphere(wave, theirs.t * mass, *lm, areal, ENERGY, spin=spin) * mass
                self.same("sxs: r psi4 in closed form", theirs.ndarray[:, theirs.index(*lm)], exact)
                self.same("scri: r psi4 in closed form", old.data[:, old.index(*lm)], exact)

    def test_strain_through_spheres(self):
        theirs = sxs.load(str(folder / "sxs" / "rh_FiniteRadii_CodeUnits.h5"), extrapolation_order="R0090.91.dir")
        for lm, values in made.finite[-1].modes.items():
            self.same("sxs: r h", theirs.ndarray[:, theirs.index(*lm)], values / sum(MASSES))

    def test_spheres_before_an_extrapolation(self):
        """What scri takes for it: retarded time, by areal radius and lapse, and R h; of the lapse of a hole at rest they are ours."""
        mass = sum(MASSES)
        for name, spheres in (("rh", made.finite), ("rPsi4", known.spheres())):
            file = str(folder / "sxs" / f"{name}_FiniteRadii_CodeUnits.h5")
            with contextlib.redirect_stdout(io.StringIO()):
                theirs, areal, radii = scri.extrapolation.read_finite_radius_data(1.0, file)
            self.assertEqual(len(radii), len(RADII))
            for one, R, ours in zip(theirs, areal, spheres):
                ours = retarded(ours, ENERGY, known.areal(ours.radius))
                self.same("scri: areal radius", R, np.full(len(ours.t), synthetic.areal_radius(ours.radius, ENERGY) / mass))
                self.same("scri: retarded time", one.t, ours.t / mass, 1e-9)
                for lm in ours.modes:
                    self.same("scri: R h and R psi4", one.data[:, one.index(*lm)], ours.geometric().modes[lm])

    def test_metadata(self):
        theirs, mass = sxs.Metadata.load(str(folder / "sxs" / "metadata.json")), sum(MASSES)
        self.assertEqual(metadata_version(theirs), "v3.0")
        common = known.summary["horizons"]["common"]
        frequency = initial_orbit.frequency(known.masses, known.chis, known.positions, known.momenta) * mass
        one, two = (m / mass for m in MASSES)
        separation = known.separation / mass
        for key, ours in (
                ("initial_mass1", one), ("initial_mass2", two), ("initial_ADM_energy", ENERGY / mass),
                ("initial_separation", separation), ("reference_mass1", one), ("reference_mass2", two),
                ("initial_orbital_frequency", frequency),
                ("initial_position1", (separation * two, 0, 0)),
                ("number_of_orbits_from_start", theirs["number_of_orbits"]),
                ("initial_dimensionless_spin1", (0, 0, CHIS[0])), ("initial_dimensionless_spin2", (0, 0, CHIS[1])),
                ("reference_dimensionless_spin1", (0, 0, CHIS[0])),
                ("remnant_mass", common["mass"] / mass), ("remnant_dimensionless_spin", (0, 0, common["chi"])),
                ("common_horizon_time", common["first_seen"] / mass)):
            self.same("sxs: metadata", theirs[key], ours, 1e-11)
        self.assertEqual(theirs.object_types, "BHBH")


class Lal(Readers):
    """NR_hdf5 takes natural cubic splines through the samples of amplitude and phase that are kept."""

    TOTAL, DISTANCE, STEP = 60.0, 400.0, 1 / 16384  # solar masses, Mpc, s
    # Tolerances of amplitude and phase of each of the 12 modes, over the peak.
    FORMAT = 2 * 12 * export.TOLERANCE

    def modes_of_file(self, h, t):
        """{(l, m): r h/M at t/M} as the format has it."""
        def curve(name):
            return CubicSpline(h[name]["X"][()], h[name]["Y"][()], bc_type="natural")(t)
        return {(l, m): curve(f"amp_l{l}_m{m}") * np.exp(1j * curve(f"phase_l{l}_m{m}")) for l, m in made.strain.modes}

    def modes_of_strain(self, t):
        strain, _ = export_lvcnr.prepared(made, sum(MASSES))
        return {lm: interpolated(strain.t, v, t) for lm, v in strain.modes.items()}

    def test_polarisations(self):
        file = str(folder / "lvcnr" / "known.h5")
        share = MASSES[0] / sum(MASSES)
        m1, m2 = share * self.TOTAL * lal.MSUN_SI, (1 - share) * self.TOTAL * lal.MSUN_SI
        distance = self.DISTANCE * 1e6 * lal.PC_SI
        second = self.TOTAL * lal.MTSUN_SI
        line = np.arctan2(facts.line[1], facts.line[0])
        for inclination, phase_ref in ((0.0, 0.0), (0.7, 0.3), (1.5, 2.0), (2.6, 5.0)):
            with h5py.File(file) as h:
                options = lal.CreateDict()
                lalsimulation.SimInspiralWaveformParamsInsertNumRelData(options, file)
                start = h.attrs["f_lower_at_1MSUN"] / self.TOTAL  # all that is there
                plus, cross = lalsimulation.SimInspiralChooseTDWaveform(
                    m1, m2, 0, 0, CHIS[0], 0, 0, CHIS[1], distance, inclination, phase_ref, 0, 0, 0, self.STEP, start,
                    0, options, lalsimulation.NR_hdf5)
                # From the first sample on; the epoch is in whole nanoseconds.
                first = h["amp_l2_m2/X"][0] * second
                self.assertLess(abs(float(plus.epoch) - first), 2e-9)
                t = (first + self.STEP * np.arange(plus.data.length)) / second
                self.assertLess((h["amp_l2_m2/X"][-1] - t[-1]) * second, self.STEP)
                for what, modes, bound in (("the file's splines", self.modes_of_file(h, t), EXACT),
                                           ("the strain", self.modes_of_strain(t), self.FORMAT)):
                    # With the orbit's axis along z the line of sight is at line + pi/2 - phase_ref (DCC T1600045).
                    sky = sum(v * harmonic(*lm, inclination, line + np.pi / 2 - phase_ref) for lm, v in modes.items())
                    sky = sky * self.TOTAL * lal.MRSUN_SI / distance
                    got = plus.data.data - 1j * cross.data.data
                    self.same(f"LALSimulation: h+ - i hx, from {what}", got, sky, bound)

    def test_spins(self):
        file = str(folder / "lvcnr" / "known.h5")
        got = lalsimulation.SimInspiralNRWaveformGetSpinsFromHDF5File(-1.0, self.TOTAL, file)
        self.same("LALSimulation: spins", got[-6:], (0, 0, CHIS[0], 0, 0, CHIS[1]))


class Tilted(Readers):
    """A binary that precesses, in the format of the LVC."""

    CHIS = np.array([-0.4, 0.2, 0.5]), np.array([0.3, -0.1, 0.2])  # in axes that go with the orbit's plane

    @classmethod
    def setUpClass(cls):
        cls.wave = synthetic.Precessing(amplitudes={(2, 2): 0.6, (2, 1): 0.03}, slow=0.06, around=0.004)
        cls.bbh = Run(synthetic.write_run(ROOT / "tilted", cls.wave, (60.0, 90.0), masses=MASSES, chis=cls.CHIS, energy=ENERGY,
                                          l_max=2, t_end=380.0, dt=0.4, remnant=(1.0, 0.6)))
        cls.file = str(ROOT / "tilted.h5")
        cls.facts, cls.made, *_ = export.export(cls.bbh, ["lvcnr"], cls.file)
        cls.axes = np.array([cls.facts.line, np.cross(cls.facts.normal, cls.facts.line), cls.facts.normal])

    def test_spins(self):
        """In the axes of the orbit, at the reference time and at a frequency."""
        got = lalsimulation.SimInspiralNRWaveformGetSpinsFromHDF5File(-1.0, 60.0, self.file)
        self.same("LALSimulation: spins, precessing", got[-6:], np.hstack([self.axes @ h.reference_chi for h in self.facts.holes]))
        with h5py.File(self.file) as h:
            middle = len(h["Omega-vs-time/X"]) // 2
            t, omega = (h[f"Omega-vs-time/{part}"][middle] for part in "XY")
        got = lalsimulation.SimInspiralNRWaveformGetSpinsFromHDF5File(omega / (np.pi * 60 * lal.MTSUN_SI), 60.0, self.file)
        t = t * sum(MASSES) + export_lvcnr.prepared(self.made, sum(MASSES))[1]
        one, two, normal, _ = metadata.motion(*self.bbh.tracks(), t)
        line = metadata.unit(one - two)
        spins = [self.wave.rotation(np.array([t])).apply(chi)[0] for chi in self.CHIS]
        axes = np.array([line, np.cross(normal, line), normal])
        self.same("LALSimulation: spins at a frequency", got[-6:], np.hstack([axes @ s for s in spins]), 1e-5)

    def test_polarisations(self):
        """Those of the modes in the axes of the orbit at the reference time."""
        strain, _ = export_lvcnr.prepared(self.made, sum(MASSES))
        there = frame.turned(strain, frame.of_axes(*self.axes))
        second, distance, step = 60 * lal.MTSUN_SI, 400e6 * lal.PC_SI, 1 / 16384
        spins = np.hstack([self.axes @ h.reference_chi for h in self.facts.holes])
        with h5py.File(self.file) as h:
            start = 1.0001 * h.attrs["f_lower_at_1MSUN"] / 60
        for inclination, phase_ref in ((0.0, 0.0), (0.7, 0.3), (2.6, 5.0)):
            options = lal.CreateDict()
            lalsimulation.SimInspiralWaveformParamsInsertNumRelData(options, self.file)
            plus, cross = lalsimulation.SimInspiralChooseTDWaveform(
                36 * lal.MSUN_SI, 24 * lal.MSUN_SI, *spins, distance, inclination, phase_ref, 0, 0, 0, step, start, 0, options,
                lalsimulation.NR_hdf5)
            t = (float(plus.epoch) + step * np.arange(plus.data.length)) / second
            self.assertGreater(t[-1] - t[0], 50)
            sky = sum(interpolated(there.t, v, t) * harmonic(*lm, inclination, np.pi / 2 - phase_ref)
                      for lm, v in there.modes.items()) * 60 * lal.MRSUN_SI / distance
            self.same("LALSimulation: h+ - i hx, precessing", plus.data.data - 1j * cross.data.data, sky, 1e-4)


class Model(Readers):
    """What compare takes from LALSimulation: a model's modes, in our units and with our signs."""

    CHIS = (0, 0, 0.3), (0, 0, -0.2)

    def test_modes(self):
        waves = catalogue_model.of("IMRPhenomTHM", 0.04, catalogue_model.Binary(1.0, (0.4, 0.6), np.array(self.CHIS), None))
        t, w = waves.t, frequency(waves.t, waves.mode(2, 2))
        self.assertAlmostEqual(w[100], 0.04, delta=5e-4)
        # At the pole there are (l, 2) alone: of this model (2, 2).
        second, distance = 40 * lal.MTSUN_SI, 1e6 * lal.PC_SI
        plus, cross = lalsimulation.SimInspiralChooseTDWaveform(
            24 * lal.MSUN_SI, 16 * lal.MSUN_SI, 0, 0, -0.2, 0, 0, 0.3, distance, 0, 0, 0, 0, 0, 0.25 * second,
            0.04 / (2 * np.pi * second), 0.04 / (2 * np.pi * second), None, lalsimulation.IMRPhenomTHM)
        sky = np.abs(plus.data.data - 1j * cross.data.data) * distance / (40 * lal.MRSUN_SI)
        ours = np.abs(waves.mode(2, 2)) * abs(harmonic(2, 2, 0.0, 0.0))
        top, peak = sky.argmax(), ours.argmax()
        self.same("LALSimulation: IMRPhenomTHM at the pole", ours[peak - 2000:peak + 200], sky[top - 2000:top + 200],
                  1e-6)
        early = np.abs(t - 300).argmin()
        a = np.angle(waves.mode(2, 2)[early])
        for (l, m), period in (((4, 4), 2 * np.pi), ((3, 3), np.pi), ((2, 1), np.pi)):
            off = (np.angle(waves.mode(l, m)[early]) - m * a / 2 + period / 2) % period - period / 2
            self.assertLess(abs(off), 0.1, (l, m))

    def test_models_agree(self):
        """Each from its own frequency: the order of the holes, spins and signs of odd m are the same in both."""
        binary = catalogue_model.Binary(1.0, (0.4, 0.6), np.array(self.CHIS), None)
        a, b = (catalogue_model.of(name, slowest, binary) for name, slowest in (("IMRPhenomTHM", 0.06), ("SEOBNRv4HM", 0.07)))
        self.assertLess(frequency(b.t, b.mode(2, 2))[100], 0.0505)
        top = align.peak_time(a)
        found = align.in_window(a, b, top - 400, top - 200)
        b = found.apply(b)
        for lm in ((2, 2), (2, 1), (3, 3), (4, 4)):
            d = difference.of_mode(a, b, lm, top - 400)
            early = d.t < top - 200
            self.assertLess(np.abs(d.amplitude[early]).max(), 0.05, lm)
            self.assertLess(np.abs(d.phase[early]).max(), 0.3, lm)

    def test_beside_a_run(self):
        entry = catalogue.find(known.path)
        np.testing.assert_allclose(np.hstack([entry.binary.masses, *entry.binary.chis]),
                                   [*MASSES, *self.CHIS[0], *self.CHIS[1]], atol=EXACT)
        models = {name: catalogue.find(name, beside=entry) for name in ("IMRPhenomTHM", "IMRPhenomTPHM")}
        t, h = entry.waves.t, entry.waves.mode(2, 2)
        begins = np.interp(entry.begins + 20, t, np.abs(frequency(t, h)))
        for model in models.values():
            self.assertEqual((model.form, model.begins), ("model", 0.0))
            slowest = frequency(model.waves.t, model.waves.mode(2, 2))[100]
            self.assertTrue(0.7 * begins < slowest < 0.99 * begins, (slowest, begins))
        # Of spins along the axis the models are alike, and so are they as seen by `compare'.
        a, b = (model.waves for model in models.values())
        found = align.in_window(a, b, *(align.peak_time(a) + x for x in (-300.0, 50.0)))
        self.assertLess(found.difference, 0.02)

    def tilted(self):
        """(Binary, what LALSimulation has of it in the axes of the orbit, the quaternion of these): the run's second hole is
        the heavier one."""
        axes = frame.multiply(frame.about([0.6, 0, 0.8], 0.7), frame.about([0, 1.0, 0], 0.4))
        x, y, z = (frame.turn(axes, unit) for unit in np.eye(3))
        heavy, light, omega = np.array([0.5, 0.2, 0.3]), np.array([0.1, -0.3, 0.2]), 0.02
        then = metadata.Reference(48.0, (0.44, 0.66), (frame.turn(axes, light), frame.turn(axes, heavy)), (-5 * x, 3 * x), z,
                                  omega / 1.1)
        second, distance = 60 * lal.MTSUN_SI, 400e6 * lal.PC_SI
        series = lalsimulation.SimIMRPhenomTPHM_ChooseTDModes(
            36 * lal.MSUN_SI, 24 * lal.MSUN_SI, *heavy, *light, distance, 0.25 * second, 0.036 / (2 * np.pi * second),
            0.04 / (2 * np.pi * second), None)
        modes = {}
        while series is not None:
            modes[series.l, series.m] = -series.mode.data.data * distance / (60 * lal.MRSUN_SI)
            series = series.next
        waves = Waves("strain", 0.25 * np.arange(len(modes[2, 2])), modes)
        return catalogue_model.Binary(1.1, (0.44, 0.66), (light, heavy), then), waves, axes

    def test_precessing(self):
        """A run's spins, line and axis as the model wants them, and its modes in the run's axes; these are, where the
        frequency is that of the spins, the line between the holes and the axis of the orbit."""
        binary, exact, axes = self.tilted()
        found = catalogue_model.of("IMRPhenomTPHM", 0.038, binary)
        there = frame.turned(found, axes)
        # Rounding of what the model is given changes its modes by 1e-3.
        left = align.in_window(exact, there, 100.0, exact.t[-1] - 100.0)
        self.same("LALSimulation: IMRPhenomTPHM", 1 + left.difference, 1.0, 3e-3)
        self.assertLess(max(abs(left.dt), abs(left.dphi)), 0.1)
        own = frame.turned(exact, frame.coprecessing(exact))
        early = np.flatnonzero(frequency(exact.t, own.mode(2, 2)) >= 0.04)[0]
        own = frame.turned(exact, frame.coprecessing(exact, exact.t[early]))
        np.testing.assert_allclose(frame.axis(exact)[early], (0, 0, 1), atol=2e-3)
        # h22 of a quadrupole along x is below zero, h33 of the heavier hole at x > 0 along i.
        for lm, phase in (((2, 2), np.pi), ((3, 3), np.pi / 2)):
            self.assertAlmostEqual(abs(np.angle(own.mode(*lm)[early] * np.exp(-1j * phase))), 0, delta=0.06)

    def test_comparison(self):
        """Of a run that is the model itself, in other axes and later, nothing is left; of other spins much is."""
        binary, exact, _ = self.tilted()
        late = frame.turned(exact, frame.about([0.8, 0, 0.6], 2.0))
        late = late.map(lambda v, l, m: v[4000:], t=late.t[4000:] + 77.7)
        entry = catalogue.Entry(late, "run", float(late.t[0]), binary=binary)
        all_sides, one_side = ["20", "200", "--inclination", "30", "90", "--azimuth", "0", "120"], ["60", "--inclination", "30"]
        for chi, masses, most, least in ((binary.then.chis[1], all_sides, 5e-6, 0), (-binary.then.chis[1], one_side, 1, 1e-3)):
            then = replace(binary.then, chis=(binary.then.chis[0], chi))
            model = catalogue.find("IMRPhenomTPHM", beside=replace(entry, binary=replace(binary, then=then)))
            parser = argparse.ArgumentParser()
            compare.arguments(parser)
            asked = parser.parse_args(["A", "IMRPhenomTPHM", "--masses", *masses])
            found = compare.Comparison(entry, model, asked).numbers(noise.find("aligo"))
            rows = [row["mismatch"] for seen in (found["modes"]["2,2"], *found["observers"]) for row in seen["mismatch"]]
            self.assertTrue(least <= max(rows) < most, rows)

    def test_errors(self):
        for slowest, chi, text in ((0.04, (0.1, 0, 0), "has spins along z alone; .* take IMRPhenomTPHM"),
                                   (5.0, (0, 0, 0), "no wave of .* M w = 5: ")):
            with self.assertRaisesRegex(WaveError, text):
                catalogue_model.of("IMRPhenomTHM", slowest, catalogue_model.Binary(1.1, MASSES, (chi, chi), None))
        binary = self.tilted()[0]
        binary = replace(binary, then=replace(binary.then, omega=None))
        with self.assertRaisesRegex(WaveError, "needs the orbit when the junk has left.* t = 48"):
            catalogue_model.of("IMRPhenomTPHM", 0.04, binary)


class ParaView(Readers):
    @classmethod
    def setUpClass(cls):
        """ParaView is started once."""
        pairs = [str(path) for name in ("slices", "fields") for path in (run.path / f"fields/{name}.xmf", ROOT / f"{name}.npz")]
        subprocess.run([installed.pvpython(), str(HERE / "read_fields.py"), *pairs], check=True, timeout=120)

    def check(self, name, groups):
        theirs, files = np.load(ROOT / f"{name}.npz"), sorted((run.path / "fields").glob(f"{name}.*.h5"))
        self.assertGreater(len(files), 1)
        for reader in ("default", "xdmf2"):
            times = []
            for i, file in enumerate(files):
                with h5py.File(file) as h:
                    times.append(h.attrs["time"])
                    for block, group in enumerate(groups if i in (0, len(files) - 1) else ()):
                        for key in ("points", "cells", "alpha", "beta_x"):
                            ours = h[group][key][()]
                            ours = ours if key == "points" else ours.ravel()
                            self.same(f"ParaView, {reader} reader: {name}", theirs[f"{reader}/{i}/{block}/{key}"], ours)
            self.same(f"ParaView, {reader} reader: times", theirs[f"{reader}/times"], times)

    def test_slices(self):
        self.check("slices", "xyz")

    def test_fields(self):
        self.check("fields", "/")


if __name__ == "__main__":
    result = unittest.main(argv=sys.argv[:1], exit=False, verbosity=2).result
    print(*(f"{off:10.1e}  {what}" for what, off in reached.items()), sep="\n")
    sys.exit(not result.wasSuccessful())
