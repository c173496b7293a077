"""Panels of holes that leave a plane: their tracks in space with the axis of the orbit, components of their spins, and
angles between spins and axis."""

import numpy as np

from tendex.waves.pictures import plots, plots_holes
from tendex.waves.signal import series

STYLES = {"x": ":", "y": "--", "z": "-"}
# Below this a dimensionless spin has no direction.
LEAST_SPIN = 1e-3
# Length of the axis that is drawn, of the reach of the tracks.
LENGTH = 0.9


def orbit_axis(data):
    """(t, unit vectors along the orbit's angular momentum) of two punctures between the times at which the shift has
    settled and at which a horizon about both is seen; empty where there are not two."""
    if len(data.tracks) != 2:
        return np.empty(0), np.empty((0, 3))
    t, normal = series.normals(data.t, data.tracks)
    end = data.mergers[0][0] if data.mergers else np.inf
    use = (t >= data.settled) & (t <= end)
    return t[use], normal[use]


def draw_orbit(ax, data):
    """Tracks in space until the first horizon about several, and the way of the orbit's axis."""
    end = data.mergers[0][0] if data.mergers else np.inf
    half = 1.05 * max(np.abs(x).max() for x in data.tracks)
    for k, x in enumerate(data.tracks, 1):
        _, x = series.thinned(data.t[data.t <= end], x[data.t <= end])
        ax.plot(*x.T, color=plots.PUNCTURES[k - 1], lw=0.7)
        ax.plot(*x[:1].T, "o", ms=3, color=plots.PUNCTURES[k - 1])
    t, normal = orbit_axis(data)
    if len(t):
        way = LENGTH * half * series.thinned(t, normal)[1]
        ax.plot(*way.T, color=plots.GREEN, lw=1.1)
        for tip, line in ((way[0], "--"), (way[-1], "-")):
            ax.plot(*np.array([0 * tip, tip]).T, line, color=plots.GREEN, lw=0.9)
        ax.annotate(f"green: axis of the orbit, from t = {t[0]:.4g} M (dashed) to {t[-1]:.4g} M", (0, 0),
                    xycoords="axes fraction", xytext=(0, -8), textcoords="offset points", fontsize=6.0, color=plots.GREEN)
    for limits, name in ((ax.set_xlim, "x"), (ax.set_ylim, "y"), (ax.set_zlim, "z")):
        limits(-half, half)
        getattr(ax, f"set_{name}label")(f"{name}   [M]", labelpad=-8)
    ax.tick_params(pad=-3, labelsize=5.4)
    ax.locator_params(nbins=5)
    ax.set_box_aspect((1, 1, 1))
    ax.view_init(elev=22, azim=-55)


def _chi(horizon):
    """[n][3]"""
    return horizon.spin / horizon.mass[:, None] ** 2


def draw_components(ax, data):
    """Of the dimensionless spin of each horizon, along x, y and z."""
    shown = []
    for number, h in sorted(data.horizons.items()):
        chi = _chi(h)
        for i, (x, line) in enumerate(STYLES.items()):
            ax.plot(*series.thinned(h.time, chi[:, i]), line, color=data.colour(number), lw=0.9,
                    label=data.name(number) if x == "z" else None)
        shown.append(chi)
    ax.set_xlim(0, data.end)
    plots.clipped(ax, shown, share=0.15, least=0.05)
    ax.set_xlabel(plots_holes.TIME)
    ax.set_ylabel(r"$S_i\,/\,m^2$")
    ax.legend(loc="best", handlelength=1.0)


def angles(data):
    """{name: (t, degrees)}: of each hole's spin to the orbit's axis, between the parts of both spins in the orbit's plane,
    and of the axis to where it was first; of two holes."""
    t, normal = orbit_axis(data)
    if len(t) < 2:
        return {}
    found, across = {}, {}
    for number, h in sorted(data.horizons.items()):
        use = (h.time >= t[0]) & (h.time <= t[-1])
        chi = _chi(h)[use]
        if len(data.holes[number]) > 1 or not len(chi) or np.linalg.norm(chi, axis=1).min() < LEAST_SPIN:
            continue
        when = h.time[use]
        axis = np.column_stack([np.interp(when, t, n) for n in normal.T])
        axis /= np.linalg.norm(axis, axis=1)[:, None]
        along = np.sum(chi * axis, axis=1)
        across[number] = dict(zip(when, chi - along[:, None] * axis)), dict(zip(when, axis))
        found[data.name(number)] = when, np.degrees(np.arccos(np.clip(along / np.linalg.norm(chi, axis=1), -1, 1)))
    if len(across) == 2:
        (one, axis), (two, _) = across.values()
        when = sorted(one.keys() & two.keys())
        a, b, n = (np.array([of[x] for x in when]) for of in (one, two, axis))
        turn = np.degrees(np.arctan2(np.abs(np.sum(np.cross(a, b) * n, axis=1)), np.sum(a * b, axis=1)))
        found["between both, in the orbit's plane"] = np.array(when), turn
    found["axis of the orbit to its first"] = t, np.degrees(np.arccos(np.clip(normal @ normal[0], -1, 1)))
    return found


def draw_angles(ax, data):
    """See `angles'."""
    colours = {data.name(k): data.colour(k) for k in data.horizons}
    found = angles(data)
    for name, (t, degrees) in found.items():
        if name in colours:
            ax.plot(*series.thinned(t, degrees), color=colours[name], label=name)
        else:
            own = {"color": plots.GREEN} if name.startswith("axis") else {"color": "0.45", "ls": "", "marker": ".", "ms": 1.2}
            ax.plot(*series.thinned(t, degrees), label=name, **own)
    ax.set_xlim(0, data.end)
    ax.set_ylim(0, 250)  # with room for the legend
    ax.set_yticks([0, 60, 120, 180])
    ax.set_xlabel(plots_holes.TIME)
    ax.set_ylabel("degrees")
    ax.legend(loc="upper left", handlelength=1.0, ncol=2)
