"""How pages of plots look: sizes, colours that the colour-blind can tell apart, and what panels share."""

import functools
import io
from pathlib import Path

import numpy as np

from tendex.base.files import write

A4 = (11.69, 8.27)  # inches, landscape
# Of Okabe and Ito (2008), without yellow.
BLUE, RED, GREEN, PINK, ORANGE, SKY, BLACK = "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "0.1"
COLOURS = [BLUE, RED, GREEN, PINK, ORANGE, SKY, "0.45", BLACK]
# Punctures, and the hole that all of them become, on every panel; groups of some have a grey of their own.
PUNCTURES = [RED, BLUE, GREEN, ORANGE, PINK, SKY, "#8C6D31", "#6A51A3"]
GREYS = ["0.45", "0.6", "0.3", "0.7", "0.52", "0.38"]
STATES = {"running": BLUE, "complete": GREEN, "stopped": RED}
FAINT = "0.55"
# Of error budgets.
PARTS = {"numerical": BLUE, "extraction": GREEN, "integration": ORANGE, "total": BLACK}
MOST_OFF, BANDED, MOST_BANDED = 20, 2, 0.08  # of 255: what few colours may change; of how many pixels by more than BANDED

STYLE = {
    "font.size": 7.0,
    "font.family": "DejaVu Sans",
    "mathtext.fontset": "dejavusans",
    "axes.titlesize": 7.6,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.titlepad": 3.5,
    "axes.labelsize": 7.0,
    "axes.labelpad": 2.0,
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.xmargin": 0.0,
    "axes.formatter.limits": (-3, 4),
    "axes.formatter.use_mathtext": True,
    "axes.formatter.useoffset": False,
    "grid.alpha": 0.22,
    "grid.linewidth": 0.5,
    "xtick.labelsize": 6.4,
    "ytick.labelsize": 6.4,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "xtick.major.size": 2.4,
    "ytick.major.size": 2.4,
    "ytick.minor.size": 1.4,
    "xtick.major.pad": 2.0,
    "ytick.major.pad": 2.0,
    "legend.frameon": True,
    "legend.framealpha": 0.75,
    "legend.edgecolor": "none",
    "legend.fancybox": False,
    "legend.borderpad": 0.25,
    "legend.fontsize": 6.2,
    "legend.handlelength": 1.5,
    "legend.handletextpad": 0.5,
    "legend.labelspacing": 0.25,
    "legend.columnspacing": 1.0,
    "legend.borderaxespad": 0.3,
    "lines.linewidth": 1.1,
    "lines.solid_capstyle": "round",
    "path.simplify": True,
    "pdf.fonttype": 42,
    "figure.dpi": 100,
}


@functools.cache
def _plt():
    from tendex.base.drawing import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot
    return pyplot


def __getattr__(name):
    """`plots.plt' is Matplotlib's pyplot, loaded when something is drawn first: that takes a third of a second."""
    if name != "plt":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return _plt()


def style(own=None):
    """A context in which pictures look as STYLE says, or `own', whatever the user's Matplotlib is set to."""
    from tendex.base import drawing
    return _plt().rc_context(drawing.settings(STYLE if own is None else own))


def plain(text):
    """drawing.plain"""
    from tendex.base import drawing
    return drawing.plain(text)


def ordered(n):
    """n colours from light to dark for what has an order, spheres or levels."""
    return [_plt().get_cmap("viridis_r")(0.12 + 0.78 * i / max(n - 1, 1)) for i in range(n)]


def restarts(ax, times):
    """Where the run was restarted: dotted lines."""
    for t in times:
        ax.axvline(t, color="0.6", lw=0.6, ls=":", zorder=0.5)


def moment(ax, t, text, low=False, row=0):
    """A named time: a thin line, and its name beside it at the top, so many rows below it, or at the bottom."""
    ax.axvline(t, color=FAINT, lw=0.6, ls="--", zorder=0.6)
    left, right = ax.get_xlim()
    late = t > left + 0.5 * (right - left)
    ax.annotate(text, (t, 0.03 if low else 0.97 - 0.06 * row), xycoords=("data", "axes fraction"), xytext=(-2 if late else 2, 0),
                textcoords="offset points", ha="right" if late else "left", va="bottom" if low else "top",
                fontsize=5.8, color="0.4")


def positive(values):
    """For logarithmic axes: what is not above zero becomes nan."""
    values = np.asarray(values, float)
    return np.where(values > 0, values, np.nan)


def clipped(ax, values, share=0.08, least=1e-3):
    """Limits of the y axis around the finite values, with room above and below; apart by at least the fraction `least`
    of what is shown, so that round-off does not fill a panel."""
    values = np.concatenate([np.ravel(v) for v in values])
    values = values[np.isfinite(values)]
    if not values.size:
        return
    bottom, top = float(values.min()), float(values.max())
    room = max(share * (top - bottom), 0.5 * (least * abs(top) - (top - bottom)), 1e-12)
    ax.set_ylim(bottom - room, top + room)


def scaled(top):
    """(factor, text before a label) that bring values of this size to a few digits before the point."""
    if not top > 0 or 1e-2 <= top < 1e3:
        return 1.0, ""
    power = int(np.floor(np.log10(top)))
    return 10.0**-power, rf"$10^{{{-power}}}$ "


def _small(png):
    """A PNG in 256 colours, which takes a third of the bytes; as it is where that would show, as bands of smooth colours. The 256
    cover all that there are, since those of a legend are rare."""
    from PIL import Image, ImageChops, ImageStat
    with Image.open(io.BytesIO(png)) as image:
        colours = image.convert("RGB")
    few = colours.quantize(256, method=Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    off = ImageChops.difference(few.convert("RGB"), colours)
    banded = ImageStat.Stat(off.point(lambda x: x > BANDED)).mean
    if max(high for _, high in off.getextrema()) > MOST_OFF or max(banded) > MOST_BANDED:
        return png
    packed = io.BytesIO()
    few.save(packed, format="png", optimize=True)
    return packed.getvalue()


def save(fig, files, dpi=220, **how):
    """Write a figure and close it. how: as of Matplotlib's savefig."""
    for file in map(Path, files):
        picture, form = io.BytesIO(), file.suffix[1:].lower() or "png"
        fig.savefig(picture, dpi=dpi, format=form, **how)
        write(file, _small(picture.getvalue()) if form == "png" else picture.getvalue())
    _plt().close(fig)
