"""Quasi-normal modes of Kerr against published values."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
from tendex.physics import kerr  # noqa: E402


class Published(unittest.TestCase):
    def test_schwarzschild(self):
        # Leaver 1985, table 1 (in 2 M there); any m.
        for l, m, omega in ((2, 2, 0.3736717 - 0.0889623j), (2, 0, 0.3736717 - 0.0889623j),
                            (3, 3, 0.5994433 - 0.0927030j), (3, -1, 0.5994433 - 0.0927030j),
                            (4, 4, 0.8091784 - 0.0941640j), (4, 0, 0.8091784 - 0.0941640j)):
            found = kerr.quasinormal(l, m, 0.0)
            self.assertLess(abs(found.real - omega.real), 0.6e-7)
            self.assertLess(abs(found.imag - omega.imag), 0.6e-7)

    def test_spinning(self):
        for chi, omega in ((0.4716, 0.456743 - 0.086043j), (0.6238, 0.502282 - 0.083183j),
                           (0.67624, 0.522411 - 0.081640j), (0.68646, 0.526703 - 0.081288j)):
            found = kerr.quasinormal(2, 2, chi)
            # A unit of the last digit: some are cut off, not rounded.
            self.assertLess(abs(found.real - omega.real), 1e-6)
            self.assertLess(abs(found.imag - omega.imag), 1e-6)


class Symmetry(unittest.TestCase):
    def test_opposite_spin_is_opposite_m(self):
        for l, m in ((2, 2), (2, 1), (3, 2)):
            self.assertLess(abs(kerr.quasinormal(l, m, -0.6) - kerr.quasinormal(l, -m, 0.6)), 1e-10)
            self.assertGreater(abs(kerr.quasinormal(l, m, -0.6) - kerr.quasinormal(l, m, 0.6)), 0.05)

    def test_enough_terms(self):
        terms = kerr.ANGULAR_TERMS, kerr.RADIAL_TERMS
        found = kerr.quasinormal(2, 2, 0.9)
        try:
            kerr.ANGULAR_TERMS, kerr.RADIAL_TERMS = 80, 600
            self.assertLess(abs(found - kerr.quasinormal(2, 2, 0.9)), 1e-10)
        finally:
            kerr.ANGULAR_TERMS, kerr.RADIAL_TERMS = terms


class Refused(unittest.TestCase):
    def test_no_such_mode(self):
        for l, m, chi in ((1, 0, 0.0), (2, 3, 0.0), (2, 2, 1.0), (2, 2, float("nan"))):
            with self.assertRaises(ValueError):
                kerr.quasinormal(l, m, chi)


if __name__ == "__main__":
    unittest.main()
