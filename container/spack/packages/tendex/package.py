"""Tendex for Spack 1.0 and later: docs/machines.md, Without root."""

from pathlib import Path

from spack_repo.builtin.build_systems.cmake import CMakePackage, generator
from spack_repo.builtin.build_systems.cuda import CudaPackage

from spack.package import *


class Tendex(CMakePackage, CudaPackage):
    """Binary black holes and their gravitational waves in full general relativity, on an octree,
    with MPI, OpenMP and CUDA."""

    homepage = Path(__file__).resolve().parents[4].as_uri()
    # The clone that this recipe is part of. An unpacked source archive: spack dev-build.
    git = homepage

    license("GPL-3.0-or-later", checked_by="the authors")

    version("main", branch="main")

    variant("tests", default=False, description="Build the tests")
    variant("tools", default=True, description="Python packages of tendex-waves and tendex-orbit")
    variant("nccl", default=True, when="+cuda", description="Messages between GPUs by NCCL too")
    variant("points", default="8", values=("8", "10", "12", "16"), multi=False, description="Points a side of an octant")
    variant("ghosts", default="3", values=("3", "4"), multi=False, description="Ghost points a side of an octant")
    variant(
        "schemes",
        values=any_combination_of("4", "4u", "6", "6d5", "6u").with_default("4u"),
        description="Finite differences beside those of order twice the ghost points",
    )

    depends_on("c", type="build")
    depends_on("cxx", type="build", when="+tests")
    depends_on("cxx", type="build", when="+cuda")
    depends_on("cmake@3.25:", type="build")
    depends_on("pkgconfig", type="build")
    generator("ninja")

    depends_on("mpi@3:")
    depends_on("p4est@2.2:2 +mpi")
    depends_on("gsl@2.7:2")
    depends_on("hdf5@1.10.8:1")
    depends_on("libyaml@0.2.5:0")
    depends_on("cmocka@1.1.5:1", when="+tests")
    depends_on("cuda@12:", when="+cuda")
    depends_on("nccl", when="+nccl")

    # Spack's own packages are later than the oldest ones that were tried.
    for kinds, condition in ((("run",), "+tools"), (("build", "run"), "+tests")):
        depends_on("python@3.9:", type=kinds, when=condition)
        depends_on("py-h5py@3.7:", type=kinds, when=condition)
        depends_on("py-matplotlib@3.6:", type=kinds, when=condition)
        depends_on("py-numpy@1.24:", type=kinds, when=condition)
        depends_on("py-pyyaml@6:", type=kinds, when=condition)
        depends_on("py-scipy@1.10:", type=kinds, when=condition)
    depends_on("py-sympy@1.11:", type="build", when="+tests")

    for fewer in ("8", "10", "12"):
        conflicts(f"points={fewer}", when="ghosts=4", msg="four ghost points need octants of 16 points a side")
    for scheme in ("6", "6d5", "6u"):
        conflicts(f"schemes={scheme}", when="ghosts=3", msg=f"the scheme {scheme} needs ghosts=4")
    for too_old in CudaPackage.cuda_arch_values[: CudaPackage.cuda_arch_values.index("80")]:
        conflicts(f"cuda_arch={too_old}", msg="GPUs need the compute capability 8.0")

    def cmake_args(self):
        schemes = [s for s in self.spec.variants["schemes"].value if s != "none"]
        args = [
            self.define_from_variant("TENDEX_TESTS", "tests"),
            self.define_from_variant("TENDEX_CUDA", "cuda"),
            self.define_from_variant("TENDEX_N", "points"),
            self.define_from_variant("TENDEX_GHOSTS", "ghosts"),
            self.define("TENDEX_SCHEMES", ";".join(schemes)),
            # Spack's compilers add the options of the target.
            self.define("TENDEX_NATIVE", False),
            self.define("CMAKE_C_FLAGS_RELEASE", "-O3 -g1"),
            self.define("MPI_C_COMPILER", self.spec["mpi"].mpicc),
        ]
        # Else the HDF5 of the system comes first, whose name says its MPI.
        if not self.spec["hdf5"].external:
            args.append(self.define("TENDEX_HDF5", "hdf5"))
        if self.spec.satisfies("+cuda") and "none" not in self.spec.variants["cuda_arch"].value:
            args.append(self.define("TENDEX_CUDA_ARCH", ";".join(self.spec.variants["cuda_arch"].value)))
        if self.spec.satisfies("+tests"):
            args.append(self.define("TX_PYTHON", self.spec["python"].command.path))
        return args

    @run_after("install", when="+tools")
    def give_tools_this_python(self):
        python = self.spec["python"].command.path
        for tool in ("tendex-waves", "tendex-orbit", "sweep.py"):
            filter_file("^#!.*python3", f"#!{python}", join_path(self.prefix.share.tendex.tools, tool))

    def check(self):
        """With --test=root: the unit tests."""
        with working_dir(self.build_directory):
            ctest("-L", "^unit$", "-LE", "source|slow", "--output-on-failure", "--no-tests=error")
