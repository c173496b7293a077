"""container/install-prefix with small archives in place of the libraries, and each of its errors.

tests/machines/run prefix builds the libraries, and Tendex with them."""

import hashlib
import io
import os
import re
import shutil
import subprocess
import tarfile
import tempfile
import unittest
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[2]
CONTAINER = ROOT / "container"
LIST = CONTAINER / "prefix" / "archives"
NAMES = ["cmocka", "gsl", "hdf5", "libyaml", "p4est"]
# Says how it was called, and installs a file.
CONFIGURE = """#!/bin/sh
echo "configured with $*"
for option in "$@"; do case $option in --prefix=*) to=${option#--prefix=} ;; esac; done
printf 'all:\\n\\techo made\\ninstall:\\n\\ttouch %s/lib-of-%s\\n' "$to" NAME >Makefile
"""
# What a machine without the command that is missed has.
TOOLS = ["bash", "cat", "cc", "cmake", "curl", "cut", "dirname", "env", "grep", "ln", "make", "mkdir", "mpicc", "mv", "nproc", "pkg-config",
         "readelf", "rm", "sed", "sh", "sha256sum", "sort", "head", "tail", "tar", "gzip", "touch"]


class Prefix(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.prefix = self.folder / "libraries"
        self.list = self.folder / "list"
        self.list.write_text("")

    def archive(self, name, files, version="1.0", address=None):
        """Make the archive of a library in `upstream', and its line in the list. Return its path there."""
        self.list.write_text("".join(line for line in self.list.read_text().splitlines(True) if line.split()[0] != name))
        path = self.folder / "upstream" / f"{name}-{version}.tar.gz"
        path.parent.mkdir(exist_ok=True)
        with tarfile.open(path, "w:gz") as tar:
            for file, text in files.items():
                info = tarfile.TarInfo(f"{name}-{version}/{file}")
                info.size, info.mode = len(text), 0o755
                tar.addfile(info, io.BytesIO(text.encode()))
        with self.list.open("a") as lines:
            lines.write(f"{name} {version} {hashlib.sha256(path.read_bytes()).hexdigest()} {address or path.as_uri()}\n")
        return path

    def run_it(self, *words, script="install-prefix", **variables):
        environment = {name: value for name, value in os.environ.items() if name not in ("CC", "MPICC", "CMAKE_PREFIX_PATH")}
        return subprocess.run([str(CONTAINER / script), *map(str, words)], capture_output=True, text=True, check=False,
                              env=environment | {name: str(value) for name, value in variables.items()})

    def install(self, *words, **variables):
        return self.run_it("--prefix", self.prefix, "--list", self.list, *words, **variables)

    def refused(self, p, *said):
        self.assertEqual(p.returncode, 1, p.stdout + p.stderr)
        self.assertEqual(p.stderr.splitlines()[-1][:16], "install-prefix: ")
        for text in said:
            self.assertIn(text, p.stderr.splitlines()[-1])

    def path_without(self, *left_out):
        """A PATH of a machine with the usual commands but these."""
        folder = self.folder / "bin"
        folder.mkdir()
        for tool in set(TOOLS) - set(left_out):
            (folder / tool).symlink_to(shutil.which(tool))
        return folder

    def test_list(self):
        lines = [line.split() for line in LIST.read_text().splitlines() if line[0] != "#"]
        self.assertEqual([line[0] for line in lines], NAMES)
        for name, version, checksum, address in lines:
            self.assertRegex(checksum, "^[0-9a-f]{64}$")
            self.assertRegex(address, f"^https://.*/{name.replace('lib', '')}-{re.escape(version)}[.]tar[.]..$")

    def test_builds_and_repeats(self):
        for name in ("gsl", "libyaml", "p4est"):
            self.archive(name, {"configure": CONFIGURE.replace("NAME", name)})
        p = self.install("gsl", "libyaml", "p4est")
        self.assertEqual(p.returncode, 0, p.stderr)
        self.assertEqual([line.split(" in ")[0] for line in p.stdout.splitlines()[:3]],
                         [f"{name} 1.0: built" for name in ("gsl", "libyaml", "p4est")])
        self.assertIn(f"  cmake --preset release -DCMAKE_PREFIX_PATH={self.prefix}\n", p.stdout)
        self.assertTrue((self.prefix / "lib-of-gsl").exists())
        log = (self.prefix / "build" / "p4est.log").read_text()
        self.assertIn(f"configured with --prefix={self.prefix} --libdir={self.prefix}/lib --disable-static CFLAGS=-O2 --enable-mpi", log)
        self.assertIn(" CC=mpicc\n", log)
        shutil.rmtree(self.folder / "upstream")
        self.assertIn("gsl 1.0: built already\nlibyaml 1.0: built already\np4est 1.0: built already\n",
                      self.install("gsl", "libyaml", "p4est").stdout)
        # Another version, and another MPI for p4est.
        self.archive("gsl", {"configure": CONFIGURE}, "1.1")
        self.assertIn("gsl 1.1: built in", self.install("gsl").stdout)
        other = self.folder / "other-mpicc"
        other.symlink_to(shutil.which("mpicc"))
        p = self.install("p4est", MPICC=other)
        self.assertNotIn("already", p.stdout)
        self.assertIn(f" -DMPI_C_COMPILER={other}\n", p.stdout)

    def test_goes_on_after_a_failure(self):
        self.archive("gsl", {"configure": CONFIGURE})
        self.archive("libyaml", {"configure": "#!/bin/sh\necho no luck\nexit 1\n"})
        p = self.install("gsl", "libyaml")
        self.refused(p, "cannot configure libyaml 1.0", f"{self.prefix}/build/libyaml.log")
        self.assertIn("no luck", p.stderr)
        self.archive("libyaml", {"configure": CONFIGURE}, "1.1")
        p = self.install("gsl", "libyaml")
        self.assertIn("gsl 1.0: built already\nlibyaml 1.1: built in", p.stdout)

    def test_other_failures_of_a_build(self):
        for files, said in (({"configure": "#!/bin/sh\necho 'all: ; false' >Makefile\n"}, "cannot build gsl 1.0: the end of"),
                            ({"configure": "#!/bin/sh\necho 'all: ; true' >Makefile\n"}, "cannot install gsl 1.0: the end of"),
                            ({"README": ""}, "gsl 1.0: the archive has neither configure nor bootstrap"),
                            ({"bootstrap": "#!/bin/sh\nexit 1\n"}, "cannot prepare gsl 1.0: the end of")):
            with self.subTest(said=said):
                shutil.rmtree(self.prefix, ignore_errors=True)
                self.archive("gsl", files)
                self.refused(self.install("gsl"), said)
        path = self.path_without("autoreconf")
        self.refused(self.install("gsl", PATH=path), "the archive has no configure, and there is no autoreconf")
        self.archive("cmocka", {"CMakeLists.txt": "message(FATAL_ERROR)\n"})
        self.refused(self.install("cmocka"), "cannot configure cmocka 1.0: the end of")

    def test_no_archive(self):
        path = self.archive("gsl", {"configure": CONFIGURE})
        good = hashlib.sha256(path.read_bytes()).hexdigest()
        path.write_bytes(b"another one")
        found = hashlib.sha256(b"another one").hexdigest()
        self.refused(self.install("gsl"), f"gsl-1.0.tar.gz has the sha256 {found}", f"wants {good} of gsl 1.0")
        self.list.write_text(f"gsl 1.0 {found} {path.as_uri()}\n")
        self.refused(self.install("gsl"), "cannot unpack", f"see {self.prefix}/build/gsl.log")
        # Nobody listens at that port of this machine.
        self.archive("gsl", {"configure": CONFIGURE}, "1.1", address="http://127.0.0.1:9/gsl-1.1.tar.gz")
        self.refused(self.install("gsl"), "cannot download http://127.0.0.1:9/gsl-1.1.tar.gz", "--archives-in")
        self.refused(self.install("gsl", PATH=self.path_without("curl", "wget")), "no curl and no wget", f"into {self.prefix}/archives")
        p = self.install("--archives-in", path.parent, "gsl")
        self.assertIn("gsl 1.1: built in", p.stdout, p.stderr)

    def test_download_only(self):
        self.archive("gsl", {"configure": CONFIGURE})
        self.archive("libyaml", {"configure": CONFIGURE})
        there = self.folder / "there"
        p = self.install("--archives-in", there, "--download", CC="none", MPICC="none")
        self.assertEqual(p.stdout.split(), [str(there / "gsl-1.0.tar.gz"), str(there / "libyaml-1.0.tar.gz")], p.stderr)
        self.assertFalse((self.prefix / "share" / "tendex-prefix" / "gsl").exists())

    def test_arguments(self):
        self.archive("gsl", {"configure": CONFIGURE})
        self.assertIn("--archives-in FOLDER", self.run_it("--help").stdout)
        self.refused(self.run_it("gsl"), "--prefix DIR is missing")
        for words, said in ((["--prefixes"], "unknown option '--prefixes'"), (["--jobs", "many"], "--jobs many: give a number"),
                            (["--archives-in"], "--archives-in needs a value"), (["hdf6"], "'hdf6' is not in", ),
                            (["--list", self.folder / "none"], "cannot read the list of archives")):
            self.refused(self.install(*words), said)
        for line, said in (("gsl 1.0 abc file:///x", "the line of 'gsl' is not 'name version sha256 address'"),
                           (f"fftw 3 {'0' * 64} file:///x", "there are no steps to build 'fftw'")):
            self.list.write_text(line + "\n")
            self.refused(self.install(), said)
        self.list.write_text("")
        (self.folder / "file").write_text("")
        self.refused(self.run_it("--prefix", self.folder / "file" / "x", "--list", self.list), "cannot write to")
        self.refused(self.install("--archives-in", self.folder / "file" / "x"), "cannot make the folder of archives")

    def test_commands_that_are_missed(self):
        self.archive("gsl", {"configure": CONFIGURE})
        self.refused(self.install("gsl", CC="no-compiler"), "no C compiler 'no-compiler'", "variable CC")
        self.refused(self.install("gsl", MPICC="no-mpicc"), "no MPI compiler 'no-mpicc'", "variable MPICC")
        for tool in ("cmake", "make", "pkg-config"):
            with self.subTest(tool=tool):
                shutil.rmtree(self.folder / "bin", ignore_errors=True)
                self.refused(self.install("gsl", PATH=self.path_without(tool, "pkgconf")), f"no {tool}. Load a module")
        self.refused(self.install(MPICC="false"), "'false' compiles no program with MPI", "look.log")

    def test_takes_what_cmake_finds(self):
        for name in NAMES:
            self.archive(name, {"configure": CONFIGURE})
        p = self.install()
        self.assertEqual(p.stdout.splitlines()[:5], [f"{name}: found outside {self.prefix}, not built" for name in NAMES], p.stderr)
        # A p4est of another MPI is none.
        other = self.folder / "other"
        (other / "include").mkdir(parents=True)
        (other / "lib").mkdir()
        (other / "include" / "p8est.h").write_text("")
        for library, more in (("libmpi-other.so.12", []), ("libsc.so", ["-Wl,--no-as-needed", other / "lib/libmpi-other.so.12"]), ("libp4est.so", [])):
            subprocess.run(["cc", "-shared", "-o", other / "lib" / library, f"-Wl,-soname,{library}", "-x", "c", "/dev/null", "-x", "none", *more],
                           check=True)
        p = self.install(CMAKE_PREFIX_PATH=other)
        self.assertIn(f"p4est: {other}/lib/libsc.so was built with another MPI (libmpi-other.so.12)", p.stderr)
        self.assertIn("p4est 1.0: built in", p.stdout)

    def test_by_install_packages(self):
        self.archive("gsl", {"configure": CONFIGURE})
        p = self.run_it("--prefix", self.prefix, "--list", self.list, "gsl", script="install-packages")
        self.assertIn("gsl 1.0: built in", p.stdout, p.stderr)
        self.assertIn("--prefix DIR are known", self.run_it("--prefixes", script="install-packages").stderr)


class Hdf5(unittest.TestCase):
    """HDF5 is found also where pkg-config does not know it."""

    PROJECT = """cmake_minimum_required(VERSION 3.25)
project(look LANGUAGES C)
find_package(PkgConfig REQUIRED)
include({file})
get_target_property(real PkgConfig::HDF5 ALIASED_TARGET)
message(STATUS "HDF5 is ${{real}}")
"""

    def configure(self, *options):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "CMakeLists.txt").write_text(self.PROJECT.format(file=ROOT / "src" / "files" / "hdf5.cmake"))
            p = subprocess.run(["cmake", "-S", folder, "-B", f"{folder}/build", *options], capture_output=True, text=True, check=False,
                               env=os.environ | {"PKG_CONFIG_LIBDIR": folder})
            return p.returncode, " ".join((p.stdout + p.stderr).split())

    def test_by_its_compiler(self):
        code, said = self.configure("-DTX_MPI_IS_OPEN_MPI=1")
        self.assertEqual(code, 0, said)
        self.assertIn("HDF5 is hdf5::hdf5", said)

    def test_named_in_vain(self):
        code, said = self.configure("-DTENDEX_HDF5=hdf5-other")
        self.assertEqual(code, 1, said)
        self.assertIn("TENDEX_HDF5: pkg-config finds no hdf5-other", said)


class Recipes(unittest.TestCase):
    """The recipe for Spack and the environment of conda-forge know the project's options and dependencies."""

    def setUp(self):
        self.cmake = (ROOT / "CMakeLists.txt").read_text()
        self.recipe = (CONTAINER / "spack" / "packages" / "tendex" / "package.py").read_text()
        self.environment = yaml.safe_load((CONTAINER / "environment.yml").read_text())["dependencies"]

    def test_options(self):
        given = re.findall(r'define(?:_from_variant)?\("(TENDEX_\w+)"', self.recipe)
        self.assertGreater(len(given), 6)
        self.assertEqual([name for name in given if not re.search(rf"(?:option|set)\({name} ", self.cmake)], [])
        schemes = re.search("set[(]known (.*)[)]", self.cmake)[1] + re.search("APPEND known(.*)[)]", self.cmake)[1]
        self.assertEqual(re.findall('"([^"]+)"', re.search("values=any_combination_of[(](.*?)[)]", self.recipe)[1]), schemes.split())
        for variant, name, values in (("points", "TENDEX_N", ("8", "10", "12", "16")), ("ghosts", "TENDEX_GHOSTS", ("3", "4"))):
            listed = ", ".join(f'"{v}"' for v in values)
            self.assertIn(f"set({name} {values[0]} CACHE ", self.cmake)
            self.assertIn(f"set_property(CACHE {name} PROPERTY STRINGS {' '.join(values)})", self.cmake)
            self.assertIn(f'variant("{variant}", default="{values[0]}", values=({listed})', self.recipe)

    def test_dependencies(self):
        oldest = re.search(r"cmake_minimum_required\(VERSION (\S+)\)", self.cmake)[1]
        self.assertIn(f'"cmake@{oldest}:"', self.recipe)
        self.assertIn(f"cmake >={oldest},<4", self.environment)
        names = {entry.split()[0] for entry in self.environment}
        for name in NAMES:
            self.assertIn(f'depends_on("{name}@', self.recipe)
            self.assertIn({"libyaml": "yaml"}.get(name, name), names)
        tools = (ROOT / "tools" / "pyproject.toml").read_text()
        needed = re.findall('"([^"]+)"', re.search(r"(?m)^dependencies = (.*)", tools)[1])
        self.assertGreater(len(needed), 3)
        for name in needed:
            self.assertIn(f'depends_on("py-{name}@', self.recipe)
            self.assertIn(name, names)


if __name__ == "__main__":
    unittest.main()
