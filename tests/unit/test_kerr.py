"""Quasi-normal modes of Kerr against published values."""

import sys
import unittest
from pathlib import Path

import numpy as np

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


    def test_overtones(self):
        """By the package qnm 0.4.4 (arXiv:1908.10377), which takes another way for the angular function."""
        for l, m, n, chi, omega in ((2, 2, 0, 0.0, 0.37367168 - 0.08896232j), (2, 2, 1, 0.0, 0.34671100 - 0.27391488j),
                                    (2, 1, 2, 0.0, 0.30105345 - 0.47827698j), (2, 0, 3, 0.0, 0.25150496 - 0.70514820j),
                                    (2, 2, 0, 0.7, 0.53260024 - 0.08079287j), (2, 2, 1, 0.7, 0.52116077 - 0.24423832j),
                                    (2, 2, 2, 0.7, 0.49990626 - 0.41226154j), (2, 2, 3, 0.7, 0.47133630 - 0.58430072j),
                                    (2, -2, 1, 0.7, 0.27203590 - 0.27733298j), (2, -2, 2, 0.7, 0.21065902 - 0.49991694j),
                                    (3, 2, 1, 0.7, 0.75104700 - 0.25377835j), (3, 3, 1, 0.7, 0.83750405 - 0.24943546j),
                                    (4, 4, 2, 0.7, 1.12947031 - 0.42371219j), (2, 2, 2, 0.95, 0.74123888 - 0.26699789j),
                                    (2, 2, 1, 0.99, 0.87064516 - 0.08817538j)):
            with self.subTest(l=l, m=m, n=n, chi=chi):
                self.assertLess(abs(kerr.quasinormal(l, m, chi, n) - omega), 1e-8)


class Tables(unittest.TestCase):
    def test_over_spin(self):
        for l, m, n in ((2, 2, 0), (2, 2, 2), (3, 2, 0)):
            for chi in (-0.8, 0.05, 0.6865, 0.97):
                self.assertLess(abs(kerr.over_spin(l, m, n)(np.arctanh(chi)) - kerr.quasinormal(l, m, chi, n)), 1e-6)

    def test_hole_of_a_frequency(self):
        for mass, chi in ((1.0, 0.0), (0.95, 0.68646), (1.2, -0.5), (0.9, 0.95)):
            omega = kerr.quasinormal(2, 2, chi) / mass
            got = kerr.of_frequency(omega)
            self.assertAlmostEqual(got[0], mass, delta=2e-6)
            self.assertAlmostEqual(got[1], chi, delta=2e-6)
            self.assertAlmostEqual(kerr.of_frequency(complex(-omega.real, omega.imag))[1], -chi, delta=2e-6)
        with self.assertRaisesRegex(kerr.NoHole, "weak"):
            kerr.of_frequency(1 - 1e-4j)
        with self.assertRaisesRegex(kerr.NoHole, "strong"):
            kerr.of_frequency(0.1 - 0.2j)


class Symmetry(unittest.TestCase):
    def test_opposite_spin_is_opposite_m(self):
        for l, m in ((2, 2), (2, 1), (3, 2)):
            self.assertLess(abs(kerr.quasinormal(l, m, -0.6) - kerr.quasinormal(l, -m, 0.6)), 1e-10)
            self.assertGreater(abs(kerr.quasinormal(l, m, -0.6) - kerr.quasinormal(l, m, 0.6)), 0.05)

    def test_enough_terms(self):
        terms = kerr.ANGULAR_TERMS, kerr.RADIAL_TERMS
        modes = (2, 2, 0.9, 0), (2, 2, 0.9, 2), (2, -2, 0.8, 2)
        found = [kerr.quasinormal(*mode) for mode in modes]
        try:
            kerr.ANGULAR_TERMS, kerr.RADIAL_TERMS = 80, 900
            for omega, mode in zip(found, modes):
                self.assertLess(abs(omega - kerr.quasinormal(*mode)), 1e-9)
        finally:
            kerr.ANGULAR_TERMS, kerr.RADIAL_TERMS = terms


class Refused(unittest.TestCase):
    def test_no_such_mode(self):
        for l, m, chi, n in ((1, 0, 0.0, 0), (2, 3, 0.0, 0), (2, 2, 1.0, 0), (2, 2, float("nan"), 0), (2, 2, 0.5, -1), (2, 2, 0.5, 4)):
            with self.assertRaises(ValueError):
                kerr.quasinormal(l, m, chi, n)


if __name__ == "__main__":
    unittest.main()
