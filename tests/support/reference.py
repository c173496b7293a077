"""Waves of other codes that tests compare with, where they are."""

import os
from pathlib import Path

WHERE = "no waves of other codes: TENDEX_REFERENCE names no folder that has them, nor are they in ../shared/reference"


def reference(name):
    """Path of a file in the folder of TENDEX_REFERENCE, by default shared/reference beside the checkout; None if it is not there."""
    beside = Path(__file__).resolve().parents[2].parent / "shared" / "reference"
    file = Path(os.environ.get("TENDEX_REFERENCE") or beside) / name
    return file if file.is_file() else None
