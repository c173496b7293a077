"""Panels of the page for browsers: data and axes as plotly's JavaScript takes them, no more than a screen can show."""

import numpy as np

from tendex.waves.pictures import plots, plots_holes, plots_waves
from tendex.waves.pictures.plots_cost import duration, main_phases
from tendex.waves.signal import series

TIME, RETARDED = "t [M]", "retarded time t - r* [M]"
# Digits that matter on a screen, and samples of a curve.
DIGITS, MOST = 7, 3000
# Traces with at most so many samples have dots.
FEW = 30


def colour(value):
    """Of matplotlib, "#0072B2" or "0.45", for CSS."""
    import tendex.base.drawing  # noqa: F401
    from matplotlib.colors import to_hex
    return to_hex(value)


def numbers(values):
    """A list for JSON: rounded to DIGITS, null where not finite."""
    return [float(f"{v:.{DIGITS}g}") if np.isfinite(v) else None for v in np.asarray(values, float)]


def trace(t, y, name, tint, hidden=False, **how):
    t, y = series.thinned(np.asarray(t), np.asarray(y), most=MOST)
    line = {"color": colour(tint), "width": how.pop("width", 1.6), "dash": how.pop("dash", "solid"),
            "shape": how.pop("shape", "linear")}
    return {"type": "scatter", "mode": "lines+markers" if len(t) <= FEW else "lines", "x": numbers(t), "y": numbers(y),
            "name": name, "line": line, "marker": {"size": 4, "color": line["color"]},
            "visible": "legendonly" if hidden else True, **how}


def panel(title, x, y, traces, **axes):
    """axes: log=True; x_range, y_range: (low, high); equal=True: both axes of one scale; wide=True: two columns; legend: text
    before its names; moments: [[t, name]]."""
    if axes.get("y_range") is None and not axes.get("bars"):
        axes["y_range"] = around(traces, axes.get("log"))
    return {"title": title, "x": x, "y": y, "traces": traces, **{k: v for k, v in axes.items() if v is not None}}


def around(traces, log=False, share=0.08, least=1e-3):
    """Limits about all values, with room; apart by at least the fraction `least`. None where there are none."""
    values = np.array([v for one in traces for v in one["y"] if v is not None and not (log and v <= 0)])
    if not len(values):
        return None
    low, high = float(values.min()), float(values.max())
    if log:
        return low / 1.5, 1.5 * high
    room = max(share * (high - low), 0.5 * (least * abs(high) - (high - low)), 1e-12)
    return low - room, high + room


def level(value, ends, name, tint):
    """A dashed line at one value."""
    return trace(ends, [value] * 2, name, tint, dash="dash", width=1.2, mode="lines")


def label(lm):
    return f"{lm[0]}, {lm[1]}"


def of_waves(w):
    """Of a WaveData: real parts and amplitudes of the main modes, and the frequency."""
    found = []
    kinds = [("strain", w.best)] if w.best is not None else []
    for kind, waves in [*kinds, ("psi4", w.psi4[-1])]:
        name, unit = ("R h", "[M]") if kind == "strain" else ("R Ψ<sub>4</sub>", "[1/M]")
        where = "at infinity" if waves is w.infinity else f"through r = {waves.radius:g} M"
        title = f"{'Strain' if kind == 'strain' else 'Ψ<sub>4</sub>'} {where}"
        tints = list(zip([w.mode, *(lm for lm in w.modes if lm != w.mode)], plots.COLOURS))
        top = plots_waves.top_of([waves], w.mode, w.junk)
        found.append(panel(title, RETARDED, f"Re {name} {unit}", [
            trace(waves.t, waves.mode(*lm).real, label(lm), tint, hidden=lm != w.mode) for lm, tint in tints],
            x_range=w.span, y_range=(-1.15 * top, 1.15 * top) if top > 0 else None, wide=True, legend="l, m"))
        peak = max(plots_waves.top_of([waves], lm, w.junk) for lm in w.modes)
        found.append(panel(f"Amplitudes: {title[0].lower() + title[1:] if kind == 'strain' else title}", RETARDED,
                           f"|{name}| {unit}", [
            trace(waves.t, plots.positive(np.abs(waves.mode(*lm))), label(lm), tint) for lm, tint in tints],
            x_range=w.span, y_range=(1e-5 * peak, 3 * peak) if peak > 0 else None, log=True, legend="l, m"))
    found += [frequency(w), *errors(w)]
    return [one for one in found if one["traces"]]


def errors(w):
    """Bounds of the errors of the mode, where the series of the run is given."""
    if w.budget is None:
        return []
    found = []
    for what, parts, unit in (("phase", w.budget.phase, "rad"), ("amplitude", w.budget.amplitude, "relative")):
        traces = [trace(w.budget.t, plots.positive(values), name, plots.PARTS[name]) for name, values in parts.items() if np.isfinite(values).any()]
        found.append(panel(f"Error of the strain's {what}, l = {w.mode[0]}, m = {w.mode[1]}: bounds of 95%", RETARDED, unit, traces,
                           x_range=w.span, log=True))
    return found


def frequency(w):
    traces, tops = [], []
    for kind, waves, tint in [("Ψ<sub>4</sub>", w.psi4[-1], plots.SKY), *([("strain", w.best, plots.BLUE)] if w.best else [])]:
        late = series.after(waves, w.junk)
        got = series.frequency(late.t, late.mode(*w.mode), plots_waves.LOUD if kind != "strain" else series.AUDIBLE)
        if got is not None:
            traces.append(trace(got.t, np.abs(got.omega), kind, tint))
            good = np.abs(got.omega[np.isfinite(got.omega)])
            tops += [float(np.percentile(good, 95))] if len(good) else []
    if w.orbital is not None and len(w.orbital[0]):
        t, omega = w.orbital
        apart = t <= (np.inf if w.merger is None else w.merger)
        m = abs(w.mode[1])
        traces.insert(0, trace(t[apart], m * omega[apart], f"{m} Ω of the punctures", plots.ORANGE))
        tops.append(m * float(np.median(omega)))
    if w.ringing is not None:
        traces.append(level(w.ringing, w.span, f"ringdown of the remnant, {w.ringing:.4f}", plots.BLACK))
        tops.append(w.ringing)
    return panel(f"Frequency, l = {w.mode[0]}, m = {w.mode[1]}", RETARDED, "angular frequency [1/M]", traces, x_range=w.span,
                 y_range=(0, 1.6 * max(tops)) if tops else None)


def of_holes(h):
    """Of a HoleData: tracks with outlines, distances, masses, spins."""
    found, ends = [], (0.0, h.end)
    if h.tracks:
        found.append(tracks(h))
    if len(h.tracks) == 2:
        found.append(panel("Separation of the punctures", TIME, "coordinate distance [M]", [
            trace(*series.separation(h.t, h.tracks), "distance", plots.BLUE)], x_range=ends, moments=moments(h)))
    elif len(h.tracks) > 2:
        found.append(panel("Distance to the nearest puncture", TIME, "coordinate distance [M]", [
            trace(h.t, d, f"hole {k + 1}", plots.PUNCTURES[k]) for k, d in enumerate(series.nearest(h.tracks))],
            x_range=ends, moments=moments(h)))
    for title, member, unit in (("Masses of the horizons", "mass", "horizon mass [M]"),
                                ("Spins of the horizons", "chi", f"spin {'S / m², below 0 against the orbit' if h.against else '|S| / m²'}")):
        if h.horizons:
            found.append(panel(title, TIME, unit, [
                trace(one.time, h.shown(k, member), h.name(k), h.colour(k), dash="dash" if k == 2 else "solid")
                for k, one in sorted(h.horizons.items())], x_range=ends))
    return found


def moments(h):
    """[(t, name)] when horizons about several holes were first seen."""
    return [[float(t), "common horizon" if h.is_common(k) else h.name(k)] for t, k in h.mergers]


def tracks(h):
    plane = series.plane_of(h.tracks)
    across, up, _ = plots_holes.AXES[plane]
    traces = []
    for k, x in enumerate(h.tracks):
        t, x = series.thinned(h.t, x, most=MOST)
        traces.append(trace(x[:, across], x[:, up], f"hole {k + 1}", plots.PUNCTURES[k], text=numbers(t),
                            hovertemplate="t = %{text} M<br>(%{x}, %{y})"))
    for number, (t, centre, coefficients) in sorted(h.surfaces.items()):
        for at, dash in plots_holes.outlines(h, number):
            curve = series.outline(centre[at], coefficients[at], plane)
            traces.append(trace(curve[:, across], curve[:, up], f"{h.name(number)} at t = {t[at]:.5g} M",
                                h.colour(number), dash="dash" if dash == "--" else "solid", width=1.2, hoverinfo="name"))
    half = 1.1 * max(abs(v) for one in traces for v in one["x"] + one["y"])
    return panel("Tracks and horizons", f"{'xyz'[across]} [M]", f"{'xyz'[up]} [M]", traces, equal=True, x_range=(-half, half),
                 y_range=(-half, half))


def of_balance(folder, waves):
    """Energy and angular momentum: what is left of those at the start beside the horizon's, over retarded time. The horizon moves with
    the momentum of the data less that of the waves."""
    table = folder.table("energy.asc")
    last = waves.psi4[-1].radius
    gone = [table[f"P{x}_r{last:.2f}"][-1] if f"P{x}_r{last:.2f}" in table and len(table["time"]) else 0.0 for x in "xyz"]
    momentum = folder.adm_momentum - gone
    found = []
    common = folder.common()
    start = {"E": folder.adm_energy, "Jz": None if folder.many else float(folder.adm_angular_momentum[2])}
    for quantity, title, unit in (("E", "Energy: initial data less waves, and the horizon's", "[M]"),
                                  ("Jz", "Angular momentum: initial data less waves, and the horizon's", "[M²]")):
        if start[quantity] is None:
            continue
        traces = []
        for tint, w in zip(plots.ordered(len(waves.psi4)), waves.psi4):
            name = f"{quantity}_r{w.radius:.2f}"
            if name in table:
                u = np.interp(table["time"], w_times(folder, w), w.t)
                traces.append(trace(u, start[quantity] - table[name], f"r = {w.radius:g} M", tint))
        if common is not None:
            value = np.hypot(common.mass, np.linalg.norm(momentum))
            if quantity == "Jz":
                value = common.spin[:, 2] + np.cross(common.centre, momentum)[:, 2]
            traces.append(trace(common.time, value, "common horizon", plots.BLACK, dash="dash"))
        if traces:
            found.append(panel(title, "t of the horizon, retarded time of the waves [M]",
                               f"{'energy' if quantity == 'E' else 'J<sub>z</sub>'} {unit}", traces, x_range=waves.span))
    return found


def w_times(folder, retarded):
    """Coordinate times of retarded waves of a sphere."""
    return next(w.t for w in folder.spheres() if w.radius == retarded.radius)


def of_cost(c, live_log):
    """Of a CostData: constraints, grid, speed, phases."""
    found, ends = [], (0.0, c.end)
    if c.norms:
        found.append(panel("Constraints", TIME, "L2 norm", [
            trace(c.times, plots.positive(l2), name, tint)
            for tint, (name, l2) in zip((plots.BLUE, plots.RED, plots.GREEN), c.norms.items())], x_range=ends, log=True))
    if live_log and len(live_log.speed()[0]):
        t, speed = live_log.speed()
        found.append(panel("Speed", TIME, "M / hour", [trace(t, speed, "speed", plots.BLUE, shape="vh")], x_range=ends,
                           y_range=(0, 1.1 * float(speed.max()))))
    if live_log and len(live_log.points()[0]):
        t, levels, octants = live_log.octants()
        t = np.append(t, max(live_log.reached(), t[-1]))
        points = np.hstack([octants, octants[:, -1:]]) * live_log.last.side**3 / 1e6
        found.append(panel("Grid, by level", TIME, "million points", [
            {**trace(t, p, f"level {l}", tint, shape="hv", width=0.5), "stackgroup": "levels", "mode": "lines"}
            for tint, l, p in zip(plots.ordered(len(levels)), levels, points)], x_range=ends,
            y_range=(0, 1.05 * float(points.sum(axis=0).max()))))
    if live_log and live_log.phases():
        spent, gpu = main_phases(live_log.phases())
        whole = sum(s for _, s in spent) or 1.0
        found.append(panel("Where the time went", f"% of {duration(whole)} of {'GPU' if gpu else 'wall-clock'} time", "", [
            {"type": "bar", "orientation": "h", "x": numbers([100 * s / whole for _, s in reversed(spent)]),
             "y": [name for name, _ in reversed(spent)], "marker": {"color": colour(plots.BLUE)}, "name": "share",
             "hovertemplate": "%{y}: %{x:.1f}%<extra></extra>"}], bars=True))
    return found
