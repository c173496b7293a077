"""The page of `tendex-waves show': which panels there are, where they stand, and what is written around them."""

import re
import textwrap
import time
from pathlib import Path

from tendex.waves.pictures import plots, plots_cost, plots_holes, plots_precession, plots_waves
from tendex.waves.pictures.plots_cost import duration
from tendex.waves.signal import series

# In shares of the page: its margins, where panels begin and end, room between rows, and beside panels for labels.
MARGIN, RIGHT = 0.028, 0.978
TOP, FOOT = 0.882, 0.056
GAP, LABELS, WIDE_LABELS = 0.076, 0.050, 0.054
# Width of the panel of the tracks with its labels.
TRACKS = 0.262
# Most lines at the foot, and characters in one.
LINES, WIDTH = 5, 240
LEGEND = ("R: areal radius of a sphere, r: its coordinate radius; $r_*$ = R + 2E ln(R/2E - 1), E the ADM energy; "
          "lengths and times in M, the run's unit")


class Page:
    """Of one run: its data, or None for what it has not."""

    def __init__(self, folder, waves, holes, cost):
        self.folder, self.waves, self.holes, self.cost = folder, waves, holes, cost

    def panels(self):
        """Rows of (title, draw(ax)); beside how many of them the panel of the tracks stands; that panel, which may have a
        projection for its third."""
        above, middle = self._first(), [row for row in (self._middle(), self._orbit(), self._precession(), self._errors()) if row]
        rows = [row for row in (above, *middle, self._bottom()) if row]
        if self.holes and self.holes.tracks:
            tracks = ("Tracks and horizons", lambda ax: plots_holes.draw_tracks(ax, self.holes))
            if series.leave_plane(self.holes.tracks):
                tracks = ("Tracks", lambda ax: plots_precession.draw_orbit(ax, self.holes), "3d")
            return (rows, len(middle), tracks) if middle else (rows + [[tracks]], 0, None)
        if len(rows) == 1 and len(rows[0]) > 2:  # of a run with neither waves nor holes
            rows = [rows[0][:2], rows[0][2:]]
        return rows, 0, None

    def _first(self):
        w = self.waves
        if w is None:
            return []
        name = f"l = {w.mode[0]}, m = {w.mode[1]}"
        row = [(rf"$\mathbf{{\Psi_4}}$, {name}", lambda ax: plots_waves.draw_series(ax, w, "psi4"))]
        if w.best is not None:
            row.append((f"Strain, {name}", lambda ax: plots_waves.draw_series(ax, w, "strain")))
        return row

    def _middle(self):
        w = self.waves
        if w is None:
            return []
        row = [(rf"Amplitudes of $\mathbf{{\Psi_4}}$, r = {w.psi4[-1].radius:g} M",
                lambda ax: plots_waves.draw_amplitudes(ax, w, "psi4"))]
        if w.best is not None:
            row.append(("Amplitudes of the strain", lambda ax: plots_waves.draw_amplitudes(ax, w, "strain")))
        row.append((f"Frequency, l = {w.mode[0]}, m = {w.mode[1]}", lambda ax: plots_waves.draw_frequency(ax, w)))
        return row

    def _errors(self):
        """Of a run whose series is given."""
        w = self.waves
        if w is None or w.budget is None:
            return []
        name = f"l = {w.mode[0]}, m = {w.mode[1]}"
        return [(f"Error of the strain's {what}, {name}: bounds of 95%", lambda ax, what=what: plots_waves.draw_budget(ax, w, what))
                for what in ("phase", "amplitude")]

    def _orbit(self):
        h, row = self.holes, []
        if h and len(h.tracks) > 1:
            title = "Separation of the punctures" if len(h.tracks) == 2 else "Distance to the nearest puncture"
            row.append((title, lambda ax: plots_holes.draw_separation(ax, h)))
        if h and h.horizons:
            row.append(("Masses", lambda ax: plots_holes.draw_masses(ax, h)))
            row.append(("Spins", lambda ax: plots_holes.draw_spins(ax, h)))
        return row

    def _precession(self):
        """Of holes that leave a plane."""
        h, row = self.holes, []
        if not (h and h.horizons and series.leave_plane(h.tracks)):
            return []
        row.append(("Components of spins: x dotted, y dashed, z solid", lambda ax: plots_precession.draw_components(ax, h)))
        if plots_precession.angles(h):
            row.append(("Angles of spins to the orbit's axis", lambda ax: plots_precession.draw_angles(ax, h)))
        return row

    def _bottom(self):
        c, row = self.cost, []
        if c.solves:
            row.append(("Initial data", lambda ax: plots_cost.draw_solves(ax, c)))
        if c.norms:
            row.append(("Constraints", lambda ax: plots_cost.draw_constraints(ax, c)))
        if c.log and len(c.log.points()[0]):
            row.append(("Grid, by level", lambda ax: plots_cost.draw_levels(ax, c)))
        if c.log and len(c.log.speed()[0]):
            row.append(("Speed", lambda ax: plots_cost.draw_speed(ax, c)))
        if c.log and c.log.phases():
            row.append(("Where the time went", lambda ax: plots_cost.draw_phases(ax, c)))
        return row

    def draw(self):
        """A figure."""
        fig = plots.plt.figure(figsize=plots.A4)
        self._draw_head(fig)
        foot = self._draw_foot(fig)
        rows, beside, tracks = self.panels()
        height = (TOP - foot - GAP * (len(rows) - 1)) / max(len(rows), 1)
        first = 1 if self.waves else 0
        for i, row in enumerate(rows):
            narrow = first <= i < first + beside
            _draw_row(fig, row, TOP - (i + 1) * height - i * GAP, height, RIGHT - TRACKS if narrow else RIGHT)
        if tracks:
            tall = beside * height + (beside - 1) * GAP
            bottom = TOP - first * (height + GAP) - tall
            _draw_panel(fig, tracks, [RIGHT - TRACKS + LABELS, bottom, TRACKS - LABELS, tall])
        return fig

    def _draw_head(self, fig):
        f = self.folder
        fig.text(MARGIN, 0.968, plots.plain(f.name), fontsize=15, weight="bold", va="center")
        fig.text(MARGIN, 0.940, plots.plain(about(self.folder)), fontsize=8, va="center", color="0.15")
        fig.text(MARGIN, 0.920, plots.plain(self.made_by()), fontsize=6.4, va="center", color="0.4")
        reached = f"t = {f.reached:.6g}" if f.reached > 0 else "t unknown"
        end = f" of {f.t_end:g} M" if f.t_end else " M"
        fig.text(RIGHT, 0.968, f"{reached}{end}", fontsize=11, va="center", ha="right")
        state = fig.text(RIGHT - 0.004, 0.940, plots.plain(f.state + (f": {f.why}" if f.why else "")), fontsize=8, va="center",
                         ha="right", color="white",
                         bbox={"boxstyle": "round,pad=0.35", "facecolor": plots.STATES[f.state], "lw": 0})
        left = state.get_window_extent(fig.canvas.get_renderer()).x0 / fig.bbox.width
        fig.text(left - 0.012, 0.940, self.clock(), fontsize=6.4, va="center", ha="right", color="0.4")

    def made_by(self):
        """Program, date, device and grid, as text."""
        f = self.folder
        head = f.log.last.head if f.log else {}
        device = re.split("[:;,]", head.get("computes", f.summary.get("device", "")))[0]
        parts = [f"Tendex {f.version}", f.log.last.date[:10] if f.log else "", device, head.get("parallel", ""),
                 head.get("grid", "").replace("^3", "³")]
        starts = len(f.log.starts) if f.log else 1
        if starts > 1:
            parts.append(f"{starts} starts")
        return "   ·   ".join(p for p in parts if p)

    def clock(self):
        """Wall-clock times, as text."""
        f, parts = self.folder, []
        if f.log and f.log.wall() > 0:
            parts.append(f"{duration(f.log.wall())} of evolution")
        if f.state == "running" and f.log and f.log.last.left not in ("", "-"):
            parts.append(f"{f.log.last.left} left")
        if f.state != "complete" and (Path(f.path) / "log.txt").exists():
            written = time.localtime((Path(f.path) / "log.txt").stat().st_mtime)
            parts.append("last line " + time.strftime("%Y-%m-%d %H:%M", written))
        return "   ·   ".join(parts)

    def _draw_foot(self, fig):
        """What is missing, and notes; returns where the panels may begin."""
        texts = [("Missing: " + text, plots.RED) for text in self.folder.missing]
        texts += [(text, "0.4") for text in self.folder.notes]
        lines = [(line, colour) for text, colour in texts for line in textwrap.wrap(text, WIDTH)]
        if self.waves:
            lines.append((LEGEND, "0.4"))
        if len(lines) > LINES:
            lines[LINES - 1 :] = [(f"... and {len(lines) - LINES + 1} more lines", "0.4")]
        for i, (text, colour) in enumerate(lines):
            fig.text(MARGIN, 0.012 + 0.0155 * (len(lines) - 1 - i), text if text == LEGEND else plots.plain(text), fontsize=6.0, color=colour, va="bottom")
        return FOOT + 0.0155 * max(0, len(lines) - 0.4)


def about(f):
    """What data a run began with, and what it became; f: a live.Live."""
    parts = []
    kind = f.parameters.get("initial_data.type")
    if kind:
        parts.append(str(kind).replace("_", " "))
    if f.initial("initial-bh-puncture-adm-mass2") is not None:
        m1, m2 = sorted(f.masses, reverse=True)
        parts.append(f"mass ratio {m1 / m2:.4g}")
        if f.separation > 0:
            parts.append(f"distance {f.separation:.5g} M")
        parts.append(f"ADM energy {f.adm_energy:.6f} M")
    elif f.many and f.adm_energy_said is not None:
        parts += [f"{len(f.tracks()[1])} holes", f"ADM energy {f.adm_energy:.6f} M"]
    remnant = f.remnant()
    if remnant:
        parts.append(f"remnant {remnant.mass:.6f} M, spin {remnant.shown:.5f}")
    return "   ·   ".join(parts)


def _draw_row(fig, row, bottom, height, right):
    """Panels of one width, from the left margin to `right`."""
    width, labels = (right - MARGIN) / len(row), LABELS if len(row) > 2 else WIDE_LABELS
    for i, panel in enumerate(row):
        _draw_panel(fig, panel, [MARGIN + i * width + labels, bottom, width - labels, height])


def _draw_panel(fig, panel, place):
    title, draw, *projection = panel
    ax = fig.add_axes(place, projection=projection[0] if projection else None)
    ax.set_title(title, loc="left")
    draw(ax)
