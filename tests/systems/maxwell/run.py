"""Maxwell's equations from a parameter file: convergence to an exact dipole wave across a refinement boundary with local time steps, a
restart and three ranks with the same bits, and violations of the constraints that are damped as fast as they should be.

    run.py TENDEX FILE MPIRUN..."""

import math
import sys
from pathlib import Path

import numpy as np

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import package  # noqa: E402

WIDTH, AMPLITUDE = 2.0, 1.0
COMPONENTS = [f"{name}_{x}" for name in "EB" for x in "xyz"]
# A small periodic box for plane waves.
BOX = ["grid.reflect=none", "grid.periodic=xyz", "grid.extent=4", "grid.trees=1", "grid.ball_radius=0", "grid.level_max=1", "output.norms_every=1",
       "run.t_end=4"]
# A grid that follows the wave.
REGRIDS = ["grid.trees=1", "grid.ball_radius=0", "grid.level_max=3", "grid.wavelet_tol=3e-4", "grid.regrid_every=8",
           "output.slices_every=8", "output.norms_every=8"]
REFUSED = [
    ("maxwell.kappa=-1", "maxwell.kappa"),
    ("maxwell.wavelength=4", "it is used only if evolution.system is maxwell and initial_data.profile is plane_wave or"),
    ("output.norms=divD", "output.norms: 'divD' is not a variable; give some of E_x E_y E_z B_x B_y B_z psi phi, or all; or analysis "
                          "quantities, of divE divB energy poynting_x poynting_y poynting_z"),
    ("initial_data.profile=flat", '"flat" is no profile of the system maxwell; give dipole'),
]


def pulse(s, order):
    """F = -A w^3/8 exp(-s^2/w^2), or its derivative."""
    q = s / WIDTH
    polynomial = [1, -2 * q, 4 * q**2 - 2, -8 * q**3 + 12 * q][order]
    return -AMPLITUDE * WIDTH**3 / 8 * polynomial * np.exp(-q**2) / WIDTH**order


def dipole(x, t):
    """E and B, [..., 3], of E = curl curl (z U), B = d_t curl (z U), U = (F(t - r) - F(t + r))/r."""
    r = np.linalg.norm(x, axis=-1)
    at_centre = r < 1e-9
    r = np.where(at_centre, 1, r)
    (a, a1, a2), (b, b1, b2) = ([pulse(t - s * r, n) for n in range(3)] for s in (1, -1))
    slope = -(a1 + b1) / r**2 - (a - b) / r**3  # U_r/r
    twice = (a2 - b2) / r  # U_tt
    across = -(a2 + b2) / r**2 - (a1 - b1) / r**3  # U_tr/r
    E = x * (x[..., 2] * (twice - 3 * slope) / r**2)[..., None]
    E[..., 2] += slope - twice
    E[at_centre] = 0, 0, 4 / 3 * pulse(t, 3)
    B = np.stack([x[..., 1] * across, -x[..., 0] * across, 0 * r], axis=-1)
    return E, B


class Maxwell(package.Package):
    def errors(self, name):
        """The largest error of a component within 6 M of the centre, on each level."""
        t, planes = self.last_slices(name)
        worst = {}
        for x, level, values in planes.values():
            exact = np.concatenate(dipole(x, t), axis=-1)
            inside = np.linalg.norm(x, axis=-1) < 6
            error = np.abs(np.stack([values[c] for c in COMPONENTS], axis=-1) - exact).max(axis=-1) * inside
            for which in np.unique(level):
                worst[which] = max(worst.get(which, 0), error[level == which].max())
        return [worst[which] for which in sorted(worst)]

    def test_dipole_converges(self):
        found = {}
        for trees in (2, 3):
            self.run_with(f"n{trees}", f"grid.trees={trees}", "run.t_end=1.8", "checkpoint.at_end=false")
            found[trees] = self.errors(f"n{trees}")
            self.assertEqual(len(found[trees]), 2, "two levels")
        print("errors", found, flush=True)
        self.assertLess(max(found[2]), 3e-5)
        for coarse, fine in zip(found[2], found[3]):
            order = math.log(coarse / fine) / math.log(1.5)
            print(f"order {order:.2f}", flush=True)
            self.assertTrue(4.95 < order < 5.95, order)
        coarse, fine = (self.rows(f"n{trees}", "norms.asc")[-1, 2] for trees in (2, 3))
        print(f"order of div E {math.log(coarse / fine) / math.log(1.5):.2f}", flush=True)
        self.assertGreater(math.log(coarse / fine) / math.log(1.5), 4)

    def test_violations_are_damped(self):
        """div E of a longitudinal wave is that of a damped oscillator, d'' + kappa d' + k^2 d = 0."""
        k = 2 * math.pi / 8
        for kappa in (0, 1):
            self.run_with(f"k{kappa}", *BOX, "initial_data.profile=longitudinal", f"maxwell.kappa={kappa}", "output.norms=divE divB E_y")
            rows = self.rows(f"k{kappa}", "norms.asc")
            t, omega = rows[:, 1], math.sqrt(k**2 - kappa**2 / 4)
            expected = AMPLITUDE * k / math.sqrt(2) * np.exp(-kappa * t / 2) * np.abs(np.cos(omega * t) + kappa / (2 * omega) * np.sin(omega * t))
            print(f"kappa {kappa}: div E {rows[0, 3]:.4f} -> {rows[-1, 3]:.4f}, largest error {np.abs(rows[:, 3] - expected).max():.1e}", flush=True)
            np.testing.assert_allclose(rows[:, 3], expected, atol=2e-4)
            self.assertEqual(np.abs(rows[:, (2, 4)]).max(), 0, "E_y and div B")

    def test_plane_wave_travels(self):
        """After half a period it is upside down."""
        self.run_with("p", *BOX, "initial_data.profile=plane_wave", "output.variables=all poynting_x")
        t, planes = self.last_slices("p")
        x, _, values = planes["z"]
        exact = np.sin(2 * math.pi / 8 * (x[..., 0] - t))
        for name in ("E_y", "B_z"):
            self.assertLess(np.abs(values[name] - exact).max(), 2e-3)
        self.assertLess(np.abs(values["poynting_x"] - exact**2).max(), 4e-3)
        self.assertLess(max(np.abs(values[name]).max() for name in ("E_x", "E_z", "B_x", "B_y", "psi", "phi")), 1e-12)

    def test_restarts_and_ranks_are_bitwise(self):
        whole = self.check_bitwise(REGRIDS, 0.9, 1.8, ["norms.asc", "divE.norm2.asc", "energy.norm_inf.asc"])
        self.assertGreater(whole["regrids"], 1)

    def test_refusals(self):
        for setting, words in REFUSED:
            with self.subTest(setting):
                self.check_refusal(words, setting)


if __name__ == "__main__":
    package.main()
