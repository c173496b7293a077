"""The ringdown in the remnant's table: of waves that turn either way, and of one that does not turn."""

import contextlib
import io
import json
import sys
import tempfile
import unittest
from pathlib import Path

import h5py
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
import synthetic  # noqa: E402
from tendex.waves.commands import cli  # noqa: E402

# M w of the slowest modes (l, m) of a hole without spin, and with a/m = 0.6238 (Leaver 1985).
SCHWARZSCHILD, SPIN, KERR = 0.3736717 - 0.0889623j, 0.6238, 0.502282 - 0.083183j
MASS = 0.96


class Ringing:
    """One mode (l, m) that rises until u = 30 and then rings with omega, also its mirror image (l, -m) if m is not 0;
    where m = 0 it is real."""

    peak = 30.0

    def __init__(self, l, m, omega):
        self.shape, self.omega = (l, m), omega

    def psi4(self, u, l, m):
        if (l, abs(m)) != self.shape:
            return 0j * u
        x = u - self.peak
        size = 0.05 * np.exp(-((np.minimum(x, 0) / 4) ** 2) + self.omega.imag * np.maximum(x, 0))
        y = size * np.exp(-1j * self.omega.real * x)
        return y.real + 0j if m == 0 else y if m > 0 else np.conj(y)

    def news(self, u, l, m):
        return 0j * u

    strain = news

    def orbit(self, u):
        """Once round until the peak, in the sense of the wave."""
        rate = np.copysign(2 * np.pi / self.peak, self.omega.real)
        return rate * u, rate + 0 * u, 0 * u


class Rings(unittest.TestCase):
    def shown(self, wave, spin):
        """(what is printed, the results) of `tendex-waves remnant'."""
        with tempfile.TemporaryDirectory() as top:
            folder = synthetic.write_run(Path(top) / "pair", wave, radii=(40.0, 50.0), t_end=160.0, l_max=2,
                                         common=25.0, remnant=(MASS, spin))
            with h5py.File(folder / "waves" / "mp_psi4.h5") as h:
                self.assertEqual(len(h), 10)
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                self.assertEqual(cli.main(["remnant", str(folder), "--json", f"{top}/found.json"]), 0)
            return out.getvalue(), json.loads(Path(top, "found.json").read_text())

    def test_either_sense_gives_the_same(self):
        for sense in (1, -1):
            with self.subTest(sense=sense):
                omega = complex(sense * KERR.real, KERR.imag) / MASS
                text, found = self.shown(Ringing(2, 2, omega), sense * SPIN)
                self.assertEqual(found["mode"], [2, 2])
                for r in ("40.00", "50.00"):
                    ring = found["ringdown"][r]
                    self.assertAlmostEqual(complex(*ring["omega"]), omega, places=5)
                    self.assertAlmostEqual(complex(*ring["exact"]), KERR / MASS, places=5)
                    self.assertLess(np.abs(ring["off_percent"]).max(), 0.01)
                    self.assertLess(max(ring["off_percent_error"]), 0.01)
                    self.assertAlmostEqual(ring["mass"][0], MASS, places=4)
                    self.assertAlmostEqual(ring["chi"][0], sense * SPIN, places=4)
                self.assertRegex(text, r"Ringdown of psi4 \(2,2\) about the hole's axis, and the Kerr hole")
                self.assertRegex(text, r"r = 40\.00 M +omega = 0\.5232\d \[0\.5232\d, 0\.5232\d\] - 0\.0866\d "
                                       r"\[0\.0866\d, 0\.0866\d\] i /M, [+-]0\.00 \+- 0\.0\d and [+-]0\.00 \+- 0\.0\d % off\n"
                                       r" +mass 0\.9600 .*\n +modes 2,2,0; 2,2,1.*; windows from \d+ to \d+ M after the peak on\n")
                self.assertRegex(text, r"exact +omega = 0\.52321 - 0\.08665 i /M")

    def test_a_mode_that_does_not_turn(self):
        text, found = self.shown(Ringing(2, 0, SCHWARZSCHILD / MASS), 0.0)
        self.assertEqual(found["mode"], [2, 0])
        for r in ("40.00", "50.00"):
            ring = found["ringdown"][r]
            self.assertAlmostEqual(complex(*ring["omega"]), SCHWARZSCHILD / MASS, places=5)
            self.assertAlmostEqual(complex(*ring["exact"]), SCHWARZSCHILD / MASS, places=6)
            self.assertNotIn("chi", ring)
        self.assertIn("Ringdown of psi4 (2,0) about the hole's axis  [", text)
        self.assertRegex(text, r"r = 50\.00 M +omega = 0\.3892\d .* - 0\.0926\d .* i /M, "
                               r"[+-]0\.00 \+- 0\.0\d and [+-]0\.00 \+- 0\.0\d % off\n +modes 2,0,0; 2,0,1")


if __name__ == "__main__":
    unittest.main()
