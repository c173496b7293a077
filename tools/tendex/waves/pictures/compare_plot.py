"""The picture of `tendex-waves compare': waves, differences over time with their error, and mismatches.

Panels over time are two: the inspiral, and beside it the merger, where time is drawn out and differences have a scale of their own."""

import numpy as np

from tendex.waves.pictures import plots
from tendex.waves.signal.modes import WaveError

# The merger's panels show this, M from the peak; the inspiral's end where they begin. Shorter waves have one panel each.
MERGER = -100.0, 60.0
WIDTHS = 1.5, 1.0
QUANTITY = {"strain": r"r\,h_{%d%d}/M", "news": r"r\,\dot h_{%d%d}", "psi4": r"M R\,\psi_4^{%d%d}"}
SYMBOL = {"strain": "h", "news": r"\dot h", "psi4": r"\psi_4"}
# Room above and below differences, in their height.
ROOM = 0.12
PLAIN = (("flat", "$h$"), ("news", r"$\dot h$"), ("psi4", r"$\psi_4$"))


def draw(comparison, numbers, file):
    """Waves, differences and mismatches on one page."""
    with plots.style():
        figure = plots.plt.figure(figsize=(9.6, 5.6), layout="constrained")
        left, right = figure.subfigures(1, 2, width_ratios=(2.5, 1))
        two = comparison.start < 1.5 * MERGER[0]
        axes = left.subplots(3, 2 if two else 1, squeeze=False, sharex="col",
                             gridspec_kw={"width_ratios": WIDTHS if two else (1,), "height_ratios": (1.15, 1, 1)})
        end = max(d.t[-1] for d in comparison.modes.values())
        parts = [(comparison.start, MERGER[0]), (MERGER[0], min(MERGER[1], end))] if two else [(comparison.start, end)]
        _waves(axes[0], comparison, parts)
        _differences(axes[1], comparison, parts, "amplitude")
        _differences(axes[2], comparison, parts, "phase")
        for row in axes:
            _times(row, comparison, parts)
        for ax in axes[2]:
            ax.set_xlabel(r"$(t - t_\mathrm{peak})/M$")
        left.align_ylabels(axes[:, 0])
        panels = right.subplots(2, 1, gridspec_kw={"height_ratios": (1.6, 1)})
        _detector(panels[0], numbers)
        _plain(panels[1], numbers)
        try:
            plots.save(figure, [file])
        except ValueError as e:  # of matplotlib: a suffix that it does not know
            raise WaveError(f"{file}: {e}") from e


def _label(lm):
    return f"({lm[0]},{lm[1]})"


def _times(row, comparison, parts):
    """Limits, the peak, and the window of the alignment."""
    for ax, part in zip(row, parts):
        ax.set_xlim(*part)
        if part[0] < 0 < part[1]:
            ax.axvline(0, color=plots.FAINT, lw=0.6, ls="--", zorder=0.6)
        w = comparison.window
        if w and comparison.how[0] == "window" and w.first < part[1] and w.last > part[0]:
            ax.axvspan(max(w.first, part[0]), min(w.last, part[1]), color=plots.FAINT, alpha=0.12, lw=0, zorder=0.3)
    for ax in row[1:]:
        ax.spines["left"].set_visible(False)
        ax.spines["right"].set_visible(True)
        ax.tick_params(axis="y", left=False, right=True, labelleft=False, labelright=True)


def _waves(row, comparison, parts):
    lm = next(iter(comparison.modes))
    a, b = comparison.a, comparison.b
    top = max(np.abs(w.mode(*lm)[w.t >= comparison.start]).max() for w in (a, b))
    for ax, (first, last) in zip(row, parts):
        for wave, which, colour, style in ((a, "A", plots.BLUE, "-"), (b, "B", plots.RED, (0, (4, 2)))):
            inside = (wave.t >= first - 5) & (wave.t <= last + 5)
            ax.plot(wave.t[inside], wave.mode(*lm)[inside].real, color=colour, ls=style, lw=1.0,
                    label=f"{which}: {plots.plain(comparison.entries['AB'.index(which)].waves.name)}")
        ax.set_ylim(-1.1 * top, 1.4 * top)
    row[0].set_ylabel(rf"Re ${QUANTITY[a.kind] % lm}$")
    row[0].legend(loc="upper left", ncol=2)
    w = comparison.window
    if w and comparison.how[0] == "window":
        row[0].annotate("alignment window", (max(w.first, parts[0][0]), 0.03), xycoords=("data", "axes fraction"), xytext=(3, 0),
                        textcoords="offset points", fontsize=5.8, color="0.35", va="bottom")


def _differences(row, comparison, parts, what):
    """The signed difference of all modes, and the band of its error."""
    scatter, labels = comparison.scatter, {"amplitude": r"$\Delta|%s|\,/\,|%s|$" % ((SYMBOL[comparison.a.kind],) * 2),
                                           "phase": r"$\Delta\phi$   [rad]"}
    for ax, (first, last) in zip(row, parts):
        heights = []
        for colour, (lm, d) in zip(plots.COLOURS, comparison.modes.items()):
            shown = (d.t >= first) & (d.t <= last)
            t, values = d.t[shown], getattr(d, what)[shown]
            error = getattr(scatter, what)[lm][shown] if scatter else np.zeros_like(t)
            ax.plot(t, values, color=colour, label=_label(lm), lw=1.0)
            if scatter:
                ax.fill_between(t, values - error, values + error, color=colour, alpha=0.22, lw=0)
            heights += [values - error, values + error]
        plots.clipped(ax, heights, ROOM)
        ax.axhline(0, color="0.25", lw=0.5, zorder=0.5)
    row[0].set_ylabel(labels[what])
    if what == "amplitude":
        row[0].legend(loc="best", ncol=4, title="B less A" + ("; band: scatter of alignments" if scatter else ""), title_fontsize=6.2)


def _curves(numbers):
    found = {f"({lm})": v for lm, v in numbers["modes"].items()}
    if numbers["b"]["modes"] > 1 and numbers["a"]["modes"] > 1:
        found["sky"] = numbers["sky"]
    return found | {f"{seen['inclination_deg']:g}°": seen for seen in numbers["observers"]}


def _detector(ax, numbers):
    for colour, (label, v) in zip(plots.COLOURS, _curves(numbers).items()):
        rows = v["mismatch"]
        ax.semilogy([row["mass"] for row in rows], plots.positive([row["mismatch"] for row in rows]), "o-", ms=2.5, color=colour, label=label)
    ax.margins(x=0.03)
    ax.set_title(f"mismatch, noise {plots.plain(numbers['noise']['name'])} from {numbers['noise']['f_low']:g} Hz")
    ax.set_xlabel(r"$M/M_\odot$")
    ax.legend(loc="best")


def _plain(ax, numbers):
    """Mismatches without a detector."""
    for colour, (_, v) in zip(plots.COLOURS, _curves(numbers).items()):
        known = [i for i, (key, _) in enumerate(PLAIN) if f"mismatch_{key}" in v]
        ax.semilogy(known, plots.positive([v[f"mismatch_{PLAIN[i][0]}"] for i in known]), "s", ms=4, color=colour)
    ax.set_xlim(-0.5, len(PLAIN) - 0.5)
    ax.set_xticks(range(len(PLAIN)), [f"{name}\n{weight}" for (_, name), weight in zip(PLAIN, ("1", r"$\omega^2$", r"$\omega^4$"))])
    ax.set_title("mismatch, no detector; weight")
