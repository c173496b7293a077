"""Signals and the time limit: finish the step, write a checkpoint, leave with 0, and go on as if nothing had been.

    signals.py TENDEX MPIRUN..."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import h5py

from runs import Runs, h5_content, main, TENDEX

WAVES = Path(__file__).resolve().parents[2] / "tools" / "tendex-waves"
# Long enough for strain, after the junk radiation has passed the spheres; on a grid that stays small.
WAVES_RUN = ("--set", "run.t_end=6.05", "--set", "waves.radii=[2, 3]", "--set", "checkpoint.every=10",
             "--set", "output.fields_every=0", "--set", "output.slices_every=0", "--set", "grid.wavelet_tol=1e-2")

LONG = ("--set", "run.t_end=1e6")  # M; does not end by itself
INTERRUPTED = 9


class Signals(Runs):
    def ended_by(self, what, text):
        s = self.summary(self.folder)
        self.assertEqual((s["complete"], s["ended"]), (False, what))
        self.assertIn(f"stopped by {what}: t = ", text)
        self.assertIn(f"restart   tendex run --restart {self.folder} ", text)
        self.assertEqual(int(self.checkpoints()[-1].name.split(".")[1]), s["steps"])
        return s

    def stop_after(self, step, send, ranks=1):
        process = self.start("--set", "checkpoint.keep=20", ranks=ranks)
        self.wait_for_step(process, step)
        time.sleep(self.random.uniform(0.0, 0.02))
        send(process)
        return process

    def goes_on(self, process, what, **options):
        s = self.ended_by(what, self.finish(process))
        text = self.restart("--set", "checkpoint.keep=2", **options)
        self.assertIn(f"restart     from step {s['steps']}, t = {s['t']:.10g} M; ", text)
        self.assertIn("checkpoint.keep: 2, was 20", text)
        self.same_as_reference()
        self.assertEqual(self.summary(self.folder)["starts"], 2)

    def test_to_one_process(self):
        """Each signal in turn ends one run, each at a later step."""
        process, step = self.start("--set", "checkpoint.keep=20"), 0
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGUSR1, signal.SIGUSR2, signal.SIGHUP):
            self.wait_for_step(process, step + 1)
            process.send_signal(number)
            text = self.finish(process)
            if step:
                self.assertIn(f"restart     from step {step}, t = ", text)
            step = self.ended_by(number.name, text)["steps"]
            process = self.popen("--restart", self.folder)
        self.finish(process)
        self.restart("--set", "checkpoint.keep=2")
        self.same_as_reference()
        self.assertEqual(self.summary(self.folder)["starts"], 6)

    def test_again_and_again(self):
        """Checkpoints by signals only, each at another step."""
        process, n = self.start("--set", "checkpoint.every=0"), 0
        while process.poll() is None and n < 6:
            time.sleep(self.random.uniform(0.0, 0.4 * self.reference_s))
            saved = len(self.checkpoints())
            if not (self.folder / "fields").exists():
                continue
            process.send_signal(signal.SIGTERM)
            code = process.wait(timeout=60)
            if code == -signal.SIGTERM:  # before the first step of this start there is nothing to save
                self.assertEqual(len(self.checkpoints()), saved)
            else:
                self.assertEqual(code, 0)
            process.communicate()
            n += 1
            process = self.popen("--restart", self.folder)
        self.finish(process)
        self.same_as_reference()

    def test_mpirun_passes_it_on(self):
        process = self.stop_after(6, lambda p: p.send_signal(signal.SIGUSR1), ranks=2)
        self.goes_on(process, "SIGUSR1", ranks=2)

    def strain(self, folder):
        """Data of the file that tendex-waves strain makes."""
        file = folder / "strain.h5"
        p = subprocess.run([sys.executable, WAVES, "strain", folder, "--cutoff", "0.3", "-o", file],
                           capture_output=True, text=True, timeout=60)
        self.assertEqual(p.returncode, 0, p.stdout + p.stderr)
        found = {}

        def take(name, item):
            if isinstance(item, h5py.Dataset):
                found[name] = item[()].tobytes()
        with h5py.File(file) as h:
            h.visititems(take)
        self.assertGreater(len(found), 1)
        return found

    def test_waves_of_a_run_that_is_cut_twice(self):
        """By SIGUSR1, resumed on other numbers of ranks: psi4 and strain are those of one that was not, bit for bit."""
        whole = self.top / "whole"
        self.run_now("tiny.yaml", "--set", f"run.folder={whole}", *WAVES_RUN)
        process, cut = self.start(*WAVES_RUN), 0
        for ranks in (2, 1):
            self.wait_for_step(process, cut + 10)
            process.send_signal(signal.SIGUSR1)
            cut = self.ended_by("SIGUSR1", self.finish(process))["steps"]
            process = self.popen("--restart", self.folder, ranks=ranks)
        self.finish(process)
        self.assertEqual([self.summary(folder)["starts"] for folder in (self.folder, whole)], [3, 1])
        ours, theirs = (h5_content(folder / "waves" / "mp_psi4.h5") for folder in (self.folder, whole))
        self.assertIn("l2_m0_r3.00", theirs)
        self.assertEqual(ours, theirs)
        self.assertEqual(self.strain(self.folder), self.strain(whole))

    def test_to_one_rank(self):
        process = self.stop_after(6, lambda p: os.kill(self.children(p)[-1], signal.SIGTERM), ranks=3)
        self.goes_on(process, "SIGTERM", ranks=2)

    def test_to_mpirun(self):
        """mpirun ends with 1 and may kill its ranks a second later; what is lost is done again."""
        process = self.stop_after(6, lambda p: p.send_signal(signal.SIGTERM), ranks=2)
        self.finish(process, code=None)
        self.restart("--set", "checkpoint.keep=2")
        self.same_as_reference()

    def test_second_signal_ends_at_once(self):
        process = self.start()
        self.wait_for_step(process, 6)
        # The process stands still between the two, so that it cannot end in good order.
        process.send_signal(signal.SIGTERM)
        process.send_signal(signal.SIGCONT)
        end = time.monotonic() + 5
        while "SIGTERM" not in os.read(process.stderr.fileno(), 100).decode() and time.monotonic() < end:
            pass
        process.send_signal(signal.SIGSTOP)
        if (self.folder / "summary.json").exists() or process.poll() is not None:
            self.skipTest("the run was faster")
        time.sleep(1.2)
        process.send_signal(signal.SIGUSR1)
        process.send_signal(signal.SIGCONT)
        err = self.finish(process, code=INTERRUPTED)
        self.assertIn("ended at once by a second signal", err)
        self.assertFalse((self.folder / "summary.json").exists())
        self.restart()
        self.same_as_reference()

    def test_signals_that_are_ignored_stay_so(self):
        process = self.start(preexec_fn=lambda: signal.signal(signal.SIGUSR1, signal.SIG_IGN))
        self.wait_for_step(process, 3)
        process.send_signal(signal.SIGUSR1)
        self.finish(process)
        self.same_as_reference()

    def test_nobody_reads_the_output(self):
        """A pipe that is closed, a device that is full: the run goes on, and log.txt says so once."""
        with open("/dev/full", "w") as full:
            reader, writer = os.pipe()
            os.close(reader)
            for name, stdout, why in (("closed", writer, "Broken pipe"), ("full", full, "No space left on device")):
                self.folder = self.top / name
                few = ["--set", "run.max_steps=2"] if name == "full" else []
                p = subprocess.run([TENDEX, "run", "tiny.yaml", "--set", f"run.folder={self.folder}", *few], cwd=self.top,
                                   stdout=stdout, stderr=subprocess.PIPE, text=True, timeout=60)
                self.assertEqual((p.returncode, p.stderr), (0, ""))
                text = (self.folder / "log.txt").read_text()
                self.assertEqual(text.count(f"warning: cannot write standard output ({why}): the rest of the log is "
                                            "in log.txt only\n"), 1)
                self.assertTrue(text.endswith(f"  results   {self.folder}/\n"))
                if not few:
                    self.same_as_reference()
            os.close(writer)

    def test_walltime_too_short_for_two_steps(self):
        """Each start does a step at least, so that a chain of jobs comes to an end whatever the limit."""
        def limit(s):
            return "--set", f"run.walltime={s / 3600}"
        self.ended_by("run.walltime", self.finish(self.start(*limit(0.1))))
        for n in range(2, 6):
            self.ended_by("run.walltime", self.restart(ranks=1 + n % 2))
            s = self.summary(self.folder)
            self.assertEqual((s["steps"], s["starts"]), (n, n))
        text = self.restart(*limit(0))
        self.assertRegex(text, r"run.walltime: 0, was 2\.\d+e-05")
        self.same_as_reference()

    def test_walltime(self):
        """The run ends in time, but does not give away much of it."""
        limit_s = 10.0
        started = time.monotonic()
        text = self.finish(self.start(*LONG, "--set", f"run.walltime={limit_s / 3600}", "--set", "checkpoint.every=0",
                                      "--set", "output.fields_every=0", "--set", "output.slices_every=0"))
        took_s = time.monotonic() - started
        s = self.ended_by("run.walltime", text)
        self.assertGreater(s["steps"], 1)
        self.assertLess(took_s, limit_s)
        self.assertGreater(took_s, 0.3 * limit_s)
        self.assertEqual(len(self.checkpoints()), 1)

    def test_minutes(self):
        process = self.start(*LONG, "--set", "checkpoint.every=0", "--set", "checkpoint.minutes=0.002", ranks=2)
        self.wait_for(process, lambda: (self.folder / "log.txt").exists() and
                      (self.folder / "log.txt").read_text().count(" checkpoint: ") >= 3, "three checkpoints")
        process.send_signal(signal.SIGUSR1)
        self.ended_by("SIGUSR1", self.finish(process))
        self.assertEqual(len(self.checkpoints()), 2)  # checkpoint.keep


if __name__ == "__main__":
    main()
