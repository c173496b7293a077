"""Going on elsewhere, with other parameters, or with what is no run: what is allowed, and what is said of the rest.

    changes.py TENDEX MPIRUN..."""

import ctypes
import fcntl
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import time
import xml.etree.ElementTree as xml

import numpy as np

from runs import Runs, h5_content, main, SIXTEEN, STEPS, TENDEX

USAGE, PARAM, IO = 2, 3, 4


HEAD = 1024


def crc64(data):
    """CRC-64/XZ."""
    table = []
    for byte in range(256):
        for _ in range(8):
            byte = byte >> 1 ^ (0xC96C5795D7870F42 if byte & 1 else 0)
        table.append(byte)
    crc = 0xFFFFFFFFFFFFFFFF
    for byte in data:
        crc = table[(crc ^ byte) & 255] ^ crc >> 8
    return crc ^ 0xFFFFFFFFFFFFFFFF


def sealed(checkpoint, old, new):
    """A checkpoint with other words in its head and the checksum that belongs to them."""
    head = re.sub(old, new, checkpoint[:HEAD], count=1)
    head = head[:head.index(b"checksum ")]
    body = checkpoint[HEAD:]
    return (head + b"checksum %016x\n" % crc64(head + body)).ljust(HEAD, b"\0") + body


class Changes(Runs):
    def content(self):
        return {f: (f.read_bytes(), f.stat().st_mtime_ns) for f in self.folder.rglob("*")
                if f.is_file() and f.name != "run.lock"}

    def test_other_numbers_of_ranks(self):
        self.kill_after_step(12, ranks=2)
        copy = self.folder.with_suffix(".copy")
        self.addCleanup(shutil.rmtree, copy)
        shutil.copytree(self.folder, copy)
        for ranks in (1, 3, 5):
            with self.subTest(ranks=ranks):
                shutil.rmtree(self.folder)
                shutil.copytree(copy, self.folder)
                self.restart(ranks=ranks)
                self.same_as_reference()
                self.assertEqual(self.summary(self.folder)["ranks"], ranks)

    def test_folder_was_moved(self):
        old = self.folder.with_suffix(".old")
        self.kill_after_step(9, folder=old)
        old.rename(self.folder)
        self.restart(folder=f"{self.folder}//")
        self.assertFalse(old.exists())
        self.same_as_reference()

    OF_LEVELS = [word for setting in ("evolution.time_steps=levels", "output.norms_every=8", "output.track_every=2",
                                      "output.slices_every=8", "checkpoint.every=4") for word in ("--set", setting)]

    def test_other_time_steps(self):
        """From one step for all levels to local time steps and back, at any step: macro steps end at multiples again."""
        def steps():
            rows = (self.folder / "puncturetracker-pt_loc..asc").read_text().splitlines()
            return [int(row.split()[0]) for row in rows if not row.startswith("#")]

        self.finish(self.start("--set", "evolution.time_steps=global", "--set", "run.max_steps=5"))
        self.assertEqual(self.summary(self.folder)["time_steps"], "global")
        text = self.restart(*self.OF_LEVELS, "--set", "run.max_steps=10", ranks=2)
        self.assertIn("evolution.time_steps: levels, was global", text)
        self.assertEqual(steps(), [0, 1, 2, 3, 4, 5, 6, 8, 10])
        s = self.summary(self.folder)
        self.assertEqual((s["steps"], s["time_steps"], s["macro_step"]), (10, "levels", 2 * s["time_step"]))
        self.assertNotEqual(s["point_stages"], s["point_stages_global"])
        text = self.restart("--set", "evolution.time_steps=global", "--set", "run.max_steps=11", "--set",
                            "output.track_every=1")
        self.assertIn("evolution.time_steps: global, was levels", text)
        self.assertEqual(steps()[-2:], [10, 11])
        self.assertEqual(self.summary(self.folder)["macro_step"], s["time_step"])

    def test_levels_go_on_as_if_nothing_had_been(self):
        straight = self.folder.with_suffix(".straight")
        self.addCleanup(shutil.rmtree, straight, ignore_errors=True)
        self.finish(self.popen("tiny.yaml", "--set", f"run.folder={straight}", *self.OF_LEVELS, "--set", "run.max_steps=12"))
        self.finish(self.start(*self.OF_LEVELS, "--set", "run.max_steps=4"))
        self.restart("--set", "run.max_steps=8", ranks=3)
        self.restart("--set", "run.max_steps=12")
        for key in ("field_checksum", "point_stages", "point_stages_global", "steps", "t", "punctures"):
            self.assertEqual(self.summary(self.folder)[key], self.summary(straight)[key], key)
        for name in ("energy.asc", "constraints.asc", "puncturetracker-pt_loc..asc"):
            self.assertEqual((self.folder / name).read_bytes(), (straight / name).read_bytes(), name)

    def test_nothing_was_saved(self):
        process = self.start("--set", "checkpoint.every=0")
        self.wait_for(process, lambda: (self.folder / "fields/fields.xmf").exists(), "fields")
        self.kill(process)
        self.assertEqual(self.checkpoints(), [])
        with open(self.folder / "log.txt", "a") as log:
            log.write("My batch job expected checkpoint: checkpoints/checkpoint.0000003.h5\n")
        text = self.restart("--set", "checkpoint.every=3")
        self.assertIn("restart     from the beginning, as there is no checkpoint; ", text)
        self.same_as_reference()

    def test_fields_can_be_read_in_between(self):
        """What lists the fields is whole right after it was cut, not only when more is appended."""
        process = self.start("--set", "checkpoint.every=6")
        self.wait_for(process, lambda: (self.folder / "fields/fields.0000008.h5").exists(), "the second fields")
        time.sleep(0.005)
        self.kill(process)
        newest = self.checkpoints()[-1].name
        text = self.restart("--set", f"run.walltime={0.1 / 3600}")
        if newest != "checkpoint.0000006.h5" or self.summary(self.folder)["steps"] != 7:
            self.skipTest(f"too late, {newest}: {text}")
        times = [float(t.get("Value")) for t in xml.parse(self.folder / "fields/fields.xmf").iter("Time")]
        self.assertEqual(times, [0.0])
        self.assertFalse((self.folder / "fields/fields.0000008.h5").exists())
        self.restart("--set", "run.walltime=0", "--set", "checkpoint.every=3")
        self.same_as_reference()

    def test_complete(self):
        self.finish(self.start())
        before = self.content()
        text = self.restart()
        self.assertEqual(text, f"the run in {self.folder} is complete: t = 3.05 M after {STEPS} steps; to extend it, "
                         f"raise run.t_end or run.max_steps: tendex run --restart {self.folder} --set run.t_end=...\n")
        self.assertEqual(self.content(), before)
        for file in self.checkpoints():
            file.unlink()
        self.assertEqual(self.restart(), text)

    def test_summary_with_other_texts(self):
        """Only members of the summary itself count, however far behind they are."""
        self.finish(self.start())
        known, file = self.summary(self.folder), self.folder / "summary.json"
        texts = {"name": '"complete": true, "t": 9', "parameters": 5000 * "x"}
        for first in ({"phases": {"complete": False, "t": 0, "steps": 0}}, texts):
            with self.subTest(first=list(first)):
                file.write_text(json.dumps({**first, **{key: known[key] for key in known if key not in first}}))
                self.assertIn("is complete: t = 3.05 M", self.restart())
        file.write_text(json.dumps({**texts, "done": "complete", "ended": "run.walltime", "phases": {"complete": True, "t": 9}}))
        self.assertNotIn("is complete", self.restart())

    def test_complete_goes_on(self):
        self.finish(self.start("--set", "run.t_end=1.23"))
        self.assertEqual(self.summary(self.folder)["t"], 1.23)
        text = self.restart("--set", "run.t_end=2.5")
        self.assertIn("run.t_end: 2.5, was 1.23", text)
        s = self.summary(self.folder)
        self.assertEqual((s["t"], s["complete"], s["starts"]), (2.5, True, 2))
        track = np.loadtxt(self.folder / "puncturetracker-pt_loc..asc")
        steps = track[:, 0]
        self.assertEqual(list(steps), list(range(s["steps"] + 1)))
        t = track[:, 8]
        self.assertEqual(t[13], 1.23)  # the step that was cut; after it they are whole again
        self.assertAlmostEqual(t[14] - t[13], t[2] - t[1], places=12)
        self.assertIn("  t_end: 2.5\n", (self.folder / "run.yaml").read_text())
        # By steps too.
        self.finish(self.popen("--restart", self.folder, "--set", "run.t_end=9", "--set", f"run.max_steps={s['steps'] + 2}"))
        s2 = self.summary(self.folder)
        self.assertEqual((s2["steps"], s2["ended"], s2["complete"]), (s["steps"] + 2, "run.max_steps", True))

    def test_step_by_step(self):
        """What is written at the end only is gone when the run is made longer; a grid that is due to change after the last
        step does so, too."""
        self.finish(self.start("--set", "run.max_steps=4"))
        for steps in (13, 24, 0):
            self.rows_of_the_end()
            last = self.summary(self.folder)["steps"]
            self.assertIn(f"rows and fields written at the end, step {last}, are removed: the run continues",
                          self.restart("--set", f"run.max_steps={steps}"))
        self.same_as_reference()

    def rows_of_the_end(self):
        grid = np.loadtxt(self.folder / "grid.asc")
        self.assertEqual(sum(grid[grid[:, 0] == grid[-1, 0], 5] ** 3), 8.0**3, "not one grid at one time")
        steps = self.summary(self.folder)["steps"]
        for name in ("constraints.asc", "energy.asc", "horizons.asc", "waves/areal_radius.asc",
                     "waves/expansion.asc", "waves/turning.asc", "waves/lapse.asc"):
            self.assertEqual(np.loadtxt(self.folder / name)[-1, 0], steps, f"{name} has no row of the last step")

    def test_complete_without_a_checkpoint(self):
        self.finish(self.start("--set", "checkpoint.at_end=false", "--set", "checkpoint.every=0"))
        before = self.content()
        self.assertIn("is complete: t = 3.05 M", self.restart())
        self.assertIn("is complete and left no checkpoint to restart from (checkpoint.at_end); start again: tendex run "
                      f"{self.folder}/run.yaml ", self.restart("--set", "run.t_end=4", code=IO))
        self.assertEqual(self.content(), before)

    def test_checkpoints_were_taken_away(self):
        """What was saved is not thrown away because someone moved the checkpoints, whatever the log says; nor where it is
        unknown whether there were any."""
        self.kill_after_step(6)
        shutil.rmtree(self.folder / "checkpoints")
        (self.folder / "log.txt").write_text("")
        record = self.folder / "last_checkpoint.json"
        unknown = "may have been saved, as last_checkpoint.json is missing or damaged"
        for content, said in ((None, r"was saved at step \d+, t = \d\.\d+ M"), ('{"t": 1}', unknown), ("", unknown)):
            with self.subTest(content=content):
                if content is not None:
                    record.write_text(content)
                before = self.content()
                self.assertRegex(self.restart(code=IO), rf"the run in {self.folder} {said}, but {self.folder}/checkpoints has no "
                                 "checkpoint; restore one, or start again: ")
                self.assertEqual(self.content(), before)
        record.unlink()
        self.assertIn(unknown, self.restart(code=IO))

    def test_parameters(self):
        self.kill_after_step(9)
        before = self.content()
        for change, was in (("grid.extent=9", "8"), ("gauge.eta=1.5", "2"), ("gauge.slow_start=0", "0.6"),
                            ("gauge.slow_start_time=3", "2"), ("waves.every=3", "2"), ("waves.radii=[3, 5]", "[3, 6]"),
                            ("output.variables=chi", '"chi alpha"'), ("grid.regrid_every=5", "4"),
                            ("initial_data.masses=adm", "bare")):
            key, value = change.split("=")
            text = self.restart("--set", change, code=PARAM)
            shown = f'"{value}"' if was.startswith('"') else value
            self.assertIn(f"{key}: {shown} differs from the run's value, {was}, and cannot change at a restart", text)
            self.assertIn("A restart may change run.t_end, run.max_steps, run.walltime, ", text)
            self.assertIn("output.log_every", text)
        self.assertIn("evolution.system: z4c differs from the run's value, bssn, and cannot change at a restart",
                      self.restart("--set", "evolution.system=z4c", "--set", "gauge.lambda_f0=1.5", code=PARAM))
        self.assertIn("run.t_end: 0.1 M is before the checkpoint at t = ", self.restart("--set", "run.t_end=0.1", code=PARAM))
        self.assertIn("unknown parameter", self.restart("--set", "run.tend=0.1", code=PARAM))
        self.assertEqual({f: c[0] for f, c in self.content().items()}, {f: c[0] for f, c in before.items()})
        yaml = self.folder / "run.yaml"
        yaml.write_text(yaml.read_text().replace("cfl: 0.4", "cfl: 0.3"))
        self.assertIn("evolution.cfl: 0.3 differs from the run's value, 0.4", self.restart(code=PARAM))
        yaml.write_text(yaml.read_text().replace("cfl: 0.3", "cfl: 0.4"))
        text = self.restart("--set", "output.log_every=1", "--set", "checkpoint.every=7", "--set", "checkpoint.keep=1",
                            "--set", "checkpoint.minutes=0", "--set", "run.walltime=5")
        self.assertRegex(text, "run.walltime: 5, was 0; checkpoint.every: 7, was 3; checkpoint.minutes: 0, was 30; "
                         "checkpoint.keep: 1, was 2; output.log_every: 1, was 6")
        self.same_as_reference()
        text = yaml.read_text()
        self.assertRegex(text, r"(?s)# started: .*# restarted from step (9|12).*run.walltime: 5, was 0.*\n\n# The run")
        self.assertIn("  every: 7\n", text)

    def test_help_names_them(self):
        text = subprocess.run([TENDEX, "--help-params"], capture_output=True, text=True, check=True).stdout
        may = {block.split(":")[0].strip() for block in text.split("\n\n") if "may be changed by a restart" in block}
        self.assertLessEqual({"run.t_end", "run.walltime", "checkpoint.keep", "output.fields_every"}, may)
        self.assertFalse({"grid.extent", "waves.every", "run.name"} & may)

    def test_no_run(self):
        self.assertIn(f"--restart {self.folder}: No such file or directory; give the folder of a run",
                      self.restart(code=IO))
        self.folder.mkdir()
        text = self.restart(code=IO, ranks=2)
        self.assertEqual(text.count("this folder holds no run, as run.yaml is missing; start one with tendex run FILE"), 1)
        self.assertEqual(list(self.folder.iterdir()), [])
        yaml = self.folder / "run.yaml"
        for content in (b"", b"run:\n  t_end: [1\n", bytes(range(256)), b"# only remarks\n"):
            yaml.write_bytes(content)
            self.assertRegex(self.restart(code=PARAM), rf"tendex: error: {yaml}:?\d*: ")
        self.assertIn(": not a folder; give", self.restart(folder=yaml, code=IO))

    def test_folder_cannot_change(self):
        self.kill_after_step(6)
        before = self.content()
        for change in ("run.folder=elsewhere", "run.name=other"):
            self.assertIn(f"--set {change}: a restart continues in {self.folder}; leave this out",
                          self.restart("--set", change, code=PARAM))
        self.assertEqual(self.content(), before)

    def test_waves_were_taken_away(self):
        self.kill_after_step(6)
        shutil.rmtree(self.folder / "waves")
        text = self.restart()
        self.assertEqual(text.count(" is gone; its content is missing"), 5)
        self.assertRegex(text, r"warning: \d+ more files are gone")
        modes = "waves/mp_psi4.h5"
        self.assertEqual((self.folder / modes).exists(), True)
        self.assertEqual(h5_content(self.folder / modes), h5_content(self.reference / modes))

    def test_killed_before_it_began(self):
        self.folder.mkdir()
        (self.folder / "log.txt").write_text("warning: of a start that was killed\n")
        (self.folder / "last_checkpoint.json").write_text('{"step": 0}')
        (self.folder / "run.yaml.part").write_text("run:\n")
        self.assertIn("start one with tendex run FILE", self.restart(code=IO))
        self.finish(self.start())
        self.same_as_reference()

    def read_only(self, *paths):
        """Take the right to write there; options for a process that root starts and that keeps to it."""
        for path in paths:
            path.chmod(0o555 if path.is_dir() else 0o444)
        self.addCleanup(lambda: [p.chmod(0o755) for p in paths])
        libc, drop_from_bounding_set, dac_override = ctypes.CDLL(None), 24, 1    # prctl(2), capabilities(7)
        return {"preexec_fn": lambda: libc.prctl(drop_from_bounding_set, dac_override, 0, 0, 0)} if os.geteuid() == 0 else {}

    def test_unwritable_parent(self):
        self.folder.mkdir()
        self.assertIn(f"cannot create folder {self.folder}/a: Permission denied; give a writable run.folder",
                      self.run_now("tiny.yaml", "--set", f"run.folder={self.folder}/a/b", code=IO,
                                   **self.read_only(self.folder)))

    def test_unwritable(self):
        self.kill_after_step(9)
        self.assertIn(f"--restart {self.folder}: cannot write into this folder: ",
                      self.restart(code=IO, **self.read_only(self.folder, *self.folder.rglob("*"))))

    def test_another_run_is_at_work(self):
        """It is named, at once, and its files stay as they are."""
        process = self.start("--set", "run.t_end=1e6")
        self.addCleanup(self.kill, process)
        self.wait_for_step(process, 3)
        process.send_signal(signal.SIGSTOP)
        before = self.content()
        for arguments in (("--restart", self.folder), ("tiny.yaml", "--overwrite", "--set", f"run.folder={self.folder}")):
            started = time.monotonic()
            text = self.run_now(*arguments, code=IO)
            self.assertLess(time.monotonic() - started, 5)
            self.assertIn(f"another run uses this folder: process {process.pid} on {socket.gethostname()} holds "
                          f"{self.folder}/log.txt; stop it, or wait for its end", text)
            self.assertEqual(self.content(), before)
        process.send_signal(signal.SIGCONT)
        process.send_signal(signal.SIGTERM)
        self.finish(process)
        self.assertFalse((self.folder / "run.lock").exists())

    def test_a_lock_without_its_owner(self):
        """That of a process which is being killed goes in a moment, which is waited for, aloud; any other is refused."""
        self.kill_after_step(9)
        owner = self.folder / "run.lock"
        self.assertTrue(owner.exists())
        with (self.folder / "log.txt").open("a") as log:
            fcntl.flock(log, fcntl.LOCK_EX)
            waiting = self.popen("--restart", self.folder)
            said = waiting.stdout.readline()
            self.assertRegex(said, r"^waiting for process \d+, which held .*/log.txt and has ended")
            self.assertIsNone(waiting.poll())
        self.finish(waiting)
        self.same_as_reference()
        shutil.rmtree(self.folder)
        self.kill_after_step(9)
        owner.write_text("host elsewhere, process 1\n")
        with (self.folder / "log.txt").open("a") as log:
            fcntl.flock(log, fcntl.LOCK_EX)
            self.assertIn("process 1 on elsewhere holds", self.restart(code=IO))
            owner.unlink()
            self.assertIn(f"an unknown process holds {self.folder}/log.txt", self.restart(code=IO))

    def test_of_another_build(self):
        """Good checkpoints of another build are named as such; nobody is told to delete them."""
        self.kill_after_step(9)
        other = 24 - (16 if SIXTEEN else 8)
        cases = {
            rb"octant_points \d+": (f"octant_points {other}", f"octants have {other} points a side, this program's .*: restart "
                                    rf"with a build for such octants \(cmake -DTENDEX_N={other}\)"),
            rb"format \d+": ("format 2", r"format 2, and .*: restart with version \d\S+"),
            rb"system \w+": ("system ripple", r"this program does not have the system ripple: restart with version \d\S+"),
            rb"system (\w+) ....": (r"system \1 0123", r"equations of the system bssn differ from .*: restart with version \d\S+ and"),
        }
        files = self.checkpoints()
        good = [f.read_bytes() for f in files]
        for old, (new, told) in cases.items():
            for file, content in zip(files, good):
                file.write_bytes(sealed(content, old, new.encode()))
            before = {f: f.read_bytes() for f in self.checkpoints()}
            text = self.restart(code=IO)
            self.assertRegex(text, f"error: checkpoint {files[-1]} is intact, but of another build: .*{told}")
            self.assertNotIn("overwrite", text)
            self.assertEqual({f: f.read_bytes() for f in self.checkpoints()}, before)

    def test_wrong_use(self):
        self.assertIn("--restart x takes its parameters from x/run.yaml: leave out tiny.yaml",
                      self.run_now("tiny.yaml", "--restart", "x", code=USAGE))
        self.assertIn("--restart continues a run, --overwrite starts it again; give one of them",
                      self.run_now("--restart", "x", "--overwrite", code=USAGE))
        self.assertIn("the parameter file is missing", self.run_now(code=USAGE))


if __name__ == "__main__":
    main()
