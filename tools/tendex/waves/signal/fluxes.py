"""Energy, angular and linear momentum that waves carry away, from their modes (arXiv:0707.4654).

With news N = dh/dt and strain h, r times both, in modes of spin weight -2; all l and m that there are, with the
couplings of neighbours: energy eq. 3.8, linear momentum 3.14 and 3.15 (P_+ = P_x + i P_y), angular momentum 3.22 to
3.24.
"""

from dataclasses import dataclass, replace

import numpy as np

from tendex.waves.signal.align import spline
from tendex.waves.signal.modes import WaveError

NAMES = ("E", "Jx", "Jy", "Jz", "Px", "Py", "Pz")
FALLS = 0.5


@dataclass(frozen=True)
class Fluxes:
    """Rates over time, in the units of the waves: dE/dt and dP/dt without unit, dJ/dt in M."""

    t: np.ndarray  # [n]
    rates: np.ndarray  # [n][7] in the order of NAMES

    def total(self, first=-np.inf, last=np.inf):
        """[7]: what went through from time `first` to `last`; E and P in M, J in M^2."""
        inside = np.clip([first, last], self.t[0], self.t[-1])
        if not inside[1] > inside[0]:
            raise WaveError(f"nothing of the waves lies between t = {first:.6g} and {last:.6g}: they are known from "
                            f"{self.t[0]:.6g} to {self.t[-1]:.6g}")
        whole = spline(self.t, self.rates).antiderivative()
        return whole(inside[1]) - whole(inside[0])


def coefficient_a(l, m):
    return np.sqrt((l - m) * (l + m + 1)) / (l * (l + 1))


def coefficient_b(l, m):
    return np.sqrt((l - 2) * (l + 2) * (l + m) * (l + m - 1) / ((2 * l - 1) * (2 * l + 1))) / (2 * l)


def coefficient_c(l, m):
    return 2 * m / (l * (l + 1))


def coefficient_d(l, m):
    return np.sqrt((l - 2) * (l + 2) * (l - m) * (l + m) / ((2 * l - 1) * (2 * l + 1))) / l


def coefficient_f(l, m):
    return np.sqrt(l * (l + 1) - m * (m + 1))


def rates(news, strain):
    """Rates [n][7] in the order of NAMES from {(l, m): [n]} of r news and r strain (or of minus both)."""
    zero = np.zeros_like(next(iter(news.values())))

    def n(l, m):
        return news.get((l, m), zero)

    energy, momentum, momentum_z = 0.0, 0j, 0.0
    spin_x, spin_y, spin_z = 0.0, 0.0, 0.0
    for l, m in news:
        own, s = n(l, m), strain[l, m]
        energy = energy + np.abs(own) ** 2
        momentum = momentum + 2 * own * np.conj(
            coefficient_a(l, m) * n(l, m + 1) + coefficient_b(l, -m) * n(l - 1, m + 1)
            - coefficient_b(l + 1, m + 1) * n(l + 1, m + 1))
        momentum_z = momentum_z + (own * np.conj(
            coefficient_c(l, m) * own + coefficient_d(l, m) * n(l - 1, m)
            + coefficient_d(l + 1, m) * n(l + 1, m))).real
        up = coefficient_f(l, m) * np.conj(n(l, m + 1))
        down = coefficient_f(l, -m) * np.conj(n(l, m - 1))
        spin_x = spin_x + 0.5 * (s * (up + down)).imag
        spin_y = spin_y - 0.5 * (s * (up - down)).real
        spin_z = spin_z + m * (s * np.conj(own)).imag
    return np.column_stack([energy, spin_x, spin_y, spin_z, momentum.real, momentum.imag, momentum_z]) / (16 * np.pi)


def beyond(strain, first=-np.inf):
    """[7]: what modes of higher l than there are would add from time `first' on, of E and J; 0 of P, which couples neighbours.

    What two neighbouring l hold, one of each parity, falls from one such pair to the next by some factor, as it did from the pair before. A
    factor above FALLS is that of noise, and taken to be this. 0 where there is no pair before the last."""
    last = max(l for l, _ in strain.modes)

    def held(l):
        kept = {(k, m): v for (k, m), v in strain.modes.items() if k in (l, l - 1)}
        return of_strain(replace(strain, modes=kept)).total(first=first) if kept else np.zeros(7)

    pair, before, found = held(last), held(last - 2), np.zeros(7)
    for part in (slice(0, 1), slice(1, 4)):
        size, was = np.linalg.norm(pair[part]), np.linalg.norm(before[part])
        if was > 0:
            factor = min(size / was, FALLS)
            found[part] = pair[part] * factor / (1 - factor)
    return found


def of_strain(strain):
    """Fluxes of waves of kind strain; the news by derivatives of splines."""
    if strain.kind != "strain":
        raise ValueError(f"{strain.name}: fluxes want strain, not {strain.kind}")
    slopes = spline(strain.t, np.column_stack(list(strain.modes.values()))).derivative()(strain.t)
    return Fluxes(strain.t, rates(dict(zip(strain.modes, np.ascontiguousarray(slopes.T))), strain.modes))
