"""PNG files of figures: few colours, and a text that says what they are from."""

import io

from PIL import Image
from PIL.PngImagePlugin import PngInfo

from tendex.base import files

DPI, COLOURS = 150, 32


def save(figure, file, source, **how):
    """Write a figure, with its source in the file; how: as of Matplotlib's savefig."""
    picture, packed, said = io.BytesIO(), io.BytesIO(), PngInfo()
    figure.savefig(picture, dpi=DPI, format="png", **how)
    said.add_text("Source", source)
    with Image.open(picture) as image:
        few = image.convert("RGB").quantize(COLOURS, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
    few.save(packed, format="png", optimize=True, pnginfo=said)
    files.write(file, packed.getvalue())


def source(file):
    """What a figure is from, or None if there is none."""
    if not file.exists():
        return None
    with Image.open(file) as image:
        return image.info.get("Source")
