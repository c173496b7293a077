"""Figures of the pages: WebP without loss, few colours, and a text that says what they are from."""

import io

from PIL import Image

from tendex.base import files

DPI, COLOURS = 150, 32
SAID = 0x010E  # ImageDescription of Exif


def save(figure, file, source, **how):
    """Write a figure, with its source in the file; how: as of Matplotlib's savefig."""
    picture = io.BytesIO()
    figure.savefig(picture, dpi=DPI, format="png", **how)
    with Image.open(picture) as image:
        few = image.convert("RGB").quantize(COLOURS, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
    files.write(file, packed(few, source))


def packed(image, source):
    """Bytes of a picture as it is, with its source; two thirds to three quarters of those of a PNG."""
    made, said = io.BytesIO(), Image.Exif()
    said[SAID] = source
    image.convert("RGB").save(made, format="webp", lossless=True, quality=100, method=6, exif=said)
    return made.getvalue()


def source(file):
    """What a figure is from, or None if there is none."""
    if not file.exists():
        return None
    with Image.open(file) as image:
        return image.getexif().get(SAID)
