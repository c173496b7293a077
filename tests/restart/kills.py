"""SIGKILL at any moment, as often as you like: the run goes on as if nothing had been.

    kills.py TENDEX MPIRUN..."""

import collections
import os
import signal
import time

from runs import Runs, main, STEPS

RUNS, KILLS_EACH = 3, 6      # at random times, one process
AIMED_RUNS, AIMED_MOST, AIMED_EACH = 2, 12, 6  # while a checkpoint is being written; more runs where that takes too little time
PARALLEL_KILLS = 6           # of one rank or of all, two ranks


class Kills(Runs):
    def begin_or_go_on(self, ranks=1):
        if (self.folder / "run.yaml").exists():
            return self.popen("--restart", self.folder, ranks=ranks)
        for file in self.folder.rglob("*"):
            self.assertIn(file.name, ("log.txt", "run.lock", "last_checkpoint.json.part", "last_checkpoint.json", "run.yaml.part"),
                          "files before run.yaml")
        return self.start(ranks=ranks)

    def where(self):
        """What a kill has left behind."""
        if list((self.folder / "checkpoints").glob("*.part")):
            return "while a checkpoint was written"
        if not (self.folder / "run.yaml").exists():
            return "before run.yaml was there"
        if not self.checkpoints():
            return "before the first checkpoint"
        return "between checkpoints"

    def test_at_random_times(self):
        count = collections.Counter()
        for i in range(RUNS):
            self.folder = self.top / f"random{i}"
            kills = 0
            while kills < KILLS_EACH:
                process = self.begin_or_go_on()
                time.sleep(self.random.uniform(0.0, 0.8 * self.reference_s))
                if process.poll() is None:
                    kills += 1
                    self.kill(process)
                    count[self.where()] += 1
                    continue
                self.finish(process)
                break
            self.finish(self.begin_or_go_on())
            self.same_as_reference()
        print(f"\n  {RUNS} runs, {sum(count.values())} kills: {dict(count)}")
        self.assertGreater(sum(count.values()), RUNS)

    def stops_while_writing(self, process):
        """Whether a checkpoint is half written where the process stops; if not, it goes on."""
        process.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
        if list((self.folder / "checkpoints").glob("*.part")):
            return True
        process.send_signal(signal.SIGCONT)
        return False

    def test_while_a_checkpoint_is_written(self):
        count = collections.Counter()
        for i in range(AIMED_MOST):
            if i >= AIMED_RUNS and sum(count.values()) > 2:
                break
            self.folder = self.top / f"aimed{i}"
            part = self.folder / "checkpoints"
            for _ in range(AIMED_EACH):
                process = self.begin_or_go_on()
                wait_s, seen = self.random.uniform(0.0, 0.004), self.random.randrange(1, 4)
                last = None
                while process.poll() is None:
                    try:
                        parts = {f.name for f in os.scandir(part) if f.name.endswith(".part")}
                    except FileNotFoundError:
                        parts = set()
                    seen -= bool(parts - {last})
                    last = max(parts, default=last)
                    if seen <= 0 and parts:
                        time.sleep(wait_s)
                        if self.stops_while_writing(process):
                            self.kill(process)
                            count[self.where()] += 1
                            break
                        wait_s = 0.0
                else:
                    self.finish(process)
                    break
            self.finish(self.begin_or_go_on())
            self.same_as_reference()
        print(f"\n  {len(list(self.top.glob('aimed*')))} runs, {sum(count.values())} kills: {dict(count)}")
        self.assertGreater(count["while a checkpoint was written"], 2)

    def test_of_ranks(self):
        kills, newest = 0, 0
        while kills < PARALLEL_KILLS and newest < STEPS - 9:
            process = self.begin_or_go_on(ranks=2)
            self.wait_for_step(process, newest + 1)
            time.sleep(self.random.uniform(0.0, 0.02))
            who = self.random.randrange(3)
            if who == 2:
                self.kill(process)
            else:
                os.kill(self.children(process)[who], 9)
                process.communicate(timeout=60)
                self.assertNotEqual(process.returncode, 0)
            kills += 1
            newest = int(self.checkpoints()[-1].name.split(".")[1])
        self.finish(self.begin_or_go_on(ranks=2))
        self.same_as_reference()
        print(f"\n  {kills} kills of ranks or all of 2")
        self.assertGreater(kills, 2)

    def test_after_the_last_step(self):
        """The last checkpoint is there but no summary: nothing is left to do but that."""
        process = self.start("--set", "output.log_every=1")
        self.wait_for(process, lambda: self.checkpoints() and self.checkpoints()[-1].name == f"checkpoint.{STEPS:07d}.h5",
                      "the last checkpoint")
        self.kill(process)
        (self.folder / "summary.json").unlink(missing_ok=True)
        (self.folder / "last_checkpoint.json").write_text('{"step": 0}')  # as if killed just before its record
        self.restart()
        self.same_as_reference()


if __name__ == "__main__":
    main()
