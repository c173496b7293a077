"""Every #include runs in the direction of the architecture: driver -> {gw_extraction, horizons, cuda} ->
exec -> {octree, physics} -> base, and each library behind the one folder that wraps it."""
import os
import re
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

# Folder of the tree: the prefixes of our headers that its files may include.
MAY_USE = {
    "src/base": {"base"},
    "physics": {"base", "physics"},
    "octree": {"base", "octree"},
    "src/exec": {"base", "physics", "octree", "exec"},
    "gw_extraction": {"base", "physics", "octree", "exec", "gw_extraction"},
    "horizons": {"base", "physics", "octree", "exec", "horizons"},
    "cuda": {"base", "physics", "octree", "exec", "cuda"},
    "src/driver": {"base", "physics", "octree", "exec", "gw_extraction", "horizons", "cuda", "driver"},
    "tests": {"base", "physics", "octree", "exec", "gw_extraction", "horizons", "cuda", "driver", "tests", "support", "restart"},
}
# Headers that only their own folder may include, tests apart.
PRIVATE = {
    "base/params_table.h": "src/base",
    "octree/internal.h": "octree",
    "gw_extraction/gw_internal.h": "gw_extraction",
    "horizons/internal.h": "horizons",
}
# Of exec, cuda/ sees what the two backends share; of octree, only the public header.
CUDA_SEES = {"exec/backend.h", "octree/octree.h"}
# Headers of libraries: pattern, and the pattern of the paths that may include them.
LIBRARIES = [
    (r"(p4est|p8est|sc)(_\w+)?\.h$", r"(octree/[^/]*\.c$|tests/)"),
    (r"gsl/", r"(physics/initial_data|tests)/"),
    (r"hdf5(_hl)?\.h$|H5\w+\.h$", r"(src/driver|tests)/"),
    (r"yaml\.h$", r"src/base/[^/]*\.c$"),
    (r"cuda|nccl", r"(cuda|tests)/"),
    (r"cmocka\.h$", r"tests/"),
]
SOURCES = (".c", ".h", ".def", ".cu", ".cuh", ".inc")


def folder_of(path):
    for folder in sorted(MAY_USE, key=len, reverse=True):
        if path.startswith(folder + "/"):
            return folder
    return None


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
    if header.split("/")[0] not in MAY_USE[folder]:
        return f'may not include "{header}"'
    if header in PRIVATE and folder not in (PRIVATE[header], "tests"):
        return f'may not include "{header}", which is private to {PRIVATE[header]}'
    if folder == "cuda" and header.split("/")[0] in ("exec", "octree") and header not in CUDA_SEES:
        return f'may not include "{header}"'
    return None


def check(root):
    """All complaints about the tree at `root`, and how many includes were seen."""
    complaints, seen = [], 0
    for folder in MAY_USE:
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


PLANTED = [
    ("src/base/a.c", '#include "exec/exec.h"'),
    ("physics/a.h", '#include "octree/octree.h"'),
    ("octree/a.c", '#include "physics/bssn.h"'),
    ("src/exec/a.c", '#include "driver/sim.h"'),
    ("src/exec/b.c", '#include "gw_extraction/gw.h"'),
    ("src/exec/c.c", '#include "octree/internal.h"'),
    ("gw_extraction/a.c", '#  include "driver/sim.h"'),
    ("horizons/a.c", '#include "gw_extraction/gw.h"'),
    ("horizons/b.c", '#include "driver/sim.h"'),
    ("gw_extraction/c.c", '#include "horizons/horizon.h"'),
    ("src/driver/i.c", '#include "horizons/internal.h"'),
    ("cuda/a.cu", '#include "exec/exec.h"'),
    ("octree/a.h", "#include <p8est.h>"),
    ("src/driver/a.c", "#include <p8est_bits.h>"),
    ("src/driver/b.c", "#include <sc_containers.h>"),
    ("src/driver/c.c", "#include <gsl/gsl_sf.h>"),
    ("physics/b.c", "#include <gsl/gsl_sf.h>"),
    ("gw_extraction/b.c", "#include <hdf5.h>"),
    ("src/driver/d.c", "#include <yaml.h>"),
    ("src/driver/e.c", "#include <cuda_runtime.h>"),
    ("src/driver/f.c", '#include "../exec/exec.h"'),
    ("src/driver/g.c", '#include "sim.h"'),
    ("src/driver/h.c", '#include "base/params_table.h"'),
]
ALLOWED = [
    ("octree/ok.c", "#include <p8est.h>"),
    ("physics/initial_data/ok.c", "#include <gsl/gsl_sf.h>"),
    ("src/driver/ok.c", '#include "gw_extraction/gw.h"'),
    ("src/driver/ok2.c", "#include <hdf5.h>"),
    ("src/base/ok.c", "#include <sched.h>"),
    ("src/driver/ok3.c", '#include "horizons/horizon.h"'),
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


def main():
    check_myself()
    complaints, seen = check(ROOT)
    for complaint in complaints:
        print(complaint)
    if seen < 50:
        print(f"only {seen} includes found below {ROOT}")
        return 1
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
