"""Pictures of a run."""

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
import numpy as np  # noqa: E402
from matplotlib.collections import PatchCollection  # noqa: E402
from matplotlib.patches import Circle, Rectangle  # noqa: E402

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
COLOURS = ["#0b6e99", "#d1495b", "#66a182", "#8d6a9f", "#edae49"]
TRACK = "#b3123c"


def style():
    return plt.rc_context(STYLE)


def draw_mode(ax, series, mode):
    """Re r psi4 of one mode against retarded time; series: [(label, u, r psi4)]."""
    for colour, (label, u, y) in zip(COLOURS, series):
        ax.plot(u, 1e3 * y.real, color=colour, label=label)
    ax.axhline(0, color="0.5", lw=0.6, zorder=0)
    ax.set_ylabel(rf"$10^3\ \mathrm{{Re}}\ r\,\psi_4^{{{mode[0]}{mode[1]}}}$   [1/M]")
    ax.legend(loc="upper right")


def draw_amplitude(ax, series, windows, mode):
    """|r psi4| on a logarithmic axis with the fitted decay; windows: [(u0, u1, slope, level)]."""
    top = max(np.abs(y).max() for _, _, y in series)
    for colour, (label, u, y) in zip(COLOURS, series):
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
    ax.legend(loc="upper right")


def mirrors(octants):
    """Signs of x and z under which the octants' images fill the x-z plane."""
    x, z = ([1, -1] if octants.low[:, d].min() >= 0 else [1] for d in (0, 2))
    return [(a, b) for a in x for b in z]


def in_plane(octants):
    """Those that touch the x-z plane: [(index, level, x0, z0, size)], not mirrored."""
    low, size = octants.low, octants.size
    cut = np.flatnonzero((low[:, 1] <= 0) & (low[:, 1] + size > 0))
    return [(b, octants.level[b], low[b, 0], low[b, 2], size[b]) for b in cut]


def boxes_of(octants):
    """[(x0, z0, size, level)] in the x-z plane with all mirror images."""
    signs = mirrors(octants)
    return [(x if sx > 0 else -x - s, z if sz > 0 else -z - s, s, level)
            for _, level, x, z, s in in_plane(octants) for sx, sz in signs]


def set_plane(ax, half_width):
    ax.set_xlim(-half_width, half_width)
    ax.set_ylim(-half_width, half_width)
    ax.set_aspect("equal")
    ax.grid(False)
    ax.set_xlabel("x   [M]")
    ax.set_ylabel("z   [M]")


def draw_levels(ax, octants, points):
    """Octants in the x-z plane, shaded by level; `points` a side of an octant."""
    boxes = boxes_of(octants)
    lowest, highest = octants.level.min(), octants.level.max()
    for level in range(lowest, highest + 1):
        mine = [Rectangle((x, z), s, s) for x, z, s, lv in boxes if lv == level]
        if not mine:
            continue
        shade = plt.get_cmap("YlGnBu")(0.05 + 0.6 * (level - lowest) / max(highest - lowest, 1))
        ax.add_collection(PatchCollection(mine, facecolor=shade, edgecolor="0.45", linewidth=0.5, zorder=1))
        ax.plot([], [], "s", color=shade, mec="0.45", ms=8,
                label=f"h = {mine[0].get_width() / points:.3g} M")


def draw_edges(ax, octants, colour, half_width):
    """Boundaries of the octants in the x-z plane."""
    edges = [Rectangle((x, z), s, s) for x, z, s, _ in boxes_of(octants)
             if max(abs(x + s / 2), abs(z + s / 2)) <= half_width + s / 2]
    ax.add_collection(PatchCollection(edges, facecolor="none", edgecolor=colour, linewidth=0.6, zorder=2))


def draw_field(ax, octants, half_width):
    """Values on octants of the x-z plane, with mirror images of an even variable."""
    shown = [o for o in in_plane(octants) if max(o[2], o[3]) < half_width]
    values = [octants.values[o[0]] for o in shown]
    low, high = min(v.min() for v in values), max(v.max() for v in values)
    mesh = None
    for (b, _, x, z, s), v in zip(shown, values):
        for sx, sz in mirrors(octants):
            side = np.linspace(0, s, v.shape[0])
            mesh = ax.pcolormesh(sx * (x + side), sz * (z + side), v, vmin=low, vmax=high,
                                 cmap="cividis", shading="gouraud", zorder=0, rasterized=True)
    return mesh


def draw_spheres(ax, radii):
    for r in radii:
        ax.add_patch(Circle((0, 0), r, fill=False, ls="--", lw=1.2, color=TRACK, zorder=3))
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


def head_on(path, title, series, windows, octants, lapse, times, tracks, radii, points, mode=(2, 0)):
    """The quickstart's picture, written to `path`: waves on the left, octants and tracks on the right.

    lapse: octants of the plane y = 0 with values, or None."""
    with style():
        fig = plt.figure(figsize=(14, 8.6), layout="constrained")
        cells = fig.add_gridspec(2, 2, width_ratios=[1.3, 1])
        wave = fig.add_subplot(cells[0, 0])
        amplitude = fig.add_subplot(cells[1, 0], sharex=wave)
        draw_mode(wave, series, mode)
        draw_amplitude(amplitude, series, windows, mode)
        wave.set_xlim(-20, max(u[-1] for _, u, _ in series))
        near, far = fig.add_subplot(cells[0, 1]), fig.add_subplot(cells[1, 1])
        reach = max([2.0] + [1.6 * np.abs(x).max() for x in tracks])
        set_plane(near, reach)
        set_plane(far, np.max(octants.low + octants.size[:, None]))
        draw_levels(far, octants, points)
        far.legend(loc="center left", bbox_to_anchor=(1.02, 0.5), handlelength=1, title="spacing of points")
        draw_spheres(far, radii)
        if lapse is not None:
            mesh = draw_field(near, lapse, reach)
            fig.colorbar(mesh, ax=near, location="left", shrink=0.75, pad=0.02,
                         label=f"lapse at t = {lapse.time:g} M")
        draw_edges(near, octants, "0.75", reach)
        draw_tracks(near, tracks)
        if tracks:
            draw_fall(near.inset_axes([1.06, 0, 0.4, 1], sharey=near), times, tracks)
        near.set_title(f"octants at t = {octants.time:g} and punctures' tracks, plane y = 0", fontsize=10)
        far.set_title("the whole domain and the extraction spheres", fontsize=10)
        fig.suptitle(title)
        fig.savefig(path, dpi=130)
        plt.close(fig)
