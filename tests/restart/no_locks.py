"""Two programs in one folder of a file system without file locks: run.lock and its signs of life keep them apart."""

import errno
import hashlib
import os
import shutil
import signal
import socket
import threading
import time
from unittest import mock

from runs import Runs, main

STUB = os.environ["TX_NO_LOCKS"]
WITHOUT = (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.EINVAL)
IO = 4
HURRY = 60


class NoLocks(Runs):
    error = errno.ENOLCK

    @classmethod
    def popen(cls, *arguments, **options):
        with mock.patch.dict(os.environ, {"TX_TEST_FLOCK": str(cls.error), "TX_TEST_HURRY": str(HURRY),
                                          "LD_PRELOAD": " ".join([STUB, *os.environ.get("LD_PRELOAD", "").split()])}):
            return super().popen(*arguments, **options)

    def owner(self):
        return self.folder / "run.lock"

    def content(self, folder=None):
        return {f: hashlib.md5(f.read_bytes()).hexdigest() for f in sorted((folder or self.folder).rglob("*"))
                if f.is_file() and not f.name.startswith("run.lock")}

    def run_on(self):
        """A run that does not end by itself, at work."""
        process = self.start("--set", "run.t_end=1e6")
        self.addCleanup(self.kill, process)
        self.wait_for_step(process, 3)
        return process

    def refused(self, who):
        before = self.content()
        for arguments in (("--restart", self.folder), ("tiny.yaml", "--overwrite", "--set", f"run.folder={self.folder}")):
            text = self.run_now(*arguments, code=IO)
            self.assertIn(f"another run uses this folder: {who} holds {self.owner()}; stop it, or wait for its end", text)
            self.assertEqual(self.content(), before)

    def put_owner(self, pid=1, host="elsewhere", started=7, system="another/1", beat=0):
        self.owner().write_text(f"host {host}, process {pid}, started {started}, system {system}, beat {beat:010d}\n")

    def test_of_this_host(self):
        """A run that is alive keeps others out, whatever flock says; of one that was killed nothing is left."""
        process = self.run_on()
        process.send_signal(signal.SIGSTOP)
        self.addCleanup(setattr, type(self), "error", self.error)
        for error in WITHOUT:
            type(self).error = error
            started = time.monotonic()
            self.refused(f"process {process.pid} on {socket.gethostname()}")
            self.assertLess(time.monotonic() - started, 5, errno.errorcode[error])
        self.kill(process)
        self.assertTrue(self.owner().exists())
        self.assertNotIn("warning", self.run_now("tiny.yaml", "--overwrite", "--set", f"run.folder={self.folder}"))
        self.same_as_reference()
        self.assertEqual(list(self.folder.glob("run.lock*")), [])

    def test_restart_after_a_kill(self):
        self.kill_after_step(9)
        self.assertNotIn("warning", self.restart())
        self.same_as_reference()

    def test_number_of_another_process(self):
        """A number that was given again, to a process that started at another time, is not the run's."""
        self.kill_after_step(9)
        fields = self.owner().read_text().split(", ")
        fields[1] = f"process {os.getpid()}"
        self.owner().write_text(", ".join(fields))
        self.assertNotIn("warning", self.restart())
        self.same_as_reference()

    def test_owners_of_earlier_versions(self):
        self.kill_after_step(9)
        self.owner().write_text(f"host {socket.gethostname()}, process {os.getpid()}\n")
        self.refused(f"process {os.getpid()} on {socket.gethostname()}")

    def test_alive_elsewhere(self):
        """A process of another host that shows signs of life, and of a host that has this one's name."""
        self.kill_after_step(9)
        for host in ("elsewhere", socket.gethostname()):
            end = threading.Event()

            def renew():
                beat = 0
                while not end.wait(10 / HURRY):
                    beat += 1
                    self.put_owner(os.getpid(), host, beat=beat)

            self.put_owner(os.getpid(), host)
            thread = threading.Thread(target=renew)
            thread.start()
            try:
                self.refused(f"process {os.getpid()} on {host}")
            finally:
                end.set()
                thread.join()

    def test_silent_elsewhere(self):
        """What was killed on another host, or is not known, is waited for; the text says how to save the wait."""
        for text, who in (("", "an unknown process"), ("host elsewhere, process 1\n", "process 1 on elsewhere"), (None, "process 1 on elsewhere")):
            self.kill_after_step(9)
            self.put_owner() if text is None else self.owner().write_text(text)
            os.utime(self.owner(), (time.time() + 1e5,) * 2)  # a clock that is ahead
            process = self.popen("--restart", self.folder)
            self.assertEqual(process.stdout.readline(),
                             f"warning: this folder has no file locks ({os.strerror(self.error)}), and {self.owner()} names {who}, "
                             "which cannot be seen from here: waiting 60 s for a sign of its life; if it has ended, remove that "
                             "file to continue at once\n")
            if text is None:
                self.owner().unlink()
                self.assertNotIn("showed no sign", self.finish(process))
            else:
                self.assertIn(f"{self.owner()} showed no sign of life of {who} for 60 s: this run takes the folder", self.finish(process))
            self.same_as_reference()
            self.assertIn("which cannot be seen from here", (self.folder / "log.txt").read_text())
            shutil.rmtree(self.folder)

    def test_only_one_of_several(self):
        """Of programs that take over at once one has the folder."""
        self.kill_after_step(9)
        self.put_owner()
        processes = [self.popen("--restart", self.folder) for _ in range(4)]
        ends = sorted(p.wait(timeout=60) for p in processes)
        said = [p.communicate() for p in processes]
        self.assertEqual(ends, [0, IO, IO, IO], said)
        self.same_as_reference()

    def test_signs_of_life(self):
        """Another one each ten seconds; a file that was removed comes again, and goes with the run."""
        process = self.run_on()
        first = self.owner().read_text()
        self.assertRegex(first, rf"^host {socket.gethostname()}, process {process.pid}, started \d+, system [0-9a-f-]+/\d+, "
                                r"beat \d+\n$")
        self.wait_for(process, lambda: self.owner().read_text() not in ("", first), "a sign of life")
        self.owner().unlink()
        self.wait_for(process, self.owner().exists, "run.lock")
        process.send_signal(signal.SIGTERM)
        self.finish(process)
        self.assertFalse(self.owner().exists())

    def test_another_one_has_taken_the_folder(self):
        """As this one was stopped for long: it ends, and leaves log and checkpoints to that."""
        process = self.run_on()
        process.send_signal(signal.SIGSTOP)
        time.sleep(0.05)
        self.put_owner(99)
        before = {f: c for f, c in self.content().items() if f.name == "log.txt" or "checkpoint" in f.name}
        process.send_signal(signal.SIGCONT)
        self.assertIn("another run uses this folder: process 99 on elsewhere holds", self.finish(process, IO))
        now = self.content()
        self.assertEqual({f: now.get(f) for f in before}, before)
        self.assertIn("process 99", self.owner().read_text())

    def test_locks_that_are_asked_for(self):
        """HDF5 takes none, unless its variable asks for them."""
        with mock.patch.dict(os.environ, {"HDF5_USE_FILE_LOCKING": "TRUE"}):
            self.assertRegex(self.finish(self.start(), IO), "error: cannot open .*: HDF5 cannot lock it, as the environment "
                             "variable HDF5_USE_FILE_LOCKING asks for; set that to FALSE")


if __name__ == "__main__":
    main()
