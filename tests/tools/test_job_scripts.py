"""par/slurm without Slurm: when the scripts start, go on, requeue, and give up. A shell script stands for tendex, which
does as its folder's file `plan` says; another for scontrol. tests/slurm has the same with real ones."""

import os
import shutil
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = sorted((ROOT / "par" / "slurm").glob("*.sh"))
# The plan is a list of words: begin, save STEP, wait, complete, and last its exit code.
TENDEX = """#!/bin/bash
echo "$@" >>said
run=$(sed -E 's/.*(run.folder=|--restart )([^ ]+).*/\\2/' <<<"$*")
trap 'echo told >>said; told=1' USR1
mkdir -p "$run/checkpoints"
rm -f "$run/summary.json"
read -ra plan <"$run.plan"
set -- "${plan[@]}"
while [ $# -gt 1 ]; do
  case $1 in
    begin) touch "$run/run.yaml" ;;
    save) touch "$run/checkpoints/checkpoint.$2.h5"; shift ;;
    wait) touch ready; until [ "$told" ] || [ -e go ]; do sleep 0.01; done ;;
    complete) echo '{ "complete": true }' >"$run/summary.json" ;;
    killed) kill -9 $$ ;;
  esac
  shift
done
exit "$1"
"""


class JobScripts(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="tendex-job-")
        self.addCleanup(temporary.cleanup)
        self.top = Path(temporary.name)
        self.program("tendex", TENDEX)
        self.program("scontrol", '#!/bin/bash\necho "$@" >>requeued\n')
        # Drops srun's options: what follows is the program.
        self.program("srun", '#!/bin/bash\nwhile [[ $1 == -* ]]; do shift; done\nexec "$@"\n')
        self.environment = {"PATH": f"{self.top}:{os.environ['PATH']}", "TENDEX_HOME": str(ROOT), "SLURM_JOB_ID": "7",
                            "TENDEX_PROGRAM": str(self.top / "tendex"), "SLURM_CPUS_PER_TASK": "3"}

    def program(self, name, text):
        (self.top / name).write_text(text)
        (self.top / name).chmod(0o755)

    def popen(self, plan="", script="one_node.sh", words=("a.yaml", "out/a"), **environment):
        (self.top / "out").mkdir(exist_ok=True)
        if plan:
            (self.top / "out" / "a.plan").write_text(plan + "\n")
        return subprocess.Popen([ROOT / "par" / "slurm" / script, *words], cwd=self.top, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, env={**self.environment, **environment}, text=True)

    def job(self, plan="", code=0, **options):
        process = self.popen(plan, **options)
        out = process.communicate(timeout=20)[0]
        self.assertEqual(process.returncode, code, out)
        return out

    def said(self, name="said"):
        file = self.top / name
        return file.read_text().splitlines() if file.exists() else []

    def wait_ready(self):
        end = time.monotonic() + 10
        while not (self.top / "ready").exists():
            self.assertLess(time.monotonic(), end)
            time.sleep(0.01)

    def test_it_starts_then_goes_on_then_has_nothing_to_do(self):
        self.job("begin save 0000005 0")
        self.job("save 0000009 complete 0", SLURM_RESTART_COUNT="1")
        out = self.job("complete 0", script="many_nodes.sh", words=("a.yaml", "out/a/"))
        self.assertIn("out/a is complete", out)
        self.assertEqual(self.said(), ["run a.yaml --set run.folder=out/a", *["run --restart out/a"] * 2])
        self.assertEqual(self.said("requeued"), ["requeue 7"])

    def test_an_orbit_is_found_first(self):
        """tendex-orbit is called each time, and its members' checkpoints are progress."""
        text = (ROOT / "par/slurm/one_node.sh").read_text().replace("orbit=()", "orbit=(--eccentricity 1e-3)")
        text = text.replace("launch=(srun ", "launch=('a b' ")
        (self.top / "par").symlink_to(ROOT / "par")
        (self.top / "tools").mkdir()
        self.program("tools/tendex-orbit", "#!/bin/bash\necho \"$@\" >>said\nmkdir -p out/a.orbit/a_0/checkpoints out/a\n"
                     "[ -e more ] && rm more && touch out/a.orbit/a_0/checkpoints/checkpoint.1.h5\n"
                     "[ -e last ] && echo '{ \"complete\": true }' >out/a/summary.json\nexit 0\n")
        self.program("job.sh", text)
        self.environment["TENDEX_HOME"] = str(self.top)

        def job(count, code=0):
            (self.top / "out").mkdir(exist_ok=True)
            p = subprocess.run([self.top / "job.sh", "a.yaml", "out/a"], cwd=self.top, text=True, capture_output=True,
                               env={**self.environment, "SLURM_RESTART_COUNT": str(count)}, timeout=20)
            self.assertEqual(p.returncode, code, p.stdout + p.stderr)
        job(0)
        job(1)
        (self.top / "more").touch()
        job(2)
        (self.top / "last").touch()
        job(3)
        self.assertEqual(len(self.said("requeued")), 3)
        self.assertEqual(len(set(self.said())), 1)
        self.assertIn(f"a.yaml --eccentricity 1e-3 --set run.folder=out/a --program {self.top}/tendex --launcher a\\ b ",
                      self.said()[0])

    def test_the_folder_has_a_default_and_cpu_its_settings(self):
        (self.top / "out").mkdir()
        (self.top / "out" / "b.plan").write_text("begin complete 0\n")
        self.job(script="cpu.sh", words=("par/b.yaml",))
        self.assertEqual(self.said(), ["run par/b.yaml --set run.folder=out/b --set compute.device=cpu"])
        self.assertIn("give the parameter file: sbatch cpu.sh FILE", self.job(script="cpu.sh", words=(), code=1))

    def test_usr1_is_passed_on_and_the_job_requeued(self):
        process = self.popen("begin wait save 0000003 0")
        self.wait_ready()
        process.send_signal(signal.SIGUSR1)
        out = process.communicate(timeout=20)[0]
        self.assertEqual(process.returncode, 0, out)
        self.assertEqual(self.said()[1:], ["told"])
        self.assertEqual(self.said("requeued"), ["requeue 7"])

    def test_usr1_that_kills_the_program_is_an_attempt(self):
        """As before its first step."""
        self.program("tendex", "#!/bin/bash\ntouch ready\nwhile :; do sleep 0.01; done\n")
        for count in range(4):
            process = self.popen(SLURM_RESTART_COUNT=str(count))
            if count < 3:
                self.wait_ready()
                process.send_signal(signal.SIGUSR1)
            out = process.communicate(timeout=20)[0]
            self.assertEqual(process.returncode, (0, 0, 138, 1)[count], out)
            (self.top / "ready").unlink(missing_ok=True)
        self.assertEqual(self.said("requeued"), ["requeue 7"] * 2)
        self.assertIn("3 jobs in a row ended without a newer checkpoint: given up", out)

    def test_term_waits_for_the_run_and_leaves_the_rest_to_slurm(self):
        process = self.popen("begin wait save 0000003 0")
        self.wait_ready()
        process.send_signal(signal.SIGTERM)
        time.sleep(0.1)
        self.assertIsNone(process.poll())
        (self.top / "go").touch()
        out = process.communicate(timeout=20)[0]
        self.assertEqual(process.returncode, 143, out)
        self.assertEqual((self.said("requeued"), len(self.said())), ([], 1))
        self.assertTrue((self.top / "out/a/checkpoints/checkpoint.0000003.h5").exists())

    def test_what_would_fail_again_is_not_requeued(self):
        for code in (2, 3, 4, 5, 6, 7):
            said = self.job(f"begin save 000000{code} {code}", code=code)
            self.assertIn("this would fail again: see out/a/log.txt", said)
        self.assertEqual(self.said("requeued"), [])

    def test_attempts_without_progress_come_to_an_end(self):
        self.job("begin killed 0")
        self.job("killed 0", SLURM_RESTART_COUNT="1")
        self.job("save 0000002 8", SLURM_RESTART_COUNT="2")  # progress: counted anew
        self.job("killed 0", SLURM_RESTART_COUNT="3")
        self.job("9", SLURM_RESTART_COUNT="4")
        self.assertEqual(self.said("requeued"), ["requeue 7"] * 5)
        out = self.job("killed 0", SLURM_RESTART_COUNT="5", code=137)
        self.assertIn("3 jobs in a row ended without a newer checkpoint: given up", out)
        self.assertEqual(len(self.said("requeued")), 5)
        # Killed with its job, so that nothing was counted at the end: the next one does not even start.
        starts = len(self.said())
        self.job("killed 0", SLURM_RESTART_COUNT="6", code=1)
        self.assertEqual(len(self.said()), starts)
        # A person who submits it again has mended something.
        self.job("killed 0")
        self.assertEqual(len(self.said()), starts + 1)

    def test_a_job_that_cannot_be_requeued(self):
        self.program("scontrol", "#!/bin/bash\necho Requested operation is presently disabled >&2\nexit 1\n")
        self.assertIn("submit it again, it goes on where it was", self.job("begin save 0000001 0", code=1))

    def test_a_line_of_an_array(self):
        (self.top / "out").mkdir()
        (self.top / "out" / "runs.txt").write_text("a.yaml\nb.yaml\n")
        (self.top / "out" / "b.plan").write_text("begin save 0000001 0\n")
        array = {"SLURM_ARRAY_JOB_ID": "6", "SLURM_ARRAY_TASK_ID": "2", "script": "array.sh"}
        self.job(words=("out/runs.txt",), **array)
        self.assertEqual(self.said(), ["run out/b.yaml --set run.folder=out/b"])
        self.assertEqual(self.said("requeued"), ["requeue 6_2"])
        array["SLURM_ARRAY_TASK_ID"] = "3"
        self.assertIn("out/runs.txt has no line 3", self.job(words=("out/runs.txt",), code=1, **array))
        self.assertIn("submit this with --array=1-N", self.job(script="array.sh", words=("out/runs.txt",), code=1))

    def test_every_script_asks_slurm_for_a_signal_and_may_be_requeued(self):
        jobs = [script for script in SCRIPTS if script.name != "tendex-job.sh"]
        self.assertEqual(len(jobs), 4)
        for script in jobs:
            lines = script.read_text().splitlines()
            for wanted in ("--signal=B:USR1@300", "--requeue", "--open-mode=append"):
                self.assertTrue(any(line.split()[:2] == ["#SBATCH", wanted] for line in lines), f"{script}: {wanted}")

    @unittest.skipUnless(shutil.which("shellcheck"), "no shellcheck here")
    def test_shellcheck(self):
        p = subprocess.run(["shellcheck", "-x", *SCRIPTS], cwd=ROOT, capture_output=True, text=True)
        self.assertEqual(p.returncode, 0, p.stdout)


if __name__ == "__main__":
    unittest.main()
