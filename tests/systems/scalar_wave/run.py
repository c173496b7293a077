"""A system without gravity from a parameter file, as a user runs it: convergence to the exact solution across a refinement boundary
with local time steps, a restart and three ranks with the same bits, and refusals of what it has not.

    run.py TENDEX FILE MPIRUN..."""

import math
import re
import subprocess
import sys
import unittest
from pathlib import Path

import h5py
import numpy as np

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import package  # noqa: E402

WIDTH = 2.0
# A grid that follows the wave, before and after the restart.
REGRIDS = ["grid.trees=1", "grid.ball_radius=0", "grid.level_max=3", "grid.wavelet_tol=3e-4", "grid.regrid_every=4", "output.slices_every=4",
           "output.fields_every=8", "output.variables=all energy flux_x", "output.norms=u flux_y", "output.norms_every=4"]
REFUSED = [
    ("waves.radii=10", "the system scalar_wave has no Psi4; remove it"),
    ("waves.worldtubes=10", "the system scalar_wave has no metric; remove it"),
    ("grid.psi4_tol=1", "the system scalar_wave has no Psi4; remove it"),
    ("horizons.every=8", "the system scalar_wave has no metric; remove it"),
    ("output.norms_every=8", "it is used only if the system of equations has constraints or output.norms is not empty; remove it"),
    ("output.norms=psi", "output.norms: 'psi' is not a variable; give some of u v, or all; or analysis quantities, of energy flux_x flux_y flux_z"),
    ("output.lapse_gradient_every=8", "the system scalar_wave has no lapse; remove it"),
    ("output.slices_psi4=true", "the system scalar_wave has no Psi4; remove it"),
    ("gauge.eta=1", "the system scalar_wave has no gauge; remove it"),
    ("evolution.dissipation_by_W=true", "the system scalar_wave has no chi; remove it"),
    ("evolution.alpha_floor=0.1", "the system scalar_wave has no lapse; remove it"),
    ("evolution.cfl=0.7", "0.7 is unstable"),
    ("initial_data.profile=gauss", '"gauss" is no profile of the system scalar_wave; give gaussian (a Gaussian at rest)'),
    ("initial_data.type=brill_lindquist", "the system scalar_wave does not have the variables of these data; give profile, and as "
                                          "initial_data.profile gaussian (a Gaussian at rest)"),
    ("scalar_wave.centre=1", "grid.reflect: x: the profile gaussian does not have this symmetry: u = "),
    ("output.variables=chi", "'chi' is not a variable; give some of u v, or all; or analysis"),
]


def exact(r, t):
    """u of the Gaussian exp(-r^2/w^2) at rest."""
    def f(s):
        return s * np.exp(-(s / WIDTH)**2)

    at_centre = (1 - 2 * (t / WIDTH)**2) * math.exp(-(t / WIDTH)**2)
    there = np.where(r > 0, r, 1)
    return np.where(r > 0, (f(there - t) + f(there + t)) / (2 * there), at_centre)


def slope(r, t):
    """d_r u."""
    h = 1e-4
    return (exact(r + h, t) - exact(np.abs(r - h), t)) / (2 * h)


class ScalarWave(package.Package):
    def test_memory_is_foreseen(self):
        """Of fewer variables than analysis quantities, which slices and whole fields take."""
        for every, ranks, steps in (("slices", 1, "levels"), ("fields", 3, "global"), ("fields", 1, "levels")):
            settings = ["grid.trees=4", "run.max_steps=2", f"output.{every}_every=2", "output.variables=energy flux_x flux_y flux_z",
                        f"evolution.time_steps={steps}"]
            start = [*self.mpirun, "-n", str(ranks)] if ranks > 1 else []
            held = self.run_with(f"{every}{ranks}", *settings, "checkpoint.at_end=false", start=start)["memory_bytes"]
            words = [word for s in settings for word in ("--set", s)]
            text = subprocess.run([self.program, "check", self.file, "-n", str(ranks), "--speed", "1e6", *words], capture_output=True, text=True,
                                  check=True).stdout
            value, unit = re.search(r"memory .*, (\S+) (\S+) in all", text).groups()
            said = float(value) * {"KiB": 2**10, "MiB": 2**20}[unit]
            print(f"{every}, {ranks} ranks: {said / held:.3f} of {held:.3g} bytes", flush=True)
            self.assertAlmostEqual(said / held, 1, delta=0.04)

    def errors(self, name):
        """The largest error of u in the last slice z = 0, on each level."""
        with h5py.File(sorted((self.folder / name / "fields").glob("slices.*.h5"))[-1]) as file:
            t, z = file.attrs["time"], file["z"]
            r = np.linalg.norm(z["points"][:], axis=1).reshape(z["u"].shape)
            error = np.abs(z["u"][:] - exact(r, t)).max(axis=(1, 2))
            level = z["level"][:]
        return t, [error[level == which].max() for which in np.unique(level)]

    def test_converges(self):
        found = {}
        for trees in (2, 3):
            summary = self.run_with(f"n{trees}", f"grid.trees={trees}", "run.t_end=4", "checkpoint.at_end=false")
            t, found[trees] = self.errors(f"n{trees}")
            self.assertAlmostEqual(t, 4, 12)
            self.assertEqual(len(found[trees]), 2, "two levels")
            self.assertTrue(summary["complete"])
        print("errors", found, flush=True)
        self.assertLess(max(found[2]), 2e-5)
        for coarse, fine in zip(found[2], found[3]):
            order = math.log(coarse / fine) / math.log(1.5)
            print(f"order {order:.2f}", flush=True)
            self.assertTrue(4.4 < order < 5.8, order)

    def test_analysis_quantities(self):
        self.run_with("q", "run.t_end=2.25", "output.variables=energy flux_x u v", "output.norms=energy v", "output.norms_every=8")
        with h5py.File(sorted((self.folder / "q" / "fields").glob("slices.*.h5"))[-1]) as file:
            t, z = file.attrs["time"], file["z"]
            x = z["points"][:].reshape(*z["u"].shape, 3)
            r = np.linalg.norm(x, axis=-1)
            self.assertEqual({"u", "v", "energy", "flux_x"}, set(z) - {"points", "cells", "origin", "spacing", "level"})
            v, energy, flux = z["v"][:], z["energy"][:], z["flux_x"][:]
        d_r = slope(r, t)
        self.assertLess(np.abs(energy - (v**2 + d_r**2) / 2).max(), 2e-3 * energy.max())
        self.assertLess(np.abs(flux + v * d_r * x[..., 0] / np.where(r > 0, r, 1)).max(), 4e-3 * np.abs(flux).max())
        self.assertEqual(np.abs(flux[x[..., 0] == 0]).max(), 0, "on the mirror")
        rows = np.loadtxt(self.folder / "q" / "norms.asc")
        self.assertEqual(rows.shape[1], 2 + 4)
        np.testing.assert_array_equal(rows[:, (0, 1, 3)], np.loadtxt(self.folder / "q" / "energy.norm2.asc"))
        np.testing.assert_array_equal(rows[:, (0, 1, 4)], np.loadtxt(self.folder / "q" / "v.norm_inf.asc"))
        self.assertGreaterEqual(rows[-1, 5], energy.max())

    def test_restarts_and_ranks_are_bitwise(self):
        whole = self.run_with("whole", *REGRIDS, "run.t_end=3")
        self.assertGreater(whole["regrids"], 1)
        ranks = self.run_with("ranks", *REGRIDS, "run.t_end=3", start=[*self.mpirun, "-n", "3"])
        self.assertEqual(ranks["field_checksum"], whole["field_checksum"])
        self.run_with("cut", *REGRIDS, "run.t_end=1.5")
        again = self.finished("cut", [self.program, "run", "--restart", self.folder / "cut", "--set", "run.t_end=3"])
        self.assertEqual(again["field_checksum"], whole["field_checksum"])
        for other in ("ranks", "cut"):
            for name in ("norms.asc", "u.norm2.asc", "flux_y.norm_inf.asc"):
                one, two = (np.loadtxt(self.folder / run / name) for run in ("whole", other))
                np.testing.assert_array_equal(np.delete(one, 1, axis=1), np.delete(two, 1, axis=1), name)
                np.testing.assert_allclose(one[:, 1], two[:, 1], atol=1e-14)
            for file in sorted((self.folder / "whole" / "fields").glob("*.h5")):
                with h5py.File(file) as a, h5py.File(self.folder / other / "fields" / file.name) as b:
                    paths = []
                    a.visit(paths.append)
                    for path in (p for p in paths if isinstance(a[p], h5py.Dataset)):
                        np.testing.assert_array_equal(a[path][()], b[path][()], f"{other} {file.name} {path}")

    def test_refuses_what_it_has_not(self):
        for setting, words in REFUSED:
            with self.subTest(setting):
                more = ["--set", "output.slices_every=1"] if setting.startswith("output.variables") else []
                ran = subprocess.run([self.program, "run", self.file, "--set", f"run.folder={self.folder / 'no'}", "--set", setting, *more],
                                     capture_output=True, text=True)
                self.assertNotEqual(ran.returncode, 0)
                self.assertIn(words, ran.stderr)


if __name__ == "__main__":
    package.main()
