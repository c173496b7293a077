"""Addresses of archives and of wheels, from the configuration of this machine's apt and pip: for a Debian beside it."""

from __future__ import annotations

import platform
import re
import subprocess
from pathlib import Path

INSTALL = Path(__file__).resolve().parents[2] / "container" / "install-packages"


def _of_apt(suite: str) -> dict[str, str]:
    """{suite: address} of a suite and its updates; empty where apt knows none of it."""
    listed = subprocess.run([INSTALL, "--archives", suite], capture_output=True, text=True, check=False)
    found: dict[str, str] = {}
    for address, name in (line.split() for line in listed.stdout.splitlines()):
        found.setdefault(name, address)
    return found


def _found(suite: str) -> dict[str, str]:
    """As _of_apt; for a suite that apt does not know, from where this machine's own suite comes: an archive has them all."""
    own = platform.freedesktop_os_release().get("VERSION_CODENAME", suite)
    return _of_apt(suite) or {suite + name.removeprefix(own): address for name, address in _of_apt(own).items()}


def of_debian(suite: str) -> str | None:
    """Address of a suite; None where apt has none."""
    return _found(suite).get(suite)


def sources(suite: str, mirror: str | None = None, security: str | None = None, components: str = "main") -> str:
    """Lines for sources.list of a suite with its updates: from apt's configuration, but for the addresses given."""
    found = _found(suite)
    if mirror:
        found |= {suite: mirror, f"{suite}-updates": mirror}
    if security:
        found[f"{suite}-security"] = security
    return "".join(f"deb {found[name]} {name} {components}\n" for name in sorted(found))


def pip() -> dict[str, str]:
    """Variables of the environment that say to pip what its configuration says here of where packages come from."""
    said = subprocess.run(["pip3", "config", "list"], capture_output=True, text=True, check=False).stdout
    settings = re.findall(r"^[\w:.-]+[.](index-url|extra-index-url|trusted-host)='(.*)'$", said, re.M)
    return {"PIP_" + name.upper().replace("-", "_"): value for name, value in settings}
