"""Pictures of tests are coarse, and Matplotlib works out how a formula looks once, not in each figure anew.

Import it before anything is drawn."""

from matplotlib import mathtext
from tendex.waves.pictures import plots

plots.save.__defaults__ = (50,)  # dpi
_parse, _parsed = getattr(mathtext.MathTextParser, "_parse_cached", None), {}


def _parsed_once(parser, *text):
    key = parser._output_type, *text
    if key not in _parsed:
        _parsed[key] = _parse.__wrapped__(parser, *text)
    return _parsed[key]


if hasattr(_parse, "__wrapped__"):
    mathtext.MathTextParser._parse_cached = _parsed_once
