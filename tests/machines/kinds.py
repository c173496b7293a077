"""Processors, compilers and MPIs that tests/machines/run tries: what each takes beside the packages of container/install-packages."""

from __future__ import annotations

from dataclasses import dataclass

OPEN_MPI = {"libhdf5-openmpi-dev", "libopenmpi-dev", "libp4est-dev", "openmpi-bin"}
LIBRARIES = {*OPEN_MPI, "libcmocka-dev", "libgsl-dev", "libyaml-dev"}


@dataclass(frozen=True)
class Kind:
    """One row of the table in docs/machines.md. `without`, `arm64`: of the usual packages, those to leave out or to take for aarch64;
    `march`: processor, by default the one at hand; `cpu`: that of qemu; `tests`: labels of tests, none if empty; `ranks`: of the run;
    `p4est`, `prefix`: p4est, or all libraries by a user without root with container/install-packages --prefix, from Debian's sources."""

    suite: str
    system: str
    compiler: str = "gcc"
    packages: tuple[str, ...] = ()
    without: frozenset[str] = frozenset()
    arm64: frozenset[str] = frozenset()
    march: str = ""
    flags: str = ""
    cpu: str = ""
    p4est: bool = False
    prefix: bool = False
    tests: str = "^unit$"
    ranks: tuple[int, ...] = (1, 3)


def _compiler(suite: str, compiler: str, *more: str) -> Kind:
    return Kind(suite, suite, compiler, (compiler, *more), ranks=(1,))


def _aarch64(cpu: str, tests: str, march: str = "armv8-a", flags: str = "") -> Kind:
    # Ranks: no launcher starts programs of another processor here.
    packages = ("gcc-aarch64-linux-gnu", "g++-aarch64-linux-gnu", "qemu-user-static")
    return Kind("bookworm", "bookworm-aarch64", "aarch64-linux-gnu-gcc", packages, arm64=frozenset(LIBRARIES),
                without=frozenset({"clang-format"}), march=march, flags=flags, cpu=cpu, tests=tests, ranks=(1,))


KINDS = {
    "gcc-11": _compiler("bookworm", "gcc-11"),
    "gcc-12": _compiler("bookworm", "gcc-12"),
    "clang-14": _compiler("bookworm", "clang-14", "libomp-14-dev"),
    "clang-16": _compiler("bookworm", "clang-16", "libomp-14-dev"),
    "gcc-13": _compiler("trixie", "gcc-13", "g++-13"),
    "gcc-14": _compiler("trixie", "gcc-14"),
    "clang-19": _compiler("trixie", "clang-19", "libomp-19-dev"),
    "mpich": Kind("bookworm", "bookworm-mpich", packages=("mpich", "libmpich-dev", "libhdf5-mpich-dev", "autoconf", "automake", "libtool",
                                                          "zlib1g-dev"),
                  without=frozenset(OPEN_MPI), p4est=True, tests="^(unit|parallel)$"),
    # Debian's sources of p4est have no configure, and before 2.8 that wants Fortran.
    "prefix": Kind("trixie", "trixie-prefix", packages=("autoconf", "automake", "gfortran", "libtool", "zlib1g-dev"),
                   without=frozenset(LIBRARIES - {"libopenmpi-dev", "openmpi-bin"}), prefix=True, tests=""),
    "aarch64": _aarch64("max", "^unit$"),
    "aarch64-sve256": _aarch64("max,sve256=on", "", "armv8-a+sve", "-msve-vector-bits=256"),
    "aarch64-sve512": _aarch64("max,sve512=on", "", "armv8-a+sve", "-msve-vector-bits=512"),
}
