#!/usr/bin/env python3
"""Retarded times and the turning of waves on their way out, beside integrals and radial equations solved in other ways."""

import math
import sys
import unittest
from pathlib import Path
from unittest.mock import patch

import numpy as np
from scipy.integrate import solve_ivp

HERE = Path(__file__).resolve()
sys.path[:0] = [str(HERE.parents[2] / "tools"), str(HERE.parent)]

from tendex.waves.extraction import clock, dragging, rotation  # noqa: E402
from tendex.waves.reading.run import Run  # noqa: E402
from tendex.waves.signal import frame  # noqa: E402
from tendex.waves.signal.infinity import retarded  # noqa: E402
import synthetic  # noqa: E402
from scratch import Scratch  # noqa: E402

E, T = 0.98, np.arange(0.0, 600.0, 0.5)


def gone(u):
    """4% of the mass within 20 M, as in a merger."""
    return 0.02 * (1 + np.tanh((u - 300.0) / 10.0))


def falls(t, areal):
    return 1.3 / areal**2


class Clock(Scratch):
    def test_mass_that_has_left(self):
        """Beside the slice in Vaidya's metric, to second order of what has left."""
        for areal in (25.0, 45.0, 100.0):
            exact = synthetic.along_the_slice(T, areal + 0 * T, E, synthetic.at_rest, gone)
            plain = T - synthetic.tortoise(areal, E)
            found = plain - clock.behind(T, gone(exact), areal, E)
            self.assertLess(np.abs(found - exact).max(), 6e-3, areal)
            self.assertGreater(np.abs(plain - exact).max(), 0.05, areal)

    def test_observers_that_fall_in(self):
        """k of the innermost sphere, on all: beside the integral along the slice."""
        run = Run(synthetic.write_run(self.scratch / "falls", synthetic.Chirp(amplitudes={(2, 2): 1e-3}), radii=(25.0, 45.0, 75.0), l_max=2, dt=0.5,
                                      energy=E, infall=falls))
        for sphere in run.spheres():
            areal = run.areal(sphere.radius)[1]
            later = clock.later(run, sphere, np.full(len(sphere.t), E))
            exact = synthetic.along_the_slice(sphere.t, areal, E, falls)
            found = retarded(sphere, E, (sphere.t, areal), later).t
            self.assertLess(np.abs(found - exact).max(), 2e-4)
            self.assertGreater(np.abs(found - later - exact).min(), 1.3 / 80)


class Rotation(Scratch):
    def test_waves_that_angular_momentum_drags_along(self):
        """Beside d^2 h/dr_*^2 + (w^2 - 4 J m w/R^3 - F (l(l+1)/R^2 - 6 M/R^3)) h = 0, axial waves of a hole that turns slowly, the leading part
        of what J adds: observers at R see the frequency w - 2 m J/R^3."""
        mass, w, l, m, J = 1.0, 0.6, 2, 2, 0.02

        def outgoing(J, areal, far=4000.0):
            """h at R of waves that are exp(i w r_*) far out: over the wave number's root, and with what follows of it there."""
            def slopes(R, y):
                F = 1 - 2 * mass / R
                square = w**2 - 4 * J * m * w / R**3 - F * (l * (l + 1) / R**2 - 6 * mass / R**3)
                return [y[1] / F, -square * y[0] / F]
            # psi = 1 + i l(l+1)/(2 w R): what comes next falls as 1/R^2.
            first = 1 + 0.5j * l * (l + 1) / (w * far)
            start = [first, 1j * w * first - 0.5j * l * (l + 1) / (w * far**2)]
            made = solve_ivp(slopes, (far, areal), np.array(start, complex), rtol=1e-11, atol=1e-13, method="DOP853")
            return made.y[0, -1]
        for areal in (30.0, 60.0):
            ratio = outgoing(J, areal) / outgoing(0.0, areal)
            seen = ratio * (1 - 2 * m * J / (w * areal**3)) ** 2
            self.assertAlmostEqual(np.angle(ratio) * areal**2 / (m * J), 1, delta=0.2)
            self.assertAlmostEqual((1 - abs(seen)) * w * areal**3 / (m * J), 3, delta=0.3)

    def test_it_is_undone_about_any_axis(self):
        """As a wave that turns about z, turned over: about x."""
        wave = synthetic.Chirp(amplitudes={(2, 2): 0.3, (2, 1): 0.1})
        run = Run(synthetic.write_run(self.scratch / "z", wave, radii=(25.0,), l_max=3, dt=0.5, energy=E))
        sphere = run.spheres()[0]
        inside = dragging.inside(run, sphere)
        self.assertGreater(inside[:, 2].min(), 0.5)
        here = rotation.undone(run, sphere, 0.02)
        change = np.abs(here.mode(2, 2) - sphere.mode(2, 2)).max() / np.abs(sphere.mode(2, 2)).max()
        self.assertGreater(change, 1e-3)
        half = frame.about([0.0, 1.0, 0.0], math.pi / 2)
        over = frame.turned(sphere, frame.inverse(half))
        tilted = np.column_stack([inside[:, 2], 0 * inside[:, 0], 0 * inside[:, 0]])
        with patch.object(dragging, "inside", lambda run, psi4: tilted):
            there = frame.turned(rotation.undone(run, over, 0.02), half)
        for lm in ((2, 2), (2, -1), (3, 3)):
            np.testing.assert_allclose(there.mode(*lm), here.mode(*lm), atol=1e-2 * change * np.abs(here.mode(2, 2)).max())

    def test_data_that_do_not_say_it(self):
        run = Run(synthetic.write_run(self.scratch / "z", radii=(50.0,), l_max=2, dt=0.5))
        with patch.object(Run, "adm_angular_momentum_said", None):
            sphere = run.spheres()[0]
            self.assertIs(rotation.undone(run, sphere, 0.02), sphere)


if __name__ == "__main__":
    unittest.main()
