"""Panels of the computation: the solve for the initial data, constraints, grid, speed, phases."""

from dataclasses import dataclass, field

import numpy as np

from tendex.waves.pictures import plots
from tendex.waves.signal import series

TIME = "t   [M]"
# Of the whole: phases below this share are summed up.
LEAST_SHARE = 0.01


# What a step of each method of elliptic.method is called.
STEPS = {"multigrid": "cycle", "krylov": "iteration", "relaxation": "step"}


@dataclass
class Solves:
    """What elliptic.asc says: solves one after another, [n] each."""

    number: np.ndarray
    step: np.ndarray
    rms: np.ndarray  # residuals over that of u = 0
    largest: np.ndarray  # 0 where it is not known
    evaluations: np.ndarray  # of the operator a point, since the first solve began
    seconds: float  # of all
    method: str
    tolerance: float = None


def solves(table, method, tolerance):
    """Solves of the columns of elliptic.asc, where evaluations and seconds start anew with each; None if there are no rows."""
    number = table["solve"]
    if not len(number):
        return None
    ends = np.append(np.flatnonzero(np.diff(number)), len(number) - 1)
    before = np.searchsorted(ends, np.arange(len(number)))  # solves that ended before a row
    done = np.concatenate([[0.0], np.cumsum(table["evaluations"][ends])])
    return Solves(number, table["step"], table["rms"], table["largest"], done[before] + table["evaluations"],
                  float(table["seconds"][ends].sum()), method, tolerance)


@dataclass
class CostData:
    log: object  # runlog.Log, or None
    norms: dict = field(default_factory=dict)  # {name: L2 norm [n]}
    times: np.ndarray = None  # [n], of the norms
    end: float = 1.0  # of the time axes
    solves: Solves = None  # for the initial data


def _narrow(ax):
    """One of five panels in a row."""
    return ax.get_position().width < 0.16


def draw_solves(ax, data):
    """Residuals against the work done: each step a point, each solve a line."""
    s = data.solves
    numbers = np.unique(s.number)
    steps = int(sum(s.step[s.number == n].max() for n in numbers))
    for n in numbers:
        rows = s.number == n
        x, first = s.evaluations[rows], n == numbers[0]
        dots = {"marker": "o", "ms": 2.2} if rows.sum() <= 40 else {}
        ax.semilogy(x, plots.positive(s.rms[rows]), color=plots.BLUE, lw=0.9, label="rms" if first else None, **dots)
        known = s.largest[rows] > 0
        ax.semilogy(x[known], s.largest[rows][known], color=plots.SKY, lw=0.7, ls=":", label="largest" if first else None)
    if s.tolerance:
        ax.axhline(s.tolerance, color=plots.BLACK, lw=0.7, ls="--", label=f"tolerance {s.tolerance:g}")
    shown = np.concatenate([s.rms[s.rms > 0], s.largest[s.largest > 0], [s.tolerance or 1.0]])
    ax.set_ylim(shown.min() / 300, shown.max() * 30)  # room for the text and the legend
    ax.set_xlim(0, max(1.02 * s.evaluations.max(), 1.0))
    ax.legend(loc="upper right")
    several = f"{len(numbers)} solves, " if len(numbers) > 1 else ""
    ax.text(0.03, 0.04, f"{s.method}: {several}{steps:,} {STEPS.get(s.method, 'step')}{'s' if steps != 1 else ''}, "
            f"{duration(s.seconds)}", transform=ax.transAxes, fontsize=5.8, color="0.4")
    ax.set_ylabel("residual / that of u = 0")
    ax.set_xlabel("evaluations of the operator a point")


def draw_constraints(ax, data):
    for colour, (name, l2) in zip((plots.BLUE, plots.RED, plots.GREEN), data.norms.items()):
        ax.semilogy(*series.thinned(data.times, plots.positive(l2)), color=colour, lw=0.9, label=name)
    ax.set_xlim(0, data.end)
    seen = np.concatenate([v[v > 0] for v in data.norms.values()])
    if seen.size:
        ax.set_ylim(np.percentile(seen, 1) / 3, seen.max() * (100 if _narrow(ax) else 12))
    ax.legend(loc="upper left", ncol=2 if _narrow(ax) else 3)
    ax.set_ylabel("L2 norm")
    ax.set_xlabel(TIME)
    plots.restarts(ax, data.log.restarts() if data.log else [])


def draw_levels(ax, data):
    """Points of the grid, stacked by level, whose names stand to the right."""
    box = ax.get_position()
    ax.set_position([box.x0, box.y0, (0.6 if _narrow(ax) else 0.72) * box.width, box.height])
    t, levels, octants = data.log.octants()
    t = np.append(t, max(t[-1], data.log.reached(), t[0] + 1e-9))
    points = np.hstack([octants, octants[:, -1:]]) * data.log.last.side**3 / 1e6
    colours = plots.ordered(len(levels))
    ax.stackplot(t, points, step="post", colors=colours, lw=0)
    total = points.sum(axis=0)
    ax.set_xlim(0, data.end)
    ax.set_ylim(0, 1.04 * total.max())
    ax.grid(False)
    ax.set_ylabel("million points")
    ax.set_xlabel(TIME)
    _name_levels(ax, levels, points[:, -1], 1.04 * total.max(), data)
    plots.restarts(ax, data.log.restarts())


def _name_levels(ax, levels, last, top, data):
    """Names to the right of the bands, pushed apart where these are thin."""
    places = np.cumsum(last) - last / 2
    gap = 0.088 * top
    for i in range(1, len(places)):
        places[i] = max(places[i], places[i - 1] + gap)
    over = places[-1] - (top - 0.3 * gap)
    for i in range(len(places) - 1, -1, -1):
        limit = top - 0.3 * gap if i == len(places) - 1 else places[i + 1] - gap
        places[i] = min(places[i], limit) if over > 0 else places[i]
    for colour, level, y in zip(plots.ordered(len(levels)), levels, places):
        spacing = data.log.spacing(level)
        h = f", h = {spacing:.3g}" if spacing else ""
        ax.plot([1.025], [y], "s", ms=3.6, color=colour, transform=ax.get_yaxis_transform(), clip_on=False)
        ax.text(1.065, y, f"{level}{h}", transform=ax.get_yaxis_transform(), fontsize=5.6, va="center", clip_on=False)


def draw_speed(ax, data):
    """M per hour of wall-clock time."""
    t, speed = data.log.speed()
    ax.stairs(speed, np.concatenate([[0.0], t]), baseline=None, color=plots.BLUE, lw=1.1)
    wall = data.log.wall()
    total = t[-1] if len(t) else 0.0
    if wall > 0:
        mean = 3600 * total / wall
        ax.axhline(mean, color=plots.BLACK, lw=0.7, ls="--",
                   label=f"mean {number(mean)} M/hour, {number(wall / total)} s/M")
        ax.legend(loc="lower left")
    ax.set_xlim(0, data.end)
    ax.set_ylim(0, 1.15 * speed.max())
    ax.yaxis.set_major_formatter("{x:,.0f}")
    ax.set_ylabel("speed   [M / hour]")
    ax.set_xlabel(TIME)
    plots.restarts(ax, data.log.restarts())


def number(x):
    """With three digits that matter."""
    return f"{x:,.0f}" if abs(x) >= 1000 else f"{x:.3g}"


def duration(seconds):
    """For readers: 36 s, 12.4 min, 3.21 h, 2.5 d."""
    for size, unit in ((86400.0, "d"), (3600.0, "h"), (60.0, "min")):
        if seconds >= 1.5 * size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds:.3g} s"


def main_phases(phases):
    """([(name, seconds)], of a GPU?): the longest first, small ones as one."""
    gpu = any(device for _, _, device in phases)
    spent = [(name, device if gpu else host) for name, host, device in phases if name != "other"]
    whole = sum(s or 0.0 for _, s in spent) or 1.0
    big = sorted((p for p in spent if (p[1] or 0) >= LEAST_SHARE * whole), key=lambda p: -p[1])
    rest = whole - sum(s for _, s in big)
    return big + ([("all others", rest)] if rest > 1e-3 * whole else []), gpu


def draw_phases(ax, data):
    """Seconds by phase: of GPUs where they computed."""
    spent, gpu = main_phases(data.log.phases())
    whole = sum(s for _, s in spent)
    y = np.arange(len(spent))
    shares = [100 * s / whole for _, s in spent]
    ax.barh(y, shares, height=0.62, color=[plots.BLUE] + [plots.SKY] * (len(spent) - 1))
    for i, (name, seconds) in enumerate(spent):
        inside = shares[i] > 55
        ax.text(shares[i] + (-1.5 if inside else 1.5), i, f"{name}, {shares[i]:.1f}%", va="center", fontsize=5 if _narrow(ax) else 6,
                ha="right" if inside else "left", color="white" if inside else "0.15")
    ax.set_ylim(len(spent) - 0.4, -0.6)
    ax.set_xlim(0, 100)
    ax.set_yticks([])
    ax.grid(axis="y", visible=False)
    ax.set_xlabel(f"% of {duration(whole)} of {'GPU' if gpu else 'wall-clock'} time")
