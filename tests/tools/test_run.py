"""A run folder as the waves' commands see it, against what synthetic.py put there."""

import json
import sys
import unittest
import warnings
from pathlib import Path
from unittest import mock

import h5py
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
sys.path.insert(0, str(Path(__file__).resolve().parent))
import scratch  # noqa: E402
import synthetic  # noqa: E402
from tendex.base.files import write_json  # noqa: E402
from tendex.base.folder import TRACKS, FolderError, FolderWarning  # noqa: E402
from tendex.waves.extraction import dragging  # noqa: E402
from tendex.waves.reading.run import Run  # noqa: E402


class Scratch(scratch.Scratch):
    def write(self, **options):
        options = {"radii": (50.0, 70.0), "dt": 0.5, **options}
        return synthetic.write_run(self.scratch / "run", **options)


class Contents(Scratch):
    def test_spheres(self):
        chirp = synthetic.Chirp()
        run = Run(self.write(masses=(0.6, 0.3), energy=0.9))
        low, high = run.spheres()
        self.assertEqual((low.radius, high.radius, low.kind), (50.0, 70.0, "psi4"))
        self.assertAlmostEqual(low.mass, 0.9)
        self.assertAlmostEqual(low.areal, 50 * (1 + 0.9 / 100) ** 2, places=12)
        self.assertEqual(len(low.modes), 21)
        expected = synthetic.at_sphere(chirp, high.t, 4, 4, high.areal, 0.9, spin=dragging.inside(run, high)[:, 2])
        np.testing.assert_allclose(high.mode(4, 4), expected, atol=1e-15)

    def test_initial_data(self):
        run = Run(self.write(masses=(0.25, 0.75), chis=(0.5, -0.2), separation=10.0, momentum=0.08, energy=0.98))
        self.assertEqual(run.masses, (0.25, 0.75))
        np.testing.assert_allclose(run.chis, [[0, 0, 0.5], [0, 0, -0.2]])
        np.testing.assert_allclose(run.positions, [[7.5, 0, 0], [-2.5, 0, 0]])
        np.testing.assert_allclose(run.momenta, [[0, 0.08, 0], [0, -0.08, 0]])
        np.testing.assert_allclose(run.adm_angular_momentum, [0, 0, 0.8 + 0.5 / 16 - 0.2 * 0.5625])
        self.assertEqual((run.adm_energy, run.mass, run.separation, run.version), (0.98, 1.0, 10.0, synthetic.VERSION))
        self.assertEqual(run.parameters["waves.radii"], [50, 70])

    def test_without_a_summary_it_is_still_going(self):
        run = Run(self.write(summary=False))
        self.assertFalse(run.finished)
        self.assertEqual((run.summary, run.version), ({}, synthetic.VERSION))
        self.assertEqual(len(run.spheres()), 2)

    def test_merger_and_reference_time(self):
        run = Run(self.write(common=180.0))
        self.assertEqual((run.merger_time(), run.reference_time()), (180.0, 48.0))
        (run.path / "horizons.asc").unlink()
        self.assertAlmostEqual(run.merger_time(), 195, delta=10)  # the tracks are within 1 M of each other

    def test_reference_time_of_a_short_run(self):
        self.assertEqual(Run(self.write(common=40.0)).reference_time(), 20.0)


class Frequency(Scratch):
    def test_mean_over_the_first_turn_after_the_gauge_settled(self):
        chirp = synthetic.Chirp(slow=0.08, rise=8.0)
        start, turn = 24.0, 2 * np.pi / 0.08
        phi = chirp.orbit(np.array([start, start + turn]))[0]
        found = Run(self.write(wave=chirp)).initial_orbital_frequency()
        self.assertAlmostEqual(found, (phi[1] - phi[0]) / turn, delta=1e-3 * found)

    def test_until_the_gauge_has_settled_it_is_not_counted(self):
        path = self.write()
        t, tracks = Run(path).tracks()
        phi = 0.08 * np.maximum(t - 20, 0)
        line = 4 * np.column_stack([np.cos(phi), np.sin(phi), 0 * phi])
        synthetic._write_tracks(path, t, [line, -line])
        self.assertAlmostEqual(Run(path).initial_orbital_frequency(), 0.08, places=12)

    def test_clockwise_is_as_fast(self):
        path = self.write(wave=synthetic.Chirp(slow=0.08, rise=8.0))
        once = Run(path).initial_orbital_frequency()
        file = path / "puncturetracker-pt_loc..asc"
        rows = np.loadtxt(file)
        rows[:, 32:42] *= -1
        np.savetxt(file, rows)
        self.assertAlmostEqual(Run(path).initial_orbital_frequency(), once, places=14)

    def test_in_any_plane(self):
        """Also over the pole, and while the plane precesses."""
        path = self.write()
        t, _ = Run(path).tracks()
        for tilt in (0.4, np.pi / 2):
            line = 4 * np.column_stack([np.cos(0.08 * t), np.cos(tilt) * np.sin(0.08 * t), np.sin(tilt) * np.sin(0.08 * t)])
            synthetic._write_tracks(path, t, [line, -line])
            self.assertAlmostEqual(Run(path).initial_orbital_frequency(), 0.08, places=12)
        wave = synthetic.Precessing(slow=0.08, around=0.004)
        turned = wave.rotation(t).apply(4 * np.column_stack([np.cos(0.08 * t), np.sin(0.08 * t), 0 * t]))
        synthetic._write_tracks(path, t, [turned, -turned])
        self.assertAlmostEqual(Run(path).initial_orbital_frequency(), 0.08, delta=1e-3)

    def test_head_on_there_is_none(self):
        path = self.write()
        t, tracks = Run(path).tracks()
        straight = [x * [1.0, 0.0, 0.0] for x in tracks]
        straight[0][:, 0], straight[1][:, 0] = 4 - 0.015 * t, 0.015 * t - 4
        synthetic._write_tracks(path, t, straight)
        self.assertIsNone(Run(path).initial_orbital_frequency())

    def test_no_tracks_no_frequency(self):
        path = self.write()
        (path / "puncturetracker-pt_loc..asc").unlink()
        self.assertIsNone(Run(path).initial_orbital_frequency())


class Errors(Scratch):
    def test_no_folder(self):
        with self.assertRaisesRegex(FolderError, "no such run folder"):
            Run(self.scratch / "nowhere")

    def test_some_folder(self):
        with self.assertRaisesRegex(FolderError, "no run.yaml in it: not a folder of `tendex run'$"):
            Run(self.scratch)
        for name in "abcdefg":
            (self.scratch / name).mkdir()
            (self.scratch / name / "run.yaml").touch()
        with self.assertRaisesRegex(FolderError, "; runs in it: a, b, c, d, e, f, ...$"):
            Run(self.scratch)

    def test_a_file(self):
        (self.scratch / "q2.yaml").touch()
        with self.assertRaisesRegex(FolderError, "q2.yaml: is a file; give the folder of a run"):
            Run(self.scratch / "q2.yaml")

    def test_broken_summary(self):
        path = self.write()
        (path / "summary.json").write_text("{")
        with self.assertRaisesRegex(FolderError, "summary.json"):
            Run(path)

    def test_data_that_are_not_of_two_punctures(self):
        path = self.write()
        (path / "TwoPunctures.bbh").unlink()
        with self.assertRaisesRegex(FolderError, "TwoPunctures.bbh: missing; make it again: tendex id .*yaml --bbh "):
            Run(path).adm_energy
        text = (path / "run.yaml").read_text()
        (path / "run.yaml").write_text(text.replace("type: two_punctures", "type: gauge_wave"))
        with self.assertRaisesRegex(FolderError, "no initial-ADM-energy: not a run of two punctures"):
            Run(path).adm_energy

    def test_no_areal_radius_of_a_sphere(self):
        path = self.write()
        file = path / "waves" / "areal_radius.asc"
        file.write_text(file.read_text().replace("r70.00", "r71.00"))
        with self.assertRaisesRegex(FolderError, "no column r70.00"):
            Run(path).spheres()

    def test_a_line_that_is_being_written_is_left_out(self):
        path = self.write()
        whole = Run(path)
        (t, tracks), (_, areal), horizons = whole.tracks(), whole.areal(50.0), whole.horizons()
        for name in (TRACKS, "waves/areal_radius.asc", "horizons.asc"):
            file = path / name
            file.write_text(file.read_text()[:-9])
        cut = Run(path)
        np.testing.assert_array_equal(cut.tracks()[0], t[:-1])
        np.testing.assert_array_equal(cut.tracks()[1][1], tracks[1][:-1])
        np.testing.assert_array_equal(cut.areal(50.0)[1], areal[:-1])
        np.testing.assert_array_equal(cut.horizons()[3].mass, horizons[3].mass[:-1])

    def test_tables_are_read_once_and_again_when_they_change(self):
        run = Run(self.write())
        with mock.patch.object(np, "loadtxt", wraps=np.loadtxt) as read:
            t = run.tracks()[0]
            run.merger_time(), run.tracks()
            self.assertLessEqual(read.call_count, 2)  # tracks and horizons
            lines = (run.path / TRACKS).read_text().splitlines(keepends=True)
            (run.path / TRACKS).write_text("".join(lines[:-3]))
            with self.assertWarnsRegex(FolderWarning, "went on to"):
                self.assertEqual(len(run.tracks()[0]), len(t) - 3)
        with self.assertRaisesRegex(ValueError, "read-only"):
            run.table("horizons.asc")["time"][0] = 1

    def test_tables_with_nothing_in_them(self):
        path = self.write()
        for name in (TRACKS, "horizons.asc", "grid.asc", "waves/areal_radius.asc"):
            file = path / name
            file.write_text("".join(line for line in file.read_text().splitlines(True) if line.startswith("#")))
        run = Run(path)
        self.assertEqual((len(run.tracks()[0]), run.tracks()[1], run.horizons()), (0, [], {}))
        self.assertIsNone(run.initial_orbital_frequency())
        with self.assertRaisesRegex(FolderError, "grid.asc: no octants in it"):
            run.grids()
        with self.assertRaisesRegex(FolderError, "areal_radius.asc: r50.00: no values yet"):
            run.spheres()

    def test_damaged_files(self):
        path = self.write()
        names = TRACKS, "waves/areal_radius.asc", "waves/mp_psi4.h5", "TwoPunctures.bbh", "summary.json", "run.yaml"
        kept = {name: (path / name).read_bytes() for name in names}
        run = Run(path)

        def refused(name, text, what, read):
            (path / name).write_bytes(text)
            with self.assertRaisesRegex(FolderError, rf"{name}:.*{what}"):
                read()
            (path / name).write_bytes(kept[name])
        lines = kept[TRACKS].splitlines(True)
        refused(TRACKS, b"".join([*lines[:-2], lines[-2][:40], b"\n", lines[-1]]), ".*damaged line", run.tracks)
        refused(TRACKS, b"1 2 3\n", "line 1: 3 values, not 52; a damaged line", run.tracks)
        rows = kept["waves/areal_radius.asc"].splitlines(True)
        rows[-1] = b" ".join([*rows[-1].split()[:2], b"nan nan\n"])
        refused("waves/areal_radius.asc", b"".join(rows), "r50.00: nan, not a finite number, at t = 420", run.spheres)
        for text in (b"no HDF5", kept["waves/mp_psi4.h5"][:4000]):
            refused("waves/mp_psi4.h5", text, "cannot be read", run.modes)
        refused("TwoPunctures.bbh", b"initial-ADM-energy = one\n", "initial-ADM-energy = one: not a number",
                lambda: run.adm_energy)
        refused("summary.json", b"[]", "holds no names with values", lambda: Run(path))
        refused("run.yaml", b"# \xe9\n", "byte 0xe9 is not UTF-8", lambda: run.parameters)

    def test_modes_of_one_row(self):
        """As a run has them that ends at t = 0."""
        path = self.write()
        for n in (1, 0):
            with h5py.File(path / "waves" / "mp_psi4.h5", "a") as h:
                for name in list(h):
                    rows = h[name][:n]
                    del h[name]
                    h[name] = rows
            with self.assertRaisesRegex(FolderError, r"mp_psi4.h5: l\d+_m-?\d+_r\d+.00 has fewer than two rows.*: let the run continue$"):
                Run(path).modes()

    def test_modes_at_other_times(self):
        path = self.write()
        with h5py.File(path / "waves" / "mp_psi4.h5", "a") as h:
            h["l3_m1_r70.00"][3, 0] += 0.1
        with self.assertRaisesRegex(FolderError, "l3_m1_r70.00: its times are not those"):
            Run(path).spheres()


class Incomplete(Scratch):
    """Text files of a finished run that lack something are used as far as they go, and said to be incomplete."""

    def warned(self, path, read):
        """Texts of the warnings while it reads; each once, and kept in the run."""
        run = Run(path)
        with warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always")
            read(run)
            read(run)
        texts = [str(w.message) for w in heard]
        self.assertEqual(texts, run.warnings)
        self.assertTrue(all(w.category is FolderWarning for w in heard))
        return texts

    READ = {TRACKS: lambda run: run.tracks(), "horizons.asc": lambda run: run.horizons(),
            "waves/areal_radius.asc": lambda run: run.areal(50.0)}

    def test_a_line_cut_short(self):
        path = self.write()
        for name, read in self.READ.items():
            self.assertEqual(self.warned(path, read), [])
            file = path / name
            whole = file.read_text()
            file.write_text(whole[:-9])
            (text,) = self.warned(path, read)
            self.assertEqual(text, f"{file}: line {len(whole.splitlines())} is cut short and left out: the file is "
                                   "damaged, or an incomplete copy")
            file.write_text(whole)

    def test_rows_missing_at_the_end(self):
        path = self.write()
        end = Run(path).summary["t"]
        for name, read in self.READ.items():
            file = path / name
            whole = file.read_text().splitlines(True)
            rows = [line for line in whole if not line.startswith("#")]
            kept = whole[:len(whole) - len(rows) + len(rows) // 2]
            file.write_text("".join(kept))
            (text,) = self.warned(path, read)
            column = 8 if name == TRACKS else 1
            last = float(kept[-1].split()[column])
            self.assertEqual(text, f"{file}: ends with line {len(kept)} at t = {last:g}, but the run went on to "
                                   f"t = {end:g}: the file is damaged, or an incomplete copy")
            file.write_text("".join(whole))

    def test_a_head_cut_short(self):
        path = self.write()
        file = path / "horizons.asc"
        text = file.read_text()
        file.write_text(text[:text.index(" 3:horizon")])
        with self.assertRaisesRegex(FolderError, "horizons.asc: no column horizon"):
            Run(path).horizons()

    def test_searches_in_vain_become_rare(self):
        """After many in a row up to 15 are left out: rows that end before the run are then no sign of damage."""
        path = self.write(common=999.0, t_end=600.0)
        rows = (path / "horizons.asc").read_text().splitlines(True)
        head, times = rows[:2], Run(path).tracks()[0]
        kept = [row for row in rows[2:] if float(row.split()[1]) <= times[-1] - 12]
        lost = [" ".join([*row.split()[:3], "0", *row.split()[4:]]) + "\n" for row in kept[-3:]]
        (path / "horizons.asc").write_text("".join([*head, *kept[:-3], *lost]))
        self.assertEqual(self.warned(path, lambda run: run.horizons()), [])
        (path / "horizons.asc").write_text("".join([*head, *kept]))
        self.assertEqual(len(self.warned(path, lambda run: run.horizons())), 1)

    def test_a_run_that_goes_on(self):
        path = self.write(summary=False)
        for name, read in self.READ.items():
            (path / name).write_text((path / name).read_text()[:-900])
            self.assertEqual(self.warned(path, read), [])


class Json(Scratch):
    def test_what_is_not_finite_is_null(self):
        file = self.scratch / "x.json"
        write_json(file, {"a": float("nan"), "b": [1, (np.inf, np.float64("nan"))], "c": np.array([[0.5, np.nan]])})
        self.assertEqual(json.loads(file.read_text()), {"a": None, "b": [1, [None, None]], "c": [[0.5, None]]})

    def test_all_digits_and_arrays(self):
        file = self.scratch / "x.json"
        write_json(file, {"a": np.array([0.1, 1 / 3]), "b": np.float64(2 / 3), "c": np.bool_(True)})
        self.assertEqual(json.loads(file.read_text()), {"a": [0.1, 1 / 3], "b": 2 / 3, "c": True})


if __name__ == "__main__":
    unittest.main()
