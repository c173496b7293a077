"""Run folders made from known waves, with the files and formats of a real run.

    chirp = Chirp()                          # h_lm at infinity, closed form: inspiral, peak, ringdown
    folder = write_run(tmp, chirp)           # spheres, tracks, horizons, fluxes, summary
    chirp.strain(u, 2, 2), chirp.news(u, 2, 2), chirp.psi4(u, 2, 2)

Through a sphere of areal radius R goes, at t = u + r_*(R, adm_energy),
r psi4_lm = psi4 + (l-1)(l+2)/(2R) int psi4 + (l-1)l(l+1)(l+2)/(8 R^2) int int psi4 with psi4, int psi4 = -dh/du and
int int psi4 = -h those at infinity: the two leading terms of an outgoing wave in flat space; times (r/R) / (1 - 2E/R),
for R psi4 of observers at rest about a hole. `write_run' can have them fall in, and the hole lose the energy of the waves.
"""

import atexit
import functools
import hashlib
import json
import math
import pickle
import shutil
import sys
import tempfile
from dataclasses import dataclass, field, replace
from pathlib import Path

import h5py
import numpy as np
from scipy.integrate import trapezoid
from scipy.interpolate import make_interp_spline
from scipy.spatial.transform import Rotation

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
from tendex.physics.harmonics import harmonic  # noqa: E402

VERSION = "0.0.0-synthetic"
JUNK = 4.0  # decay time of what falls in at first


@dataclass(frozen=True)
class Chirp:
    """h_lm = amplitude_lm A(u) exp(-i m phi(u)) for m > 0, h_l-m = (-1)^l conj(h_lm): non-precessing, symmetric
    under reflection at z = 0. A = 1 / (exp(-(u-peak)/grow) + exp((u-peak)/decay)), times a logistic function that
    switches it on at `on` if that is given; dphi/du goes from `slow` to `fast` as a logistic function."""

    amplitudes: dict = field(default_factory=lambda: {(2, 2): 0.6, (3, 2): 0.02, (4, 4): 0.03})
    peak: float = 200.0
    grow: float = 80.0
    decay: float = 12.0
    slow: float = 0.035
    fast: float = 0.265
    rise: float = 12.0  # time scale of the orbital frequency; so fast, 3% of h at its peak lie below a cut-off 0.6 slow
    phase: float = 0.0  # orbital, as u -> -inf
    on: float = None
    switch: float = 15.0  # time scale of switching on

    def rotation(self, u):
        """Of the orbit's axes: scipy's Rotation [n]."""
        return Rotation.identity(len(u))

    def orbit(self, u):
        """(phi, dphi/du, d2phi/du2)."""
        x = (u - self.peak) / self.rise
        s = 1 / (1 + np.exp(-x))
        d = self.fast - self.slow
        return (self.phase + self.slow * u + d * self.rise * np.logaddexp(0, x), self.slow + d * s,
                d * s * (1 - s) / self.rise)

    def amplitude(self, u):
        """(A, A'/A, (A'/A)')."""
        x, a, b = u - self.peak, 1 / self.grow, 1 / self.decay
        log = -np.logaddexp(-x * a, x * b)
        s = 1 / (1 + np.exp(-x * (a + b)))  # share of the decaying term
        slope, curve = a - (a + b) * s, -((a + b) ** 2) * s * (1 - s)
        if self.on is not None:
            y = (u - self.on) / self.switch
            log = log - np.logaddexp(0, -y)
            s = 1 / (1 + np.exp(y))
            slope, curve = slope + s / self.switch, curve - s * (1 - s) / self.switch**2
        return np.exp(log), slope, curve

    def _derivative(self, order, u, l, m):
        u = np.asarray(u, float)
        if (l, abs(m)) not in self.amplitudes or m == 0:
            return np.zeros_like(u, complex)
        if m < 0:
            return (-1) ** l * np.conj(Chirp._derivative(self, order, u, l, -m))
        phi, omega, domega = self.orbit(u)
        a, slope, curve = self.amplitude(u)
        h = self.amplitudes[l, m] * a * np.exp(-1j * m * phi)
        factor = slope - 1j * m * omega
        return h * (1, factor, factor**2 + curve - 1j * m * domega)[order]

    def strain(self, u, l, m):
        return self._derivative(0, u, l, m)

    def news(self, u, l, m):
        return self._derivative(1, u, l, m)

    def psi4(self, u, l, m):
        return -self._derivative(2, u, l, m)


@dataclass(frozen=True)
class Precessing(Chirp):
    """A Chirp in a frame whose z axis goes round that of the inertial frame on a cone, turned by Rz(w u) Ry(tilt)
    Rz(-w u): h_lm = sum_k d^l_mk(tilt) exp(-i (m - k) w u) h'_lk."""

    tilt: float = 0.4
    around: float = 0.01  # w, angle per time

    def rotation(self, u):
        return Rotation.from_euler("ZYZ", np.column_stack([self.around * u, 0 * u + self.tilt, -self.around * u]))

    def _derivative(self, order, u, l, m):
        u = np.asarray(u, float)
        d, total = small_d(l, self.tilt), 0j
        for k in range(-l, l + 1):
            rate = -1j * (m - k) * self.around
            still = [super(Precessing, self)._derivative(n, u, l, k) for n in range(order + 1)]
            terms = sum(binomial * rate ** (order - n) * still[n] for n, binomial in
                        enumerate(((1,), (1, 1), (1, 2, 1))[order]))
            total = total + d[l + m, l + k] * np.exp(rate * u) * terms
        return total


@dataclass(frozen=True)
class Displaced(Chirp):
    """A Chirp whose source stands at `place': h(u, n) of it is that of the Chirp at u + n.place, decomposed again about the origin."""

    place: tuple = (0.0, 0.0, 0.0)
    l_max: int = 4
    known: dict = field(default_factory=dict, compare=False)

    def _derivative(self, order, u, l, m):
        u = np.atleast_1d(np.asarray(u, float))
        key = order, len(u), u[0], u[-1]
        if key not in self.known:
            own = {(a, b * sign) for a, b in self.amplitudes for sign in (1, -1)}
            c, w = np.polynomial.legendre.leggauss(2 * self.l_max)
            found = {lm: np.zeros(len(u), complex) for lm in modes(self.l_max)}
            turns = np.arange(4 * self.l_max)
            for phi in 2 * np.pi * turns / len(turns):
                for theta, weight in zip(np.arccos(c), w * 2 * np.pi / len(turns)):
                    n = np.array([np.sin(theta) * np.cos(phi), np.sin(theta) * np.sin(phi), np.cos(theta)])
                    there = sum(super(Displaced, self)._derivative(order, u + n @ self.place, *lm) * harmonic(*lm, theta, phi)
                                for lm in own)
                    for lm, v in found.items():
                        v += weight * np.conj(harmonic(*lm, theta, phi)) * there
            self.known[key] = found
        return self.known[key][l, m]


class Outgoing:
    """Waves in flat space that are outgoing at all R: R psi4 = sum_n c_n int^n psi4 / R^n, n = 0 to l + 2, the n-fold integral of what
    goes to infinity: a Chirp without what is slower than a part of its slowest orbit, so that integrals stay finite. All is known
    on a long grid of times, and in between by splines."""

    SLOWEST, STEP = 0.3, 0.5

    def __init__(self, chirp, first=-1500.0, last=2000.0):
        self.chirp, self.peak, self.orbit = chirp, chirp.peak, chirp.orbit
        self.u = np.arange(first, last, self.STEP)
        self.w = 2 * np.pi * np.fft.fftfreq(len(self.u), self.STEP)
        self.known, self.curves = {}, {}

    def integrals(self, l, m):
        """[l+3][n] int^n psi4."""
        if (l, m) not in self.known:
            spectrum = np.fft.fft(self.chirp.psi4(self.u, l, m))
            w = np.where(self.w == 0, 1.0, self.w)
            kept = -np.expm1(-(w / (self.SLOWEST * max(abs(m), 1) * self.chirp.slow)) ** 12.0) * (self.w != 0)
            self.known[l, m] = [np.fft.ifft(spectrum * kept / (1j * w) ** n) for n in range(l + 3)]
        return self.known[l, m]

    def _at(self, u, l, m, times):
        """int^times psi4."""
        if (l, m, times) not in self.curves:
            self.curves[l, m, times] = make_interp_spline(self.u, self.integrals(l, m)[times], k=7)
        return self.curves[l, m, times](u)

    def strain(self, u, l, m):
        return -self._at(u, l, m, 2)

    def news(self, u, l, m):
        return -self._at(u, l, m, 1)

    def psi4(self, u, l, m):
        return self._at(u, l, m, 0)

    def through(self, u, l, m, areal):
        """R psi4 at R = areal."""
        c, total = 1.0, 0
        for n, values in enumerate(self.integrals(l, m)):
            total = total + c * values / np.median(areal) ** n
            c *= (l - 1 + n) * (l + 2 - n) / (2 * (n + 1))
        return make_interp_spline(self.u, total, k=7)(u)


@functools.cache
def small_d(l, beta):
    """d^l_mk(beta) by Wigner's sum, m and k from -l to l."""
    f, found = math.factorial, np.zeros((2 * l + 1, 2 * l + 1))
    for m in range(-l, l + 1):
        for k in range(-l, l + 1):
            root = math.sqrt(f(l + m) * f(l - m) * f(l + k) * f(l - k))
            for s in range(max(0, k - m), min(l + k, l - m) + 1):
                below = f(l + k - s) * f(s) * f(m - k + s) * f(l - m - s)
                found[l + m, l + k] += ((-1) ** (m - k + s) * root / below * math.cos(beta / 2) ** (2 * l + k - m - 2 * s)
                                        * math.sin(beta / 2) ** (m - k + 2 * s))
    return found


def modes(l_max=4):
    return [(l, m) for l in range(2, l_max + 1) for m in range(-l, l + 1)]


def areal_radius(r, energy):
    """Of a sphere of isotropic radius r about a mass."""
    return r * (1 + energy / (2 * r)) ** 2


def isotropic_radius(areal, energy):
    """The inverse of areal_radius."""
    return (areal - energy + np.sqrt(areal * (areal - 2 * energy))) / 2


def tortoise(areal, energy):
    return areal + 2 * energy * np.log(areal / (2 * energy) - 1)


def at_sphere(wave, t, l, m, areal, energy, lost=0.0, u=None, spin=0.0):
    """r psi4 through a sphere, r of areal_radius: see above. With areal = inf: psi4 at infinity at u = t. lost: of the hole's
    energy, by then; u: retarded time, where it is not that of the hole; spin: the hole's angular momentum along z."""
    scale = 1.0
    if not np.all(np.isinf(areal)):
        u = t - tortoise(areal, energy) if u is None else u
        scale = isotropic_radius(areal, energy) / areal / (1 - 2 * (energy - lost) / areal)
    else:
        u = t
    turned = scale * np.exp(1j * m * spin / areal**2)
    dragged = 3j * m * spin / areal**3 * wave.news(u, l, m)
    if hasattr(wave, "through"):
        return turned * (wave.through(u, l, m, areal) - dragged)
    k = (l - 1) * (l + 2)
    return turned * (wave.psi4(u, l, m) - k / (2 * areal) * wave.news(u, l, m)
                     - k * l * (l + 1) / (8 * areal**2) * wave.strain(u, l, m) - dragged)


def along_the_slice(t, areal, energy, infall, gone=lambda u: 0.0, far=100.0, steps=1500):
    """[n] retarded time of a sphere on slices whose observers fall in at speed infall(t, R), in Vaidya's metric with the mass energy - gone(u)
    within rays: du/dR = -(1 + v)/(1 - 2m/R), inwards from `far' times R and all times, where u = t - r_*, by the midpoint rule."""
    nodes = np.geomspace(areal + far * (areal + t[-1]), areal, steps + 1)
    u = t - tortoise(nodes[0], energy)

    def slope(u, radius):
        return (1 + infall(t, radius)) / (1 - 2 * (energy - gone(u)) / radius)
    for outer, inner in zip(nodes, nodes[1:]):
        middle, step = np.sqrt(outer * inner), outer - inner
        u = u + step * slope(u + 0.5 * step * slope(u, outer), middle)
    return u


def fluxes(wave, u, l_max=4):
    """(dE/du, dJz/du) at infinity, of the exact modes."""
    power, torque = np.zeros_like(u), np.zeros_like(u)
    for l, m in modes(l_max):
        news = wave.news(u, l, m)
        power += np.abs(news) ** 2 / (16 * np.pi)
        torque += m * np.imag(wave.strain(u, l, m) * np.conj(news)) / (16 * np.pi)
    return power, torque


def _rows(file, head, columns, integers=0):
    fmt = ["%d"] * integers + ["%.16e"] * (len(columns) - integers)
    np.savetxt(file, np.column_stack(columns), fmt=fmt, header=head, comments="# ")


def _named(names):
    return " ".join(f"{n}:{name}" for n, name in enumerate(names, 1))


def _radiated(wave, t, areal, energy, l_max):
    """Energy through the sphere until each time."""
    power = fluxes(wave, t - tortoise(areal, energy), l_max)[0]
    return np.concatenate([[0], np.cumsum((power[1:] + power[:-1]) / 2 * np.diff(t))])


def _write_expansion(path, t, areals, energy, infall):
    """Those of a sphere whose observers fall in at speed infall(t, R) about a hole."""
    names, columns = ["iteration", "time"], [np.arange(len(t)), t]
    for r, areal in areals.items():
        v = infall(t, areal)
        along = 2 / areal * np.sqrt((1 - 2 * energy / areal) / (1 - v**2))
        names += [f"n_r{r:.2f}", f"s_r{r:.2f}"]
        columns += [-v * along, along]
    _rows(path / "waves" / "expansion.asc", "Expansions of each sphere, 1/M.\n" + _named(names), columns, 1)


def _write_turning(path, t, dragged, held):
    """Points of a sphere turn with the shift by `held' of what they are dragged, the other way."""
    names, columns = ["iteration", "time"], [np.arange(len(t)), t]
    for r, rate in dragged.items():
        names += [f"{x}_r{r:.2f}" for x in "xyz"]
        columns += [0 * t, 0 * t, -held * rate]
    _rows(path / "waves" / "turning.asc", "Angular velocity of each sphere's points with the shift, 1/M.\n" + _named(names), columns, 1)


def frame_dragging(wave, t, radius, areal, energy, jz, l_max):
    """2 J/R^3 [n] of what is inside of a sphere over time, J along z."""
    torque = fluxes(wave, t - tortoise(areal_radius(radius, energy), energy), l_max)[1]
    inside = jz - np.concatenate([[0], np.cumsum((torque[1:] + torque[:-1]) / 2 * np.diff(t))])
    return 2 * inside / areal**3


def _write_waves(path, wave, t, areals, energy, l_max, text, noise, seed, infall, loses, dragged, held):
    (path / "waves").mkdir()
    random = np.random.default_rng(seed)
    with h5py.File(path / "waves" / "mp_psi4.h5", "w") as h:
        h.attrs["code_version"] = VERSION
        h.attrs["scaled_by_r"] = 0
        h.attrs["psi4_sign"] = "psi4 = -(d2 h+/dt2 - i d2 hx/dt2) for outgoing waves, as WeylScal4 and SXS"
        h.attrs["harmonics"] = "spin weight -2, arXiv:0709.0093 eq. II.7-8; psi4_lm = integral psi4 conj(Y_lm) dOmega"
        for r, areal in areals.items():
            lost, u, gone = 0.0, None, lambda u: 0.0
            if loses:
                lost, rays = _radiated(wave, t, areal, energy, l_max), t - tortoise(areal, energy)
                gone = lambda u, at=rays, of=lost: np.interp(u, at, of, left=0.0)
            if loses or infall is not at_rest:
                u = along_the_slice(t, areal, energy, infall, gone)
            v, spin = infall(t, areal), 0.5 * dragged[r] * areal**3
            angle = (1 - held) * np.concatenate([[0], np.cumsum((dragged[r][1:] + dragged[r][:-1]) / 2 * np.diff(t))])
            for l, m in modes(l_max):
                psi4 = at_sphere(wave, t, l, m, areal, energy, lost, u, spin) / isotropic_radius(areal, energy)
                psi4 = psi4 * (1 + v) / (1 - v) * np.exp(1j * m * angle)
                if noise:
                    psi4 = psi4 + noise / r * (random.standard_normal(len(t)) + 1j * random.standard_normal(len(t)))
                rows = np.column_stack([t, psi4.real, psi4.imag])
                h.create_dataset(f"l{l}_m{m}_r{r:.2f}", data=rows, maxshape=(None, 3), chunks=(128, 3))
                if text:
                    np.savetxt(path / "waves" / f"mp_psi4_l{l}_m{m}_r{r:.2f}.asc", rows, fmt="%.16e")
    names = ["iteration", "time"] + [f"r{r:.2f}" for r in areals]
    _rows(path / "waves" / "areal_radius.asc", "Areal radius of each sphere, M.\n" + _named(names),
          [np.arange(len(t)), t] + list(areals.values()), 1)
    _rows(path / "waves" / "lapse.asc", "Lapse, mean over the area of each sphere.\n" + _named(names),
          [np.arange(len(t)), t] + [np.sqrt(1 - 2 * energy / areal) + 0 * t for areal in areals.values()], 1)
    _write_expansion(path, t, areals, energy, infall)
    _write_turning(path, t, dragged, held)


def _write_energy(path, wave, t, radii, energy, l_max):
    names, columns = ["iteration", "time"], [np.arange(len(t)), t]
    for r in radii:
        u = t - tortoise(areal_radius(r, energy), energy)
        power, torque = fluxes(wave, u, l_max)
        rates = {"E": power, "Jx": 0 * u, "Jy": 0 * u, "Jz": torque, "Px": 0 * u, "Py": 0 * u, "Pz": 0 * u}
        for name, rate in rates.items():
            total = np.concatenate([[0], np.cumsum((rate[1:] + rate[:-1]) / 2 * np.diff(t))])
            names += [f"d{name}/dt_r{r:.2f}", f"{name}_r{r:.2f}"]
            columns += [rate, total]
    head = ("Energy, angular and linear momentum of the waves through each sphere: per time, and in all.\n"
            "What has gone through in all is counted from t = 0 on: the junk radiation of the initial data is in it.\n")
    _rows(path / "energy.asc", head + _named(names), columns, 1)


def rotation(wave, t):
    """Of the orbit's axes at times t [n]; of waves that know of none, none."""
    return wave.rotation(t) if hasattr(wave, "rotation") else Rotation.identity(len(t))


def spin(chi):
    """[3] of a number, which is along z, or of a vector."""
    return np.array([0, 0, chi]) if np.ndim(chi) == 0 else np.asarray(chi, float)


def tracks(wave, t, separation, masses):
    """[2][n][3]: the orbit of the chirp's phase, from the given separation, shrinking as frequency^(-2/3), and as the
    wave after its peak."""
    phi, omega, _ = wave.orbit(t)
    apart = separation * (omega / omega[0]) ** (-2 / 3) * np.exp(-np.logaddexp(0, (t - wave.peak) / (getattr(wave, "decay", 12.0) * 5 / 12)))
    line = rotation(wave, t).apply(apart[:, None] * np.column_stack([np.cos(phi), np.sin(phi), 0 * phi]))
    total = sum(masses)
    return [masses[1] / total * line, -masses[0] / total * line]


def _write_tracks(path, t, punctures):
    rows = np.zeros((len(t), 52))
    rows[:, 0], rows[:, 8] = np.arange(len(t)), t
    for slot, x in enumerate(punctures):
        rows[:, 12 + slot] = t
        for d in range(3):
            rows[:, 22 + 10 * d + slot] = x[:, d]
    data = " ".join(f"{13 + 10 * c + s}:pt_loc_{x}[{s}]" for c, x in enumerate("txyz") for s in range(10))
    head = ("column format: 1:it\t2:tl\t3:rl 4:c 5:ml\t6:ix 7:iy 8:iz\t9:time\t10:x 11:y 12:z\t13:data\n"
            f"data columns: {data}")
    fmt = ["%d"] * 8 + ["%.16e"] + ["%d"] * 3 + ["%.16e"] * 40
    np.savetxt(path / "puncturetracker-pt_loc..asc", rows, fmt=fmt, header=head, comments="# ")


HORIZON = ("iteration time horizon found mass chi spin_x spin_y spin_z mass_irreducible area centroid_x centroid_y "
           "centroid_z radius_min radius_max radius_mean radius_areal residual iterations").split()


def _horizon_rows(number, t, found, mass, chi, centre):
    """chi: a number, or [n][3]."""
    vectors = chi if np.ndim(chi) else np.tile([0, 0, chi], (len(t), 1))
    chi = np.linalg.norm(vectors, axis=1)
    irreducible = mass * np.sqrt((1 + np.sqrt(1 - chi**2)) / 2)
    rows = np.zeros((len(t), len(HORIZON)))
    values = {"iteration": np.arange(len(t)), "time": t, "horizon": number, "found": found, "mass": mass,
              "chi": chi, **{f"spin_{x}": vectors[:, i] * mass**2 for i, x in enumerate("xyz")},
              "mass_irreducible": irreducible,
              "area": 16 * np.pi * irreducible**2, "centroid_x": centre[:, 0], "centroid_y": centre[:, 1],
              "centroid_z": centre[:, 2], "radius_min": 0.8 * mass, "radius_max": 0.9 * mass,
              "radius_mean": 0.85 * mass, "radius_areal": 2 * irreducible, "residual": 1e-5, "iterations": 4}
    for name, value in values.items():
        rows[:, HORIZON.index(name)] = value
    return rows


def _write_horizons(path, t, punctures, masses, chis, remnant, common):  # masses: [2][n], chis: [2][n][3]
    """`common`: time from when on there is a common horizon; the others are found until 3 M later."""
    last = common + 3 * sum(m[-1] for m in masses)
    here = 0.5 * (punctures[0] + punctures[1])
    rows = np.concatenate([_horizon_rows(1, t, t <= last, masses[0], chis[0], punctures[0]),
                           _horizon_rows(2, t, t <= last, masses[1], chis[1], punctures[1]),
                           _horizon_rows(3, t, t >= common, *remnant, here)])
    order = np.lexsort((rows[:, 2], rows[:, 1]))
    fmt = ["%d", "%.16e", "%d", "%d"] + ["%.16e"] * (len(HORIZON) - 5) + ["%d"]
    np.savetxt(path / "horizons.asc", rows[order], fmt=fmt, comments="# ", header=(
        "Searches for apparent horizons: 1 and 2 about a puncture, 3 about both; spins about the centroids.\n"
        + _named(HORIZON)))


def make_three(path, pair, common, t_end=350.0):
    """Of a run of two holes one of three: holes 1 and 2 get a horizon at the time `pair', with the third at `common'. There
    is no TwoPunctures.bbh then."""
    t = np.arange(0.0, t_end + 1)
    shrink = np.exp(-t / t_end)[:, None]
    punctures = [shrink * start for start in np.array([[1.0, 0, 0], [-1.0, 0, 0], [-0.5, 8.0, 0]])]
    middle = 0.5 * (punctures[0] + punctures[1])
    rows = [_horizon_rows(k + 1, t, t <= (pair + 3 if k < 2 else common + 3), 0.3 + 0.01 * k, 0.1, x)
            for k, x in enumerate(punctures)]
    rows += [_horizon_rows(4, t[t >= pair], True, 0.58, 0.2, middle[t >= pair]),
             _horizon_rows(5, t[t >= common], True, 0.85, 0.3, middle[t >= common])]
    holes = np.concatenate([np.full(len(of), number) for of, number in zip(rows, (1, 2, 3, 12, 123))])
    awaited = _horizon_rows(0, t[t < common], False, 0.0, 0.0, middle[t < common])
    rows = np.column_stack([np.concatenate([*rows, awaited]), np.append(holes, np.full(len(awaited), 123))])
    order = np.lexsort((rows[:, 2], rows[:, 1]))
    np.savetxt(path / "horizons.asc", rows[order], comments="# ", header=(
        "Searches for apparent horizons: 1 to 3 about a puncture, from 4 on about a group\n" + _named([*HORIZON, "holes"])))
    _write_tracks(path, t, punctures)
    (path / "TwoPunctures.bbh").unlink()


def _write_parameters(path, radii, l_max, text, t_end, masses, separation, momentum):
    total = sum(masses)
    (path / "run.yaml").write_text(f"""\
# Parameters as used. `tendex run` takes this file.
# version: {VERSION}

# The run as a whole
run:
  name: "{path.name}"
  folder: "{path}"
  overwrite: false
  t_end: {t_end:g}

# Domain and refinement
grid:
  extent: 512
  reflect: z
  level_min: 2
  level_max: 11
  # wavelet_radius: 0  # not used: only if grid.wavelet_tol_far is above 0

# Initial data
initial_data:
  type: two_punctures
  bh1_mass: {masses[0]:.17g}
  bh1_position: [{separation * masses[1] / total:.17g}, 0, 0]
  bh1_momentum: [0, {momentum:.17g}, 0]
  bh2_mass: {masses[1]:.17g}
  bh2_position: [{-separation * masses[0] / total:.17g}, 0, 0]
  bh2_momentum: [0, {-momentum:.17g}, 0]

# Gravitational waves
waves:
  radii: [{', '.join(f'{r:g}' for r in radii)}]
  l_max: {l_max}
  text: {str(text).lower()}
""")


def _write_data(path, energy, jz, masses, chis, separation, momentum, turn):
    total = sum(masses)
    lines = [f"# Initial data of Tendex {VERSION}; G = c = 1, in M", "[metadata]",
             f"initial-ADM-energy = {energy:.17g}"]
    lines += [f"initial-ADM-angular-momentum{x} = {v:.17g}" for x, v in zip("xyz", (0, 0, jz))]
    lines += [f"initial-separation = {separation:.17g}", "initial-data-type = Bowen-York"]
    values = {"position": [(separation * masses[1] / total, 0, 0), (-separation * masses[0] / total, 0, 0)],
              "momentum": [(0, momentum, 0), (0, -momentum, 0)],
              "spin": [chi * m**2 for chi, m in zip(chis, masses)]}
    for what, two in values.items():
        lines += [f"initial-bh-{what}{hole}{x} = {v:.17g}" for hole, xyz in enumerate(two, 1)
                  for x, v in zip("xyz", turn(xyz))]
    lines += [f"initial-bh-puncture-{kind}-mass{hole} = {m:.17g}" for kind in ("adm", "bare")
              for hole, m in enumerate(masses, 1)]
    (path / "TwoPunctures.bbh").write_text("\n".join(lines) + "\n")


def _write_rest(path, t, energy, remnant, common, radii, version):
    mass, chi = remnant
    _rows(path / "constraints.asc", "Norms by volume.\n" + _named(
        ["iteration", "time", "hamiltonian.norm2", "momentum_x.norm2", "momentum_y.norm2", "momentum_z.norm2"]),
        [np.arange(len(t)), t, 1e-6 * (1 + t / t[-1])] + [np.full(len(t), 1e-7)] * 3, 1)
    octants = [f"{when:g} 1 {x} {y} 0 512\n" for when in (0, t[-1]) for y in (-512, 0) for x in (-512, 0)]
    (path / "grid.asc").write_text("# Octants at the start and at the end.\n# 1:time 2:level 3:x 4:y 5:z 6:size\n"
                                   + "".join(octants))
    (path / "summary.json").write_text(json.dumps({
        "name": path.name, "code_version": version, "t": t[-1], "t_end": t[-1], "complete": True, "wall_s": 100.0,
        "m_per_hour": 36 * t[-1], "octants": 4, "points": 2048, "adm_energy": energy,
        "horizons": {"common": {"first_seen": common, "last_seen": t[-1], "mass": mass, "chi": abs(chi),
                                "mass_irreducible": mass * np.sqrt((1 + np.sqrt(1 - chi**2)) / 2),
                                "spin": [0, 0, chi * mass**2]}}}, indent=2) + "\n")


def at_rest(t, areal):
    return 0.0 * areal


def write_run(path, wave=None, radii=(50.0, 60.0, 70.0, 80.0, 90.0, 100.0), t_end=420.0, dt=0.25, l_max=4,
              masses=(0.5, 0.5), chis=(0.0, 0.0), separation=8.0, momentum=0.114, energy=0.99, text=False, noise=0.0,
              seed=1, remnant=None, common=None, summary=True, shrink=0.0, drift=((0.0, 0.0, 0.0), (0.0, 0.0, 0.0)),
              infall=at_rest, loses=False, held=1.0, horizons=None):
    """Write a run folder at `path`, which is made, and return its Path. `energy` is the ADM energy, J_z the orbit's
    and the spins'; remnant: (mass, chi), by default what the exact fluxes leave; common: when its horizon appears, by
    default 10 M before the wave's peak; noise: of r psi4, standard deviation of each part; summary=False: as if
    the run still went on; chis: numbers along the orbit's axis, or vectors in the axes that turn with it; shrink: by how
    much the spheres' areal radii fall from start to end; infall: function (t, areal radii over time), speed at which observers of psi4
    fall in; loses: whether the mass inside a sphere falls as waves leave, or is `energy' always; held: part of the frame dragging against
    which the shift holds the spheres' points; drift: position at t = 0 and velocity of the tracks' centre of mass; horizons:
    Christodoulou masses of the holes at t = 0 and when junk radiation has fallen in, ((m1, m1'), (m2, m2')), by default `masses'."""
    given = dict(locals())
    path, wave = Path(path), wave or Chirp()
    kept = _kept(given)
    if kept and kept.exists():
        shutil.copytree(kept, path)
        return path
    _write_run(**{**given, "path": path, "wave": wave})
    if kept:
        shutil.copytree(path, kept)
    return path


def rescaled(scale, wave, **how):
    """(wave, arguments of write_run) of the same run in a unit of mass that is `scale' times smaller: in it everything is larger."""
    times = {name: getattr(wave, name) * scale for name in ("peak", "grow", "decay", "rise")}
    rates = {name: getattr(wave, name) / scale for name in ("slow", "fast")}
    wave = replace(wave, amplitudes={lm: a * scale for lm, a in wave.amplitudes.items()}, **times, **rates)
    for name in ("radii", "t_end", "dt", "masses", "separation", "momentum", "energy", "common", "horizons"):
        if name in how:
            value = np.array(how[name]) * scale
            how[name] = value.tolist() if name in ("radii", "masses", "horizons") else float(value)
    return wave, how


_folder = None


def keep():
    """The folder of copies, for this process and those that it forks, is there until this one ends."""
    global _folder
    if _folder is None:
        _folder = tempfile.TemporaryDirectory(prefix="tendex-synthetic-")
        atexit.register(_folder.cleanup)
    return Path(_folder.name)


def _kept(given):
    """Where a copy of the run folder of these arguments is or will be, as tests of one process ask for the same ones; None for
    arguments that cannot be told apart, as functions without a name."""
    try:
        key = pickle.dumps({**given, "path": Path(given["path"]).name})
    except (pickle.PicklingError, AttributeError, TypeError):
        return None
    return keep() / hashlib.sha256(key).hexdigest()


def _write_run(path, wave, radii, t_end, dt, l_max, masses, chis, separation, momentum, energy, text, noise, seed, remnant, common,
               summary, shrink, drift, infall, loses, held, horizons):
    path.mkdir(parents=True)
    t = np.arange(0.0, t_end + dt / 2, dt)
    jz = separation * momentum + sum(spin(chi)[2] * m**2 for chi, m in zip(chis, masses))
    common = wave.peak - 10.0 if common is None else common
    if remnant is None:
        power, torque = fluxes(wave, t, l_max)
        mass = energy - trapezoid(power, t)
        remnant = mass, (jz - trapezoid(torque, t)) / mass**2
    areals = {r: areal_radius(r, energy) - shrink * t / t[-1] for r in radii}
    dragged = {r: frame_dragging(wave, t, r, areal, energy, jz, l_max) for r, areal in areals.items()}
    _write_waves(path, wave, t, areals, energy, l_max, text, noise, seed, infall, loses, dragged, held)
    _write_energy(path, wave, t, radii, energy, l_max)
    few = t[::4]
    punctures = [x + drift[0] + np.outer(few, drift[1]) for x in tracks(wave, few, separation, masses)]
    _write_tracks(path, few, punctures)
    turned = rotation(wave, few)
    weighed = [last - (last - first) * np.exp(-few / JUNK) for first, last in horizons or [(m, m) for m in masses]]
    _write_horizons(path, few, punctures, weighed, [turned.apply(spin(chi)) for chi in chis], remnant, common)
    _write_parameters(path, radii, l_max, text, t_end, masses, separation, momentum)
    _write_data(path, energy, jz, masses, [spin(chi) for chi in chis], separation, momentum, turned[0].apply)
    _write_rest(path, few, energy, remnant, common, radii, VERSION)
    if not summary:
        (path / "summary.json").unlink()


def write_slices(path, times, fields, extent=16.0, points=8, mirrored=False):
    """Slices of a run folder as the program writes them: fields {name: f(x, y, z, t)} on two levels, octants of half the size
    in the middle; mirrored: the grid ends at x = 0 and y = 0."""
    (path / "fields").mkdir(exist_ok=True)
    coarse = [(x, y, extent / 2) for x in (-2, -1, 0, 1) for y in (-2, -1, 0, 1) if max(abs(x + 0.5), abs(y + 0.5)) > 1]
    fine = [(x, y, extent / 4) for x in (-2, -1, 0, 1) for y in (-2, -1, 0, 1)]
    octants = np.array([(x * size, y * size, size) for x, y, size in coarse + fine if not mirrored or min(x, y) >= 0])
    for step, t in enumerate(times):
        with h5py.File(path / "fields" / f"slices.{step:07d}.h5", "w") as h:
            h.attrs["time"], h.attrs["octant_points"] = t, points
            for normal, name in enumerate("xyz"):
                group, axes = h.create_group(name), [d for d in range(3) if d != normal]
                origin = np.zeros((len(octants), 3))
                origin[:, axes] = octants[:, :2]
                at = octants[:, 2, None, None] / points * np.arange(points + 1)
                place = [np.zeros((1, 1, 1))] * 3
                place[axes[0]] = octants[:, 0, None, None] + at
                place[axes[1]] = (octants[:, 1, None, None] + at).transpose(0, 2, 1)
                group["origin"], group["spacing"] = origin, octants[:, 2] / points
                group["level"] = np.where(octants[:, 2] == extent / 4, 3, 2)
                for field, f in fields.items():
                    shape = (len(octants), points + 1, points + 1)
                    group[field] = np.broadcast_to(f(*place, t), shape)


def assert_same(found, wanted):
    """Two computations of the same numbers: last digits of LAPACK's least squares depend on where arrays lie in memory."""
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-12 * np.nanmax(np.abs(wanted)))


def set_grid(path, size, dissipation=0.4, points=8, reach=160):
    """As if the last grid of the run had octants of this size out to `reach'; the spacing is size / points."""
    n = size * np.arange(-np.ceil(reach / size), np.ceil(reach / size))
    rows = [f"0 5 {x:g} {y:g} {z:g} {size:g}\n" for x in n for y in n for z in n if z >= 0]
    (path / "grid.asc").write_text("# 1:time 2:level 3:x 4:y 5:z 6:size\n" + "".join(rows))
    summary = json.loads((path / "summary.json").read_text())
    (path / "summary.json").write_text(json.dumps({**summary, "octant_points": points}))
    with (path / "run.yaml").open("a") as file:
        file.write(f"\nevolution:\n  dissipation: {dissipation:g}\n")


def damp(path, h, w=None):
    """Takes from psi4 of a run what dissipation would on points h apart, of each frequency, or of all as much as of w."""
    with h5py.File(path / "waves" / "mp_psi4.h5", "a") as file:
        for name, rows in file.items():
            t, psi4 = rows[:, 0], rows[:, 1] + 1j * rows[:, 2]
            rate = damping(w or np.abs(2 * np.pi * np.fft.fftfreq(len(t), t[1] - t[0])) + 1e-3, h)
            psi4 = np.fft.ifft(np.fft.fft(psi4) * np.exp(-float(name.split("_r")[1]) * rate))
            rows[:, 1], rows[:, 2] = psi4.real, psi4.imag


def damping(w, h, dissipation=0.4, order=5):
    """Rate at which Kreiss-Oliger dissipation damps waves, as a mean over directions: of the sum over axes of
    sin^(order + 1)(w n h/2), n the cosine with the axis, as a sum of cosines."""
    cosines = {5: (10, -15, 6, -1), 7: (35, -56, 28, -8, 1)}[order]
    return 3 * dissipation / h * sum(c * np.sinc(k * w * h / np.pi) for k, c in enumerate(cosines)) / 2**order


def write_series(folder, trees=(4, 5, 6), more=None):
    """[paths] of run folders, the coarsest first, of which amplitude, time, mass and radiation are off by the fourth power of the spacing; those of
    6 trees by 0.004 in relative amplitude, 0.5 in time, 1e-4 in M_f and 1e-3 in a_f. more: {(l, m): amplitude} beside that of (2,2)."""
    paths = []
    for number in trees:
        off = (6 / number) ** 4
        chirp = Chirp(amplitudes={(2, 2): 0.6 * (1 + 0.004 * off), **(more or {})}, slow=0.08, peak=200 + 0.5 * off)
        path = write_run(Path(folder) / f"run{number}", chirp, radii=(50.0, 75.0, 100.0), dt=0.5, l_max=3,
                         remnant=(0.95 + 1e-4 * off, 0.68 - 1e-3 * off), t_end=380.0)
        text = (path / "run.yaml").read_text()
        (path / "run.yaml").write_text(text.replace("  reflect: z", f"  reflect: z\n  trees: {number}"))
        summary = json.loads((path / "summary.json").read_text())
        (path / "summary.json").write_text(json.dumps({**summary, "octant_points": 8}))
        paths.append(path)
    return paths
