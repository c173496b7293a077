"""A disk that is full while a checkpoint is written, and checkpoints that are damaged: the newest good one is used.

    damage.py TENDEX MPIRUN..."""

import os
import resource
import shutil
import signal
import subprocess

import h5py

from runs import Runs, main

IO = 4
KILLED = 18  # of 31 steps


class Damage(Runs):
    def begin(self):
        """A run that was killed after some checkpoints, of which three are kept; little is left to do."""
        process = self.start("--set", "checkpoint.keep=3")
        self.wait_for_step(process, KILLED)
        self.kill(process)
        self.assertGreaterEqual(len(self.checkpoints()), 3)
        self.untouched = self.folder.with_suffix(".copy")
        shutil.rmtree(self.untouched, ignore_errors=True)
        shutil.copytree(self.folder, self.untouched)
        self.addCleanup(shutil.rmtree, self.untouched)

    def again(self):
        shutil.rmtree(self.folder)
        shutil.copytree(self.untouched, self.folder)

    def older_is_used(self, damage, why):
        self.again()
        newest, older = self.checkpoints()[-1], self.checkpoints()[-2]
        damage(newest)
        text = self.restart()
        self.assertRegex(text, rf"warning: .*{newest.name}.*{why}")
        self.assertIn(f"restart     from step {int(older.name.split('.')[1])}, t = ", text)
        self.same_as_reference()
        self.assertIn(newest.name, (self.folder / "log.txt").read_text())

    def test_the_newest_is_damaged(self):
        self.begin()
        size = self.checkpoints()[-1].stat().st_size

        def flip(file, at, bit=3):
            content = bytearray(file.read_bytes())
            content[at] ^= 1 << bit
            file.write_bytes(content)

        def text(file, old, new):
            content = file.read_bytes()
            self.assertIn(old, content[:1024])
            file.write_bytes(content.replace(old, new, 1))

        cases = {
            "empty": (lambda f: f.write_bytes(b""), ""),
            "cut": (lambda f: f.write_bytes(f.read_bytes()[:self.random.randrange(1, size)]), ""),
            "longer": (lambda f: f.write_bytes(f.read_bytes() + b"\0"), ""),
            "flipped in the head": (lambda f: flip(f, self.random.randrange(0, 200)), ""),
            "flipped": (lambda f: flip(f, self.random.randrange(2048, size)), ""),
            "zeros": (lambda f: f.write_bytes(bytes(size)), ""),
            "another format": (lambda f: text(f, b"format", b"formal"), ""),
        }
        for name, (damage, why) in cases.items():
            with self.subTest(name):
                self.older_is_used(damage, why)

    def test_many_flips(self):
        """No flipped bit goes unnoticed."""
        self.begin()
        newest = self.checkpoints()[-1]
        whole = newest.read_bytes()
        for _ in range(12):
            content = bytearray(whole)
            content[self.random.randrange(1024, len(content))] ^= 1 << self.random.randrange(8)
            newest.write_bytes(content)
            # A parameter that may not change ends the restart where the checkpoint has been chosen.
            text = self.restart("--set", "grid.extent=9", code=3)
            self.assertRegex(text, rf"warning: .*{newest.name}")

    def test_all_are_damaged(self):
        self.begin()
        for file in self.checkpoints():
            file.write_bytes(file.read_bytes()[:-7])
        before = {f: f.read_bytes() for f in self.folder.rglob("*.asc")}
        n = len(self.checkpoints())
        text = self.restart(code=IO)
        self.assertIn(f"no checkpoint in {self.folder}/checkpoints is usable ({n} found); restore an intact copy of "
                      f"one, or start again: tendex run {self.folder}/run.yaml --set run.folder={self.folder} --overwrite",
                      text)
        self.assertEqual(text.count("warning: "), n)
        self.assertEqual(before, {f: f.read_bytes() for f in self.folder.rglob("*.asc")})

    def test_series_that_were_touched(self):
        """A row more is cut off; a row less is an error; a file that is gone is made anew, with a warning."""
        self.begin()
        energy = self.folder / "energy.asc"
        with energy.open("a") as f:
            f.write("31 nonsense\n")
        (self.folder / "fields/slices.0000099.h5").write_bytes(b"nonsense")
        (self.folder / "notes.txt").write_text("mine\n")
        self.restart()
        self.assertEqual((self.folder / "notes.txt").read_text(), "mine\n")
        (self.folder / "notes.txt").unlink()
        self.same_as_reference()

        self.again()
        energy.write_bytes(energy.read_bytes()[:300])
        text = self.restart(code=IO)
        self.assertRegex(text, rf"{energy} has 300 bytes, but had \d+ when the checkpoint was written: rows are missing; "
                         "restore it")

        for name in ("energy.asc", "horizons.asc", "waves/mp_psi4_l2_m0_r3.00.asc"):
            self.again()
            file = self.folder / name
            content = bytearray(file.read_bytes())
            content[self.random.randrange(200)] ^= 4
            file.write_bytes(content)
            before = self.content()
            text = self.restart(code=IO)
            self.assertRegex(text, rf"{file} was changed: its first \d+ bytes differ from those at the checkpoint; "
                             "restore it, or remove it to continue without the earlier rows")
            self.assertTrue(self.content() == before)

        self.again()
        energy.unlink()
        text = self.restart()
        self.assertIn(f"warning: {self.folder}/energy.asc existed when the checkpoint was written and is gone", text)
        head, *rows = [line for line in energy.read_text().splitlines() if not line.startswith("# E") and "What" not in line]
        whole = (self.reference / "energy.asc").read_text().splitlines()
        self.assertIn(head, whole)
        self.assertEqual(rows, whole[-len(rows):])

    def content(self):
        """Of all but the log, which tells of each start."""
        return {f: f.read_bytes() for f in self.folder.rglob("*") if f.is_file() and f.name not in ("log.txt", "run.lock", "run.yaml")}

    def test_what_is_no_file(self):
        """A pipe that nobody writes to does not hold a restart up."""
        self.begin()
        newest = self.checkpoints()[-1]
        pipe = newest.with_name("checkpoint.0000099.h5")
        os.mkfifo(pipe)
        self.assertRegex(self.restart(), rf"warning: .*{pipe.name} is not used: it is not a file")
        pipe.unlink()
        self.same_as_reference()

    def test_files_that_are_taken_away_meanwhile(self):
        """Series begin again, what the program has open is put back; the log says so once for each."""
        process = self.start("--set", "run.t_end=1e6", "--set", "checkpoint.every=20", "--set", "output.fields_every=0",
                             "--set", "output.slices_every=0")
        self.addCleanup(self.kill, process)
        self.wait_for_step(process, 20)
        log, energy, modes = (self.folder / name for name in ("log.txt", "energy.asc", "waves/mp_psi4.h5"))
        for file in (log, energy, modes, self.folder / "run.yaml"):
            file.unlink()
        other = self.folder / "other"
        other.write_text("not of the run\n")
        other.replace(self.folder / "grid.asc")
        self.wait_for(process, lambda: log.exists() and energy.exists() and modes.exists(), "new files")
        self.wait_for_step(process, 60)
        text = self.restart(code=IO)
        self.assertIn(f"process {process.pid} on ", text)
        process.send_signal(signal.SIGTERM)
        out = self.finish(process)
        text = log.read_text()
        for said in (out, text):
            for name, then in (("log.txt", "; it is written again"), ("waves/mp_psi4.h5", "; it is written again"),
                               ("run.yaml", "; it is written again"), ("energy.asc", ": its earlier rows are lost"),
                               ("grid.asc", ": its earlier rows are lost")):
                self.assertEqual(said.count(f"warning: {self.folder}/{name} was removed or replaced during the run"
                                            f"{then}\n"), 1, f"{name}\n{said}")
        self.assertIn("  domain ", text)  # from the head of the log
        steps = self.summary(self.folder)["steps"]
        with h5py.File(modes) as h:
            self.assertEqual(len(h["l2_m0_r3.00"]), steps // 2 + 1)
        steps += 4 + steps % 2  # even: the last row is due in any case
        self.restart("--set", f"run.max_steps={steps}")
        with h5py.File(modes) as h:
            times = h["l2_m0_r3.00"][:, 0]
        self.assertEqual(len(times), steps // 2 + 1)
        rows = [float(line.split()[1]) for line in energy.read_text().splitlines() if not line.startswith("#")]
        self.assertEqual(rows, list(times[-len(rows):]))

    def fails_to_write(self, step, text):
        """The run has ended by itself, has said why, and left the older checkpoints whole."""
        self.assertRegex(text, r"tendex: error: cannot write .*/checkpoints/checkpoint\.\d+\.h5")
        self.assertEqual(list(self.folder.rglob("*.part")), [])
        log = (self.folder / "log.txt").read_text()
        self.assertIn(f"restart from it with tendex run --restart {self.folder}\n", log)
        self.assertGreaterEqual(int(self.checkpoints()[-1].name.split(".")[1]), step)

    def test_no_file_may_be_that_large(self):
        """As with a quota: checkpoints are larger than all other files here."""
        self.begin()
        size = min(f.stat().st_size for f in self.checkpoints())
        for share in (0.3, 0.999):
            with self.subTest(share):
                self.again()
                limit = int(share * size)

                kept = {f.name: f.read_bytes() for f in self.checkpoints()}
                log = self.folder / "log.txt"
                starts = log.read_text().count("  restart ")
                # Python ignores SIGXFSZ, and so does the program then. MPI itself needs large files to start.
                process = self.popen("--restart", self.folder, restore_signals=False)
                self.wait_for(process, lambda: log.read_text().count("  restart ") > starts, "going on")
                resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (limit, limit))
                text = self.finish(process, code=IO)
                self.fails_to_write(KILLED, text)
                self.assertEqual(kept, {f.name: f.read_bytes() for f in self.checkpoints()})
                self.restart("--set", "checkpoint.keep=2")
                self.same_as_reference()

    def test_full_disk(self):
        """A small disk, of several sizes, so that different files meet its end."""
        self.begin()
        self.folder.rename(self.folder.with_suffix(".kept"))
        self.addCleanup(shutil.rmtree, self.folder.with_suffix(".kept"))
        disk = self.folder.with_suffix(".disk")
        disk.mkdir()
        kept = self.folder.with_suffix(".kept")
        self.folder = disk / "run"
        size = sum(f.stat().st_size for f in kept.rglob("*") if f.is_file())
        one = max(f.stat().st_size for f in (kept / "checkpoints").iterdir())
        for room in (0.3, 0.8, 1.3):  # of a checkpoint
            p = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={int(size + room * one) + 400000}", "tmpfs", disk],
                               capture_output=True, text=True)
            if p.returncode != 0:
                self.skipTest("no right to mount a tmpfs")
            try:
                shutil.copytree(kept, self.folder)
                text = self.restart("--set", "checkpoint.keep=20", code=IO)
                self.assertIn("tendex: error: cannot write", text)
                self.assertIn("MiB free", text)
                self.assertEqual(list(self.folder.rglob("*.part")), [])
                subprocess.run(["mount", "-o", "remount,size=200m", disk], check=True)
                self.restart("--set", "checkpoint.keep=2")
                self.same_as_reference()
            finally:
                subprocess.run(["umount", disk], check=True)


if __name__ == "__main__":
    main()
