"""What `tendex check` says of how holes move: bound or not, and when they merge.

    test_check_motion.py TENDEX"""

import math
import re
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from check_test import CheckTest  # noqa: E402

TENDEX = sys.argv[1]

# A grid that is made at once. Notes on it do not count here.
GRID = """run:
  t_end: {end}
grid:
  extent: {extent}
  level_min: 1
  level_max: 3
  bh_radius: {radius}
waves:
  radii: [{sphere}]
gauge:
  eta: {eta}
initial_data:
  masses: adm
"""
SUM = 1.0


def holes(*given, scale=1.0, kind="two_punctures", end=5.0):
    """A parameter file; given: (mass, position, momentum[, spin]) in units of the total mass, which is `scale`."""
    text = GRID.format(end=end * scale, extent=96 * scale, radius=2 * scale, sphere=60 * scale, eta=1 / scale)
    text += f"  type: {kind}\n" + ("  resolution: 16\n" if kind == "two_punctures" else "")
    for a, (mass, *vectors) in enumerate(given, 1):
        text += f"  bh{a}_mass: {mass * scale!r}\n"
        for name, vector, power in zip(("position", "momentum", "spin"), vectors, (1, 1, 2)):
            text += f"  bh{a}_{name}: [{', '.join(repr(x * scale**power) for x in vector)}]\n"
    return text


def pair(distance, outwards=0.0, across=0.0, q=1.0, spins=((0, 0, 0), (0, 0, 0)), order=(0, 1, 2), boost=0.0, **more):
    """Two holes on an axis with the momenta `outwards` and `across`; `order` permutes the axes; `boost`: velocity of both."""
    masses = (q / (1 + q), 1 / (1 + q))
    turned = lambda vector: tuple(vector[i] for i in order)
    given = []
    for sign, mass, other, spin in zip((1, -1), masses, masses[::-1], spins):
        momentum = (sign * outwards, sign * across, mass * boost)
        given.append((mass, turned((sign * distance * other, 0, 0)), turned(momentum), turned([s * mass**2 for s in spin])))
    return holes(*given, **more)


class Motion(CheckTest):
    program, default = TENDEX, "holes.yaml"

    def said_of(self, text, *settings):
        (self.folder / "holes.yaml").write_text(text)
        return self.check(*settings)

    def motion(self, text, *settings):
        return re.search(r"^  motion +(.*)$", self.said_of(text, *settings), re.M)[1]

    def merger(self, text):
        return float(re.search(r": merger at about t = (\S+) M", self.motion(text))[1])

    def never(self, text):
        """Nothing tells of a merger, and nothing of an orbit."""
        said = self.said_of(text)
        for word in ("merger at about", "too early to see the merger", "first orbit", "of waves.radii is too few"):
            self.assertNotIn(word, said)
        return self.motion(text)

    def test_not_bound(self):
        self.assertRegex(self.never(pair(20, across=0.1)), r"^not bound, the holes pass each other at t = 0 M, 20 M apart: no merger$")
        self.assertRegex(self.never(pair(20, across=0.4)), r"^not bound, the holes pass each other at t = 0 M, 20 M apart: no merger$")
        self.assertRegex(self.never(pair(20, outwards=-0.1, across=0.12)),
                         r"^not bound, the holes pass each other at t = \d\d\.?\d* M, 1\d\.?\d* M apart: no merger$")
        for apart in (dict(outwards=0.2), dict(outwards=0.1, across=0.05), dict(outwards=0.1, q=3.0),
                      dict(outwards=0.2, spins=((0, 0.3, 0.2), (0, 0, 0.4)))):
            self.assertEqual(self.never(pair(20, **apart)), "not bound, the holes move apart: no merger")

    def test_waves_may_bind(self):
        """Energies of the order of what waves take at the periastron."""
        self.assertRegex(self.never(pair(30, outwards=-0.0615, across=0.0345)), r": no merger, unless waves take enough energy to bind them$")

    def test_head_on(self):
        """Times of evolutions: docs/numerics.md."""
        self.assertRegex(self.motion(pair(20)), "^a head-on collision from rest: merger at about t = 1[12]")
        inwards = self.motion(pair(9.711, outwards=-0.0971))
        self.assertRegex(inwards, "^a head-on collision: merger at about")
        self.assertRegex(self.motion(pair(20, outwards=-0.2)), "^a head-on collision, not bound: merger at about t = 3.")
        self.assertRegex(self.motion(pair(20, outwards=0.05)),
                         r"^a head-on collision; the holes move apart first, to 3\d.* M at t = 1\d\d M: merger at about t = 3\d\d M$")
        self.assertAlmostEqual(self.merger(pair(9.711, outwards=-0.0971)) / (25.8 / 1.02976), 1, delta=0.04)

    def test_between_the_kinds(self):
        self.assertRegex(self.motion(pair(20, across=0.03)), "^a plunge, with too little angular momentum for an orbit: merger at about")
        self.assertRegex(self.motion(pair(20, outwards=-0.1, across=0.03)), "^a plunge, not bound, with too .* to pass each other: merger")
        self.assertRegex(self.motion(pair(10, across=0.0962578)), r"^a bound orbit, nearly circular: merger at about t = 9\d\d M, after 6.1 orbits$")
        apart = self.motion(pair(20, outwards=0.02, across=0.0559))
        self.assertRegex(apart, r"^a bound orbit of eccentricity 0\.\d+, from 10\.\d M to 2\d\.\d M, the first periastron at t = 48\d M: "
                                "the merger is not estimated$")
        self.assertRegex(self.said_of(pair(20, outwards=0.02, across=0.0559)),
                         r"note: run.t_end 5 M is before the holes are closest to each other, at about t = 48\d M: give")

    def test_frame(self):
        """The same in any direction, with the holes exchanged, and when both move along."""
        for how in (dict(), dict(outwards=-0.05, across=0.02), dict(across=0.0595)):
            wanted = self.motion(pair(18, **how))
            for order in ((1, 2, 0), (2, 0, 1)):
                self.assertEqual(self.motion(pair(18, order=order, **how)), wanted)
            self.assertEqual(self.motion(pair(-18, outwards=-how.get("outwards", 0), across=-how.get("across", 0))), wanted)
        for how in (dict(outwards=-0.05), dict(across=0.03)):
            still = self.merger(pair(18, **how))
            self.assertAlmostEqual(self.merger(pair(18, boost=0.05, **how)) / still, 1, delta=0.03)

    def test_spins(self):
        """They matter little in head-on collisions, and spin alone makes no orbit."""
        spins = ((0.0, 0.5, 0.3), (0.0, -0.2, 0.6))
        self.assertAlmostEqual(self.merger(pair(15, spins=spins)) / self.merger(pair(15)), 1, delta=0.03)
        said = self.said_of(pair(15, spins=spins), "waves.radii=[21]")
        self.assertNotIn("first orbit", said)
        self.assertNotIn("too few for extrapolation", said)
        along, against = (self.merger(pair(10, across=0.0955, spins=((0, 0, s), (0, 0, s)))) for s in (0.4, -0.1))
        self.assertGreater(along, 1.2 * against)

    def test_binding_energy(self):
        """That of post-Newtonian theory is the ADM energy less the masses of the punctures, which are given here."""
        for how in (dict(), dict(across=0.1), dict(across=0.06), dict(outwards=0.1, q=2.0), dict(outwards=-0.06, across=0.05)):
            said = self.said_of(pair(20, **how))
            ours = float(re.search(r"post-Newtonian binding energy (\S+) M", said)[1])
            exact = float(re.search(r"ADM energy (\S+) M", said)[1]) - SUM
            kinetic = (how.get("across", 0)**2 + how.get("outwards", 0)**2) * (1 + how.get("q", 1))**2 / how.get("q", 1) / 2
            self.assertAlmostEqual(ours, exact, delta=0.03 * (kinetic + abs(exact)))

    def test_total_mass(self):
        """Lengths, times and energies go as the total mass, and what is advised."""
        number = r"(?<![\w.])-?\d[\d.]*(?:e[+-]?\d+)?"
        for how in (dict(), dict(across=0.1), dict(across=0.0559), dict(outwards=0.05, across=0.001), dict(across=0.0607)):
            once, four = (self.said_of(pair(20, scale=scale, **how)) for scale in (1.0, 4.0))
            lines = [[line for line in said.splitlines() if re.search("  motion|merger|closest", line)] for said in (once, four)]
            self.assertEqual(len(lines[0]), len(lines[1]))
            for a, b in zip(*lines):
                self.assertEqual(re.sub(number, "#", a), re.sub(number, "#", b))
                for x, y in zip(re.findall(number + "(?= M)", a), re.findall(number + "(?= M)", b)):
                    self.assertTrue(float(y) == 4 * float(x) or abs(float(y) / float(x) / 4 - 1) < 0.02, (a, b))

    def test_several_holes(self):
        three = [(0.3, (6 * math.cos(w), 6 * math.sin(w), 0)) for w in (0.1, 2.2, 4.3)]
        self.assertRegex(self.motion(holes(*three, kind="punctures")),
                         r"^3 holes at rest, bound: ADM energy minus their ADM masses -0\.0\d+ M; mergers are not estimated$")
        fast = [(m, x, tuple(0.2 * c / 6 for c in x)) for m, x in three]
        self.assertRegex(self.motion(holes(*fast, kind="punctures")), r"^3 holes, not bound as a whole: .* M; mergers are not estimated$")
        self.assertNotIn("  motion", self.said_of(holes((1.0,), kind="single_puncture").replace("  masses: adm\n", "")))

    def test_cost(self):
        """Holes that never merge leave no remnant, whose grid would be cheaper."""
        def cost(end):
            said = self.said_of(pair(20, outwards=0.2, end=end), "grid.regrid_every=32", "grid.remnant_level=2")
            return float(re.search(r"steps, (\S+) point-stages", said)[1])

        self.assertAlmostEqual(cost(800) / cost(400), 2, delta=0.02)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
