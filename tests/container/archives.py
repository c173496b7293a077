"""Where this machine takes packages from, as its apt and its pip are configured: for a Debian 12 beside it."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

INSTALL = Path(__file__).resolve().parents[2] / "container" / "install-packages"
DEBIAN = "bookworm"


def _of_apt() -> dict[str, str]:
    """{suite: address}; empty where apt knows none of Debian 12."""
    listed = subprocess.run([INSTALL, "--archives", DEBIAN], capture_output=True, text=True, check=False)
    found: dict[str, str] = {}
    for address, suite in (line.split() for line in listed.stdout.splitlines()):
        found.setdefault(suite, address)
    return found


def of_debian() -> str | None:
    """Address of Debian 12; None where apt has none."""
    return _of_apt().get(DEBIAN)


def sources(mirror: str | None = None, security: str | None = None) -> str:
    """Lines for sources.list of Debian 12 with its updates: from apt's configuration, but for the addresses given."""
    found = _of_apt()
    if mirror:
        found |= {DEBIAN: mirror, f"{DEBIAN}-updates": mirror}
    if security:
        found[f"{DEBIAN}-security"] = security
    return "".join(f"deb {found[suite]} {suite} main\n" for suite in sorted(found))


def pip() -> dict[str, str]:
    """Variables of the environment that say to pip what its configuration says here of where packages come from."""
    said = subprocess.run(["pip3", "config", "list"], capture_output=True, text=True, check=False).stdout
    settings = re.findall(r"^[\w:.-]+[.](index-url|extra-index-url|trusted-host)='(.*)'$", said, re.M)
    return {"PIP_" + name.upper().replace("-", "_"): value for name, value in settings}
