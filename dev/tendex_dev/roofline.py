"""A roofline: what kernels reach, against operations a byte of their least traffic."""

from tendex_dev.scaling_figures import MARKERS, STYLE
from tendex.waves.pictures import plots
from tendex.waves.pictures.plots import COLOURS, plt, style

SPAN = 4.0  # the axes reach so far beyond the points


def rounded(x):
    return f"{x:.0f}" if x >= 1000 else f"{x:.3g}"


def figure(points, triad, fma, title):
    """points: (name, flop a byte, GFLOP/s, share of the steps or None); triad in GB/s, fma in GFLOP/s."""
    ridge = fma / triad
    intensities = [ridge, *(intensity for _, intensity, _, _ in points)]
    rates = [rate for _, _, rate, _ in points]
    low, high = min(intensities) / SPAN, max(intensities) * SPAN
    fig, ax = plt.subplots(figsize=(7.2, 4.2), layout="constrained")
    ax.plot([low, ridge, high], [triad * low, fma, fma], color="0.2", lw=1.6)
    ax.text(high / 1.05, 1.08 * fma, f"fused multiply-adds, {rounded(fma)} GFLOP/s", fontsize=9, ha="right", va="bottom")
    ax.text(1.5 * low, triad * low, f"triad, {rounded(triad)} GB/s", fontsize=9, va="center")
    for i, (name, intensity, rate, share) in enumerate(points):
        part = "" if share is None else f", {100 * share:.1f}% of the steps"
        roof = min(fma, triad * intensity)
        ax.plot(intensity, rate, MARKERS[i % len(MARKERS)], color=COLOURS[i % len(COLOURS)], ms=8,
                label=f"{name}: {rate:.4g} GFLOP/s, {100 * rate / roof:.2g}% of its roof{part}")
        if share:
            ax.vlines(intensity, rate, roof, color=COLOURS[i % len(COLOURS)], lw=1, ls=":")
    ax.set(xscale="log", yscale="log", xlim=(low, high), ylim=(min(rates) / 2, 2.5 * fma),
           xlabel="operations a byte of the least traffic   [FLOP/B]", ylabel="GFLOP/s")
    ticks = [m * 10.0**e for e in range(-3, 4) for m in (1, 2, 5) if low <= m * 10.0**e <= high]
    ax.set_xticks(ticks, [f"{t:g}" for t in ticks])
    ax.set_xticks([], minor=True)
    ax.set_title(title, fontsize=10, loc="left")
    fig.legend(fontsize=9, loc="upper left", bbox_to_anchor=(0.08, 0.0))
    return fig


def draw(points, triad, fma, title, file):
    """Write a picture."""
    with style(STYLE):
        plots.save(figure(points, triad, fma, title), [file], dpi=160, bbox_inches="tight")
