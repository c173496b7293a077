"""Pictures of scaling."""

import textwrap

import numpy as np

from tendex_dev import scaling
from tendex.waves.pictures import plots
from tendex.waves.pictures.plots import COLOURS, plt, style

MARKERS = "osD^v"
PHASE_COLOURS = ["#0b6e99", "#d1495b", "#66a182", "#edae49", "#8d6a9f", "#3d5a80", "#c9ada7", "#7f5539", "#a3b18a",
                 "#ee6c4d", "#4a4e69", "#9a8c98"]
OTHER = "0.75"
STYLE = {
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.alpha": 0.25,
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "lines.linewidth": 1.6,
}


def save(fig, folder, name):
    plots.save(fig, [folder / f"{name}.{suffix}" for suffix in ("png", "pdf")], dpi=160, bbox_inches="tight")
    return f"{name}.png"


def ranks_axis(ax, ranks, unit):
    ax.set_xscale("log", base=2)
    ax.set_xticks(ranks, [str(n) for n in ranks])
    ax.minorticks_off()
    pad = 2 ** 0.25
    ax.set_xlim(min(ranks) / pad, max(ranks) * pad)
    ax.set_xlabel(f"{unit}s")


def all_ranks(series):
    return sorted({p.ranks for s in series for p in s.points})


def draw_efficiency(ax, series):
    low = min(p.efficiency for s in series for p in s.points)
    for i, s in enumerate(series):
        x, y = [p.ranks for p in s.points], [100 * p.efficiency for p in s.points]
        ax.plot(x, y, marker=MARKERS[i % 5], color=COLOURS[i % 5], label=s.label)
        if i > 0:
            continue
        for n, e in zip(x, y):
            ax.annotate(f"{e:.0f}%", (n, e), textcoords="offset points", xytext=(0, 8), ha="center", fontsize=9,
                        color=COLOURS[0])
    ax.axhline(100, color="0.5", lw=1, ls="--", zorder=0)
    ax.set_ylim(0, max(118, 1.12 * max(100 * p.efficiency for s in series for p in s.points)))
    if low > 0.5:
        ax.set_ylim(bottom=40)
    ax.set_ylabel("efficiency   [%]")
    ranks_axis(ax, all_ranks(series), series[0].unit)


def plain_ticks(ax, values):
    """A logarithmic axis of few decades reads best with plain numbers."""
    low, high = min(values), max(values)
    ax.set_yscale("log")
    steps = (1, 2, 5) if high > 20 * low else (1, 1.5, 2, 3, 5, 7)
    ticks = [m * 10.0**e for e in range(-12, 13) for m in steps if low / 1.3 <= m * 10.0**e <= high * 1.3]
    ax.set_yticks(ticks, [f"{t:g}" for t in ticks])
    ax.minorticks_off()
    ax.set_ylim(low / 1.35, high * 1.35)


def draw_strong(series, folder):
    """Time of a step and efficiency for one grid on more and more ranks."""
    with style(STYLE):
        fig, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
        shown = []
        for i, s in enumerate(series):
            x = np.array([p.ranks for p in s.points])
            y = 1e3 * np.array([p.seconds for p in s.points])
            ideal = y[0] * x[0] / x
            left.plot(x, ideal, color="0.5", lw=1, ls="--", zorder=0, label="ideal" if i == 0 else None)
            left.plot(x, y, marker=MARKERS[i % 5], color=COLOURS[i % 5], label=s.label)
            shown += [*y, *ideal]
        plain_ticks(left, shown)
        left.set_ylabel("time of an RK4 step   [ms]")
        ranks_axis(left, all_ranks(series), series[0].unit)
        left.legend()
        draw_efficiency(right, series)
        fig.suptitle("Strong scaling", x=0.01, ha="left")
        return save(fig, folder, "strong")


def draw_weak(series, folder):
    """Time of a step and efficiency for a grid that grows with the ranks. Grids never have quite the points that
    were asked for: times are brought to those."""
    with style(STYLE):
        fig, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
        for i, s in enumerate(series):
            x = [p.ranks for p in s.points]
            asked = s.asked if s.asked else s.base.points / s.base.ranks
            y = [1e3 * scaling.STAGES * asked / p.rate_of_rank for p in s.points]
            left.plot(x, y, marker=MARKERS[i % 5], color=COLOURS[i % 5], label=s.label)
            left.plot(x, [y[0]] * len(x), color="0.5", lw=1, ls="--", zorder=0, label="ideal" if i == 0 else None)
        left.set_ylim(0, 1.3 * left.get_ylim()[1])
        left.set_ylabel("time of an RK4 step   [ms]")
        ranks_axis(left, all_ranks(series), series[0].unit)
        left.legend(loc="lower left")
        draw_efficiency(right, series)
        fig.suptitle("Weak scaling", x=0.01, ha="left")
        return save(fig, folder, "weak")


def draw_rates(series, folder):
    """Point-stages a second a GPU (or rank)."""
    with style(STYLE):
        fig, ax = plt.subplots(figsize=(5.6, 3.6), layout="constrained")
        unit = series[0].unit
        top = max(p.rate_of_rank for s in series for p in s.points)
        power = int(np.floor(np.log10(top)))
        for i, s in enumerate(series):
            ax.plot([p.ranks for p in s.points], [p.rate_of_rank / 10.0**power for p in s.points],
                    marker=MARKERS[i % 5], color=COLOURS[i % 5], ls="-" if s.kind == "strong" else "--",
                    label=f"{s.kind}: {s.label}")
        ax.set_ylim(0, 1.35 * top / 10.0**power)
        ax.set_ylabel(rf"point-stages/s a {unit}   [$10^{{{power}}}$]")
        ranks_axis(ax, all_ranks(series), unit)
        ax.legend(loc="lower left")
        return save(fig, folder, "rates")


def stacked(ax, names, labels, shares, colours):
    """shares[n][i]: of name i in bar n, percent."""
    x = np.arange(len(shares))
    bottom = np.zeros(len(shares))
    for i, name in enumerate(names):
        y = np.array([s[i] for s in shares])
        bars = ax.bar(x, y, 0.62, bottom=bottom, color=colours[i], label=name, edgecolor="white", linewidth=0.6)
        for bar, v in zip(bars, y):
            if v >= 6:
                ax.text(bar.get_x() + bar.get_width() / 2, bar.get_y() + v / 2, f"{v:.0f}%", ha="center", va="center",
                        color="white", fontsize=8)
        bottom += y
    ax.axhline(100, color="0.3", lw=1, ls="--")
    ax.set_xticks(x, labels)
    ax.set_ylim(0, max(105, 1.05 * bottom.max()))
    ax.grid(axis="x", visible=False)


def draw_pieces(series, folder):
    """What the pieces of a stage take on their own, over a stage of a whole step."""
    names = [n for n in scaling.PIECES if all(n in p.kernels for s in series for p in s.points)]
    with style(STYLE):
        bars = sum(len(s.points) for s in series)
        widths = [len(s.points) for s in series]
        fig, axes = plt.subplots(1, len(series), figsize=(max(4.8, 1.6 + 0.95 * bars), 3.6), layout="constrained",
                                 sharey=True, squeeze=False, width_ratios=widths)
        for ax, s in zip(axes[0], series):
            shares = [[100 * scaling.STAGES * p.kernels[n] / p.seconds for n in names] for p in s.points]
            stacked(ax, [scaling.PIECES[n] for n in names], [str(p.ranks) for p in s.points], shares,
                    PHASE_COLOURS[1::-1])
            ax.set_xlabel(f"{s.unit}s")
            ax.set_title(f"{s.kind}: {s.label}", fontsize=9)
        axes[0][0].set_ylabel("alone, of a stage of a step   [%]")
        handles, labels = axes[0][0].get_legend_handles_labels()
        fig.legend(handles, labels, loc="upper center", bbox_to_anchor=(0.5, 0.0), ncols=2)
        return save(fig, folder, "pieces")


PARTS = ("RK4 steps", "regrids", "other: idle, waiting, output")


def parts_of(s, row):
    """What RK4 steps, regrids and the rest take of GPUs or ranks for the same work, over the run on the fewest of them, percent.
    On a GPU a part of a regrid may overlap with steps: the rest is what is left."""
    per = 100 * row["ranks"] / row["point_stages"] / (s.base["ranks"] / s.base["point_stages"] * s.base["run_s"])
    steps, regrids = row["steps_s"], row["regrid_s"]
    return [per * steps, per * regrids, per * max(0.0, row["run_s"] - steps - regrids)]


def runs_figure(labelled):
    """Efficiencies, and where the time goes, of whole runs: [(label, RunSeries)]."""
    bars = sum(len(s.rows) for _, s in labelled)
    fig, axes = plt.subplots(1, 1 + len(labelled), figsize=(max(8.0, 4.6 + 0.6 * bars), 3.9), layout="constrained",
                             width_ratios=[4.0, *(0.4 + 0.6 * len(s.rows) for _, s in labelled)])
    ranks = sorted({r["ranks"] for _, s in labelled for r in s.rows})
    for i, (label, s) in enumerate(labelled):
        for key, ls in (("steps_s", "--"), ("run_s", "-")):
            axes[0].plot([r["ranks"] for r in s.rows], [100 * s.efficiency(r, key) for r in s.rows], ls, marker=MARKERS[i % 5],
                         color=COLOURS[i % 5], label=label if key == "run_s" else None)
        ax = axes[1 + i]
        stacked(ax, PARTS, [str(r["ranks"]) for r in s.rows], [parts_of(s, r) for r in s.rows], [*PHASE_COLOURS[:2], OTHER])
        ax.set_xlabel(f"{s.unit}s")
        ax.set_title(textwrap.fill(label, 22), fontsize=9)
    top = max(ax.get_ylim()[1] for ax in axes[1:])
    for ax in axes[1:]:
        ax.set_ylim(0, top)
    axes[0].plot([], [], "--", color="0.3", label="the steps alone")
    axes[0].axhline(100, color="0.5", lw=1, ls=":", zorder=0)
    axes[0].set_ylim(0, 1.1 * max(100, *axes[0].get_ylim()))
    axes[0].set_ylabel("parallel efficiency   [%]")
    ranks_axis(axes[0], ranks, labelled[0][1].unit)
    axes[0].legend(fontsize=8, loc="lower left")
    axes[1].set_ylabel(f"{labelled[0][1].unit} time for the same work   [%]")
    handles, labels = axes[1].get_legend_handles_labels()
    fig.legend(handles, labels, loc="upper center", bbox_to_anchor=(0.6, 0.0), ncols=3, fontsize=9)
    return fig


def draw_runs(whole, folder):
    """Whole runs, with regrids."""
    with style(STYLE):
        return save(runs_figure([(s.kind, s) for s in whole]), folder, "runs")


def draw_phases(shares, folder):
    """Where the time of a run goes."""
    names = scaling.phases(shares)
    colours = [OTHER if n == "other" else PHASE_COLOURS[i % len(PHASE_COLOURS)] for i, n in enumerate(names)]
    with style(STYLE):
        fig, ax = plt.subplots(figsize=(max(5.6, 3.2 + 0.95 * len(shares)), 3.8), layout="constrained")
        percents = [[100 * s.seconds.get(n, 0.0) / s.wall_s for n in names] for s in shares]
        stacked(ax, [n.replace("_", " ") for n in names], [str(s.ranks) for s in shares], percents, colours)
        ax.set_xlabel("ranks")
        gpu = any(s.idle_share for s in shares)
        ax.set_ylabel("GPU time of a phase, of the wall time   [%]" if gpu else "share of the wall time   [%]")
        handles, labels = ax.get_legend_handles_labels()
        fig.legend(handles[::-1], labels[::-1], loc="center left", bbox_to_anchor=(1.0, 0.5))
        return save(fig, folder, "phases")


def draw_all(series, shares, whole, folder):
    """All that there are data for: {"strong": file name, ...}."""
    made = {}
    for kind, draw in (("strong", draw_strong), ("weak", draw_weak)):
        chosen = [s for s in series if s.kind == kind]
        if chosen:
            made[kind] = draw(chosen, folder)
    if series:
        made["rates"] = draw_rates(series, folder)
    if pieces := scaling.measured_in_pieces(series):
        made["pieces"] = draw_pieces(pieces, folder)
    if whole:
        made["runs"] = draw_runs(whole, folder)
    if shares:
        made["phases"] = draw_phases(shares, folder)
    return made
