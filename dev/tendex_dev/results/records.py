"""Whole records of runs, as they were taken: docs/results/records.tar.xz, with their checksums in records.sha256 beside it.

The archive is in clones. Releases have it as a file of their own, apart from the sources."""

import hashlib
import io
import lzma
import tarfile

from tendex.base import files


class KeptError(Exception):
    """A run, or a part of it, that is asked for is not kept, or a page asks for what there is not."""


class Records:
    """The archive of a folder."""

    def __init__(self, folder):
        self.file, self.list = folder / "records.tar.xz", folder / "records.sha256"

    def read(self):
        """{name: bytes} of all records, or None where the archive is not there, as in a release. Raises KeptError."""
        if not self.file.exists():
            return None
        try:
            with tarfile.open(self.file) as archive:
                found = {member.name: archive.extractfile(member).read() for member in archive}
        except (tarfile.TarError, lzma.LZMAError, EOFError, AttributeError) as e:
            raise KeptError(f"{self.file}: damaged ({e}): take it from another clone") from e
        listed = files.read_text(self.list, KeptError)
        if listed != checksums(found):
            odd = sorted(name for name in found if checksums({name: found[name]}) not in listed)
            raise KeptError(f"{self.file}: {', '.join(odd) or 'a record that lacks'}: not as {self.list.name} says: take both files from one commit")
        return found

    def add(self, records):
        """Put {name: bytes} into the archive; records of these names are replaced. Raises KeptError."""
        found = self.read()
        if found is None and self.list.exists():
            raise KeptError(f"{self.file}: not there; take it from a clone, or from the release (tendex-VERSION-records.tar.xz)")
        found = {**(found or {}), **records}
        files.write(self.file, packed(found))
        files.write(self.list, checksums(found))


def checksums(records):
    """A line for each, for sha256sum -c."""
    return "".join(f"{hashlib.sha256(records[name]).hexdigest()}  {name}\n" for name in sorted(records))


def packed(records):
    """The bytes of the archive; the same records give the same bytes."""
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w:xz", preset=9 | lzma.PRESET_EXTREME) as archive:
        for name in sorted(records):
            member = tarfile.TarInfo(name)
            member.size = len(records[name])
            archive.addfile(member, io.BytesIO(records[name]))
    return made.getvalue()
