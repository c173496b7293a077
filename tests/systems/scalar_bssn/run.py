"""A scalar field with its gravity from a parameter file, as a user runs it: the field at the centre at its proper time against an
independent evolution in spherical symmetry (spherical_scalar.py), bound by its mass and dispersing without; a restart and three ranks
with the same bits; refusals; and, alone as it takes minutes, collapse to a black hole.

    run.py TENDEX FILE MPIRUN... [--collapse]"""

import math
import subprocess
import sys
import unittest
from pathlib import Path

import h5py
import numpy as np
from scipy.interpolate import CubicSpline

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import package  # noqa: E402
from spherical_scalar import Spherical, history, pulse  # noqa: E402

COLLAPSE = "--collapse" in sys.argv
# A wider pulse, which does not collapse, on three levels; the finest spacing is 9/16 M over the trees.
WIDTH = 4.0
SPREADS = [f"scalar_bssn.width={WIDTH}", "grid.level_min=0", "grid.level_max=2", "grid.ball_level=2",
           "grid.ball_radius=4", "gauge.eta=1", "horizons.radius=0", "output.norms_every=0",
           "output.slices_every=2", "output.variables=phi alpha", "checkpoint.at_end=false"]
BOUND = ["scalar_bssn.mass=0.5", "scalar_bssn.self_interaction=2"]
# A grid that follows the field, before and after the restart.
REGRIDS = ["grid.extent=16", "grid.level_min=1", "grid.level_max=2", "grid.ball_radius=0", "grid.wavelet_tol=2e-5",
           "grid.regrid_every=2", "output.norms_every=4", "horizons.every=4", "scalar_bssn.mass=0.5", "scalar_bssn.width=2"]
# Analysis quantities in all that takes them.
QUANTITIES = ["output.norms=phi rho S_x", "output.fields_every=8", "output.variables=Pi rho S_x S_y S_z hamiltonian", "output.modes=rho hamiltonian",
              "output.modes_every=4", "output.modes_radii=[4]"]
REFUSED = [
    (["scalar_bssn.mass=200"], "is unstable: RK4 with these finite differences"),
    (["scalar_bssn.hamiltonian_damping=0.9"], "give less, or lower scalar_bssn.hamiltonian_damping"),
    (["evolution.hamiltonian_damping=0.1"], "it is used only if evolution.system is bssn, and evolution.system is scalar_bssn; remove it"),
    (["horizons.radius=32"], "horizons.radius=32: 32 M reaches the faces of the domain, at grid.extent 32 M; give less"),
    (["initial_data.type=single_puncture", "initial_data.bh1_mass=1", "horizons.radius=1"],
     "horizons.radius=1: has no effect: it is used only if there are no punctures"),
    (["output.norms=rho momentum_x"], "output.norms: 'momentum_x' is a constraint, whose norms constraints.asc has; remove it"),
    (["output.norms=energy"], "'energy' is not a variable; give some of alpha"),
    (["horizons.radius=0", "horizons.every=8"], "it is used only if there are punctures or horizons.radius is above 0"),
    (["initial_data.profile=pulses"], '"pulses" is no profile of the system scalar_bssn; give pulse (a pulse of the scalar field'),
]


@unittest.skipIf(COLLAPSE, "the long part alone")
class Quick(package.Package):
    def centre(self, name):
        """Proper time and phi at the origin, of all slices; the lapse there at the end."""
        rows = []
        for path in sorted((self.folder / name / "fields").glob("slices.*.h5")):
            with h5py.File(path) as file:
                z = file["z"]
                at = np.flatnonzero(np.linalg.norm(z["points"][:], axis=1) == 0)[0]
                rows.append((file.attrs["time"], z["alpha"][:].ravel()[at], z["phi"][:].ravel()[at]))
        t, alpha, phi = np.array(rows).T
        return CubicSpline(t, alpha).antiderivative()(t), phi, alpha[-1]

    def expected(self, mass, self_interaction, tau):
        """phi at the centre by Richardson extrapolation, and its error."""
        found = []
        for n in (600, 1200):
            rows, collapses = history(pulse(1, WIDTH), mass, self_interaction, 24, n, tau[-1] + 0.1)
            self.assertFalse(collapses)
            found.append(np.interp(tau, *rows.T))
        return found[1] + (found[1] - found[0]) / 3, np.abs(found[1] - found[0]).max() / 3

    def test_agrees_with_an_evolution_in_spherical_symmetry(self):
        errors = {}
        for trees in (1, 2):
            self.run_with(f"n{trees}", *SPREADS, *BOUND, "grid.extent=18", f"grid.trees={trees}", "run.t_end=8")
            tau, phi, _ = self.centre(f"n{trees}")
            reference, uncertain = self.expected(0.5, 2, tau)
            self.assertLess(uncertain, 4e-6)
            errors[trees] = np.abs(phi - reference).max()
        order = math.log2(errors[1] / errors[2])
        print(f"bound: errors of phi {errors[1]:.2e}, {errors[2]:.2e} of {np.abs(reference).max():.3f}, order {order:.2f}", flush=True)
        self.assertLess(errors[2], 1e-4)
        self.assertTrue(3.6 < order < 5.1, order)
        self.assertLess(phi[-1], phi.max() / 2, "its mass turns it around at the centre")

    def test_disperses_without_mass(self):
        self.run_with("free", *SPREADS, "grid.extent=24", "run.t_end=16")
        tau, phi, alpha = self.centre("free")
        reference, uncertain = self.expected(0, 0, tau)
        error = np.abs(phi - reference).max()
        print(f"free: error of phi {error:.2e}, at last {phi[-1]:.4f}, lapse {alpha:.4f}", flush=True)
        self.assertLess(error, 5e-3)
        self.assertLess(abs(phi[-1]), 0.05 * phi.max())
        self.assertGreater(alpha, 0.7)

    def test_restarts_and_ranks_are_bitwise(self):
        """Analysis quantities too; and writing these changes nothing."""
        plain = self.run_with("plain", *REGRIDS, "run.t_end=3")
        whole = self.run_with("whole", *REGRIDS, *QUANTITIES, "run.t_end=3")
        self.assertEqual(plain["field_checksum"], whole["field_checksum"])
        self.assertEqual((self.folder / "plain/constraints.asc").read_text(), (self.folder / "whole/constraints.asc").read_text())
        self.assertGreater(whole["regrids"], 0)
        ranks = self.run_with("ranks", *REGRIDS, *QUANTITIES, "run.t_end=3", start=[*self.mpirun, "-n", "3"])
        self.assertEqual(ranks["field_checksum"], whole["field_checksum"])
        self.run_with("cut", *REGRIDS, *QUANTITIES, "run.t_end=1.5")
        again = self.finished("cut", [self.program, "run", "--restart", self.folder / "cut", "--set", "run.t_end=3"])
        self.assertEqual(again["field_checksum"], whole["field_checksum"])
        for other in ("ranks", "cut"):
            for file in ("constraints.asc", "horizons.asc", "norms.asc", "rho.norm2.asc", "modes/mp_rho_l0_m0_r4.00.asc", "modes/mp_hamiltonian_l2_m0_r4.00.asc"):
                self.assertEqual((self.folder / other / file).read_text(), (self.folder / "whole" / file).read_text(), f"{other} {file}")
            files = sorted((self.folder / "whole/fields").glob("fields.*.h5"))
            self.assertGreater(len(files), 1)
            for file in files:
                self.check_same_data(file, self.folder / other / "fields" / file.name)

    def test_energy_density_is_that_of_the_pulse(self):
        """Where phi and its gradient are 0, rho is Pi^2/2, and the Hamiltonian constraint says 2 pi rho chi^(-5/4) = -Laplacian psi."""
        self.run_with("start", "run.max_steps=1", "grid.level_max=4", "grid.ball_level=4", "output.fields_every=1", "output.variables=chi Pi rho S_x",
                      "output.norms=rho", "output.norms_every=1", "checkpoint.at_end=false", "horizons.radius=0")
        with h5py.File(self.folder / "start/fields/fields.0000000.h5") as file:
            chi, Pi, rho, S = (file[name][()].ravel() for name in ("chi", "Pi", "rho", "S_x"))
            r2 = (file["points"][()]**2).sum(axis=1)
        source = 105 / 16 * (1 + r2)**-4.5  # ADM mass and width 1 M
        # Points beyond a refinement boundary are interpolated.
        np.testing.assert_allclose(rho, Pi**2 / 2, rtol=0, atol=1e-8)
        np.testing.assert_allclose(2 * np.pi * rho * chi**-1.25, source, rtol=0, atol=1e-6)
        np.testing.assert_array_equal(S, 0)
        row = self.rows("start", "norms.asc")[0]
        self.assertEqual(len(row), 4)
        self.assertAlmostEqual(row[3], rho.max(), delta=1e-12)

    def test_refuses_what_does_not_fit(self):
        for settings, words in REFUSED:
            with self.subTest(settings):
                ran = subprocess.run([self.program, "run", self.file, "--set", f"run.folder={self.folder / 'no'}", "--set", "run.t_end=0.1",
                                      *[word for s in settings for word in ("--set", s)]], capture_output=True, text=True)
                self.assertNotEqual(ran.returncode, 0)
                self.assertIn(words, ran.stderr)


@unittest.skipUnless(COLLAPSE, "takes minutes")
class Collapse(package.Package):
    def test_makes_the_black_hole_that_spherical_symmetry_has(self):
        star, far = Spherical(pulse(1, 1), 0, 0, 50, 2500), 0.0
        while far < 30:
            then, alpha = star.t, star.metric(star.y)[0]
            star.step()
            far += (star.t - then) * alpha[-1]
        A = star.metric(star.y)[1]
        self.assertLess(A.min(), 0.01, "a horizon is near")
        inside = np.interp(2.5, star.face, (1 - A) * star.face / 2)
        self.run_with("hole", "checkpoint.at_end=false")
        rows = np.genfromtxt(self.folder / "hole" / "horizons.asc")
        seen = rows[rows[:, 3] == 1]
        print(f"horizon from t = {seen[0, 1]} M, mass {seen[0, 4]:.4f} to {seen[-1, 4]:.4f}, in spherical symmetry {inside:.4f}", flush=True)
        self.assertGreater(seen[0, 1], 5)
        self.assertTrue(np.all(np.diff(seen[:, 4]) > -1e-4), "it grows")
        self.assertAlmostEqual(seen[-1, 4], inside, delta=0.003)
        self.assertLess(seen[-1, 4], 1, "the ADM mass")
        self.assertEqual(seen[-1, 5], 0, "no spin")


if __name__ == "__main__":
    package.main()
