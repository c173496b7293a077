"""Formulae that the tools have of their own against other people's packages: harmonics and Wigner's matrices against spherical, and
frequencies of Kerr holes against qnm.

    test_formulae.py FOLDER

FOLDER: where the readers are installed from the package registry. Without it the test is skipped, unless TENDEX_READERS_REQUIRED is set."""

import os
import sys
import tempfile
import unittest
from pathlib import Path

import installed

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
installed.install(sys.argv[1])
temporary = tempfile.TemporaryDirectory(prefix="tendex-formulae-")
os.environ["HOME"] = temporary.name  # qnm keeps what it has solved there
os.environ.setdefault("NUMBA_CACHE_DIR", str(Path(sys.argv[1]).resolve() / "numba"))

installed.compile_when_called()

import numpy as np  # noqa: E402
import qnm  # noqa: E402
import quaternionic  # noqa: E402
import spherical  # noqa: E402
from tendex.physics import kerr  # noqa: E402
from tendex.physics.harmonics import harmonic  # noqa: E402
from tendex.waves.signal import frame  # noqa: E402

L_MAX = 8


def modes():
    return [(l, m) for l in range(2, L_MAX + 1) for m in range(-l, l + 1)]


class Spherical(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        random = np.random.default_rng(1)
        cls.q = random.standard_normal((20, 4))
        cls.q /= np.linalg.norm(cls.q, axis=1)[:, None]
        cls.wigner = spherical.Wigner(L_MAX)

    def test_harmonics(self):
        theta, phi = np.meshgrid([0.0, 1e-3, 0.7, np.pi / 2, 2.9, np.pi], [0.0, 1.1, -2.5])
        there = self.wigner.sYlm(-2, quaternionic.array.from_spherical_coordinates(theta, phi))
        for l, m in modes():
            with self.subTest(l=l, m=m):
                np.testing.assert_allclose(harmonic(l, m, theta, phi), there[..., self.wigner.Yindex(l, m)], rtol=0, atol=1e-13)

    def test_rotations(self):
        """Their D is the complex conjugate of ours."""
        there = self.wigner.D(quaternionic.array(self.q))
        for l in range(2, L_MAX + 1):
            here = frame.wigner(l, self.q)
            for m in range(-l, l + 1):
                column = [there[..., self.wigner.Dindex(l, k, m)] for k in range(-l, l + 1)]
                np.testing.assert_allclose(here[..., :, l + m], np.conj(column).T, rtol=0, atol=1e-12, err_msg=f"{l} {m}")


class Kerr(unittest.TestCase):
    def test_frequencies(self):
        for l, m in ((2, 2), (2, 1), (3, 2), (4, 4)):
            known = qnm.modes_cache(s=-2, l=l, m=m, n=0)
            for chi in (0.0, 0.3, 0.69, 0.9):
                with self.subTest(l=l, m=m, chi=chi):
                    self.assertLess(abs(kerr.quasinormal(l, m, chi) - known(a=chi)[0]), 1e-8)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
