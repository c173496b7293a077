"""Retarded time against closed forms."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
from tendex.physics import radiation  # noqa: E402


class Retardation(unittest.TestCase):
    def test_speed_of_light(self):
        # d r_*/dR = 1 / (1 - 2M/R)
        r, d = 31.0, 1e-4
        slope = (radiation.retardation(r + d, 1.0) - radiation.retardation(r - d, 1.0)) / (2 * d)
        self.assertAlmostEqual(slope, 1 / (1 - 2 / r), places=8)


if __name__ == "__main__":
    unittest.main()
