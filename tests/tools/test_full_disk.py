"""A disk that is full: one clear line, exit code 1, and no file that is cut short under its name.

A limit on the size of files stands in for the disk: the system refuses to write past it, as it refuses past the disk's
end, and it needs no right to mount."""

import json
import os
import resource
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import h5py

sys.path[:0] = [str(Path(__file__).resolve().parents[2] / "tools"), str(Path(__file__).resolve().parent)]

import synthetic  # noqa: E402
from tendex.base import files  # noqa: E402
from tendex.waves.commands import cli  # noqa: E402

TOOLS = Path(__file__).resolve().parents[2] / "tools"


def setUpModule():
    global temporary, root, run
    temporary = tempfile.TemporaryDirectory(prefix="tendex-full-")
    unittest.addModuleCleanup(temporary.cleanup)
    root = Path(temporary.name)
    run = synthetic.write_run(root / "run", radii=(60.0, 80.0), l_max=2, t_end=300.0, dt=1.0)
    synthetic.write_slices(run, (0.0, 1.0, 2.0), {"chi": lambda x, y, z, t: 1 + 0 * (x + y)})


def limited(size):
    """What a child does first: no file grows past this many bytes."""
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


def program(*words, room):
    """(exit code, errors) of tendex-waves, on a disk that holds `room' bytes a file."""
    p = subprocess.run([sys.executable, TOOLS / "tendex-waves", *map(str, words)], capture_output=True, text=True,
                       preexec_fn=limited(room), timeout=60)
    return p.returncode, p.stderr


def forked(*words, room):
    """The same in a copy of this process, which has its libraries already."""
    ours, its = os.pipe()
    child = os.fork()
    if child == 0:
        code = 99
        try:
            os.dup2(its, 2)
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            limited(room)()
            code = cli.main([str(word) for word in words])
        finally:
            sys.stderr.flush()
            os._exit(code)
    os.close(its)
    with open(ours) as said:
        text = said.read()
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), text


class Full(unittest.TestCase):
    def setUp(self):
        self.out = Path(tempfile.mkdtemp(dir=root))

    def fails(self, file, *words, room=20000, start=forked):
        """The command says that it cannot write this file, leaves with 1, and what was there before is there still."""
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("old")
        code, said = start(*words, room=room)
        self.assertEqual(code, 1, said)
        self.assertEqual(said.count("\n"), 1, said)
        self.assertIn(f"cannot write {file}: File too large", said)
        self.assertIn("MiB free there", said)
        self.assertEqual(file.read_text(), "old")
        self.assertEqual(list(self.out.rglob("*.part*")), [])

    def test_strain(self):
        self.fails(self.out / "strain.h5", "strain", run, "-o", self.out / "strain.h5")

    def test_extrapolate(self):
        self.fails(self.out / "inf.h5", "extrapolate", run, "-o", self.out / "inf.h5", start=program)

    def test_text(self):
        self.fails(self.out / "r60.00" / "l2_m-2.asc", "strain", run, "-o", "/dev/null", "--text", self.out)

    def test_export(self):
        for form, name, start in (("sxs", "rPsi4_FiniteRadii_CodeUnits.h5", program), ("lvcnr", "run.h5", forked),
                                  ("rit", "ExtrapStrain_TENDEX-BBH-run-n0.h5", forked)):
            with self.subTest(form=form):
                self.fails(self.out / form / name, "export", run, "--format", form, "-o", self.out / form, start=start)

    def test_page(self):
        self.fails(self.out / "page.png", "show", run, "-o", self.out / "page.png")

    def test_movie(self):
        self.fails(self.out / "m.gif", "movie", run, "-o", self.out / "m.gif")

    def test_numbers(self):
        self.fails(self.out / "a.json", "strain", run, "-o", "/dev/null", "--json", self.out / "a.json", room=100)

    def test_screen(self):
        """Output that cannot be written is an error too."""
        with open("/dev/full", "w") as full:
            p = subprocess.run([sys.executable, TOOLS / "tendex-waves", "strain", run, "-o", self.out / "s.h5"],
                               stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)
        self.assertEqual((p.returncode, p.stderr), (1, "tendex-waves strain: cannot write the output: No space left on "
                                                       "device\n"))


class Files(unittest.TestCase):
    """tendex.base.files by itself."""

    def setUp(self):
        self.out = Path(tempfile.mkdtemp(dir=root))

    def test_whole_or_not_there(self):
        file = self.out / "new" / "a.txt"
        files.write(file, "one\n")
        files.write(file, b"two\n")
        self.assertEqual(file.read_text(), "two\n")
        self.assertEqual(sorted(p.name for p in file.parent.iterdir()), ["a.txt"])

    def test_failure_in_between(self):
        file = self.out / "a.h5"
        with self.assertRaises(KeyError), files.hdf5(file) as h:
            h["x"] = 1
            raise KeyError
        self.assertEqual(list(self.out.iterdir()), [])
        with files.hdf5(file) as h:
            h["x"] = [1.0, 2.0]
        with h5py.File(file) as h:
            self.assertEqual(list(h["x"]), [1.0, 2.0])

    def test_where_it_cannot_be(self):
        (self.out / "file").write_text("")
        for place, why in ((self.out / "file" / "b", "File exists"), (self.out / ("a" * 300), "File name too long")):
            with self.assertRaisesRegex(files.WriteError, f"cannot write .*{place.name}: {why}$"):
                files.write(place, "")

    def test_links_and_rights_stay(self):
        real, link = self.out / "real.txt", self.out / "link.txt"
        real.write_text("old")
        real.chmod(0o640)
        link.symlink_to(real)
        files.write(link, "new")
        self.assertTrue(link.is_symlink())
        self.assertEqual((real.read_text(), real.stat().st_mode & 0o777), ("new", 0o640))
        mask = os.umask(0o022)
        self.addCleanup(os.umask, mask)
        files.write(self.out / "fresh", "")
        self.assertEqual((self.out / "fresh").stat().st_mode & 0o777, 0o644)

    def test_what_is_no_file(self):
        """A pipe or a device is written to as it is."""
        files.write("/dev/null", "x")
        with self.assertRaisesRegex(files.WriteError, "cannot write /dev/full: No space left on device .*MiB"):
            files.write("/dev/full", "x")

    def test_tables_of_a_sweep(self):
        code = ("import sys; sys.path.insert(0, sys.argv[1]); from tendex.base import files; "
                "files.write_json(sys.argv[2], list(range(9000)))")
        p = subprocess.run([sys.executable, "-c", code, TOOLS, self.out / "a.json"], preexec_fn=limited(5000),
                           capture_output=True, text=True)
        self.assertIn("WriteError: cannot write", p.stderr)
        self.assertEqual(list(self.out.iterdir()), [])
        files.write_json(self.out / "a.json", {"a": [1]})
        self.assertEqual(json.loads((self.out / "a.json").read_text()), {"a": [1]})


if __name__ == "__main__":
    unittest.main()
