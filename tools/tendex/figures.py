"""Pictures of a run."""

from dataclasses import dataclass
from itertools import cycle

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
import numpy as np  # noqa: E402
from matplotlib.collections import PatchCollection  # noqa: E402
from matplotlib.patches import Circle, Rectangle  # noqa: E402
from matplotlib.patheffects import withStroke  # noqa: E402

STYLE = {
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.alpha": 0.25,
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "lines.linewidth": 1.6,
    "mathtext.fontset": "dejavusans",
}
COLOURS = ["#0b6e99", "#d1495b", "#66a182", "#8d6a9f", "#edae49", "#7f5539"]
TRACK = "#b3123c"
# Of the two that go round each other, and of the hole that they become.
PAIR = ["#b3123c", "#1f5fa8"]
COMMON = "0.1"
# Lines that stand out of a field of any colour.
HALO = [withStroke(linewidth=2.6, foreground="white", alpha=0.7)]

# Axes across and up in the plane where a coordinate is 0, and along that coordinate.
AXES = {"y": (0, 2, 1), "z": (0, 1, 2)}


@dataclass
class Scene:
    """What a picture shows of the holes in the plane where coordinate `plane` is 0."""

    plane: str
    octants: object  # Octants at the start
    lapse: object  # Octants with values, or None
    times: object  # [n], of the tracks
    tracks: list  # of x[n][3]
    horizons: dict  # {1, 2, 3 for the common one: Horizon}
    radii: list  # of the extraction spheres
    points: int  # a side of an octant


def style():
    return plt.rc_context(STYLE)


def draw_mode(ax, series, mode):
    """Re r psi4 of one mode against retarded time; series: [(label, u, r psi4)]."""
    for colour, (label, u, y) in zip(cycle(COLOURS), series):
        ax.plot(u, 1e3 * y.real, color=colour, label=label)
    ax.axhline(0, color="0.5", lw=0.6, zorder=0)
    ax.set_ylabel(rf"$10^3\ \mathrm{{Re}}\ r\,\psi_4^{{{mode[0]}{mode[1]}}}$   [1/M]")
    u, y = series[0][1:]
    late = u[np.abs(y).argmax()] > (u[0] + u[-1]) / 2
    ax.legend(loc="upper left" if late else "upper right")


def draw_amplitude(ax, series, windows, mode):
    """|r psi4| on a logarithmic axis with the fitted decay; windows: [(u0, u1, slope, level)]."""
    top = max(np.abs(y).max() for _, _, y in series)
    for colour, (label, u, y) in zip(cycle(COLOURS), series):
        ax.semilogy(u, np.abs(y), color=colour, label=label)
    for i, (u0, u1, rate, level) in enumerate(windows):
        u = np.array([u0, u1])
        ax.semilogy(u, level * np.exp(rate * (u - u0)), "--", color="0.15", lw=1.2,
                    label="fitted decay" if i == 0 else None)
    if windows:
        ax.axvspan(windows[0][0], windows[0][1], color="0.5", alpha=0.12, lw=0, label="fit window")
    ax.set_ylim(1e-5 * top, 3 * top)
    ax.set_ylabel(rf"$|r\,\psi_4^{{{mode[0]}{mode[1]}}}|$   [1/M]")
    ax.set_xlabel(r"retarded time $t - r_*$   [M]")
    # The amplitude of a wave that turns does not swing: its fit passes where that of others has room.
    ax.legend(loc="upper right" if mode[1] == 0 else "lower center")


def mirrors(octants, plane):
    """Signs of the two coordinates under which the octants' images fill the plane."""
    across, up = ([1, -1] if octants.low[:, d].min() >= 0 else [1] for d in AXES[plane][:2])
    return [(a, b) for a in across for b in up]


def in_plane(octants, plane):
    """Those that touch the plane: [(index, level, across, up, size)], not mirrored."""
    low, size = octants.low, octants.size
    u, v, w = AXES[plane]
    cut = np.flatnonzero((low[:, w] <= 0) & (low[:, w] + size > 0))
    return [(b, octants.level[b], low[b, u], low[b, v], size[b]) for b in cut]


def boxes_of(octants, plane):
    """[(across, up, size, level)] in the plane with all mirror images."""
    signs = mirrors(octants, plane)
    return [(x if sx > 0 else -x - s, y if sy > 0 else -y - s, s, level)
            for _, level, x, y, s in in_plane(octants, plane) for sx, sy in signs]


def set_plane(ax, plane, half_width):
    ax.set_xlim(-half_width, half_width)
    ax.set_ylim(-half_width, half_width)
    ax.set_aspect("equal")
    ax.grid(False)
    ax.set_xlabel(f"{'xyz'[AXES[plane][0]]}   [M]")
    ax.set_ylabel(f"{'xyz'[AXES[plane][1]]}   [M]")


def draw_levels(ax, octants, plane, points):
    """Octants in the plane, shaded by level; `points` a side of an octant."""
    boxes = boxes_of(octants, plane)
    lowest, highest = octants.level.min(), octants.level.max()
    for level in range(lowest, highest + 1):
        mine = [Rectangle((x, y), s, s) for x, y, s, lv in boxes if lv == level]
        if not mine:
            continue
        shade = plt.get_cmap("YlGnBu")(0.05 + 0.6 * (level - lowest) / max(highest - lowest, 1))
        ax.add_collection(PatchCollection(mine, facecolor=shade, edgecolor="0.45", linewidth=0.5, zorder=1))
        ax.plot([], [], "s", color=shade, mec="0.45", ms=8,
                label=f"h = {mine[0].get_width() / points:.3g} M")


def draw_edges(ax, octants, plane, colour, half_width):
    """Boundaries of the octants in the plane."""
    edges = [Rectangle((x, y), s, s) for x, y, s, _ in boxes_of(octants, plane)
             if max(abs(x + s / 2), abs(y + s / 2)) <= half_width + s / 2]
    ax.add_collection(PatchCollection(edges, facecolor="none", edgecolor=colour, linewidth=0.6, zorder=2))


def draw_field(ax, octants, plane, half_width):
    """Values on octants of the plane, with mirror images of an even variable."""
    shown = [o for o in in_plane(octants, plane)
             if max(abs(o[2] + o[4] / 2), abs(o[3] + o[4] / 2)) < half_width + o[4] / 2]
    values = [octants.values[o[0]] for o in shown]
    low, high = min(v.min() for v in values), max(v.max() for v in values)
    mesh = None
    for (b, _, x, y, s), v in zip(shown, values):
        for sx, sy in mirrors(octants, plane):
            side = np.linspace(0, s, v.shape[0])
            mesh = ax.pcolormesh(sx * (x + side), sy * (y + side), v, vmin=low, vmax=high,
                                 cmap="cividis", shading="gouraud", zorder=0, rasterized=True)
    return mesh


def draw_spheres(ax, radii):
    """Circles; of those that lie closer than a line of text only the outer one has its radius beside it."""
    labelled, apart = np.inf, 0.08 * np.ptp(ax.get_ylim())
    for r in sorted(radii, reverse=True):
        ax.add_patch(Circle((0, 0), r, fill=False, ls="--", lw=1.2, color=TRACK, zorder=3))
        if labelled - r < apart:
            continue
        labelled = r
        ax.text(0, -r, f"r = {r:g} M", color=TRACK, fontsize=8, ha="center", va="center", zorder=4,
                bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.8, "alpha": 0.85})


def draw_tracks(ax, tracks):
    """Tracks of punctures in the x-z plane, a dot where each begins."""
    for x in tracks:
        ax.plot(x[:, 0], x[:, 2], color=TRACK, lw=2.4, zorder=4)
        ax.plot(x[0, 0], x[0, 2], "o", color=TRACK, ms=8, mec="white", zorder=5)


def draw_fall(ax, times, tracks):
    """z of the punctures against time."""
    for x in tracks:
        ax.plot(times, x[:, 2], color=TRACK)
    # Up to where they have come together, and as long again.
    apart = times[np.abs(tracks[0][:, 2]) > 0.05 * abs(tracks[0][0, 2])]
    ax.set_xlim(0, max(min(2 * apart[-1], times[-1]), 1e-9) if apart.size else times[-1])
    ax.set_xlabel("t   [M]")
    ax.tick_params(labelleft=False)


def draw_orbits(ax, times, tracks, merger):
    """Tracks of punctures in the x-y plane, a dot where each begins, faint after `merger`."""
    for number, (colour, x) in enumerate(zip(PAIR, tracks), 1):
        apart = times <= merger
        ax.plot(x[apart, 0], x[apart, 1], color=colour, lw=2.2, zorder=5, label=f"puncture {number}",
                path_effects=[withStroke(linewidth=3.6, foreground="white", alpha=0.8)])
        ax.plot(x[~apart, 0], x[~apart, 1], color=colour, lw=1.0, alpha=0.6, zorder=5)
        ax.plot(x[0, 0], x[0, 1], "o", color=colour, ms=7, mec="white", zorder=6)


def draw_horizons(ax, horizons):
    """Circles of mean radius about the centroids where each horizon was seen first (dashed) and last."""
    for number, seen in sorted(horizons.items()):
        colour = COMMON if number > len(PAIR) else PAIR[number - 1]
        name = "common horizon" if number > len(PAIR) else f"horizon {number}"
        ends = ((0, "--", 0.0), (-1, "-", 0.12)) if len(seen.time) > 1 else ((0, "--", 0.0),)
        for k, line, fill in ends:
            ax.add_patch(Circle(seen.centre[k, :2], seen.radius[k], facecolor=(colour if fill else "none"),
                                edgecolor="none", alpha=fill, zorder=3))
            ax.add_patch(Circle(seen.centre[k, :2], seen.radius[k], fill=False, ls=line, lw=1.3,
                                edgecolor=colour, zorder=4, path_effects=HALO))
            ax.plot([], [], line, color=colour, lw=1.3, label=f"{name}, t = {seen.time[k]:g} M")


def draw_near(fig, ax, scene):
    """The holes' surroundings: octants, lapse, tracks, horizons."""
    reach = max([2.0] + [1.6 * np.abs(x).max() for x in scene.tracks])
    set_plane(ax, scene.plane, reach)
    if scene.lapse is not None:
        mesh = draw_field(ax, scene.lapse, scene.plane, reach)
        fig.colorbar(mesh, ax=ax, location="left", shrink=0.75, pad=0.02,
                     label=f"lapse at t = {scene.lapse.time:g} M")
    draw_edges(ax, scene.octants, scene.plane, "0.75", reach)
    if scene.plane == "z":
        merger = scene.horizons[3].time[0] if 3 in scene.horizons else np.inf
        draw_orbits(ax, scene.times, scene.tracks, merger)
        draw_horizons(ax, scene.horizons)
        ax.legend(loc="center left", bbox_to_anchor=(1.02, 0.5), handlelength=1.6,
                  title="horizons: circles of mean radius" if scene.horizons else None)
    elif scene.tracks:
        draw_tracks(ax, scene.tracks)
        if max(np.abs(x[:, 2]).max() for x in scene.tracks) > 0:
            draw_fall(ax.inset_axes([1.06, 0, 0.4, 1], sharey=ax), scene.times, scene.tracks)
    ax.set_title(f"octants at t = {scene.octants.time:g} and punctures' tracks, plane {scene.plane} = 0", fontsize=10)


def draw_far(ax, scene):
    """The whole domain."""
    set_plane(ax, scene.plane, np.max(scene.octants.low + scene.octants.size[:, None]))
    draw_levels(ax, scene.octants, scene.plane, scene.points)
    ax.legend(loc="center left", bbox_to_anchor=(1.02, 0.5), handlelength=1, title="spacing of points")
    draw_spheres(ax, scene.radii)
    ax.set_title("the whole domain and the extraction spheres", fontsize=10)


def picture(path, title, mode, series, windows, scene):
    """A report's picture, written to `path`: waves on the left, octants and tracks on the right."""
    with style():
        fig = plt.figure(figsize=(14, 8.6), layout="constrained")
        cells = fig.add_gridspec(2, 2, width_ratios=[1.3, 1])
        wave = fig.add_subplot(cells[0, 0])
        amplitude = fig.add_subplot(cells[1, 0], sharex=wave)
        draw_mode(wave, series, mode)
        draw_amplitude(amplitude, series, windows, mode)
        wave.set_xlim(-20, max(u[-1] for _, u, _ in series))
        draw_near(fig, fig.add_subplot(cells[0, 1]), scene)
        draw_far(fig.add_subplot(cells[1, 1]), scene)
        fig.suptitle(title)
        fig.savefig(path, dpi=130)
        plt.close(fig)
