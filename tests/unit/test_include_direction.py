"""Every #include runs along the arrows of the architecture, which make no circle, and each library is behind the folder
that wraps it. Users' tools import nothing of the developers'."""
import os
import re
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

# Folder of the tree: its arrows, to the folders whose headers its files may include beside its own. A header belongs to
# the folder that is the longest one its path begins with; `src/` is not in the paths of includes.
ARROWS = {
    "src/base": "",
    "src/params": "base",
    "physics": "base params",
    "octree": "base",
    "src/files": "base physics",
    "src/exec": "base params physics octree",
    "src/exec/cpu": "base params physics octree exec",
    "cuda": "base params physics octree exec",
    "cuda/kernels": "base params physics octree exec cuda",
    "cuda/system": "base params physics octree exec cuda cuda/kernels",
    "cuda/exchange": "base params physics octree exec cuda",
    "elliptic": "base params physics octree exec",
    "gw_extraction": "base params physics octree exec",
    "horizons": "base params physics octree exec",
    "src/machine": "base params physics files exec cuda",
    "src/refine": "base params physics octree exec",
    "src/evolve": "base params physics octree files exec refine elliptic horizons",
    "src/checkpoint": "base params physics octree files exec evolve",
    "src/output": "base params physics octree files exec gw_extraction machine checkpoint",
    "src/report": "base params physics octree files exec gw_extraction horizons machine evolve",
    "src/bench": "base params physics octree files exec machine evolve report",
    "src/advice": "base params physics octree files exec gw_extraction machine refine evolve output report bench",
    "src/plan": "base params physics files refine evolve report advice",
    "src/observe": "base params physics octree files exec gw_extraction horizons evolve output report",
    "src/run": "base params physics files machine evolve checkpoint output report observe",
    "src/cli": "base params physics files exec machine evolve output report bench advice plan run",
    "tests": "*",
}
# Headers that only their own folder may include, tests apart.
PRIVATE = {
    "params/table.h",
    "octree/internal.h",
    "elliptic/internal.h",
    "elliptic/solver.h",
    "gw_extraction/gw_internal.h",
    "horizons/internal.h",
    "checkpoint/internal.h",
    "output/internal.h",
    "run/run_internal.h",
}
# Of exec, cuda/ sees what the two backends share; of octree, only the public header.
CUDA_SEES = {"exec/backend.h", "exec/norm_point.h", "exec/profile.h", "octree/octree.h"}
# Headers of libraries: pattern, and the pattern of the paths that may include them.
LIBRARIES = [
    (r"(p4est|p8est|sc)(_\w+)?\.h$", r"(octree/[^/]*\.c$|tests/)"),
    (r"gsl/", r"(physics/initial_data|horizons|tests)/"),
    (r"hdf5(_hl)?\.h$|H5\w+\.h$", r"(src/files|src/checkpoint|src/output|tests)/"),
    (r"yaml\.h$", r"src/params/[^/]*\.c$"),
    (r"cuda|nccl", r"(cuda|tests)/"),
    (r"cmocka\.h$", r"tests/"),
]
SOURCES = (".c", ".h", ".def", ".cu", ".cuh", ".inc")
IMPORT = re.compile(r"\s*(?:from|import)\s+(\w+)")


def folder_of(path):
    """The folder of the architecture that a path of the tree lies in, or None."""
    fits = [folder for folder in ARROWS if path.startswith(folder + "/")]
    return max(fits, key=len, default=None)


def folder_of_header(header):
    """The same for the path of an #include."""
    return folder_of("src/" + header) or folder_of(header)


def circles():
    """Folders that can reach themselves along the arrows."""
    name = {folder.removeprefix("src/"): folder for folder in ARROWS}
    reach = {f: {name[a] for a in arrows.split()} for f, arrows in ARROWS.items() if f != "tests"}
    for _ in reach:
        reach = {f: near.union(*(reach[g] for g in near)) for f, near in reach.items()}
    return [f for f, far in reach.items() if f in far]


def wrong(path, kind, header):
    """Why `path` may not include `header` ('"' or '<' is how), or None."""
    folder = folder_of(path)
    if folder is None:
        return "lies in no folder of the architecture"
    if kind == "<":
        for library, allowed in LIBRARIES:
            if re.match(library, header) and not re.match(allowed, path):
                return f"may not include <{header}>"
        return None
    if header.startswith("."):
        return f'includes "{header}" by a relative path'
    if "/" not in header:  # a neighbour: a test's helper, or a header made by the build
        return None if folder == "tests" or header == "version_data.h" else f'"{header}" names no folder'
    if folder == "tests":
        return None
    target = folder_of_header(header)
    if target == folder:
        return None
    if target is None or target.removeprefix("src/") not in ARROWS[folder].split():
        return f'may not include "{header}"'
    if header in PRIVATE:
        return f'may not include "{header}", which is private to {target}'
    if folder.startswith("cuda") and target in ("src/exec", "octree") and header not in CUDA_SEES:
        return f'may not include "{header}"'
    return None


def check(root):
    """All complaints about the tree at `root`, and how many includes were seen."""
    complaints, seen = [], 0
    for folder in ("src", "physics", "octree", "elliptic", "gw_extraction", "horizons", "cuda", "tests"):
        for at, _, names in os.walk(os.path.join(root, folder)):
            for name in sorted(names):
                if not name.endswith(SOURCES):
                    continue
                full = os.path.join(at, name)
                path = os.path.relpath(full, root)
                with open(full, encoding="utf-8") as source:
                    for number, line in enumerate(source, 1):
                        found = re.match(r'\s*#\s*include\s*(["<])([^">]+)[">]', line)
                        if not found:
                            continue
                        seen += 1
                        reason = wrong(path, *found.groups())
                        if reason:
                            complaints.append(f"{path}:{number}: {reason}")
    return complaints, seen


def check_tools(root):
    """Imports of dev/ in tools/, and how many files were seen."""
    names = os.listdir(os.path.join(root, "dev"))
    developers = {name.removesuffix(".py") for name in names}
    complaints, seen = [], 0
    for at, _, names in os.walk(os.path.join(root, "tools")):
        for name in sorted(name for name in names if name.endswith(".py") or name.startswith("tendex-")):
            seen += 1
            path = os.path.join(at, name)
            with open(path, encoding="utf-8") as source:
                found = [IMPORT.match(line) for line in source]
            complaints += [f"{os.path.relpath(path, root)}:{number}: users' tools may not import {match[1]} of dev/"
                           for number, match in enumerate(found, 1) if match and match[1] in developers]
    return complaints, seen


PLANTED = [
    ("src/base/a.c", '#include "exec/exec.h"'),
    ("src/base/b.c", '#include "params/params.h"'),
    ("src/params/a.c", '#include "physics/bssn.h"'),
    ("physics/a.h", '#include "octree/octree.h"'),
    ("octree/a.c", '#include "physics/bssn.h"'),
    ("octree/b.c", '#include "params/params.h"'),
    ("src/files/a.c", '#include "exec/exec.h"'),
    ("src/exec/a.c", '#include "evolve/sim.h"'),
    ("src/exec/b.c", '#include "gw_extraction/gw.h"'),
    ("src/exec/c.c", '#include "octree/internal.h"'),
    ("src/exec/d.c", '#include "exec/cpu/cpu.h"'),
    ("src/exec/cpu/a.c", '#include "cuda/cuda.h"'),
    ("src/exec/e.c", '#include "elliptic/elliptic.h"'),
    ("elliptic/a.c", '#include "evolve/sim.h"'),
    ("elliptic/b.c", '#include "cuda/cuda.h"'),
    ("src/cli/j.c", '#include "elliptic/internal.h"'),
    ("gw_extraction/a.c", '#  include "evolve/sim.h"'),
    ("horizons/a.c", '#include "gw_extraction/gw.h"'),
    ("horizons/b.c", '#include "evolve/sim.h"'),
    ("gw_extraction/c.c", '#include "horizons/horizon.h"'),
    ("src/evolve/a.c", '#include "horizons/internal.h"'),
    ("src/evolve/b.c", '#include "checkpoint/checkpoint.h"'),
    ("src/evolve/c.c", '#include "cuda/cuda.h"'),
    ("src/evolve/d.c", "#include <hdf5.h>"),
    ("src/checkpoint/a.c", '#include "output/output.h"'),
    ("src/checkpoint/b.c", '#include "run/run.h"'),
    ("src/output/a.c", '#include "checkpoint/internal.h"'),
    ("src/output/b.c", '#include "report/progress.h"'),
    ("src/machine/a.c", '#include "evolve/sim.h"'),
    ("cuda/a.cu", '#include "exec/exec.h"'),
    ("cuda/b.cu", '#include "exec/cpu/cpu.h"'),
    ("cuda/c.cu", '#include "cuda/kernels/stage.cuh"'),
    ("cuda/kernels/c.cu", '#include "cuda/system/stage.cuh"'),
    ("cuda/exchange/a.cu", '#include "cuda/kernels/patch.cuh"'),
    ("cuda/kernels/a.cu", '#include "cuda/exchange/transport.h"'),
    ("cuda/kernels/b.cu", '#include "exec/exec.h"'),
    ("octree/a.h", "#include <p8est.h>"),
    ("src/cli/a.c", "#include <p8est_bits.h>"),
    ("src/cli/b.c", "#include <sc_containers.h>"),
    ("src/cli/c.c", "#include <gsl/gsl_sf.h>"),
    ("physics/b.c", "#include <gsl/gsl_sf.h>"),
    ("gw_extraction/b.c", "#include <hdf5.h>"),
    ("src/cli/d.c", "#include <yaml.h>"),
    ("src/cli/e.c", "#include <cuda_runtime.h>"),
    ("src/cli/f.c", '#include "../exec/exec.h"'),
    ("src/cli/g.c", '#include "sim.h"'),
    ("src/cli/h.c", '#include "params/table.h"'),
    ("src/cli/i.c", '#include "nowhere/a.h"'),
    ("src/output/c.c", '#include "observe/observer.h"'),
    ("src/refine/a.c", '#include "evolve/sim.h"'),
    ("src/observe/a.c", '#include "run/run.h"'),
    ("src/report/a.c", '#include "run/run.h"'),
    ("src/advice/a.c", '#include "plan/plan.h"'),
    ("src/plan/a.c", '#include "cli/cli.h"'),
    ("src/run/a.c", '#include "bench/speed.h"'),
    ("src/run/b.c", '#include "advice/check.h"'),
    ("src/observe/z.c", '#include "advice/check.h"'),
    ("src/cli/k.c", '#include "run/run_internal.h"'),
    ("src/elsewhere/a.c", '#include "base/status.h"'),
]
ALLOWED = [
    ("octree/ok.c", "#include <p8est.h>"),
    ("physics/initial_data/ok.c", "#include <gsl/gsl_sf.h>"),
    ("horizons/ok.c", "#include <gsl/gsl_eigen.h>"),
    ("src/observe/ok.c", '#include "gw_extraction/gw.h"'),
    ("src/output/ok.c", "#include <hdf5.h>"),
    ("src/output/ok2.c", '#include "output/internal.h"'),
    ("src/exec/cpu/ok.c", '#include "exec/backend.h"'),
    ("src/base/ok.c", "#include <sched.h>"),
    ("src/report/ok3.c", '#include "horizons/horizon.h"'),
    ("tests/unit/ok.c", '#include "octree/internal.h"'),
]


def check_myself():
    with tempfile.TemporaryDirectory() as root:
        for path, line in PLANTED + ALLOWED:
            os.makedirs(os.path.dirname(os.path.join(root, path)), exist_ok=True)
            with open(os.path.join(root, path), "w", encoding="utf-8") as out:
                out.write(line + "\n")
        complaints, seen = check(root)
        found = {c.split(":")[0] for c in complaints}
        assert seen == len(PLANTED) + len(ALLOWED), seen
        assert found == {path for path, _ in PLANTED}, found ^ {path for path, _ in PLANTED}


def check_tools_myself():
    with tempfile.TemporaryDirectory() as root:
        lines = {"dev/study.py": "import tendex\n", "dev/inner/__init__.py": "", "tools/a.py": "import tendex.study\n",
                 "tools/tendex/b.py": "def f():\n    from inner.page import g\n", "tools/tendex-c": "import study\n"}
        for path, line in lines.items():
            os.makedirs(os.path.dirname(os.path.join(root, path)), exist_ok=True)
            with open(os.path.join(root, path), "w", encoding="utf-8") as out:
                out.write(line)
        complaints, seen = check_tools(root)
        assert seen == 3, seen
        assert sorted(c.split(": ")[0] for c in complaints) == ["tools/tendex-c:1", "tools/tendex/b.py:2"], complaints


def main():
    check_myself()
    check_tools_myself()
    assert not circles(), circles()
    complaints, seen = check(ROOT)
    tools, scripts = check_tools(ROOT)
    assert scripts > 50, scripts
    complaints += tools
    for complaint in complaints:
        print(complaint)
    if seen < 50:
        print(f"only {seen} includes found below {ROOT}")
        return 1
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
