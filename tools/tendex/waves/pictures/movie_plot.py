"""The frames of `tendex-waves movie': fields in the plane with horizons, and waves below."""

from dataclasses import dataclass

import numpy as np

import tendex.base.drawing  # noqa: F401  before all of Matplotlib
from matplotlib.colors import LinearSegmentedColormap, to_rgb
from matplotlib.patches import Circle

from tendex.waves.holes import hole
from tendex.waves.holes.outlines import Outlines
from tendex.waves.pictures import plots, plots_waves
from tendex.waves.pictures.page import about
from tendex.waves.reading import slices
from tendex.waves.signal import series

# Inches and dots an inch: 1920 x 1080.
SIZE, DPI = (12.8, 7.2), 150
STYLE = {"font.size": 10, "axes.titlesize": 11, "axes.labelsize": 10, "xtick.labelsize": 9, "ytick.labelsize": 9,
         "legend.fontsize": 9, "axes.linewidth": 0.8, "axes.grid": False, "axes.labelpad": 3, "axes.titlepad": 6,
         "xtick.major.size": 3.5, "ytick.major.size": 3.5, "xtick.major.pad": 3, "ytick.major.pad": 3}
# In inches: margins, room for tick labels and colour bars, the head above, the waves below.
LEFT, RIGHT, TOP, BOTTOM, BAR, HEAD, WAVES, GAP = 0.85, 0.25, 0.27, 0.6, 0.95, 0.94, 1.35, 0.8
INK, PAPER, BAD = "#1a1a1a", "white", "0.9"
LAPSE = LinearSegmentedColormap.from_list("lapse", ["#04121f", "#0b3a5b", plots.BLUE, "#7fb8dc", "#dbeaf5", "#ffffff"]).with_extremes(bad=BAD)
SIGNED = LinearSegmentedColormap.from_list("signed", ["#003f66", plots.BLUE, "#8fc3e2", "#ffffff", "#f0b48a", plots.RED,
                                                      "#8a3a00"]).with_extremes(bad=BAD)
# {field: (name in type, unit, is it drawn times r)}
NAMES = {"alpha": (r"lapse  $\alpha$", "", False), "chi": (r"conformal factor  $\chi$", "", False),
         "K": (r"mean curvature  $K$", "[1/M]", False),
         "psi4_re": (r"$r\,\mathrm{Re}\,\Psi_4$", "[1/M]", True), "psi4_im": (r"$r\,\mathrm{Im}\,\Psi_4$", "[1/M]", True)}


@dataclass
class View:
    """One field: what is drawn of it."""

    field: str
    half: float  # of the panel's height, M
    low: float
    high: float

    @property
    def label(self):
        name, unit, _ = NAMES.get(self.field, (self.field.replace("_", r"\_"), "", False))
        return f"{name}   {unit}".rstrip()

    @property
    def times_r(self):
        return NAMES.get(self.field, ("", "", False))[2]

    @property
    def colours(self):
        return SIGNED if self.low < 0 < self.high else LAPSE


def palette(views):
    """[256][3] of bytes that do for all frames: of the fields, greys, curves and outlines, also where these are smoothed."""
    maps = list({id(view.colours): view.colours for view in views}.values())
    curves = [to_rgb(c) for c in (plots.BLUE, *plots.PUNCTURES)]
    mixed = [np.array(c) * (1 - w) + w for c in curves for w in (0.0, 0.35, 0.7)]
    greys = [(g, g, g) for g in np.linspace(0, 1, 25)]
    each = (256 - len(mixed) - len(greys)) // len(maps)
    found = [m(x)[:3] for m in maps for x in np.linspace(0, 1, each)] + mixed + greys[:-1]
    found = [c for c in found if min(c) < 0.97]  # Pillow looks colours up coarsely: paper must stay white
    return np.round(255 * np.array(found + [(1.0, 1.0, 1.0)] * (256 - len(found)))).astype(np.uint8)


def scaled(plane, view, half):
    """The picture of a Plane, times r where the field is drawn so."""
    picture = plane.picture(half)
    if not view.times_r:
        return picture
    width, height, nx, ny = half
    x, y = (np.arange(nx) + 0.5) / nx * 2 * width - width, (np.arange(ny) + 0.5) / ny * 2 * height - height
    return picture * np.hypot(x, y[:, None])


class Frames:
    """Draws frame after frame on one figure: views in the plane ('y' or 'z'), holes: plots_holes.HoleData, waves:
    plots_waves.WaveData or None over the times `span'."""

    def __init__(self, folder, views, plane, holes, waves, span):
        self.folder, self.views, self.plane, self.holes, self.waves = folder, views, plane, holes, waves
        self.lines, self.span, self.drawn = Outlines(holes, plane), span, []
        self.fig = plots.plt.figure(figsize=SIZE, dpi=DPI, facecolor=PAPER)
        foot = BOTTOM + (WAVES + GAP if waves else 0)
        self._head()
        self.panels = [self._panel(view, place) for view, place in zip(views, self._places(foot))]
        if waves:
            self._waves_panel()

    def _places(self, foot):
        """[(left, bottom, width, height)] of the fields, inches: of two the first is a square."""
        height = SIZE[1] - HEAD - TOP - foot
        if len(self.views) == 1:
            return [(LEFT, foot, SIZE[0] - LEFT - BAR - RIGHT, height)]
        second = LEFT + height + BAR + LEFT
        return [(LEFT, foot, height, height), (second, foot, SIZE[0] - second - BAR - RIGHT, height)]

    def _axes(self, left, bottom, width, height):
        return self.fig.add_axes([left / SIZE[0], bottom / SIZE[1], width / SIZE[0], height / SIZE[1]])

    def _head(self):
        x, y = LEFT / SIZE[0], 1 - (TOP + 0.08) / SIZE[1]
        self.fig.text(x, y, plots.plain(self.folder.name), fontsize=18, weight="bold", va="center", color=INK)
        self.fig.text(x, y - 0.045, plots.plain(about(self.folder)), fontsize=9.5, va="center", color="0.35")
        end = 1 - RIGHT / SIZE[0]
        self.clock = self.fig.text(end, y, "", fontsize=18, va="center", ha="right", color=INK, family="DejaVu Sans Mono")
        self.state = self.fig.text(end, y - 0.045, "", fontsize=9.5, va="center", ha="right", color="0.35")

    def _panel(self, view, place):
        left, bottom, width, height = place
        ax, across = self._axes(*place), view.half * width / height
        half = (across, view.half, round(width * DPI), round(height * DPI))
        image = ax.imshow(np.zeros((2, 2)), extent=(-across, across, -view.half, view.half), origin="lower",
                          cmap=view.colours, vmin=view.low, vmax=view.high, interpolation="nearest", aspect="equal")
        axes = slices.AXES[self.plane]
        ax.set_xlabel(f"{'xyz'[axes[0]]}   [M]")
        ax.set_ylabel(f"{'xyz'[axes[1]]}   [M]")
        ax.spines[["top", "right"]].set_visible(True)
        ax.set_title(f"{view.label.split('   ')[0]}  in the plane {self.plane} = 0", loc="left", weight="normal", color=INK)
        bar = self._axes(left + width + 0.12, bottom, 0.14, height)
        beyond = "neither" if view.field == "alpha" else "both"
        self.fig.colorbar(image, cax=bar, extend=beyond, extendfrac=0.03).outline.set_linewidth(0.6)
        bar.set_ylabel(view.label)
        bar.ticklabel_format(useOffset=False)
        for radius in self.folder.parameters.get("waves.radii") or []:
            if view.times_r:  # the spheres of the waves
                ax.add_patch(Circle((0, 0), radius, fill=False, lw=0.7, ls=(0, (4, 4)), color="0.35"))
        return ax, image, view, half

    def _waves_panel(self):
        w = self.waves
        best = w.drawn
        kind = best.kind
        ax = self._axes(LEFT, BOTTOM, SIZE[0] - LEFT - RIGHT - 0.1, WAVES)
        y = best.mode(*w.mode)
        top = max(float(np.abs(series.after(best, w.junk).mode(*w.mode)).max()), 1e-300)
        factor, power = plots.scaled(top)
        self.wave = best.t, factor * y.real, factor * np.abs(y)
        self.curves = [ax.plot([], [], color=plots.BLUE, lw=1.6)[0], ax.plot([], [], color="0.65", lw=0.9)[0],
                       ax.plot([], [], color="0.65", lw=0.9)[0]]
        self.dot = ax.plot([], [], "o", ms=6, color=plots.RED, zorder=5, clip_on=False)[0]
        self.now = ax.axvline(np.nan, color=plots.RED, lw=0.9, alpha=0.6)
        self.soon = ax.text(1.0, 1.05, "", transform=ax.transAxes, ha="right", fontsize=9, color="0.4")
        ax.axhline(0, color="0.75", lw=0.6, zorder=0.5)
        ax.set_xlim(*self.span)
        ax.set_ylim(-1.15 * factor * top, 1.15 * factor * top)
        ax.set_ylabel(rf"{power}$\mathrm{{Re}}\;{plots_waves.symbol(kind, w.mode)}$   {plots_waves.UNITS[kind]}")
        ax.set_xlabel(r"retarded time  $t - r_*$   [M]")
        what = "strain" if kind == "strain" else r"$\Psi_4$"
        where = f"at infinity ({w.way.split(', ')[-1]})" if best is w.infinity else f"through r = {best.radius:g} M"
        ax.set_title(f"{what} {where}, l = {w.mode[0]}, m = {w.mode[1]}, and its amplitude", loc="left", weight="normal",
                     color=INK)

    def draw(self, one):
        """The frame of a Slice."""
        for artist in self.drawn:
            artist.remove()
        self.drawn = []
        found = self.lines.at(one.time)
        for ax, image, view, half in self.panels:
            image.set_data(scaled(slices.read(one, view.field, self.plane), view, half))
            self._holes(ax, found, one.time, view)
        self.clock.set_text(f"t = {one.time:.2f} M")
        self.state.set_text(self._words(found, one.time))
        if self.waves:
            self._grow(one.time)
        self.fig.canvas.draw()
        return np.asarray(self.fig.canvas.buffer_rgba())

    def _holes(self, ax, found, t, view):
        axes = list(slices.AXES[self.plane])
        data = self.holes
        alone = len(self.lines.tracks)
        whole = any(data.is_common(o.number) for o in found)
        for outline in found:
            common = len(data.holes[outline.number]) > 1
            colour = "white" if view.colours is LAPSE and common else data.colour(outline.number)
            curve = outline.curve[:, axes]
            if common or not whole:
                self.drawn += ax.fill(*curve.T, color="black", lw=0, zorder=3)
            self.drawn += ax.plot(*curve.T, color=colour, lw=1.5 if common or not whole else 0.9, zorder=4,
                                  ls="-" if common or not whole else "--")
        for k in range(1, alone + 1):
            if not whole and self.lines.t[0] <= t:
                past = self.lines.t <= t
                x = self.lines.tracks[k - 1][past][:, axes]
                self.drawn += ax.plot(*x.T, color=plots.PUNCTURES[k - 1], lw=0.8, alpha=0.7, zorder=2)
                if not any(o.number == k for o in found):
                    self.drawn += ax.plot(*self.lines.position(k, t)[axes], "o", ms=3.5, color=plots.PUNCTURES[k - 1], zorder=4)

    def _words(self, found, t):
        parts = []
        common = next((o.number for o in found if self.holes.is_common(o.number) and len(self.holes.holes[o.number]) > 1), None)
        if common is not None:
            h = self.holes.horizons[common]
            at = int(np.abs(h.time - t).argmin())
            spin = hole.sign(h.chi[at], h.spin[at], self.folder.orbit_axis) * h.chi[at]
            parts.append(f"common horizon: {h.mass[at]:.4f} M, spin {spin:.4f}")
        elif len(self.lines.tracks) == 2:
            apart = np.linalg.norm(self.lines.position(1, t) - self.lines.position(2, t))
            parts.append(f"coordinate distance {apart:.2f} M")
        return "   ·   ".join(parts)

    def _grow(self, t):
        u, real, size = self.wave
        n = int(np.searchsorted(u, t, side="right"))
        for curve, y in zip(self.curves, (real, size, -size)):
            curve.set_data(u[:n], y[:n])
        inside = 0 < n < len(u)
        self.dot.set_data([t] if inside else [], [np.interp(t, u, real)] if inside else [])
        self.now.set_xdata([t] if n < len(u) else [np.nan])
        self.soon.set_text("" if n < len(u) else "the waves have not reached the sphere yet" if u[-1] < self.span[0] else
                           f"known until {u[-1]:.4g} M; later waves have not gone through the sphere yet")
