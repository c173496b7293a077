"""Panels of the holes: tracks and outlines, separation, masses and spins."""

from dataclasses import dataclass, field

import numpy as np

import tendex.base.drawing  # noqa: F401  before all of Matplotlib
from matplotlib.collections import PatchCollection
from matplotlib.patches import Polygon, Rectangle

from tendex.waves.holes import hole
from tendex.waves.pictures import plots
from tendex.waves.signal import series

TIME = "t   [M]"
# Names of outlines in a column; and of horizons in a legend with all that is known of each.
ROWS = 3
FEW = 6
# Coordinates across and up in the plane where one is 0, and that one.
AXES = {"y": (0, 2, 1), "z": (0, 1, 2)}


@dataclass
class HoleData:
    t: np.ndarray  # of the tracks
    tracks: list  # of x[n][3]
    horizons: dict  # {number: Horizon with mass, chi, spin}
    surfaces: dict = field(default_factory=dict)  # {number: (t, centre, coefficients)}
    octants: object = None  # Octants of the first grid, or None
    end: float = 1.0  # of the time axes
    inspirals: dict = field(default_factory=dict)  # {number: hole.Inspiral, or None if not seen before the merger}
    settled: float = 0.0  # time at which the shift has settled
    holes: dict = field(default_factory=dict)  # {number: numbers of the punctures} of what each horizon is about
    axis: np.ndarray = field(default_factory=lambda: np.array([0.0, 0.0, 1.0]))  # of the orbit

    @property
    def mergers(self):
        """[(t, number)] when each group was first seen, in order."""
        return sorted((float(h.time[0]), k) for k, h in self.horizons.items() if len(self.holes[k]) > 1)

    def sign(self, number):
        """Of the spin that is shown of a horizon: -1.0 where it is against the orbit."""
        h = self.horizons[number]
        return hole.sign(np.median(h.chi), np.median(h.spin, axis=0), self.axis)

    def shown(self, number, member):
        """[n] masses or spins of a horizon, spins with their sign."""
        values = getattr(self.horizons[number], member)
        return self.sign(number) * values if member == "chi" else values

    @property
    def against(self):
        """Is any spin against the orbit?"""
        return any(self.sign(number) < 0 for number in self.horizons)

    def is_common(self, number):
        return len(self.holes[number]) == len(self.tracks)

    def name(self, number):
        of = self.holes[number]
        if len(of) == 1:
            return f"hole {number}"
        return "common" if self.is_common(number) else f"holes {_ranges(of)}"

    def colour(self, number):
        if len(self.holes[number]) == 1:
            return plots.PUNCTURES[number - 1]
        groups = [k for k in sorted(self.horizons) if len(self.holes[k]) > 1 and not self.is_common(k)]
        return plots.GREYS[groups.index(number) % len(plots.GREYS)] if number in groups else plots.BLACK


def _ranges(numbers):
    """"1+2", and "1+3-5" for (1, 3, 4, 5)."""
    runs = []
    for n in numbers:
        if runs and runs[-1][-1] == n - 1:
            runs[-1].append(n)
        else:
            runs.append([n])
    return "+".join(f"{run[0]}-{run[-1]}" if len(run) > 2 else "+".join(map(str, run)) for run in runs)


def outlines(data, number):
    """[(t, how)] of the surfaces that are drawn of a horizon: the first, and the last."""
    t = data.surfaces[number][0]
    return [(0, "--")] + ([(len(t) - 1, "-")] if len(t) > 1 else [])


def boxes(octants, plane, half):
    """[(across, up, size)] of the octants that the plane cuts where the coordinate `plane` is 0, and of their mirror
    images where the grid begins there, as far as they lie within `half` of the origin."""
    across, up, along = AXES[plane]
    low, size = octants.low, octants.size
    found = []
    for b in np.flatnonzero((low[:, along] <= 0) & (low[:, along] + size > 0)):
        images = [[x] if octants.low[:, d].min() < 0 else [x, -x - size[b]] for d, x in
                  ((across, low[b, across]), (up, low[b, up]))]
        found += [(x, y, size[b]) for x in images[0] for y in images[1]]
    return [(x, y, s) for x, y, s in found if max(x, y) < half and min(x, y) + s > -half]


def draw_tracks(ax, data):
    """Tracks of the punctures in their plane, where horizons cut it when they were seen first and last, and the octants
    of the first grid."""
    plane = series.plane_of(data.tracks)
    across, up, _ = AXES[plane]
    for k, x in enumerate(data.tracks, 1):
        _, x = series.thinned(data.t, x)
        ax.plot(x[:, across], x[:, up], color=plots.PUNCTURES[k - 1], lw=0.8, zorder=2)
        ax.plot(x[0, across], x[0, up], "o", ms=3, color=plots.PUNCTURES[k - 1], zorder=4)
    reach = [np.abs(x[:, [across, up]]).max() for x in data.tracks]
    for number in sorted(data.surfaces):
        t, centre, coefficients = data.surfaces[number]
        for at, line in outlines(data, number):
            curve = series.outline(centre[at], coefficients[at], plane)[:, [across, up]]
            colour = data.colour(number)
            if line == "-":
                ax.add_patch(Polygon(curve, closed=True, facecolor=colour, alpha=0.10, lw=0, zorder=1))
            ax.plot(*curve.T, line, color=colour, lw=0.9, zorder=3)
            reach.append(np.abs(curve).max())
    half = 1.12 * max(reach + [0.5])
    if data.octants is not None:
        edges = [Rectangle((x, y), s, s) for x, y, s in boxes(data.octants, plane, half)]
        ax.add_collection(PatchCollection(edges, facecolor="none", edgecolor="0.84", linewidth=0.4, zorder=0.5))
        ax.grid(False)
    ax.set_xlim(-half, half)
    ax.set_ylim(-half, half)
    ax.set_aspect("equal", adjustable="box")
    ax.set_xlabel(f"{'xyz'[across]}   [M]")
    ax.set_ylabel(f"{'xyz'[up]}   [M]")
    ax.set_anchor("N")
    _write_below(ax, data)


def _write_below(ax, data):
    """Which outline is which: three in a column, without their times in more than two columns; and what else is drawn."""
    numbers = sorted(data.surfaces)
    columns = -(-len(numbers) // ROWS)
    times = {k: "" if columns > 2 else f": t = {_span(data.surfaces[k][0])} M" for k in numbers}
    notes = ["outlines when first (dashed) and last found"] if numbers else []
    notes += [f"octants at t = {data.octants.time:g} in grey"] if data.octants is not None else []
    placed = [(data.name(k) + times[k], data.colour(k), i // ROWS / columns, i % ROWS) for i, k in enumerate(numbers)]
    placed += [(note, "0.4", 0, min(len(numbers), ROWS) + i) for i, note in enumerate(notes)]
    for text, colour, across, row in placed:
        ax.annotate(text, (across, 0), xycoords="axes fraction", xytext=(0, -26 - 8 * row), textcoords="offset points",
                    fontsize=6.0 if columns < 3 else 4.6, color=colour)


def _span(t):
    return f"{t[0]:.5g}" if len(t) == 1 else f"{t[0]:.5g} to {t[-1]:.5g}"


def draw_separation(ax, data):
    """Of two punctures; of more, the distance of each to the nearest."""
    if len(data.tracks) == 2:
        curves = [(plots.BLUE, series.separation(data.t, data.tracks)[1])]
    else:
        curves = list(zip(plots.PUNCTURES, series.nearest(data.tracks)))
    for colour, d in curves:
        ax.plot(*series.thinned(data.t, d), color=colour)
    ax.set_xlim(0, data.end)
    room = 1.12 + 0.07 * (len(data.mergers) if len(curves) > 1 else 0)  # above the curves, for names of mergers
    ax.set_ylim(0, room * max(d.max() for _, d in curves))
    ax.set_ylabel("coordinate distance   [M]")
    ax.set_xlabel(TIME)
    for row, (t, number) in enumerate(data.mergers):
        about = "common horizon" if data.is_common(number) else data.name(number)
        plots.moment(ax, t, f"{about}, t = {t:.5g} M", row=row)


def _label(data, number, member, form):
    """Of groups, as they were seen last; of single holes in the inspiral."""
    name = data.name(number)
    if number not in data.inspirals:
        return f"{name}: {data.shown(number, member)[-1]:{form}}"
    seen = data.inspirals[number]
    if seen is None:
        return f"{name}: not seen before the merger"
    value = hole.signed(seen.chi, seen.vector, data.axis) if member == "chi" else seen.mass
    if len(data.horizons) > FEW:
        return f"{name}: {value.value:{form}}"
    lost = "" if seen.lost is None else f", lost at {seen.lost:.5g} M"
    return f"{name}: {value.value:{form}} ± {value.spread:.1g}{lost}"


def _series(ax, data, member, form):
    shown = []
    for number, h in sorted(data.horizons.items()):
        value = data.shown(number, member)
        name = _label(data, number, member, form)
        few = {"marker": ".", "ms": 3} if len(h.time) < 30 else {}
        ax.plot(*series.thinned(h.time, value), color=data.colour(number), label=name,
                ls="--" if number == 2 else "-", **few)
        shown.append(value)
    ax.set_xlim(0, data.end)
    ax.set_xlabel(TIME)
    return shown


def _legend(ax, data):
    """Above the curves where these are more than those of a pair."""
    n = len(data.horizons)
    if n <= 3:
        ax.legend(loc="best")
    elif n <= FEW:
        low, high = ax.get_ylim()
        ax.set_ylim(low, high + 0.17 * n * (high - low))
        ax.legend(loc="upper right")
    else:
        ax.legend(loc="best", ncol=2, fontsize=4.4, handlelength=1.0, columnspacing=0.8)


def draw_masses(ax, data):
    """Masses of the horizons."""
    plots.clipped(ax, _series(ax, data, "mass", ".6f"), share=0.12)
    _legend(ax, data)
    ax.set_ylabel("horizon mass   [M]")


def draw_spins(ax, data):
    """Dimensionless spins of the horizons."""
    shown = _series(ax, data, "chi", ".5f")
    top, low = max(float(v.max()) for v in shown), min(float(v.min()) for v in shown)
    ax.set_ylim(min(-0.03 * max(top, 0.1), 1.15 * low), max(1.15 * top, 0.1))
    _legend(ax, data)
    ax.set_ylabel(r"spin   $S\,/\,m^2$, below 0 against the orbit" if data.against else r"spin   $|S|\,/\,m^2$")
