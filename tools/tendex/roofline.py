"""A roofline: what kernels reach, against operations a byte of their least traffic."""

import io

from tendex.files import write
from tendex.waves.plots import COLOURS, FAINT, plt

MARKERS = "osD^vP*X"
SPAN = 4.0  # the axes reach so far beyond the points


def draw(points, triad, fma, title, file):
    """points: (name, flop a byte, GFLOP/s, share of the steps or None); triad in GB/s, fma in GFLOP/s. Writes a PNG."""
    ridge = fma / triad
    intensities = [ridge, *(intensity for _, intensity, _, _ in points)]
    low, high = min(intensities) / SPAN, max(intensities) * SPAN
    fig, ax = plt.subplots(figsize=(7.2, 4.6))
    ax.plot([low, ridge, high], [triad * low, fma, fma], color="0.2", lw=1.6)
    ax.text(0.02, 0.96, f"roofs: triad {triad:.4g} GB/s, fused multiply-adds {fma:.4g} GFLOP/s", fontsize=8, color=FAINT,
            va="top", transform=ax.transAxes)
    for i, (name, intensity, rate, share) in enumerate(points):
        part = "" if share is None else f", {100 * share:.1f}% of the steps"
        roof = min(fma, triad * intensity)
        ax.plot(intensity, rate, MARKERS[i % len(MARKERS)], color=COLOURS[i % len(COLOURS)], ms=8,
                label=f"{name}: {rate:.4g} GFLOP/s, {100 * rate / roof:.0f}% of its roof{part}")
    ax.set(xscale="log", yscale="log", xlim=(low, high), ylim=(None, 2 * fma), xlabel="operations a byte of the least traffic",
           ylabel="GFLOP/s (double precision)")
    ax.set_title(title, fontsize=9)
    ax.grid(alpha=0.25, which="both", lw=0.5)
    ax.legend(fontsize=7, frameon=False, loc="upper left", bbox_to_anchor=(0.0, -0.14))
    picture = io.BytesIO()
    fig.savefig(picture, format="png", dpi=160, bbox_inches="tight")
    plt.close(fig)
    write(file, picture.getvalue())
