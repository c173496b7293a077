"""The files of the project."""

import os
import subprocess
from pathlib import Path

# What is no source: as .gitignore says.
OUTPUT = {"build", "out", "__pycache__", ".git"}


def project_files(root):
    """Paths of the project's files, relative to its top folder. In a clone git knows them, new ones too; in an unpacked source archive
    they are all that no build or run has made."""
    root = Path(root)
    if (root / ".git").exists():
        command = ["git", "-C", root, "-c", "safe.directory=*", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        listed = subprocess.run(command, capture_output=True, check=True).stdout.split(b"\0")
        names = sorted({os.fsdecode(name) for name in listed if name})
        return [Path(name) for name in names if (root / name).is_file()]
    found = []
    for top, folders, files in os.walk(root):
        folders[:] = sorted(f for f in folders if f not in OUTPUT and not f.endswith(".egg-info"))
        found += [(Path(top) / f).relative_to(root) for f in files]
    return sorted(found)
