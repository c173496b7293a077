"""Ranks that another MPI's launcher started, each alone in its own MPI_COMM_WORLD, are refused; so are a second MPI in one process, and
ranks of other versions, builds and MPIs than rank 0 has, as of a host with another installation.

    launchers.py TENDEX MPIRUN..."""

import os
import re
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from program_test import ProgramTest  # noqa: E402

TENDEX, MPIRUN = sys.argv[1], sys.argv[2:]
LIBRARY = 8
LAUNCHERS = {("OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"): "Open MPI's mpirun",
             ("PMI_SIZE", "PMI_RANK"): "a launcher with PMI (MPICH, Cray, Intel)",
             ("SLURM_STEP_NUM_TASKS", "SLURM_PROCID"): "Slurm's srun"}


class Launchers(ProgramTest):
    program, mpirun = TENDEX, MPIRUN

    def setUp(self):
        super().setUp()
        (self.folder / "a.yaml").write_text("run: {t_end: 1}\ninitial_data: {type: gauge_wave}\ngrid: {periodic: xyz}\n")

    def test_alone_under_another_launcher(self):
        for (size, rank), name in LAUNCHERS.items():
            with self.subTest(name):
                text = self.tendex("run", "a.yaml", code=LIBRARY, more={size: "3", rank: "0"})
                self.assertRegex(text, rf"\Atendex: error: {re.escape(name)} started 3 ranks \({size}\), and in (Open MPI|MPICH) \d\S* "
                                       r"each of them is alone: start them with the launcher of that MPI[^\n]*"
                                       r"\n  \(\S+, code LIBRARY\)\n\Z")
                self.assertEqual(self.tendex("run", "a.yaml", more={size: "3", rank: "1"}), "")
                self.assertIn("memory", self.tendex("check", "a.yaml", "--speed", "1e6", more={size: "1", rank: "0"}))
        self.assertFalse((self.folder / "out").exists())

    def test_one_process_of_a_batch_script(self):
        self.assertIn("memory", self.tendex("check", "a.yaml", "--speed", "1e6", more={"SLURM_NTASKS": "4", "SLURM_PROCID": "0"}))

    def test_the_right_launcher_in_a_step_of_slurm(self):
        """mpirun starts its ranks in a step of one task a host."""
        text = self.tendex("check", "a.yaml", "--speed", "1e6", ranks=2, more={"SLURM_STEP_NUM_TASKS": "5", "SLURM_PROCID": "0"})
        self.assertIn("memory", text)

    def test_two_mpis(self):
        preload = " ".join([os.environ["TX_OTHER_MPI"], *os.environ.get("LD_PRELOAD", "").split()])
        text = self.tendex("run", "a.yaml", code=LIBRARY, more={"LD_PRELOAD": preload})
        self.assertRegex(text, r"\Atendex: error: two MPIs are loaded on \S+, Other MPI 7\.1 \(\S*other_mpi\.so\) and (Open MPI|MPICH) \d\S* "
                               r"\(\S*libmpi\S*\): p4est or HDF5 was built with another one[^\n]*\n  \(\S+, code LIBRARY\)\n\Z")
        # Where rank 0 has one MPI, others say what they have.
        for words in ((), ("env", f"LD_PRELOAD={preload}")):
            text = self.tendex("run", "a.yaml", ":", "-n", "2", *(words or ("env",)), TENDEX, "run", "a.yaml", ranks=2, code=LIBRARY,
                               more={} if words else {"LD_PRELOAD": preload})
            self.assertGreaterEqual(text.count("tendex: error: two MPIs are loaded on"), 1, text)
            if not words:
                self.assertEqual(text.count("tendex: error: two MPIs are loaded on"), 1, text)

    def patched(self, old, new):
        """A program of the same size with other bytes."""
        program, content = self.folder / "other", Path(TENDEX).read_bytes()
        self.assertIn(old, content)
        self.assertEqual(len(old), len(new))
        program.write_bytes(content.replace(old, new))
        program.chmod(0o755)
        return program

    def refused(self, *other):
        """What two ranks of the program and one of another one say."""
        for command in ("run", "check"):
            text = self.tendex(command, "a.yaml", ":", "-n", "1", *other, command, "a.yaml", ranks=2, code=LIBRARY)
            self.assertEqual(text.count("tendex: error: "), 1, text)
        self.assertFalse((self.folder / "out").exists())
        return text

    def test_another_version(self):
        version = self.tendex("--version").split()[1]
        other = version[:-1] + ("0" if version[-1] != "0" else "1")
        text = self.refused(self.patched(version.encode(), other.encode()))
        self.assertRegex(text, rf"tendex: error: rank 2 on \S+ runs tendex {re.escape(other)} \([^)]*\), and rank 0 on \S+ runs "
                               rf"{re.escape(version)} \([^)]*\): install one build on all hosts, and start it by the same path\n")

    def test_another_build(self):
        note = re.search(rb"\x04\0\0\0\x14\0\0\0\x03\0\0\0GNU\0(.{20})", Path(TENDEX).read_bytes(), re.DOTALL)
        if not note:
            self.skipTest("the linker gives programs no number")
        other = bytes(b ^ 1 for b in note[1])
        text = self.refused(self.patched(note[1], other))
        self.assertRegex(text, rf"tendex: error: rank 2 on \S+ runs another build of tendex \S+ \({other.hex()}\) than rank 0 on \S+ "
                               rf"\({note[1].hex()}\): install one build")

    def test_another_mpi_elsewhere(self):
        preload = " ".join([os.environ["TX_OLD_MPI"], *os.environ.get("LD_PRELOAD", "").split()])
        text = self.refused("env", f"LD_PRELOAD={preload}", TENDEX)
        self.assertRegex(text, r"tendex: error: rank 2 on \S+ has found Open MPI 3\.9\.9, and rank 0 on \S+ (Open MPI|MPICH) \d\S*: install one")

    def test_hosts_with_different_numbers_of_ranks(self):
        """p4est ends such a run with an error after it is complete, unless it is told of hosts that have one number of ranks."""
        preload = " ".join([os.environ["TX_UNEVEN_HOSTS"], *os.environ.get("LD_PRELOAD", "").split()])
        text = self.tendex("run", "a.yaml", "--set", "run.t_end=0.05", ranks=3, more={"LD_PRELOAD": preload})
        self.assertIn("done: t = 0.05 M", text)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
