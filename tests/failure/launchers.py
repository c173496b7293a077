"""Ranks that another MPI's launcher started, each alone in its own MPI_COMM_WORLD, are refused; so is a second MPI in one process.

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
        self.assertRegex(text, r"\Atendex: error: two MPIs are loaded, Other MPI 7\.1 \(\S*other_mpi\.so\) and (Open MPI|MPICH) \d\S* "
                               r"\(\S*libmpi\S*\): p4est or HDF5 was built with another one[^\n]*\n  \(\S+, code LIBRARY\)\n\Z")
        self.assertEqual(self.tendex("run", "a.yaml", more={"LD_PRELOAD": preload, "PMI_RANK": "1", "PMI_SIZE": "3"}), "")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
