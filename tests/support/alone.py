"""Processes that tests start without mpirun."""

import itertools
import os
from pathlib import Path

_count = itertools.count()


def alone(folder):
    """Environment of one more process without mpirun, for which Open MPI would start a daemon that answers for it: 60 ms of a
    processor, 0.25 s until it is there. What MPI keeps of the process lies in `folder`, apart from what it keeps of others,
    as all of them have the same number for it."""
    place = Path(folder) / f"mpi.{os.getpid()}.{next(_count)}"
    place.mkdir()
    place.chmod(0o777)  # whoever the process runs as
    return {"OMPI_MCA_ess_singleton_isolated": "1", "OMPI_MCA_orte_tmpdir_base": str(place)}
