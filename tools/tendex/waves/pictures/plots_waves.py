"""Panels of the waves: modes in retarded time, amplitudes, frequency."""

from dataclasses import dataclass, field

import numpy as np

from tendex.waves.pictures import plots
from tendex.waves.signal import series

RETARDED = r"retarded time  $t - r_*$   [M]"
# Of the peak: what of psi4 is shown of its frequency. Before, the strain shows it with less noise.
LOUD = 0.05
# Shown before the first wave, in the masses together.
BEFORE = 8.0
UNITS = {"psi4": r"[1/M]", "strain": "[M]"}


def symbol(kind, mode):
    """R psi4 or R h of a mode, in mathematical type."""
    index = f"{mode[0]}{mode[1]}" if mode[1] >= 0 else f"{mode[0]},{mode[1]}"
    return rf"R\,\psi_4^{{{index}}}" if kind == "psi4" else rf"R\,h_{{{index}}}"


@dataclass
class WaveData:
    """What the panels show, all in retarded time."""

    mode: tuple  # (l, m) of the panels of one mode
    psi4: list  # [Waves], of spheres, ascending
    strain: list  # [Waves], of spheres, or of the outermost one; empty where there is none
    infinity: object = None  # Waves of the strain at infinity, or None
    way: str = ""  # how they were got
    error: object = None  # estimated, of the mode: |difference| [n]; or None
    budget: object = None  # budget.Laid of the mode, or None
    junk: float = -np.inf  # until then radiation of the initial data goes by
    modes: list = field(default_factory=list)  # [(l, m)] of the panels of amplitudes
    orbital: tuple = None  # (t, frequency of the orbit), 1/M, or None
    ringing: float = None  # frequency of the remnant's slowest mode, 1/M, or None
    merger: float = None  # when the common horizon was first seen, or None

    @property
    def best(self):
        """Of the strain: at infinity, else outermost; None if there is none."""
        return self.infinity or (self.strain[-1] if self.strain else None)

    @property
    def drawn(self):
        """Strain, or psi4 of the outermost sphere where there is none."""
        return self.best if self.best is not None else self.psi4[-1]

    @property
    def span(self):
        """Retarded time from before the first wave to the end; all that there is while no wave has reached the outermost sphere."""
        last = self.psi4[-1].t[-1]
        if last > 0:
            return max(self.psi4[-1].t[0], -0.03 * last - BEFORE * self.psi4[-1].mass), last
        return min(w.t[0] for w in self.psi4), max(w.t[-1] for w in self.psi4)


def top_of(waves, mode, first):
    """Largest amplitude after time `first` in any of these waves."""
    return max((float(np.abs(series.after(w, first).mode(*mode)).max()) for w in waves), default=0.0)


def draw_series(ax, data, kind):
    """Real part of one mode through all spheres, and at infinity."""
    waves = data.psi4 if kind == "psi4" else data.strain
    extrapolated = data.infinity if kind == "strain" else None
    shown = waves + ([extrapolated] if extrapolated is not None else [])
    top = top_of(shown, data.mode, data.junk)
    factor, power = plots.scaled(top)
    for colour, w in zip(plots.ordered(len(waves)), waves):
        t, y = series.thinned(w.t, factor * w.mode(*data.mode).real)
        ax.plot(t, y, color=colour, lw=0.9, label=f"{w.radius:.3g}")
    if extrapolated is not None:
        y = factor * extrapolated.mode(*data.mode).real
        ax.plot(*series.thinned(extrapolated.t, y), color=plots.RED, lw=1.0, ls=(0, (4, 1.5)),
                label=data.way)
    ax.axhline(0, color="0.6", lw=0.5, zorder=0.5)
    ax.set_xlim(*data.span)
    if top > 0:
        ax.set_ylim(-1.12 * factor * top, 1.12 * factor * top)
    # Beside the panel's title.
    ax.legend(loc="lower right", bbox_to_anchor=(1.0, 0.985), ncol=len(shown), borderaxespad=0, columnspacing=0.7,
              handlelength=1.0)
    if waves:
        ax.get_legend().get_texts()[0].set_text(f"r = {waves[0].radius:.3g}")
        ax.get_legend().get_texts()[len(waves) - 1].set_text(
            f"{'r = ' if len(waves) == 1 else ''}{waves[-1].radius:.3g} M")
    ax.set_ylabel(rf"{power}$\mathrm{{Re}}\;{symbol(kind, data.mode)}$   {UNITS[kind]}")
    ax.set_xlabel(RETARDED)


def draw_amplitudes(ax, data, kind):
    """Amplitudes of the main modes on a logarithmic axis."""
    waves = data.psi4[-1] if kind == "psi4" else data.best
    top = max(top_of([waves], lm, data.junk) for lm in data.modes)
    for colour, lm in zip(plots.COLOURS, data.modes):
        t, y = series.thinned(waves.t, np.abs(waves.mode(*lm)))
        ax.semilogy(t, plots.positive(y), color=colour, lw=0.9, label=f"{lm[0]}, {lm[1]}")
    if kind == "strain" and data.error is not None:
        t, y = series.thinned(data.infinity.t, data.error)
        ax.semilogy(t, plots.positive(y), color=plots.FAINT, lw=0.8,
                    label=f"error of {data.mode[0]}, {data.mode[1]}")
    ax.set_xlim(*data.span)
    if top > 0:
        ax.set_ylim(1e-5 * top, 200 * top)
    ax.legend(loc="upper left", ncol=4)
    name = r"R\,\psi_4^{lm}" if kind == "psi4" else r"R\,h_{lm}"
    ax.set_ylabel(rf"$|{name}|$   {UNITS[kind]}")
    ax.set_xlabel(RETARDED)


def draw_frequency(ax, data):
    """Frequency of the mode, of the orbit times m, and of the remnant's ringdown."""
    tops = [data.ringing] if data.ringing is not None else []
    m = abs(data.mode[1])
    if data.orbital is not None and len(data.orbital[0]):
        t, omega = series.thinned(*data.orbital)
        apart = t <= (np.inf if data.merger is None else data.merger)
        ax.plot(t[apart], m * omega[apart], color=plots.ORANGE, lw=0.9, label=rf"${m}\,\Omega$ of the punctures")
        tops.append(m * np.median(omega))
    kinds = [("psi4", data.psi4[-1], plots.SKY, LOUD)]
    if data.best is not None:
        kinds.append(("strain", data.best, plots.BLUE, series.AUDIBLE))
    for kind, waves, colour, audible in kinds:
        late = series.after(waves, data.junk)
        found = series.frequency(late.t, late.mode(*data.mode), audible)
        if found is None:
            continue
        t, omega = series.thinned(found.t, np.abs(found.omega))
        ax.plot(t, omega, color=colour, label=f"of ${symbol(kind, data.mode)}$", ms=2.4,
                marker="" if found.turning else "o")
        good = np.abs(found.omega[np.isfinite(found.omega)])
        tops.append(np.percentile(good, 95) if good.size else 0.0)
    if data.ringing is not None:
        ax.axhline(data.ringing, color=plots.BLACK, lw=0.8, ls="--",
                   label=f"ringdown of the remnant, {data.ringing:.4f}")
    ax.set_xlim(*data.span)
    if ax.lines:
        ax.set_ylim(0, 1.95 * max([*tops, 1e-9]))
        ax.legend(loc="upper left")
    else:
        ax.text(0.5, 0.5, "not yet a whole period", transform=ax.transAxes, ha="center", color="0.4")
    ax.set_ylabel(r"angular frequency   [1/M]")
    ax.set_xlabel(RETARDED)


def draw_budget(ax, data, what):
    """Bounds of the error of the mode's phase or amplitude over time: total and parts."""
    laid = data.budget
    parts = laid.phase if what == "phase" else laid.amplitude
    for name, values in parts.items():
        if np.isfinite(values).any():
            total = name == "total"
            ax.semilogy(*series.thinned(laid.t, plots.positive(values)), color=plots.PARTS[name], lw=1.6 if total else 1.0,
                        ls="-" if total else (0, (4, 1.5)), label=name)
    top = float(np.nanmax(parts.total))
    if top > 0:
        ax.set_ylim(1e-4 * top, 30 * top)
    ax.set_xlim(*data.span)
    ax.legend(loc="upper left", ncol=4)
    ax.set_ylabel("rad" if what == "phase" else "relative")
    ax.set_xlabel(RETARDED)
