"""Developers' tools: pages, figures and measurements. They use the users' package, tendex, and are imported before it."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "tools"))
