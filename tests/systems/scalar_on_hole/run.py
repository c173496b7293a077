"""A scalar field on a trumpet slice of a Schwarzschild hole, from a parameter file: quasinormal ringing with l = 0 and l = 1, convergence
to a solution in spherical symmetry across a refinement boundary with local time steps, and the same bits after a restart and on three ranks.

    run.py TENDEX FILE MPIRUN..."""

import math
import sys
from pathlib import Path

import numpy as np

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import package  # noqa: E402

# Quasinormal frequencies M omega = (real, -imaginary) of a massless scalar field: the fundamental mode and the first overtone.
FREQUENCIES = {0: ((0.11045, 0.10490), (0.08612, 0.34805)), 1: ((0.29294, 0.09766), (0.26445, 0.30626))}
# A shell that spreads through a refinement boundary at r = 6 M, on the axes at the same place for both spacings.
SHELL, WIDTH = 5.0, 2.0
NEAR = ["run.t_end=3", "grid.extent=12", "grid.reflect=xyz", "grid.level_min=1", "grid.level_max=2", "grid.ball_level=2", "grid.ball_radius=5.9",
        "grid.ball_growth=1", "scalar_on_hole.dipole=0", f"scalar_on_hole.radius={SHELL}", f"scalar_on_hole.width={WIDTH}", "output.slices_every=64",
        "output.modes_radii=4", "output.modes_l_max=0"]
REGRIDS = ["grid.trees=1", "grid.extent=12", "grid.level_min=1", "grid.level_max=3", "grid.ball_radius=0",
           "grid.wavelet_tol=3e-3", "grid.regrid_every=8", "output.slices_every=8", "output.variables=all energy momentum_x",
           "output.norms=phi energy momentum_z", "output.norms_every=8", "output.modes=phi energy"]


class Radial:
    """The same equations in spherical symmetry, finite differences of order 6 on cells r = (n + 1/2) h."""

    h, n = 0.02, 1200

    def __init__(self):
        self.r = (np.arange(self.n) + 0.5) * self.h
        self.alpha, self.drag = self.r / (self.r + 1), 1 / (self.r + 1)**2

    def padded(self, f):
        return np.concatenate([f[:4][::-1], f, np.full(4, f[-1])])

    def sum(self, f, weights):
        """Sum of weights[k] (f(r + k h) +- f(r - k h))."""
        return sum(w * (f[4 + k:4 + k + self.n] + sign * f[4 - k:4 - k + self.n]) for k, sign, w in weights)

    def rhs(self, u):
        """Time derivatives of phi and Pi, with dissipation."""
        first = [(1, -1, 45 / 60), (2, -1, -9 / 60), (3, -1, 1 / 60)]
        second = [(0, 0, -490 / 180), (1, 1, 270 / 180), (2, 1, -27 / 180), (3, 1, 2 / 180)]
        high = [(0, 0, -70), (1, 1, 56), (2, 1, -28), (3, 1, 8), (4, 1, -1)]
        phi, Pi = (self.padded(f) for f in u)
        d, dPi = (self.sum(f, first) / self.h for f in (phi, Pi))
        wave = self.alpha**3 * (self.sum(phi, second) / self.h**2 + 2 * d / self.r)
        lost = [0.1 * self.sum(f, high) / (256 * self.h) for f in (phi, Pi)]
        return np.array([self.drag * self.r * d - self.alpha * u[1] + lost[0],
                         self.drag * self.r * dPi - wave + self.alpha * self.drag * u[1] + lost[1]])

    def phi(self, t_end):
        r, steps = self.r, round(t_end / (0.4 * self.h))
        dt = t_end / steps
        u = np.array([np.exp(-((r - SHELL) / WIDTH)**2) + np.exp(-((r + SHELL) / WIDTH)**2), 0 * r])
        for _ in range(steps):
            k1 = self.rhs(u)
            k2 = self.rhs(u + dt / 2 * k1)
            k3 = self.rhs(u + dt / 2 * k2)
            u = u + dt / 6 * (k1 + 2 * k2 + 2 * k3 + self.rhs(u + dt * k3))
        return u[0]

    def at(self, f, r):
        """Interpolate with six points."""
        first = np.clip((r / self.h - 0.5).astype(int) - 2, 0, self.n - 6)
        s = r / self.h - 0.5 - first
        total = 0 * r
        for i in range(6):
            weight = np.prod([(s - j) / (i - j) for j in range(6) if j != i], axis=0)
            total = total + weight * f[first + i]
        return total


def ringing(t, f, guess, overtone):
    """Frequency of a damped oscillation beside the overtone, whose frequency is known: variable projection, Gauss-Newton."""
    t = t - t[0]
    scale = np.exp(guess[1] * t)

    def left(p):
        columns = [np.exp(-g * t) * part(w * t) * scale for w, g in (p, overtone) for part in (np.cos, np.sin)]
        basis = np.array(columns).T
        return f * scale - basis @ np.linalg.lstsq(basis, f * scale, rcond=None)[0]

    p = np.array(guess)
    for _ in range(30):
        slope = np.array([(left(p + step) - left(p - step)) / 2e-5 for step in 1e-5 * np.eye(2)]).T
        p = p - np.linalg.lstsq(slope, left(p), rcond=None)[0]
    return p


class ScalarOnHole(package.Package):
    def mode(self, name, l, radius):
        return self.rows(name, f"modes/mp_phi_l{l}_m0_r{radius:.2f}.asc").T

    def test_rings(self):
        """l = 0 in the difference of two spheres: the tail, which is the same on both, would hide it."""
        self.run_with("ring", "checkpoint.at_end=false")
        t, two, _ = self.mode("ring", 0, 2)
        _, five, _ = self.mode("ring", 0, 5)
        _, dipole, imaginary = self.mode("ring", 1, 5)
        self.assertEqual(np.abs(imaginary).max(), 0)
        window = (t >= 25) & (t <= 60)
        for l, f in ((0, two - five), (1, dipole)):
            expected, overtone = FREQUENCIES[l]
            found = ringing(t[window], f[window], expected, overtone)
            off = found / expected - 1
            print(f"l = {l}: M omega = {found[0]:.5f} - {found[1]:.5f} i, off by {off[0]:+.2%}, {off[1]:+.2%}", flush=True)
            self.assertLess(np.abs(off).max(), 0.01)

    def errors(self, name, radial, phi):
        """The largest error of phi outside the horizon and within 8 M, on each level."""
        t, planes = self.last_slices(name)
        x, level, values = planes["z"]
        r = np.linalg.norm(x, axis=-1)
        error = np.abs(values["phi"] - radial.at(phi, r)) * ((r > 1) & (r < 8))
        return [error[level == which].max() for which in np.unique(level)]

    def test_converges(self):
        radial, found = Radial(), {}
        phi = radial.phi(3)
        for trees in (2, 3):
            self.run_with(f"n{trees}", *NEAR, f"grid.trees={trees}", "checkpoint.at_end=false")
            found[trees] = self.errors(f"n{trees}", radial, phi)
            self.assertEqual(len(found[trees]), 2, "two levels")
        print("errors", found, flush=True)
        for coarse, fine in zip(found[2], found[3]):
            order = math.log(coarse / fine) / math.log(1.5)
            print(f"order {order:.2f}", flush=True)
            self.assertTrue(4.4 < order < 5.4, order)
        mode = self.rows("n3", "modes/mp_phi_l0_m0_r4.00.asc")[-1]
        self.assertLess(abs(mode[1] - math.sqrt(4 * math.pi) * radial.at(phi, np.array([4.0]))[0]), 1e-3)

    def test_restarts_and_ranks_are_bitwise(self):
        whole = self.check_bitwise(REGRIDS, 1.8, 3.6, ["norms.asc", "energy.norm2.asc"])
        self.assertGreater(whole["regrids"], 0)
        for file in (self.folder / "whole" / "modes").iterdir():
            for other in ("ranks", "cut"):
                np.testing.assert_array_equal(np.loadtxt(file)[:, 1:], self.rows(other, f"modes/{file.name}")[:, 1:], f"{other} {file.name}")

    def test_refusals(self):
        for words, *settings in [
                ("grid.reflect: z: the profile shell does not have this symmetry: phi", "grid.reflect=xyz"),
                ("output.modes_radii: a sphere of radius 40 does not fit into a domain of extent 36", "output.modes_radii=40"),
                ("output.modes_radii is empty; give the radii of the spheres", "output.modes_radii=[]"),
                ("output.modes: 'chi' is not a variable; give some of phi Pi, or all", "output.modes=chi")]:
            with self.subTest(settings):
                self.check_refusal(words, *settings)


if __name__ == "__main__":
    package.main()
