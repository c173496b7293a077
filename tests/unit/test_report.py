"""The report on run folders made up from known ringdowns."""

import contextlib
import io
import json
import os
import sys
import tempfile
import unittest
from pathlib import Path

import h5py
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
import report  # noqa: E402
from tendex import radiation  # noqa: E402

OMEGA = 0.36 - 0.09j
RADII = (20.0, 30.0)
CHI = 0.6238
KERR = 0.502282 - 0.083183j  # of l = m = 2 for that spin


def write_modes(folder, modes):
    """Modes {(l, m): (w, amplitude of r psi4, complex or not)} that ring from t - r_* = 15 M on."""
    t = np.arange(0.0, 110.0, 0.25)
    with h5py.File(folder / "waves" / "mp_psi4.h5", "w") as h:
        for r in RADII:
            u = t - radiation.retardation(r + 1, 1.0) - 15
            rise = np.exp(-((np.minimum(u, 0) / 4) ** 2))
            for (l, m), (omega, amplitude, turns) in modes.items():
                y = amplitude / r * rise * np.exp(-1j * (omega.real * u + 1j * omega.imag * np.maximum(u, 0)))
                h.create_dataset(f"l{l}_m{m}_r{r:.2f}", data=np.column_stack([t, y.real, turns * y.imag]))


def write_tracks(folder, t, x):
    """x[2][n][3]"""
    rows = np.zeros((len(t), 52))
    rows[:, 8] = rows[:, 12] = rows[:, 13] = t
    for puncture in range(2):
        rows[:, [22 + puncture, 32 + puncture, 42 + puncture]] = x[puncture]
    np.savetxt(folder / "puncturetracker-pt_loc..asc", rows)


def make_run(folder):
    """A head-on collision along z."""
    (folder / "waves").mkdir(parents=True)
    write_modes(folder, {(2, 0): (OMEGA, 1e-3, False), (2, 2): (OMEGA, 1e-8, True)})
    np.savetxt(folder / "energy.asc", [[440, 110, 0, 1e-6, 0, 2e-6]],
               header="1:iteration 2:time 3:dE/dt_r20.00 4:E_r20.00 5:dE/dt_r30.00 6:E_r30.00")
    z = np.array([1, 0.5, 0.1])
    write_tracks(folder, [0, 1, 2], [np.outer(sign * z, [0, 0, 1]) for sign in (1, -1)])
    summary = {"adm_energy": 1.0, "m_per_hour": 100.0, "steps": 7}
    (folder / "summary.json").write_text(json.dumps(summary))


def make_orbit(folder, sense=1):
    """Two holes that turn 0.75 times, counter-clockwise for sense = 1, until their common horizon at t = 30 M;
    the one that is left has the mass 0.96 and the spin CHI."""
    make_run(folder)
    omega = KERR / 0.96
    write_modes(folder, {(2, 0): (OMEGA, 2e-2, False),
                         (2, 2): (complex(sense * omega.real, omega.imag), 0.08, True),
                         (3, 3): (OMEGA, 0.1, True)})
    t = np.arange(0, 60, 0.5)
    angle, reach = sense * 2 * np.pi * 0.75 * t / 30, np.maximum(3 - t / 15, 0.1)
    x = np.column_stack([reach * np.cos(angle), reach * np.sin(angle), 0 * t])
    write_tracks(folder, t, [x, -x])
    rows = [[0, 0, 1, 1, 3, 0, 0, 0.5], [0, 0, 2, 1, -3, 0, 0, 0.5], [8, 2, 1, 1, 2, 2, 0, 0.4],
            [9, 20, 3, 0, 0, 0, 0, 9], [10, 30, 3, 1, 0, 0, 0, 0.7], [11, 60, 3, 1, 0, 0, 0, 0.9]]
    np.savetxt(folder / "horizons.asc", rows, header="1:iteration 2:time 3:horizon 4:found 5:centroid_x "
               "6:centroid_y 7:centroid_z 8:radius_mean")
    np.savetxt(folder / "energy.asc", [[440, 110, 0, 0.031, 0, 0.03, 0, sense * 0.14]],
               header="1:iteration 2:time 3:dE/dt_r20.00 4:E_r20.00 5:dE/dt_r30.00 6:E_r30.00 "
               "7:dJz/dt_r30.00 8:Jz_r30.00")
    (folder / "TwoPunctures.bbh").write_text("[metadata]\ninitial-ADM-energy = 1\n"
                                             f"initial-ADM-angular-momentumz = {sense * 0.7}\n")
    summary = json.loads((folder / "summary.json").read_text())
    summary["horizons"] = {"common": {"first_seen": 30, "last_seen": 60, "mass": 0.96, "chi": CHI,
                                      "spin": [0, 0, sense * 0.575]}}
    (folder / "summary.json").write_text(json.dumps(summary))


def run_report(folder):
    out, err = io.StringIO(), io.StringIO()
    argv, sys.argv = sys.argv, ["report.py", str(folder)]
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            status = report.main()
    finally:
        sys.argv = argv
    return status, out.getvalue(), err.getvalue()


class Made(unittest.TestCase):
    """A folder in a temporary one."""

    def make(self, maker, name, **how):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name) / name
        maker(self.folder, **how)

    def reported(self):
        status, out, err = run_report(self.folder)
        self.assertEqual((status, err), (0, ""))
        return json.loads((self.folder / "summary.json").read_text()), out


class HeadOn(Made):
    def setUp(self):
        self.make(make_run, "head_on")

    def test_results_and_table(self):
        for _ in range(2):  # a second report changes nothing
            s, out = self.reported()
            self.assertEqual(s["steps"], 7)
            self.assertAlmostEqual(s["final_mass"], 1 - s["energy_radiated"])
            self.assertAlmostEqual(s["qnm_re"], OMEGA.real * s["final_mass"], places=5)
            self.assertAlmostEqual(s["qnm_im"], OMEGA.imag * s["final_mass"], places=5)
            self.assertLess(s["qnm_window"][0], s["qnm_window"][1])
            self.assertEqual(list(s["qnm_fit"]), ["20.00", "30.00"])
            self.assertRegex(out, r"frequency Re M w +0\.3600\d .* 0\.37367 +-3\.6")
            self.assertIn("own sum 2.000e-06 M", out)
            self.assertIn(str(self.folder / "summary.json"), out)
            self.assertEqual(s["ringdown_mode"], [2, 0])
            self.assertAlmostEqual(complex(*s["ringdown_exact"]), 0.3736717 - 0.0889623j, places=7)
            for binary in ("orbits", "horizon", "J_z", "a/m"):
                self.assertNotIn(binary, out)

    def fails(self, message):
        status, _, err = run_report(self.folder)
        self.assertEqual(status, 1)
        self.assertRegex(err, message)
        self.assertEqual(err.count("\n"), 1)

    def test_run_that_did_not_finish(self):
        (self.folder / "summary.json").unlink()
        self.fails(r"summary\.json: missing; did the run finish")

    def test_no_waves(self):
        (self.folder / "waves" / "mp_psi4.h5").unlink()
        self.fails(r"mp_psi4\.h5: missing; were waves\.radii set")

    def test_a_wave_that_is_not_finite(self):
        with h5py.File(self.folder / "waves" / "mp_psi4.h5", "a") as h:
            h["l2_m0_r20.00"][3, 1] = np.nan
        self.fails(r"l2_m0_r20\.00: values that are not finite")

    def test_too_short(self):
        with h5py.File(self.folder / "waves" / "mp_psi4.h5", "a") as h:
            for name in list(h):
                rows = h[name][:250]
                del h[name]
                h[name] = rows
        self.fails("the signal ends at t = 62.25")

    def test_no_folder(self):
        status, _, err = run_report(self.folder / "nothing")
        self.assertEqual(status, 1)
        self.assertIn("no such run folder", err)


class Orbit(Made):
    def test_either_sense_gives_the_same_ringdown(self):
        for sense in (1, -1):
            with self.subTest(sense=sense):
                self.make(make_orbit, "pair", sense=sense)
                s, out = self.reported()
                self.assertEqual(s["ringdown_mode"], [2, 2])
                self.assertAlmostEqual(complex(*s["ringdown_exact"]), KERR, places=6)
                self.assertAlmostEqual(complex(s["qnm_re"], s["qnm_im"]), KERR, places=5)
                self.assertAlmostEqual(s["qnm_fit"]["30.00"]["re"], KERR.real, places=5)
                self.assertEqual(s["final_mass"], 0.96)
                self.assertIn("ringdown, l = 2, m = 2", out)
                self.assertRegex(out, r"orbits +0\.75 .*until t = 30 M")
                self.assertRegex(out, r"common horizon +first seen at t = 30 M")
                self.assertRegex(out, r"peak of r \|psi4_22\| +0\.0[78]\d+ at t = \d+\.?\d* M, r = 20 M\n +0\.0[78]")
                self.assertRegex(out, r"energy radiated .*own sum 3\.000e-02 M; the hole lacks 4\.000e-02 M")
                sign = "-" if sense < 0 else ""
                self.assertRegex(out, rf"J_z radiated +{sign}1\.400e-01 M\^2 .*lacks {sign}1\.250e-01 M\^2")
                self.assertRegex(out, rf"spin a/m +{sign}0\.62380")

    def test_lines_need_their_data(self):
        self.make(make_orbit, "pair")
        for name in ("TwoPunctures.bbh", "horizons.asc"):
            (self.folder / name).unlink()
        s = json.loads((self.folder / "summary.json").read_text())
        del s["horizons"]
        (self.folder / "summary.json").write_text(json.dumps(s))
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.folder)
        self.folder = Path(".")
        s, out = self.reported()
        self.assertAlmostEqual(s["final_mass"], 1 - s["energy_radiated"])
        self.assertAlmostEqual(s["ringdown_exact"][0], 0.3736717, places=7)
        self.assertRegex(out, r"orbits +0\.9[23] .*until t = 37")
        self.assertIn("J_z radiated", out)
        for missing in ("common horizon", "lacks", "a/m"):
            self.assertNotIn(missing, out)

    def test_a_hole_that_is_none(self):
        self.make(make_orbit, "pair")
        s = json.loads((self.folder / "summary.json").read_text())
        s["horizons"]["common"]["chi"] = 1.2
        (self.folder / "summary.json").write_text(json.dumps(s))
        status, _, err = run_report(self.folder)
        self.assertEqual(status, 1)
        self.assertIn("a/m = 1.2 is no black hole's", err)


if __name__ == "__main__":
    unittest.main()
