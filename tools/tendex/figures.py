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


def plane_boxes(grid):
    """Octants that touch the x-z plane, mirrored where the grid holds one side only.

    grid: (t, level[n], low corner[n][3], size[n]). Returns [(x, z, size, level)]."""
    _, level, low, size = grid
    cut = (low[:, 1] <= 0) & (low[:, 1] + size > 0)
    boxes = [(x, z, s, lv) for lv, (x, _, z), s in zip(level[cut], low[cut], size[cut])]
    for axis in (0, 1):
        if min(low[:, 2 * axis]) >= 0:
            mirrored = []
            for b in boxes:
                c = list(b)
                c[axis] = -c[axis] - c[2]
                mirrored.append(tuple(c))
            boxes += mirrored
    return boxes


def draw_grid(ax, grid, half_width, points):
    """Octants in the x-z plane within half_width of the origin, shaded by level."""
    boxes = [b for b in plane_boxes(grid)
             if abs(b[0] + b[2] / 2) <= half_width + b[2] / 2 and abs(b[1] + b[2] / 2) <= half_width + b[2] / 2]
    levels = grid[1]
    shades = plt.get_cmap("YlGnBu")
    spread = max(int(levels.max() - levels.min()), 1)
    for lv in sorted({b[3] for b in boxes}):
        mine = [Rectangle((x, z), s, s) for x, z, s, level in boxes if level == lv]
        h = next(s for *_, s, level in boxes if level == lv) / points
        ax.add_collection(PatchCollection(mine, facecolor=shades(0.05 + 0.6 * (lv - levels.min()) / spread),
                                          edgecolor="0.45", linewidth=0.5, zorder=1))
        ax.plot([], [], "s", color=shades(0.05 + 0.6 * (lv - levels.min()) / spread), mec="0.45",
                ms=8, label=f"h = {h:.3g} M")
    ax.set_xlim(-half_width, half_width)
    ax.set_ylim(-half_width, half_width)
    ax.set_aspect("equal")
    ax.grid(False)
    ax.set_xlabel("x   [M]")
    ax.set_ylabel("z   [M]")


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


def head_on(path, title, series, windows, grid, times, tracks, radii, points, mode=(2, 0)):
    """The quickstart's picture, written to `path`: waves on the left, grid and tracks on the right."""
    with style():
        fig = plt.figure(figsize=(14, 8.6), layout="constrained")
        cells = fig.add_gridspec(2, 2, width_ratios=[1.3, 1])
        wave = fig.add_subplot(cells[0, 0])
        amplitude = fig.add_subplot(cells[1, 0], sharex=wave)
        draw_mode(wave, series, mode)
        draw_amplitude(amplitude, series, windows, mode)
        wave.set_xlim(-20, max(u[-1] for _, u, _ in series))
        near, far = fig.add_subplot(cells[0, 1]), fig.add_subplot(cells[1, 1])
        if grid is not None:
            extent = np.max(grid[2] + grid[3][:, None])
            reach = max([2.0] + [1.6 * np.abs(x).max() for x in tracks])
            draw_grid(near, grid, reach, points)
            draw_grid(far, grid, extent, points)
            far.legend(loc="center left", bbox_to_anchor=(1.02, 0.5), handlelength=1,
                       title="spacing of points")
        draw_spheres(far, radii)
        draw_tracks(near, tracks)
        if tracks:
            draw_fall(near.inset_axes([1.06, 0, 0.4, 1], sharey=near), times, tracks)
        near.set_title("octants and punctures' tracks, plane y = 0", fontsize=10)
        far.set_title("the whole domain and the extraction spheres", fontsize=10)
        fig.suptitle(title)
        fig.savefig(path, dpi=130)
        plt.close(fig)
