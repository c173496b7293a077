"""The picture of `tendex-waves converge'."""

from dataclasses import dataclass

import numpy as np

from tendex.waves.comparison import accuracy, richardson
from tendex.waves.pictures import plots
from tendex.waves.signal.modes import WaveError

NAMES = {2: ("low - high",), 3: ("low - med", "med - high")}
UNITS = {"phase": "[rad]", "amplitude": "[relative]"}
# Decades that are shown below the largest bound.
DECADES = 4.5
SHORT = {"aplus": "A+", "et-d": "ET-D", "ce": "CE 40 km", "lisa": "LISA"}


@dataclass(frozen=True)
class Drawn:
    """Of two or three runs."""

    h: tuple
    peak: float
    modes: dict  # {(l, m): budget.Mode}
    orders: object  # resolutions.Convergence; None of two runs
    snr: dict  # {detector: [accuracy.Row]}


def draw(found, file):
    """Bounds of (2,2) and what they are from, those of all modes, the orders over time, and the signal-to-noise ratio."""
    lm = (2, 2) if (2, 2) in found.modes else next(iter(found.modes))
    one = found.modes[lm]
    name = f"({lm[0]},{lm[1]})"
    with plots.style():
        figure, axes = plots.plt.subplots(2, 3, figsize=(11.4, 6.2), layout="constrained")
        _parts(axes[0, 0], found, one.unaligned, "phase", f"Phase of {name}, unaligned")
        _parts(axes[1, 0], found, one.aligned, "phase", f"Phase of {name}, aligned at the peak")
        _parts(axes[0, 1], found, one.unaligned, "amplitude", f"Amplitude of {name}, unaligned")
        _all_modes(axes[1, 1], found)
        if found.orders:
            _orders(axes[0, 2], found, found.orders.before[lm], f"Order of {name}, unaligned")
        else:
            _amplitudes(axes[0, 2], found)
        if found.snr:
            _snr(axes[1, 2], found.snr)
        else:
            axes[1, 2].set_axis_off()
        for ax in axes.flat[:5]:
            ax.set_xlabel("retarded time   [M]")
        try:
            plots.save(figure, [file])
        except ValueError as e:  # of matplotlib: a suffix that it does not know
            raise WaveError(f"{file}: {e}") from e


def _parts(ax, found, laid, what, title):
    """Bounds as lines, what neighbours differ by as thin ones."""
    parts, function = (laid.phase, laid.phases) if what == "phase" else (laid.amplitude, laid.amplitudes)
    for label, tint, difference in zip(NAMES[len(found.h)], (plots.SKY, plots.PINK) if len(found.h) == 3 else (plots.PINK,), function.differences):
        ax.semilogy(laid.t, plots.positive(np.abs(difference)), color=tint, lw=0.7, label=f"|{label}|")
    for name, values in parts.items():
        if np.isfinite(values).any():
            ax.semilogy(laid.t, plots.positive(values), color=plots.PARTS[name], lw=1.9 if name == "total" else 1.1,
                        ls="-" if name == "total" else (0, (4, 1.5)), label=f"{name}, 95%" if name == "total" else name)
    _limits(ax, [parts.total])
    rule = function.rule
    ax.set_ylabel(f"error   {UNITS[what]}")
    ax.set_title(title)
    ax.set_title(f"order {rule.order:.2f}" if rule.clean else f"no clean order: {rule.taken:g} taken", loc="right", fontsize=6.0, weight="normal", color="0.35")
    plots.moment(ax, found.peak, "peak", low=True)
    ax.legend(loc="upper left", ncol=2)


def _limits(ax, values):
    top = max((float(np.nanmax(v)) for v in values if np.isfinite(v).any()), default=0.0)
    if top > 0:
        ax.set_ylim(10**-DECADES * top, 12 * top)


def _all_modes(ax, found):
    _lines(ax, found, "phase", "Phase of all modes, unaligned: total, 95%")


def _amplitudes(ax, found):
    _lines(ax, found, "amplitude", "Amplitude of all modes, unaligned: total, 95%")


def _lines(ax, found, what, title):
    shown = list(found.modes.items())[:len(plots.COLOURS)]
    totals = [getattr(one.unaligned, what).total for _, one in shown]
    for tint, ((l, m), one), total in zip(plots.COLOURS, shown, totals):
        ax.semilogy(one.unaligned.t, plots.positive(total), color=tint, lw=1.1, label=f"{l}, {m}")
    _limits(ax, totals)
    ax.set_ylabel(f"error   {UNITS[what]}")
    ax.set_title(title)
    plots.moment(ax, found.peak, "peak", low=True)
    ax.legend(loc="upper left", ncol=4)


def _orders(ax, found, one, title):
    for series, colour, name in ((one.amplitude, plots.BLUE, "amplitude"), (one.phase, plots.RED, "phase")):
        ax.plot(one.t, series.local, ".", ms=1.5, color=colour)
        if np.isfinite(series.order):
            what = f"{series.order:.2f}" if series.converges else f"{series.order:.2f}, not clean"
            ax.axhline(series.order, color=colour, lw=0.8, ls="-" if series.converges else "--", label=f"{name}: {what}")
        else:
            ax.plot([], [], color=colour, label=f"{name}: none")
    ax.set_ylim(-1, 12)
    ax.axhspan(richardson.LEAST, richardson.MOST, color="0.5", alpha=0.07)
    ax.set_xlim(one.t[0], one.t[-1])
    ax.set_title(title)
    plots.moment(ax, found.peak, "peak")
    ax.legend(loc="lower left", framealpha=0.95)


def _snr(ax, snr):
    """Masses side by side, by detector; open where the wave begins within the band."""
    at, ticks = 0, []
    for tint, (name, rows) in zip(plots.COLOURS, snr.items()):
        if not rows:
            continue
        x = at + np.arange(len(rows))
        most, whole = np.array([accuracy.ratio(row.mismatch) for row in rows]), np.array([row.whole for row in rows], bool)
        ax.semilogy(x, most, "-", color=tint, lw=1.0, zorder=2)
        for chosen, fill in ((whole, tint), (~whole, "white")):
            ax.semilogy(x[chosen], most[chosen], "o", ms=4, color=tint, mfc=fill, zorder=3)
        ax.text(x.mean(), 0.965, SHORT.get(name, name), transform=ax.get_xaxis_transform(), ha="center", va="top", color=tint, fontsize=7)
        ticks += [(place, f"{row.mass:g}" if row.mass < 1e4 else f"{row.mass:.0e}".replace("e+0", "e")) for place, row in zip(x, rows)]
        at = x[-1] + 2
    ax.set_xticks([place for place, _ in ticks], [text for _, text in ticks], fontsize=5.6)
    ax.margins(x=0.04, y=0.3)
    ax.set_title("Largest S/N at which the wave passes for the true one")
    ax.set_xlabel("total mass   [solar masses]; open: begins within the band")
