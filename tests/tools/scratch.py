"""Runs of known waves in folders of their own."""

import tempfile
import unittest
from pathlib import Path

import synthetic
from tendex.waves.reading.run import Run

CHIRP = synthetic.Chirp(rise=30.0, on=0.0)


class Scratch(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.scratch = Path(folder.name)

    def run_of(self, **options):
        return Run(synthetic.write_run(self.scratch / "run", **{"wave": CHIRP, "dt": 0.5, **options}))
