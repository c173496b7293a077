"""The picture of `tendex-waves converge'."""

import numpy as np

from tendex.waves.comparison import richardson
from tendex.waves.pictures import plots
from tendex.waves.signal.modes import WaveError


def draw(found, file):
    """Differences of (2,2), the finer ones scaled to the order, and the order over time."""
    with plots.style():
        figure, axes = plots.plt.subplots(2, 3, figsize=(10.5, 5.8), layout="constrained", sharex=True)
        for row, (group, title) in enumerate(((found.before, "same time"), (found.after, "peaks aligned"))):
            lm = (2, 2) if (2, 2) in group else next(iter(group))
            one = group[lm]
            label = f"({lm[0]},{lm[1]}), {title}"
            top = one.high.max()
            _differences(axes[row, 0], found, one.t, one.amplitude, 1 / top,
                         f"|difference of amplitude| / peak, {label}")
            _differences(axes[row, 1], found, one.t, one.phase, 1.0, f"|difference of phase| in rad, {label}")
            _orders(axes[row, 2], found, one, f"order, {label}")
        for ax in axes[-1]:
            ax.set_xlabel("retarded time   [M]")
        try:
            plots.save(figure, [file])
        except ValueError as e:  # of matplotlib: a suffix that it does not know
            raise WaveError(f"{file}: {e}") from e


def _differences(ax, found, t, series, scale, title):
    ax.semilogy(t, plots.positive(np.abs(series.low_med) * scale), color=plots.BLUE, label="low - med")
    ax.semilogy(t, plots.positive(np.abs(series.med_high) * scale), color=plots.RED, label="med - high")
    p = series.order if series.converges else richardson.BELIEVED
    grown = richardson.ratio(p, found.h)
    what = f"order {p:.2f}" if series.converges else f"order {p:g}: no clean order"
    ax.semilogy(t, plots.positive(np.abs(series.med_high) * grown * scale), color=plots.GREEN, ls="--",
                label=f"(med - high) times {grown:.3g}, {what}")
    size = np.concatenate([np.abs(series.low_med), np.abs(series.med_high) * grown]) * scale
    if size.max() > 0:
        ax.set_ylim(1e-4 * size.max(), 3 * size.max())
    ax.set_title(title)
    plots.moment(ax, found.peak, "peak", low=True)
    ax.legend(loc="upper left")


def _orders(ax, found, one, title):
    for series, colour, name in ((one.amplitude, plots.BLUE, "amplitude"), (one.phase, plots.RED, "phase")):
        ax.plot(one.t, series.local, ".", ms=1.5, color=colour)
        if np.isfinite(series.order):
            ax.axhline(series.order, color=colour, lw=0.8, label=f"{name}: {series.order:.2f}")
    ax.set_ylim(-1, 12)
    ax.axhspan(richardson.LEAST, richardson.MOST, color="0.5", alpha=0.07)
    ax.set_title(title)
    plots.moment(ax, found.peak, "peak")
    ax.legend(loc="lower left")
