"""Brill waves: energy and conformal factor against an independent spectral solution in spherical coordinates, the amplitudes
between which there are such waves, constraints that converge at the order of the differences at the start and in a run.

    test_brill.py TENDEX MPIRUN...

TENDEX: the program; MPIRUN...: how to start ranks, less the number."""

import json
import re
import sys
import unittest
from pathlib import Path

import numpy as np
from numpy.polynomial import legendre
from numpy.polynomial.chebyshev import Chebyshev

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from program_test import ProgramTest  # noqa: E402

TENDEX, MPIRUN = sys.argv[1], sys.argv[2:]
PARAMETERS = """run:
  t_end: 0.5
grid:
  extent: 32
  reflect: xyz
  level_min: 1
  level_max: 4
  ball_level: 4
  ball_radius: 3
initial_data:
  type: brill_wave
  amplitude: 0.5
evolution:
  macro_step: 0.25
output:
  norms_every: 8
"""


class Spectral:
    """psi - 1 = sum of U_l(r) P_l(cos theta), l even, U_l in Chebyshev polynomials of s = r/(r + L), for A (rho^2) exp(-r^2)."""

    def __init__(self, modes, points, length=1.5):
        self.length, self.modes, self.n = length, 2 * np.arange(modes), points + 1
        k = np.arange(self.n)
        x = np.cos(np.pi * k / points)
        c = np.where((k == 0) | (k == points), 2., 1.) * (-1.) ** k
        derivative = np.outer(c, 1 / c) / (x[:, None] - x + np.eye(self.n))
        derivative -= np.diag(derivative.sum(1))
        self.s = (1 + x) / 2
        self.r = length * self.s[1:] / (1 - self.s[1:])  # infinity is point 0
        by_r = 2 * ((1 - self.s) ** 2 / length)[:, None] * derivative
        mu, weight = legendre.leggauss(120)
        p = np.array([legendre.legval(mu, np.eye(2 * modes)[l]) for l in self.modes])
        r2 = self.r[:, None] ** 2
        rho2 = r2 * (1 - mu ** 2)
        potential = r2 * np.exp(-r2) / 4 * (2 - 12 * rho2 + 4 * rho2 * r2)
        size = modes * self.n
        self.flat, self.wave, self.source = np.zeros((size, size)), np.zeros((size, size)), np.zeros(size)
        for i, l in enumerate(self.modes):
            at = slice(i * self.n, (i + 1) * self.n)
            block = np.zeros((self.n, self.n))
            block[1:] = r2 * (by_r @ by_r)[1:] + 2 * self.r[:, None] * by_r[1:] - l * (l + 1) * np.eye(self.n)[1:]
            block[0, 0] = 1
            block[-1] = by_r[-1] if l == 0 else np.eye(self.n)[-1]
            self.flat[at, at] = block
            parts = [(potential @ (weight * p[i] * q)) * (2 * l + 1) / 2 for q in p]
            for j, part in enumerate(parts):
                self.wave[at, j * self.n:(j + 1) * self.n][np.arange(1, self.n), np.arange(1, self.n)] = part
            self.source[at][1:] = -parts[0]
            for row in (i * self.n, i * self.n + self.n - 1):  # conditions at infinity and at the origin
                self.wave[row], self.source[row] = 0, 0

    def solve(self, amplitude):
        u = np.linalg.solve(self.flat + amplitude * self.wave, amplitude * self.source)
        self.u = [Chebyshev.fit(2 * self.s - 1, part, self.n - 1) for part in u.reshape(-1, self.n)]
        return -4 * self.length * self.u[0].deriv()(1.)  # psi = 1 + M/(2 r) + ..., 1/r = (1 - s)/(L s)

    def value(self, x):
        r = np.linalg.norm(x)
        s, mu = r / (r + self.length), x[2] / r if r > 0 else 0
        return sum(u(2 * s - 1) * legendre.legval(mu, np.eye(l + 1)[l]) for l, u in zip(self.modes, self.u))

    def limits(self):
        """Amplitudes next to 0, on both sides, at which the operator has an eigenvalue of 0."""
        inverse = np.linalg.eigvals(np.linalg.solve(self.flat, self.wave))
        inverse = inverse[abs(inverse.imag) < 1e-9].real
        return -1 / inverse.max(), -1 / inverse.min()


class Brill(ProgramTest):
    program, mpirun = TENDEX, MPIRUN

    def setUp(self):
        super().setUp()
        (self.folder / "a.yaml").write_text(PARAMETERS)

    def settings(self, **values):
        return [word for key, value in values.items() for word in ("--set", f"{key.replace('__', '.')}={value}")]

    def test_energy_and_conformal_factor(self):
        """To the error of the grid: 1 M wide waves and spacings of M/8."""
        other = Spectral(10, 90)
        at = [(0, 0, 0), (1, 0, 0), (0, 0, 1), (1, 1, 2)]
        probes = [word for x in at for word in ("--probe", ",".join(map(str, x)))]
        fine = self.settings(grid__level_max=5, grid__ball_level=5)
        for amplitude, solver in ((1, "multigrid"), (-3.5, "multigrid"), (10, "krylov")):
            energy = other.solve(amplitude)
            log = self.tendex("id", "a.yaml", *fine, *self.settings(initial_data__amplitude=amplitude, elliptic__method=solver),
                              "--json", "a.json", *probes, ranks=2 if amplitude == 1 else 1)
            data = json.loads((self.folder / "a.json").read_text())
            self.assertAlmostEqual(data["adm_energy"], energy, delta=2e-3 * energy)
            self.assertIn("ADM energy", log)
            self.assertGreater(data["cycles"], 3)
            for probe, x in zip(data["probes"], at):
                self.assertAlmostEqual(probe["u"], other.value(x), delta=2e-3 * (1 + abs(energy)))

    def test_amplitudes(self):
        """Beyond the eigenvalues there is no positive conformal factor: the numbers in the message, which are rounded inwards."""
        least, most = Spectral(8, 60).limits()
        log = self.tendex("id", "a.yaml", *self.settings(initial_data__amplitude=20.1), code=3)
        found = re.search(r"no Brill wave has amplitude 20.1, .*; give one from (-\d+\.\d+) to (\d+\.\d+)", log)
        for number, limit in zip(map(float, found.groups()), (least, most)):
            self.assertLessEqual(abs(number), abs(limit) + 2e-4)
            self.assertAlmostEqual(number, limit, delta=2e-3)
        self.tendex("id", "a.yaml", *self.settings(initial_data__amplitude=-6.6), code=3)
        self.tendex("id", "a.yaml", *self.settings(initial_data__amplitude=1e-6), "--json", "a.json")
        self.assertLess(abs(json.loads((self.folder / "a.json").read_text())["adm_energy"]), 1e-10)  # of either sign
        log = self.tendex("id", "a.yaml", *self.settings(initial_data__amplitude=19), code=6)
        self.assertIn("for Brill waves of large amplitude give elliptic.method krylov", log)
        log = self.tendex("id", "a.yaml", *self.settings(initial_data__amplitude=20.004, elliptic__method="krylov", elliptic__order=2), code=6)
        self.assertRegex(log, r"with 20.004 the conformal factor of the Brill wave falls to -\d.*; give less")

    def norms(self, path):
        return np.array([np.loadtxt(self.folder / path / f"{name}.norm2.asc")[:, 2] for name in
                         ("hamiltonian", "momentum_x", "momentum_z", "connection_x")])

    def test_constraints_converge(self):
        """With half the spacing everywhere, at the start and at t = 0.5 M."""
        norms = []
        for more in (0, 1):
            self.tendex("run", "a.yaml", "--quiet", "--overwrite", *self.settings(
                grid__level_min=1 + more, grid__level_max=4 + more, grid__ball_level=4 + more, output__norms_every=8 << more, run__folder=f"out/{more}"))
            norms.append(self.norms(f"out/{more}"))
        with np.errstate(invalid="ignore"):
            order = np.log2(norms[0] / norms[1])
        self.assertEqual(norms[0][1:3, 0].tolist(), [0, 0])  # nothing moves at first
        for orders, least, most in zip(order, (4.6, 3.8, 4.1, 4.8), (5.8, 4.8, 5.1, 6.1)):
            for one in orders[np.isfinite(orders)]:
                self.assertTrue(least < one < most, order)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
