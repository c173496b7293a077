"""The picture of `tendex-waves compare'."""

import numpy as np

from tendex.waves.pictures import plots
from tendex.waves.signal.modes import WaveError


def draw(comparison, numbers, file):
    """Waves, differences and mismatch on one page."""
    with plots.style():
        figure, axes = plots.plt.subplots(2, 2, figsize=(9.0, 6.2), layout="constrained")
        lm = next(iter(comparison.modes))
        _waves(axes[0, 0], comparison, lm)
        _amplitude(axes[0, 1], comparison)
        _phase(axes[1, 0], comparison)
        _mismatch(axes[1, 1], numbers)
        try:
            plots.save(figure, [file])
        except ValueError as e:  # of matplotlib: a suffix that it does not know
            raise WaveError(f"{file}: {e}") from e


def _label(lm):
    return f"({lm[0]}, {lm[1]})"


def _time(ax, comparison):
    ax.set_xlim(comparison.start, max(d.t[-1] for d in comparison.modes.values()))
    ax.set_xlabel("time from A's peak   [M]")


def _waves(ax, comparison, lm):
    a, b = comparison.a, comparison.b
    ax.plot(a.t, a.mode(*lm).real, color=plots.BLUE, label=f"A: {plots.plain(comparison.entries[0].waves.name)}")
    ax.plot(b.t, b.mode(*lm).real, color=plots.RED, ls="--", label=f"B: {plots.plain(comparison.entries[1].waves.name)}")
    ax.plot(a.t, np.abs(a.mode(*lm)), color=plots.BLUE, lw=0.6, alpha=0.6)
    ax.set_title(f"Re and modulus of r h {_label(lm)}, B aligned with A   [M]")
    _time(ax, comparison)
    inside = a.t >= comparison.start
    top = 1.35 * np.abs(a.mode(*lm)[inside]).max()
    ax.set_ylim(-top / 1.25, top)
    ax.legend(loc="upper left")


def _amplitude(ax, comparison):
    for colour, (lm, d) in zip(plots.COLOURS, comparison.modes.items()):
        ax.semilogy(d.t, plots.positive(np.abs(d.amplitude)), color=colour, label=_label(lm))
    ax.set_title("|amplitude of B / that of A - 1|")
    _time(ax, comparison)
    plots.moment(ax, 0.0, "peak")
    ax.legend(loc="lower left")


def _phase(ax, comparison):
    for colour, (lm, d) in zip(plots.COLOURS, comparison.modes.items()):
        ax.plot(d.t, d.phase, color=colour, label=_label(lm))
    ax.set_title("phase of B less that of A   [rad]")
    _time(ax, comparison)
    plots.moment(ax, 0.0, "peak")
    ax.legend(loc="lower left")


def _mismatch(ax, numbers):
    curves = {f"({lm})": v for lm, v in numbers["modes"].items()}
    curves |= {f"all modes at {seen['inclination_deg']:g}°": seen for seen in numbers["observers"]}
    for colour, (label, v) in zip(plots.COLOURS, curves.items()):
        masses = [row["mass"] for row in v["mismatch"]]
        ax.semilogy(masses, plots.positive([row["mismatch"] for row in v["mismatch"]]), "o-", ms=2.5, color=colour,
                    label=label)
        if v["mismatch_flat"] > 0:
            ax.axhline(v["mismatch_flat"], color=colour, ls=":", lw=0.8)
    ax.set_title(f"mismatch, noise {numbers['noise']['name']} from {numbers['noise']['f_low']:g} Hz (dotted: flat)")
    ax.set_xlabel("total mass   [solar masses]")
    ax.legend(loc="best")
