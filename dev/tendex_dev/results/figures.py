"""Figures of RESULTS.md, in one style. Each function returns a figure for pictures.save."""

import numpy as np

from tendex_dev.results import pairs
from tendex_dev.results.tables import dig
from tendex.waves.comparison import resolutions as converge
from tendex.waves.comparison import richardson
from tendex.waves.pictures import plots

PAIRS = (plots.RED, plots.BLUE, plots.GREEN, plots.PINK)
STYLE = plots.STYLE | {"font.size": 9, "axes.titlesize": 9.5, "axes.labelsize": 9, "xtick.labelsize": 8.5, "ytick.labelsize": 8.5,
                       "legend.fontsize": 8, "lines.linewidth": 1.2, "axes.titleweight": "normal", "axes.linewidth": 0.8}
WIDE = (7.6, 4.9)  # inches


def waves(series, h, labels):
    """(2,2) of the finest of runs, coarsest first, and a model's; below, what resolutions and model differ by, and the stated error."""
    with plots.plt.rc_context(STYLE):
        figure = plots.plt.figure(figsize=WIDE, layout="constrained")
        rows = [["waves"] * 5, ["far"] * 3 + ["near"] * 2, ["phase"] * 3 + ["amplitude"] * 2, ["differences"] * 5]
        axes = figure.subplot_mosaic(rows, height_ratios=(0.07, 1, 1, 0.22))
        _wave(axes["far"], axes["near"], series[-1], labels[-1])
        _differences(axes["phase"], axes["amplitude"], series, h, labels)
        for name, of, where in (("waves", "far", "center"), ("differences", "phase", "upper center")):
            axes[name].axis("off")
            axes[name].legend(*axes[of].get_legend_handles_labels(), loc=where, ncols=3, borderaxespad=0)
    return figure


def _wave(far, near, one, label):
    wave = one.strain
    top, peak = np.abs(wave.mode(2, 2)).max(), pairs.align.peak_time(wave, (2, 2), one.reference)
    for ax in (far, near):
        ax.plot(wave.t, np.abs(wave.mode(2, 2)), color="0.55", lw=0.8, label="amplitude")
        ax.plot(wave.t, wave.mode(2, 2).real, color=plots.BLUE, lw=0.9 if ax is far else 1.4, label=label)
        if one.model:
            name, other = one.model
            inside = other.t <= wave.t[-1]
            ax.plot(other.t[inside], other.mode(2, 2).real[inside], color=plots.RED, lw=0.9 if ax is far else 1.2, ls="--", label=name)
        ax.set_ylim(-1.08 * top, 1.08 * top)
        ax.set_xlabel("retarded time   [M]")
    far.set_xlim(wave.t[0], wave.t[-1])
    near.set_xlim(max(peak - 60, wave.t[0]), min(peak + 60, wave.t[-1]))
    far.set_ylabel(r"Re $r h_{22}$" + ", coprecessing" * one.coprecessing + "   [M]")
    near.tick_params(labelleft=False)


def bare(label):
    return label.removeprefix("h = ")


def _differences(phase, amplitude, series, h, labels):
    shown = [[], []]

    def draw(ax, t, values, **how):
        ax.semilogy(t, plots.positive(np.abs(values)), **how)
        shown[ax is amplitude].append(np.abs(values))

    if len(series) > 1:
        found = pairs.neighbours(series, h)
        if len(series) > 2:
            order, why = found.order()
            phase.set_title("no clean convergence order until the peak" if why else f"convergence until the peak: order {order:.1f}")
        for k, colour in zip(range(len(series) - 1), PAIRS):
            draw(phase, found.t, found.phase[k], color=colour, label=f"{labels[k]} less {bare(labels[k + 1])}")
            draw(amplitude, found.t, found.amplitude[k], color=colour)
        for ax, of in ((phase, found.phase), (amplitude, found.amplitude)):
            for k, values in found.scaled(of):
                draw(ax, found.t, values, color=PAIRS[k], ls=":", lw=1.0,
                     label=f"{labels[k + 1]} less {bare(labels[k + 2])}, scaled at order {richardson.BELIEVED:g}")
    best = series[-1]
    if best.model:
        t, off, size = pairs.model(best)
        draw(phase, t, off, color="0.2", ls="--", lw=1.0, label=f"{best.model[0]} less {labels[-1]}")
        draw(amplitude, t, size, color="0.2", ls="--", lw=1.0)
    if best.errors.get((2, 2)) and len(best.errors[2, 2][0]):
        u, relative, angle = best.errors[2, 2]
        end = converge.faded(best.strain, pairs.align.peak_time(best.strain, (2, 2), best.reference))
        u, relative, angle = (x[u <= end] for x in (u, relative, angle))
        here = np.abs(np.interp(u, best.strain.t, np.abs(best.strain.mode(2, 2)))) / np.abs(best.strain.mode(2, 2)).max()
        draw(phase, u, angle, color="0.55", lw=0.9, label="stated error of the extraction")
        draw(amplitude, u, relative * here, color="0.55", lw=0.9)
    for ax, values, label in ((phase, shown[0], "phase difference of (2,2)   [rad]"), (amplitude, shown[1], "amplitude difference / peak")):
        _decades(ax, values)
        ax.set_ylabel(label)
        ax.set_xlabel("retarded time   [M]")
        plots.moment(ax, pairs.align.peak_time(best.strain, (2, 2), best.reference), "peak", low=True)


def _decades(ax, values, least=5.0):
    """Limits of a logarithmic axis: as many decades as differences are worth showing."""
    high = max((v[np.isfinite(v)].max() for v in values if np.isfinite(v).any()), default=0)
    if high > 0:
        low = min(v[v > 0].min() for v in values if (v > 0).any())
        ax.set_ylim(max(10**-least * high, 0.3 * low), 3 * high)


def spacings(runs, references):
    """Merger time, remnant mass and spin of runs, coarsest first, over the finest spacing, with the references {key: number}."""
    columns = (("common horizon first seen   [M]", "common", ("merger", "common_horizon")),
               ("remnant mass $M_f$   [M]", "mass", ("horizon", "mass", "value")), ("remnant spin $a_f/M_f$", "chi", ("horizon", "chi", "value")))
    with plots.plt.rc_context(STYLE):
        figure, axes = plots.plt.subplots(1, 3, figsize=(7.6, 2.6), layout="constrained")
        h = np.array([r["run"]["finest_spacing"] for r in runs])
        for ax, (label, key, place), colour in zip(axes, columns, PAIRS[1:2] + PAIRS[:1] + PAIRS[2:]):
            values = [dig(r["remnant"], *place) for r in runs]
            ax.plot(1 / h, values, "o-", color=colour)
            if references.get(key):
                ax.axhline(references[key], color="0.3", ls="--", lw=1.0)
                ax.annotate("reference", (0.98, references[key]), xycoords=("axes fraction", "data"), xytext=(0, 2), fontsize=7.5, ha="right",
                            textcoords="offset points", color="0.3")
            ax.set_ylabel(label)
            ax.set_xscale("log")
            ax.set_xticks(1 / h, [f"{1 / x:.3g}" for x in h])
            ax.minorticks_off()
            ax.margins(x=0.12, y=0.15)
            ax.set_xlabel("points per M at the holes")
    return figure


def beside(labels, references, hours):
    """Of runs without another resolution: GPU-hours, and how far scalars are from references {name: (values, reference)}."""
    with plots.plt.rc_context(STYLE):
        figure, (left, right) = plots.plt.subplots(1, 2, figsize=(7.6, 2.6), layout="constrained", width_ratios=(1, 1.3))
        names, values = zip(*hours)
        # A bar's length would say nothing on a logarithmic axis.
        left.scatter(values, range(len(values)), s=50, color=["0.5" if n not in labels else plots.BLUE for n in names], zorder=3)
        for i, v in enumerate(values):
            left.annotate(f"{v:.3g}", (v, i), xytext=(8, 0), textcoords="offset points", va="center", fontsize=8.5)
        left.set_xscale("log")
        left.set_ylim(-0.6, len(values) - 0.4)
        left.set_xlim(0.3 * min(values), 6 * max(values))
        left.set_yticks(range(len(names)), names)
        left.set_xlabel("GPU-hours")
        for k, (label, colour, marker) in enumerate(zip(labels, (plots.BLUE, plots.RED, plots.GREEN), "osD")):
            right.semilogx([max(abs(v[k] / reference - 1), 1e-7) for v, reference in references.values()], range(len(references)), marker,
                           color=colour, label=label)
        right.set_yticks(range(len(references)), references)
        right.set_ylim(-0.6, len(references) - 0.4)
        right.margins(x=0.08)
        right.set_xlabel("|relative difference from the reference|")
        if len(labels) > 1:
            right.legend()
    return figure
