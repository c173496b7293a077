"""The quickstart's report on a run folder made up from a known ringdown."""

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
import report  # noqa: E402
from tendex import radiation  # noqa: E402

OMEGA = 0.36 - 0.09j
RADII = (20.0, 30.0)


def make_run(folder):
    (folder / "waves").mkdir()
    t = np.arange(0.0, 110.0, 0.25)
    with h5py.File(folder / "waves" / "mp_psi4.h5", "w") as h:
        for r in RADII:
            u = t - radiation.retardation(r + 1, 1.0) - 15
            rise = np.exp(-((np.minimum(u, 0) / 4) ** 2))
            y = 1e-3 / r * (rise * np.exp(-1j * OMEGA * np.maximum(u, 0))).real
            h.create_dataset(f"l2_m0_r{r:.2f}", data=np.column_stack([t, y, 0 * t]))
    areal = np.column_stack([np.arange(t.size), t] + [0 * t + r + 1 for r in RADII])
    np.savetxt(folder / "waves" / "areal_radius.asc", areal, header="1:iteration 2:time 3:r20.00 4:r30.00")
    np.savetxt(folder / "energy.asc", [[440, 110, 0, 1e-6, 0, 2e-6]],
               header="1:iteration 2:time 3:dE/dt_r20.00 4:E_r20.00 5:dE/dt_r30.00 6:E_r30.00")
    octants = [[time, 1, 32 * (c & 1), 32 * (c >> 1 & 1), 32 * (c >> 2), 32]
               for time in (0, 5) for c in range(8)]
    np.savetxt(folder / "grid.asc", octants, header="Octants\n1:time 2:level 3:x 4:y 5:z 6:size")
    (folder / "fields").mkdir()
    with h5py.File(folder / "fields" / "slices.0000000.h5", "w") as h:
        h.attrs["octant_points"], h.attrs["time"] = 8, 0.0
        low = np.array([o[2:5] for o in octants if o[0] == 0 and o[3] == 0], float)
        h["y/origin"], h["y/spacing"], h["y/level"] = low, np.full(len(low), 4.0), np.ones(len(low))
        h["y/alpha"] = np.linspace(0.1, 1, 81 * len(low)).reshape(-1, 9, 9)
    rows = np.zeros((3, 52))
    rows[:, 8] = rows[:, 12] = rows[:, 13] = [0, 1, 2]
    rows[:, 42], rows[:, 43] = [1, 0.5, 0.1], [-1, -0.5, -0.1]
    np.savetxt(folder / "puncturetracker-pt_loc..asc", rows)
    summary = {"adm_energy": 1.0, "octant_points": 8, "m_per_hour": 100.0, "steps": 7}
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


class Report(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.folder = Path(self.temporary.name)
        make_run(self.folder)

    def test_results_table_and_picture(self):
        for _ in range(2):  # a second report changes nothing
            status, out, err = run_report(self.folder)
            self.assertEqual((status, err), (0, ""))
            s = json.loads((self.folder / "summary.json").read_text())
            self.assertEqual(s["steps"], 7)
            self.assertAlmostEqual(s["final_mass"], 1 - s["energy_radiated"])
            self.assertAlmostEqual(s["qnm_re"], OMEGA.real * s["final_mass"], places=5)
            self.assertAlmostEqual(s["qnm_im"], OMEGA.imag * s["final_mass"], places=5)
            self.assertLess(s["qnm_window"][0], s["qnm_window"][1])
            self.assertEqual(list(s["qnm_fit"]), ["20.00", "30.00"])
            self.assertRegex(out, r"frequency Re M w +0\.3600\d .* 0\.37367 +-3\.6")
            self.assertIn("own sum 2.000e-06 M", out)
            self.assertIn(str(self.folder / "head_on.png"), out)
            picture = (self.folder / "head_on.png").read_bytes()
            self.assertTrue(picture.startswith(b"\x89PNG") and len(picture) > 50000)

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


if __name__ == "__main__":
    unittest.main()
