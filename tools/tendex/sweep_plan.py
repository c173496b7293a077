"""From a row of a sweep's table to a parameter file: grid, end and cadence for its masses, spins and separation."""

import copy
import math
import re
from dataclasses import dataclass

import numpy as np

from tendex.sweep_table import SweepError

# Spacings in the smaller hole's mass, if nothing else is asked for; the larger one has at least half as many.
POINTS = 16
# Radius of the finest level over the smaller hole's mass.
FINEST_RADIUS = 1.6
# Runs merge later than post-Newtonian orbits: 908 M, not 865 M, with equal masses from 10 M.
LATER, START = 1.05, 50.0
# After the merger: the way to the outermost sphere through the hole's field, ringdown and what follows, M.
RINGDOWN = 130.0
# Steps between outputs: of the template's finest level, in proportion on others, and multiples of this if there are as
# many, so that levels may take up to so many steps of the finest one at once.
MULTIPLE = 16
CADENCE = ("waves.every", "horizons.every", "output.norms_every", "output.track_every")
EULER = 0.5772156649015329


def frequency_parameter(separation, eta):
    """x = (M Omega)^(2/3) of a circular orbit at this separation in ADM coordinates, M: 3PN without spins
    (arXiv:gr-qc/9912092; inverted by bisection). Below some 4 M it means little."""
    def radius(x):
        third = -0.25 + (167 / 192 * math.pi**2 - 1625 / 144) * eta - 1.5 * eta**2 + 2 / 81 * eta**3
        return (1 + (eta / 3 - 1) * x + (9 / 8 * eta + eta**2 / 9 - 0.25) * x**2 + third * x**3) / x
    low, high = 1e-6, 0.25
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if radius(middle) > separation else (low, middle)
    return low


def inspiral_rate(x, eta, spins=0.0):
    """dx/dt of circular orbits over its leading order 64/5 eta x^5: TaylorT4 to 3.5PN (arXiv:0907.0700, eq. 3.6).
    `spins`: sum over the holes of (113/12 m^2 + 25/4 eta) chi_z, their 1.5PN part."""
    six = (16447322263 / 139708800 - 1712 / 105 * EULER + 16 / 3 * math.pi**2 - 856 / 105 * np.log(16 * x)
           + (451 / 48 * math.pi**2 - 56198689 / 217728) * eta + 541 / 896 * eta**2 - 5605 / 2592 * eta**3)
    return (1 - (743 / 336 + 11 / 4 * eta) * x + (4 * math.pi - spins) * x**1.5
            + (34103 / 18144 + 13661 / 2016 * eta + 59 / 18 * eta**2) * x**2
            - math.pi * (4159 / 672 + 189 / 8 * eta) * x**2.5 + six * x**3
            + math.pi * (-4415 / 4032 + 358675 / 6048 * eta + 91495 / 1512 * eta**2) * x**3.5)


def merger_time(row):
    """From the start to the merger, M: post-Newtonian, up to x = 1/4."""
    m1, m2 = row.masses
    eta = m1 * m2
    spins = sum((113 / 12 * m * m + 25 / 4 * eta) * chi[2] for m, chi in ((m1, row.chi1), (m2, row.chi2)))
    x = np.geomspace(frequency_parameter(row.separation, eta), 0.25, 4000)
    rate = 64 / 5 * eta * x**5 * np.maximum(inspiral_rate(x, eta, spins), 0.3)
    return float(np.sum(np.diff(x) * 0.5 * (1 / rate[1:] + 1 / rate[:-1])))


class Template:
    """A parameter file, to be written with other values. `defaults`: {"section.key": value} of all parameters."""

    def __init__(self, path, text, defaults):
        self.path, self.defaults = path, defaults
        self.lines = text.splitlines()
        while self.lines and (not self.lines[0].strip() or self.lines[0].startswith("#")):
            self.lines.pop(0)
        self.values, section = {}, None
        for number, line in enumerate(self.lines):
            if head := re.match(r"(\w+):\s*(#.*)?$", line):
                section = head[1]
            elif section and (entry := re.match(r"\s+(\w+):\s*(.*?)\s*(\s#.*)?$", line)):
                self.values[f"{section}.{entry[1]}"] = (entry[2], number)
        if self.text("initial_data.type") != "quasi_circular":
            raise SweepError(f"{path}: initial_data.type is {self.text('initial_data.type')}; a sweep makes orbits "
                             "from mass ratio, spins and separation, so its template's must be quasi_circular")

    def text(self, key):
        return self.values[key][0] if key in self.values else str(self.defaults.get(key, ""))

    def number(self, key):
        try:
            return float(self.text(key))
        except ValueError:
            raise SweepError(f"{self.path}: {key}: '{self.text(key)}' is no number") from None

    def numbers(self, key):
        try:
            return [float(word) for word in re.split(r"[\s,]+", self.text(key).strip("[] ")) if word]
        except ValueError:
            raise SweepError(f"{self.path}: {key}: '{self.text(key)}' is no list of numbers") from None

    def over(self, settings):
        """The same with other values, to read them."""
        other = copy.copy(self)
        other.values = {**self.values, **{key: (text, -1) for key, text in settings.items()}}
        return other

    def write(self, head, settings):
        """The file's text with these values, `head` above as a comment."""
        lines, more = list(self.lines), {}
        ends = {key.split(".")[0]: number for key, (_, number) in self.values.items()}
        for key, text in sorted(settings.items()):
            section, name = key.split(".")
            if key in self.values:
                lines[self.values[key][1]] = f"  {name}: {text}"
            else:
                more.setdefault(section, []).append(f"  {name}: {text}")
        for section, entries in more.items():
            if section in ends:
                lines[ends[section]] = "\n".join([lines[ends[section]], *entries])
            else:
                lines += ["", f"{section}:", *entries]
        return "\n".join([*(f"# {line}".rstrip() for line in head), "", *lines]) + "\n"


@dataclass
class Plan:
    """What becomes of a row."""

    row: object
    merger: float  # estimated, M
    settings: dict  # {"section.key": text}, all that differ from the template


def _levels(row, side, extent, points):
    """Finest level at the smaller and at the larger hole, on a grid of `side` points a dimension at level 0.

    The smaller one's spacing is at most its size over `points`. The larger one's, where its horizon is, is up to twice
    that part of its own size, but as each level reaches twice as far as the next, and the finest only round the smaller
    hole, it has a level more for each factor of 2 between the masses."""
    sizes = [m * math.sqrt(1 - sum(c * c for c in chi)) for m, chi in zip(row.masses, (row.chi1, row.chi2))]
    small, large = sorted(range(2), key=lambda a: row.masses[a])

    def level(a):
        return math.log2(extent / side * points / sizes[a])
    fine = math.ceil(level(small) - 1e-9)
    reach = math.ceil(math.log2(row.masses[large] / row.masses[small]) - 1e-9)
    coarse = math.floor(level(large) + 1e-9) if reach else math.ceil(level(large) - 1e-9)
    return small, fine, min(fine, coarse + reach)


def _end_and_extent(merger, read, given):
    """When the run ends, M, and how often the domain is to be doubled for its faces not to be felt until then."""
    outermost = max(read.numbers("waves.radii"), default=0.0)
    t_end = read.number("run.t_end") if "run.t_end" in given else \
        10 * math.ceil((LATER * merger + START + outermost + RINGDOWN) / 10)
    doublings = 0
    if not {"grid.extent", "grid.level_max", "grid.ball_level"} & set(given):
        while 2 * read.number("grid.extent") * 2**doublings - outermost < t_end:
            doublings += 1
    return t_end, doublings


def _grid(row, read, given, doublings, side, points):
    """Settings of the grid, and its finest level. `side`: points a dimension at level 0."""
    extent = read.number("grid.extent") * 2**doublings
    small, fine, coarse = _levels(row, side, extent, points)
    if "grid.level_max" in given:
        top = int(read.number("grid.level_max"))
        fine, coarse = top, coarse - fine + top
    coarse = max(coarse, int(read.number("grid.level_min")))
    settings = {"grid.level_max": str(fine), "grid.bh_radius": f"{FINEST_RADIUS * min(row.masses):.3g}"}
    if coarse != fine:
        settings |= {f"grid.bh{small + 1}_level": str(fine), f"grid.bh{2 - small}_level": str(coarse)}
    if doublings:
        settings["grid.extent"] = f"{extent:g}"
        if ball := int(read.number("grid.ball_level")):
            settings["grid.ball_level"] = str(ball + doublings)
    if not row.aligned and "z" in read.text("grid.reflect"):
        settings["grid.reflect"] = read.text("grid.reflect").replace("z", "") or "none"
    return settings, fine


def _cadence(steps):
    """The multiple of MULTIPLE that is next to `steps`; below that, of the largest power of two that is no more."""
    unit = MULTIPLE
    while unit > max(1, steps):
        unit //= 2
    return max(1, math.floor(steps / unit + 0.5)) * unit if steps > 0 else 0


def _binary(row):
    settings = {"initial_data.mass_ratio": repr(row.q), "initial_data.separation": repr(row.separation)}
    for number, chi in ((1, row.chi1), (2, row.chi2)):
        if any(chi):
            settings[f"initial_data.bh{number}_chi"] = repr(list(chi))
    return settings


def plan(row, template, side, points=POINTS, sets=None):
    """A row's Plan. `side`: points of an octant's side; `points`: spacings in the smaller hole; `sets`: {"section.key":
    text} for all rows, which the row's own columns override. Both stand above what is derived here."""
    given = {**(sets or {}), **row.settings}
    read = template.over(given)
    merger = merger_time(row)
    t_end, doublings = _end_and_extent(merger, read, given)
    # Levels are those of the template's trees: a row with other ones has all spacings in proportion.
    grid, fine = _grid(row, read, given, doublings, side * template.number("grid.trees"), points)
    finer = 2.0 ** (fine - template.number("grid.level_max") - doublings)
    finer *= read.number("grid.trees") / template.number("grid.trees")
    if "grid.extent" in given:
        finer *= template.number("grid.extent") / read.number("grid.extent")
    cadence = {key: str(_cadence(template.number(key) * finer)) for key in CADENCE if key in template.values}
    return Plan(row, merger, {"run.t_end": f"{t_end:g}", **grid, **cadence, **given, **_binary(row)})
