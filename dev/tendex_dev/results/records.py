"""Records of runs, as they were taken: docs/results/records.tar.xz, the only place that has them.

    tar -xOf docs/results/records.tar.xz q4.json        shows one
"""

import io
import lzma
import tarfile

from tendex.base import files


class KeptError(Exception):
    """A run, or a part of it, that is asked for is not kept, or a page asks for what there is not."""


class Records:
    """The archive of a folder."""

    def __init__(self, folder):
        self.file = folder / "records.tar.xz"
        self.known = None

    def read(self):
        """{name: bytes} of all records; {} where there is no archive yet. Raises KeptError."""
        if self.known is None and self.file.exists():
            try:
                with tarfile.open(self.file) as archive:
                    self.known = {member.name: archive.extractfile(member).read() for member in archive}
            except (tarfile.TarError, lzma.LZMAError, EOFError, AttributeError) as e:
                raise KeptError(f"{self.file}: damaged ({e}): take it from another clone") from e
        return self.known or {}

    def add(self, records):
        """Put {name: bytes} into the archive; records of these names are replaced. Raises KeptError."""
        self.known = {**self.read(), **records}
        files.write(self.file, packed(self.known))


def packed(records):
    """The bytes of the archive; the same records give the same bytes."""
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w:xz", preset=9 | lzma.PRESET_EXTREME) as archive:
        for name in sorted(records):
            member = tarfile.TarInfo(name)
            member.size = len(records[name])
            archive.addfile(member, io.BytesIO(records[name]))
    return made.getvalue()
