"""Worldtubes as SpECTRE reads them, read by h5py alone and put together again with SciPy's spherical harmonics, against
closed forms: polynomials with all (l, m) to 4 in every component, a boosted Kerr hole in Kerr-Schild coordinates, a
Teukolsky wave. Then those of runs: mirror images, restarts, ranks, and parameters that are refused.

    test_worldtubes.py WORLDTUBE_DATA TENDEX MPIRUN...

WORLDTUBE_DATA: the program of worldtube_data.c; TENDEX: the program; MPIRUN...: how to start ranks, less the number."""

import itertools
import os
import re
import subprocess
import sys
import unittest
from pathlib import Path

import h5py
import numpy as np
from scipy.special import roots_legendre

try:
    from scipy.special import sph_harm_y
except ImportError:  # SciPy before 1.15
    from scipy.special import sph_harm

    def sph_harm_y(l, m, theta, phi):
        return sph_harm(m, l, phi, theta)

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests" / "support"), str(ROOT / "tools")]
from alone import alone  # noqa: E402
from program_test import ProgramTest  # noqa: E402
from tendex.base.folder import FolderError, FolderWarning  # noqa: E402
from tendex.waves.commands import worldtubes  # noqa: E402

DATA, TENDEX, MPIRUN = sys.argv[1], sys.argv[2], sys.argv[3:]
SIXTEEN = "of 16^3 points" in subprocess.run([TENDEX, "--version"], capture_output=True, text=True, check=True).stdout
RADIUS, L_MAX = 10.0, 12
PAIRS = [(i, j) for i in range(3) for j in range(i, 3)]
PARTS = ["g" + "xyz"[i] + "xyz"[j] for i, j in PAIRS] + ["Shift" + d for d in "xyz"] + ["Lapse"]
KINDS = ("", "Dr", "Dt")
# Where modes are summed up, none of the quadrature's points among them.
ANGLES = np.random.default_rng(1).uniform([0.0, 0.0], [np.pi, 2 * np.pi], (60, 2))


def directions(theta, phi):
    return np.array([np.sin(theta) * np.cos(phi), np.sin(theta) * np.sin(phi), np.cos(theta)])


# What the format says, for a reader that knows nothing of the program.

def modes_of(row):
    """{(l, m): coefficient} of a row without its time: l ascending, m descending, real and imaginary part."""
    l_max = round(np.sqrt(len(row) / 2)) - 1
    pairs = row.reshape(-1, 2) @ [1, 1j]
    return dict(zip([(l, m) for l in range(l_max + 1) for m in range(l, -l - 1, -1)], pairs))


def sum_of_modes(modes, theta, phi):
    total = sum(c * sph_harm_y(l, m, theta, phi) for (l, m), c in modes.items())
    assert np.abs(total.imag).max() < 1e-13
    return total.real


def nodes(l_max):
    """theta and phi of the columns of nodal rows: phi varies fastest, as in SpECTRE's reader."""
    theta = np.arccos(-roots_legendre(l_max + 1)[0])
    phi = 2 * np.pi * np.arange(2 * l_max + 1) / (2 * l_max + 1)
    return np.repeat(theta, len(phi)), np.tile(phi, len(theta))


def legend(form, part, l_max):
    if form == "modal":
        return ["time"] + [f"{part}_{c}({l},{m})" for l in range(l_max + 1) for m in range(l, -l - 1, -1)
                           for c in ("Re", "Im")]
    return ["time"] + [f"{part}_Theta_{i}_Phi_{j}" for i in range(l_max + 1) for j in range(2 * l_max + 1)]


# Closed forms: metric, shift and lapse as [10] in the order of PARTS at points x [3][n].

def polynomial(c, x):
    """Value and gradient of component c of worldtube_data.c."""
    value, slope, n = np.zeros(x.shape[1]), np.zeros_like(x), 0
    y = x / RADIUS
    for i, j in itertools.product(range(5), repeat=2):
        for k in range(5 - i - j):
            factor = 0.01 * np.sin(1.0 + 3.7 * c + 2.3 * n)
            powers = np.array([i, j, k])
            value += factor * np.prod([y[d] ** powers[d] for d in range(3)], axis=0)
            for d in range(3):
                if powers[d]:
                    less = powers - (np.arange(3) == d)
                    slope[d] += factor * powers[d] / RADIUS * np.prod([y[e] ** less[e] for e in range(3)], axis=0)
            n += 1
    return value, slope


def rates(alpha, dalpha, beta, dbeta, B, gamma, dgamma, K_dd, K):
    """d_t of metric, shift and lapse; derivatives have the derivative's index first."""
    dt_gamma = (-2 * alpha * K_dd + np.einsum("kn,kijn->ijn", beta, dgamma) + np.einsum("ikn,jkn->ijn", gamma, dbeta)
                + np.einsum("jkn,ikn->ijn", gamma, dbeta))
    dt_beta = 0.75 * B + np.einsum("kn,kin->in", beta, dbeta)
    dt_alpha = -2 * alpha * K + np.einsum("kn,kn->n", beta, dalpha)
    return pack(dt_gamma, dt_beta, dt_alpha)


def pack(gamma, beta, alpha):
    return np.array([gamma[i, j] for i, j in PAIRS] + list(beta) + [alpha])


def unpack(six):
    full = np.empty((3, 3) + np.shape(six[0]))
    for c, (i, j) in enumerate(PAIRS):
        full[i, j] = full[j, i] = six[c]
    return full


def polynomials_at(t, x):
    p = [polynomial(c, x) for c in range(20)]
    flat = np.eye(3)[:, :, None]
    alpha, dalpha = 1 + p[0][0], p[0][1]
    beta, dbeta = np.array([p[2 + i][0] for i in range(3)]), np.array([p[2 + i][1] for i in range(3)]).swapaxes(0, 1)
    gamma = flat + unpack([p[8 + c][0] for c in range(6)])
    dgamma = np.array([unpack([p[8 + c][1][k] for c in range(6)]) for k in range(3)])
    K_dd = unpack([p[14 + c][0] for c in range(6)]) + gamma * p[1][0] / 3
    value = pack(gamma, beta, alpha)
    B = np.array([p[5 + i][0] for i in range(3)])
    n = x / RADIUS
    radial = pack(np.einsum("kn,kijn->ijn", n, dgamma), np.einsum("kn,kin->in", n, dbeta),
                  np.einsum("kn,kn->n", n, dalpha))
    return value, radial, rates(alpha, dalpha, beta, dbeta, B, gamma, dgamma, K_dd, p[1][0])


SPIN, VELOCITY = 0.6, np.array([0.2, -0.1, 0.15])


def slice_of_hole(X):
    """gamma_ij, beta^i, alpha of Kerr in Kerr-Schild coordinates in which it moves, at events X [4][n]."""
    v2 = VELOCITY @ VELOCITY
    lorentz = 1 / np.sqrt(1 - v2)
    boost = np.empty((4, 4))
    boost[0] = np.append(lorentz, -lorentz * VELOCITY)
    boost[1:, 0] = -lorentz * VELOCITY
    boost[1:, 1:] = np.eye(3) + (lorentz - 1) / v2 * np.outer(VELOCITY, VELOCITY)
    _, x, y, z = boost @ X
    b = x * x + y * y + z * z - SPIN**2
    r = np.sqrt((b + np.sqrt(b * b + 4 * SPIN**2 * z * z)) / 2)
    H = r**3 / (r**4 + SPIN**2 * z * z)
    R2 = r * r + SPIN**2
    own = np.array([np.ones_like(x), (r * x + SPIN * y) / R2, (r * y - SPIN * x) / R2, z / r])
    l = boost.T @ own  # a covector
    g = np.diag([-1.0, 1, 1, 1])[:, :, None] + 2 * H * np.einsum("in,jn->ijn", l, l)
    up = np.linalg.inv(g.transpose(2, 0, 1)).transpose(1, 2, 0)
    alpha = np.sqrt(-1 / up[0, 0])
    return g[1:, 1:], alpha**2 * up[0, 1:], alpha


def hole_at(t, x):
    """Everything changes as the hole moves; only the lapse by its own equation, from the hole's K."""
    X, step = np.vstack([np.full(x.shape[1], t), x]).astype(complex), 1e-40
    gamma, beta, alpha = (np.real(q) for q in slice_of_hole(X))
    d = []
    for m in range(4):
        there = X.copy()
        there[m] += step * 1j
        d.append([np.imag(q) / step for q in slice_of_hole(there)])
    dgamma, dbeta, dalpha = (np.array([d[1 + k][q] for k in range(3)]) for q in range(3))
    moved = np.einsum("kn,kijn->ijn", beta, dgamma) + np.einsum("ikn,jkn->ijn", gamma, dbeta)
    moved += np.einsum("jkn,ikn->ijn", gamma, dbeta)
    K_dd = (moved - d[0][0]) / (2 * alpha)
    K = np.einsum("nij,ijn->n", np.linalg.inv(gamma.transpose(2, 0, 1)), K_dd)
    dt_alpha = -2 * alpha * K + np.einsum("kn,kn->n", beta, dalpha)
    n = x / RADIUS
    radial = pack(np.einsum("kn,kijn->ijn", n, dgamma), np.einsum("kn,kin->in", n, dbeta),
                  np.einsum("kn,kn->n", n, dalpha))
    return pack(gamma, beta, alpha), radial, pack(d[0][0], d[0][1], dt_alpha)


AMPLITUDE, WIDTH = 1e-6, 6.0


def waves_generator(sign, t, r, n):
    """n-th derivative of F(u) = u exp(-u^2/w^2) by its argument, at u = t + sign r."""
    u = (t + sign * r) / WIDTH
    hermite = np.polynomial.hermite.Hermite.basis
    # (d/dz)^n exp(-z^2) = (-1)^n H_n(z) exp(-z^2), and z exp(-z^2) = -1/2 d/dz exp(-z^2)
    return WIDTH ** (1 - n) * -0.5 * (-1) ** (n + 1) * hermite(n + 1)(u) * np.exp(-u * u)


def even_wave(t, x):
    """h_ij of an even l = 2, m = 0 wave, in Teukolsky's form (Baumgarte and Shapiro, Numerical Relativity, eq. 9.35
    on), in- and outgoing, up to a factor."""
    r = np.sqrt((x * x).sum(axis=0))
    n = x / r
    rho = np.hypot(n[0], n[1])
    theta = np.array([n[0] * n[2] / rho, n[1] * n[2] / rho, -rho])
    phi = np.array([-n[1] / rho, n[0] / rho, 0 * rho])
    A = B = C = 0
    for sign in (1, -1):  # d/dr of F(t + sign r) is sign F'; an ingoing wave has the outgoing one's odd powers reversed
        F = [waves_generator(sign, t, r, k) * (-sign) ** k for k in range(5)]
        A = A + sign * 3 * (F[2] / r**3 + 3 * F[1] / r**4 + 3 * F[0] / r**5)
        B = B - sign * (F[3] / r**2 + 3 * F[2] / r**3 + 6 * F[1] / r**4 + 6 * F[0] / r**5)
        C = C + sign * 0.25 * (F[4] / r + 2 * F[3] / r**2 + 9 * F[2] / r**3 + 21 * F[1] / r**4 + 21 * F[0] / r**5)
    sin2, cos_sin = rho**2, n[2] * rho
    rr, rt = A * (2 - 3 * sin2), -3 * B * cos_sin
    tt, pp = 3 * C * sin2 - A, -3 * C * sin2 + A * (3 * sin2 - 1)

    def both(a, b):
        return np.einsum("in,jn->ijn", a, b) + np.einsum("in,jn->ijn", b, a)

    return rr * both(n, n) / 2 + rt * both(n, theta) + tt * both(theta, theta) / 2 + pp * both(phi, phi) / 2


def wave_at(t, x):
    """Lapse 1, shift 0, to first order; the factor is that of h_ij = AMPLITUDE diag(-1/2, -1/2, 1) at the origin at
    t = 0, to which a polynomial in r^2 goes on from radii where the closed form loses no digits."""
    radii = np.array([0.2, 0.25, 0.3, 0.35, 0.4]) * WIDTH
    on_axis = even_wave(0.0, np.array([0 * radii, 1e-9 + 0 * radii, radii]))[2, 2]
    factor = AMPLITUDE / np.polyfit(radii**2, on_axis, 4)[-1]
    step = 1e-3
    stencil = {-3: -1 / 60, -2: 3 / 20, -1: -3 / 4, 1: 3 / 4, 2: -3 / 20, 3: 1 / 60}
    h = factor * even_wave(t, x)
    dt = factor * sum(c * even_wave(t + k * step, x) for k, c in stencil.items()) / step
    dr = factor * sum(c * even_wave(t, x * (1 + k * step / RADIUS)) for k, c in stencil.items()) / step
    still = np.zeros_like(x)
    one = np.ones(x.shape[1])
    return (pack(h + np.eye(3)[:, :, None], still, one), pack(dr, still, 0 * one), pack(dt, still, 0 * one))


class ClosedForms(ProgramTest):
    program, mpirun = TENDEX, MPIRUN

    def written(self, kind, form, system, l_max, times):
        folder = self.folder / f"{kind}.{form}"
        subprocess.run([DATA, kind, form, system, str(l_max), str(folder), *map(str, times)], check=True,
                       stdout=subprocess.DEVNULL,
                       env=dict(os.environ, OMP_NUM_THREADS="1", **alone(self.folder.parent)))
        return folder / "worldtubes" / f"0000000.CceR{RADIUS:04.0f}.h5"

    def check(self, kind, exact, form, system, l_max, times, tolerance):
        """Every data set of the file: its name, its legend, and what it says at all points. Returns the file."""
        file = self.written(kind, form, system, l_max, times)
        with h5py.File(file) as h:
            self.assertEqual(set(h), {f"{k}{p}.dat" for k in KINDS for p in PARTS})
            theta, phi = nodes(l_max) if form == "nodal" else ANGLES.T
            for row, t in enumerate(times):
                expected = exact(t, RADIUS * directions(theta, phi))
                for (k, name), (c, part) in itertools.product(enumerate(KINDS), enumerate(PARTS)):
                    data = h[f"{name}{part}.dat"]
                    self.assertEqual(data.dtype, np.float64)
                    self.assertEqual(data[row, 0], t)
                    values = data[row, 1:] if form == "nodal" else sum_of_modes(modes_of(data[row, 1:]), theta, phi)
                    self.assertEqual(len(data), len(times))
                    np.testing.assert_allclose(values, expected[k][c], rtol=0, atol=tolerance,
                                               err_msg=f"{kind}, {form}, {system}: {name}{part} at t = {t}")
                    text = data.attrs.get_id("Legend").get_type()
                    self.assertTrue(text.is_variable_str() and text.get_cset() == h5py.h5t.CSET_ASCII
                                    and text.get_strpad() == h5py.h5t.STR_NULLTERM)
                    self.assertEqual(list(data.attrs["Legend"]), legend(form, name + part, l_max))
        return file

    def test_all_harmonics_to_four(self):
        # rates are products of three polynomials at most: of degree 12
        self.each_mode_alone(self.check("polynomials", polynomials_at, "modal", "bssn", L_MAX, [0], 1e-11))
        self.check("polynomials", polynomials_at, "nodal", "z4c", 4, [0], 1e-11)

    def each_mode_alone(self, file):
        """Coefficients of gxx ... Lapse one by one: the polynomials', by another quadrature; above l = 4 none."""
        x, weight = roots_legendre(8)
        theta, phi = np.repeat(np.arccos(x), 20), np.tile(2 * np.pi * np.arange(20) / 20, 8)
        weight = np.repeat(weight, 20) * np.pi / 10
        exact = polynomials_at(0.0, RADIUS * directions(theta, phi))[0]
        conjugate = {(l, m): np.conj(sph_harm_y(l, m, theta, phi)) for l in range(5) for m in range(-l, l + 1)}
        seen = set()
        with h5py.File(file) as h:
            for c, part in enumerate(PARTS):
                for mode, coefficient in modes_of(h[f"{part}.dat"][0, 1:]).items():
                    expected = np.sum(weight * exact[c] * conjugate[mode]) if mode in conjugate else 0
                    self.assertLess(abs(coefficient - expected), 1e-12, (part, mode))
                    if abs(expected) > 1e-5:
                        seen.add(mode)
        self.assertEqual(seen, set(conjugate))

    def test_a_hole_that_moves(self):
        self.check("hole", hole_at, "modal", "z4c", L_MAX, [0.5], 1e-8)
        self.check("hole", hole_at, "nodal", "bssn", 4, [0], 1e-8)

    def test_a_wave_in_its_own_gauge(self):
        # of the amplitude: 1e-5, the stencils' error at this spacing; nonlinear terms are 1e-6 of it
        self.check("wave", wave_at, "modal", "bssn", 4, [1.5, 4], 1e-5 * AMPLITUDE)


# Spheres on one level, and across both.
PARAMETERS = f"""run:
  t_end: 0.75
grid:
  extent: 8
  reflect: xyz
  level_min: {1 - SIXTEEN}
  level_max: {2 - SIXTEEN}
  ball_level: {2 - SIXTEEN}
  ball_radius: 0.5
initial_data:
  type: teukolsky_wave
  amplitude: 1e-3
  wavelength: 3
  wave_m: 2
waves:
  worldtubes: [2, 5]
  worldtube_l_max: 6
  worldtube_every: 4
"""
HOLES = """run:
  t_end: 1
grid:
  extent: 32
  level_max: 3
  bh_radius: 0.5
initial_data:
  type: brill_lindquist
  bh1_mass: 0.5
  bh1_position: [0, 0, 3]
  bh2_mass: 0.5
  bh2_position: [0, 0, -3]
"""
# A gauge that moves, and is pulled by a term that depends on time.
GAUGE = f"""run:
  max_steps: 6
  t_end: 1
grid:
  extent: 8
  periodic: xyz
  level_min: {1 - SIXTEEN}
  level_max: {1 - SIXTEEN}
initial_data:
  type: gauge_wave
  amplitude: 0.1
  wavelength: 16
evolution:
  cfl: 0.05
  time_steps: global
gauge:
  slow_start: 3
  slow_start_time: 0.1
waves:
  worldtubes: [4]
  worldtube_l_max: 4
  worldtube_every: 1
"""


def content(file):
    with h5py.File(file) as h:
        return {key: data[()].tobytes() for key, data in h.items()}


class Runs(ProgramTest):
    program, mpirun = TENDEX, MPIRUN

    def setUp(self):
        super().setUp()
        (self.folder / "wave.yaml").write_text(PARAMETERS)
        (self.folder / "holes.yaml").write_text(HOLES)

    def go(self, name, *settings, **how):
        words = [word for setting in settings for word in ("--set", setting)]
        self.tendex("run", "wave.yaml", "--set", f"run.folder={name}", *words, **how)

    def rows(self, name):
        """{name of the joined file: its content}, and the times."""
        found = worldtubes.joined(self.folder / name)
        return {file.name: content(file) for _, file in found}, [tube.t for tube, _ in found]

    def test_restarts_and_ranks(self):
        self.go("whole", ranks=3)
        whole, times = self.rows("whole")
        self.assertEqual(set(whole), {"CceR0002.h5", "CceR0005.h5"})
        np.testing.assert_allclose(times[0], [0, 0.25, 0.5, 0.75], rtol=0, atol=1e-14)
        np.testing.assert_array_equal(times[0], times[1])
        # The row of the end, at step 6, is taken back when the run goes on; so are files of after the checkpoint.
        self.go("parts", "run.t_end=0.375")
        ends = self.folder / "parts" / "worldtubes"
        self.assertEqual({f.name[:7] for f in ends.iterdir()}, {"0000000", "0000006"})
        (ends / "0000008.CceR0002.h5").write_bytes(b"of a run that was killed")
        self.tendex("run", "--restart", "parts", "--set", "run.t_end=0.75")
        self.assertEqual({f.name[:7] for f in ends.iterdir()}, {"0000000", "0000008"})
        self.assertEqual(self.rows("parts")[0], whole)

    def test_rates_are_those_of_the_run(self):
        (self.folder / "gauge.yaml").write_text(GAUGE)
        self.tendex("run", "gauge.yaml", "--set", "run.folder=gauge")
        (tube, file), = worldtubes.joined(self.folder / "gauge")
        stencil = np.array([-1, 9, -45, 0, 45, -9, 1]) / 60 / (tube.t[1] - tube.t[0])
        self.assertEqual(len(tube.t), 7)
        with h5py.File(file) as h:
            for part in PARTS:
                found, rate = stencil @ h[f"{part}.dat"][:, 1:], h[f"Dt{part}.dat"][3, 1:]
                np.testing.assert_allclose(found, rate, rtol=0, atol=2e-5, err_msg=part)
                if part in ("gxx", "Shiftx", "Lapse"):
                    self.assertGreater(np.abs(rate).max(), 1e-4, part)

    def test_mirror_images_stand_for_points(self):
        for name, reflect in (("half", "z"), ("full", "none")):
            self.go(name, "run.max_steps=2", f"grid.reflect={reflect}", "waves.worldtube_form=nodal",
                    "waves.worldtube_every=2")
        half, full = (self.folder / name / "worldtubes" for name in ("half", "full"))
        for radius, tolerance in (("0002", 1e-13), ("0005", 1e-7)):  # levels end there, at planes that one side owns
            with h5py.File(half / f"0000000.CceR{radius}.h5") as a, h5py.File(full / f"0000000.CceR{radius}.h5") as b:
                self.assertEqual(set(a), set(b))
                for key in a:
                    np.testing.assert_allclose(a[key], b[key], rtol=0, atol=tolerance, err_msg=key)
                self.assertGreater(np.abs(a["Dtgxz.dat"][1, 1:]).max(), 1e-6)

    def test_what_is_refused_or_noted(self):
        for file, setting, said in (
                ("wave.yaml", "waves.worldtubes=[2.5]", "2.5 is not a whole number"),
                ("wave.yaml", "waves.worldtubes=[8]", "the worldtube of radius 8 M leaves the domain"),
                ("wave.yaml", "waves.worldtubes=[2, 5, 2]", "2 is given twice"),
                ("holes.yaml", "waves.worldtubes=[3]", "the worldtube of radius 3 M does not enclose puncture 1"),
                ("holes.yaml", "waves.worldtube_l_max=8", "waves.worldtubes is not empty")):
            self.assertIn(said, self.tendex("check", file, "--speed", "1e6", "--set", setting, code=3))
        said = self.tendex("run", "holes.yaml", "--set", "waves.worldtubes=[3]", code=3)
        self.assertIn("does not enclose puncture 1", said)
        said = self.tendex("check", "wave.yaml", "--speed", "1e6", "--set", "run.t_end=20")
        self.assertIn("from t = 11 M on, reflections from the outer boundary may reach r = 5 M", said)
        self.assertRegex(said, r"worldtubes  r = 2, 5 M: modal, l = 0 to 6, 231 points per sphere, 126 of them sampled\n"
                               r" *a row every 4 steps, 0.25 M, as given; 47.5 kB per row, 190 kB per M")
        if not SIXTEEN:  # with larger octants the grid has one level
            self.assertRegex(said, r"note: refinement boundaries between levels \d and \d cross the worldtube r = 5 M.*"
                                   r"or r = 2 M, which is free of them")

    def test_advice_on_radii(self):
        """Errors and notes of all radii name one limit, and no radius below it."""
        for command in ("run", "check"):
            said = self.tendex(command, "holes.yaml", "--set", "waves.worldtubes=[3]", code=3)
            least = re.search(r"does not enclose puncture 1, .*; give radii above (\d+\.?\d*) M, a wavelength of the ringdown", said)[1]
            self.assertGreater(float(least), 10)
        said = self.tendex("check", "holes.yaml", "--speed", "1e6", "--set", "waves.worldtubes=[5, 7, 10, 24]",
                           "--set", "grid.extent=128")
        for r in (5, 7, 10):
            self.assertIn(f"r = {r} M of waves.worldtubes is too close, below {least} M, a wavelength of the ringdown: give ", said)
            self.assertNotIn(f"cross the worldtube r = {r} M", said)
        advised = [float(r) for r in re.findall(r"^note:.*(?:give|or) r = (\d+) M", said, flags=re.M)]
        self.assertTrue(advised and min(advised) > float(least), said)


class Joining(ProgramTest):
    def part(self, step, times, columns=3, more=()):
        """A file of a run, with two data sets."""
        (self.folder / "worldtubes").mkdir(exist_ok=True)
        with h5py.File(self.folder / "worldtubes" / f"{step:07d}.CceR0100.h5", "w") as h:
            for key in ("Lapse.dat", "gxx.dat", *more):
                data = h.create_dataset(key, data=np.arange(len(times) * columns, dtype=float).reshape(-1, columns))
                data[:, 0] = times
                data.attrs.create("Legend", ["time"] + ["x"] * (columns - 1), dtype=h5py.string_dtype("ascii"))

    def fails(self, said):
        with self.assertRaisesRegex(FolderError, said):
            worldtubes.joined(self.folder)

    def test_rows_follow_each_other(self):
        self.fails("no worldtubes; the parameter waves.worldtubes asks for them")
        self.part(0, [0, 0.5])
        self.part(9999999, [1, 1.5])
        self.part(10000000, [2])
        (tube, file), = worldtubes.joined(self.folder)
        self.assertEqual(file, self.folder / "analysis" / "CceR0100.h5")
        with h5py.File(file) as h:
            self.assertEqual(h["gxx.dat"][:, 0].tolist(), [0, 0.5, 1, 1.5, 2])
            self.assertEqual(h["gxx.dat"][:, 2].tolist(), [2, 5, 2, 5, 2])
        with self.assertWarnsRegex(FolderWarning, "CceR0100: no rows between t = 2 and 3.5 M"):
            self.part(10000008, [3.5])
            worldtubes.joined(self.folder)
        self.part(10000016, [3.5])
        self.fails("CceR0100 has t = 3.5 after 3.5: its files are not of one run")
        self.part(10000016, [4], columns=5)
        self.fails("has other data sets or columns than 0000000.CceR0100.h5")
        self.part(10000016, [4], more=("gyy.dat",))
        self.fails("has other data sets or columns than 0000000.CceR0100.h5")
        (self.folder / "worldtubes" / "10000016.CceR0100.h5").write_bytes(b"half of a file")
        self.fails("cannot be read; if the run goes on, it is just being written")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
