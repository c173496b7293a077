"""Hand-written files have at most 500 lines, functions 60, and six parameters; what a status guards is written TX_THEN."""
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FOLDERS = ("src", "cuda", "octree", "physics", "elliptic", "gw_extraction", "horizons")
APART = ("physics/generated/", "gw_extraction/lebedev_table.h")  # not written by hand
LINES, BODY, PARAMETERS = 500, 60, 6
GUARD = re.compile(r"\bif \(([\w>.-]+) == TX_OK\)\s+\1 = (?![^;]*;\s*else\b)")
NOT_A_NAME = ("if", "for", "while", "switch", "defined", "sizeof", "__attribute__", "__launch_bounds__")

# More parameters are left to: numbers that stay in registers, of functions that are inlined or called for every value on
# a GPU; kernels.
WIDE = {
    "physics/sommerfeld_point.h": {"tx_sommerfeld_rate", "tx_sommerfeld_point"},
    "cuda/system/boundary.cu": {"face_rates", "boundary"},
    "cuda/system/enforce.cuh": {"tx_cuda_enforce_algebra"},
    "cuda/kernels/interpolate.cu": {"pass", "pass_of", "interpolate_box", "scatter_slab", "scatter", "interpolate_sources"},
    "cuda/kernels/patch.cuh": {"tx_cuda_read", "tx_cuda_patch_load"},
    "cuda/system/stage.cuh": {"eta_at"},
    "cuda/kernels/tile_copies.cuh": {"tx_tile_copy_set"},
    "cuda/kernels/tile_derivatives.cuh": {"tx_tile_adv", "tx_tile_first_derivatives", "tx_tile_second_derivatives"},
}


def blank(match):
    return re.sub(r"[^\n]", " ", match.group())


def code_of(text):
    """The text with comments, literals and preprocessor lines blank, its lines where they were."""
    text = re.sub(r"/\*.*?\*/|//[^\n]*|\"(\\.|[^\"\\\n])*\"|'(\\.|[^'\\\n])*'", blank, text, flags=re.S)
    return re.sub(r"^[ \t]*#(?:.*\\\n)*.*$", blank, text, flags=re.M)


def opening(code, end):
    """Where the bracket that closes at `end` opens."""
    depth = 0
    for at in range(end, -1, -1):
        depth += {")": 1, "(": -1}.get(code[at], 0)
        if depth == 0:
            return at
    raise ValueError("brackets do not match")


def parameters(text):
    """How many there are between the brackets of a declaration."""
    while True:
        flat = re.sub(r"\([^()]*\)|<[^<>]*>", "", text)
        if flat == text:
            return 0 if flat.strip() in ("", "void") else flat.count(",") + 1
        text = flat


def functions(text):
    """(name, line, lines of the body, parameters) of every function defined at the left margin."""
    code = code_of(text)
    for match in re.finditer(r"\)\s*\{", code):
        begin = opening(code, match.start())
        name = re.search(r"(\w+)\s*$", code[:begin])
        if not name or name.group(1) in NOT_A_NAME:
            continue
        after = max(code.rfind(mark, 0, name.start()) for mark in ";{}") + 1
        if not re.match(r"(\s*\n)?\w", code[after : name.start()]):
            continue  # a statement, or an expression
        end = code.find("\n}", match.end() - 1)
        closes = code.find("}", match.end())
        body = code[match.end() : end if "\n" in code[match.end() : closes] else closes].count("\n")
        yield name.group(1), code.count("\n", 0, name.start()) + 1, body, parameters(code[begin + 1 : match.start()])


def complaints(path, text):
    found = []
    if text.count("\n") > LINES:
        found.append(f"{path}: {text.count(chr(10))} lines, more than {LINES}; split it by nouns")
    for name, line, body, n in functions(text):
        if body > BODY:
            found.append(f"{path}:{line}: {name} has {body} lines, more than {BODY}")
        if n > PARAMETERS and name not in WIDE.get(path, ()):
            found.append(f"{path}:{line}: {name} has {n} parameters, more than {PARAMETERS}; put them into a struct")
    for match in GUARD.finditer(text):
        found.append(f"{path}:{text.count(chr(10), 0, match.start()) + 1}: write TX_THEN({match.group(1)}, ...)")
    return found


def sources():
    for folder in FOLDERS:
        for where, _, names in os.walk(os.path.join(ROOT, folder)):
            for name in sorted(names):
                path = os.path.relpath(os.path.join(where, name), ROOT)
                if name.endswith((".c", ".h", ".cu", ".cuh")) and not path.startswith(APART):
                    yield path


def check_itself():
    """What is too large is seen."""
    assert complaints("a.c", "\n" * (LINES + 1))
    long = "static int f(int a,\n             int b) {\n" + "  a++;\n" * (BODY + 1) + "  return a;\n}\n"
    assert [c for c in complaints("a.c", long) if "f has 62 lines" in c], complaints("a.c", long)
    assert not complaints("a.c", long.replace("  a++;\n", "", 2))
    wide = "template <int N>\nstatic __device__ void\ng(int a, int (*b)(int, int), int c, int d, int e, int f%s) {\n}\n"
    assert [c for c in complaints("a.cu", wide % ", int h") if "g has 7 parameters" in c]
    assert not complaints("a.cu", wide % "")
    kernel = "static __global__ void __launch_bounds__(THREADS)\n    k(int a, int b, int c, int d, int e, int f, int g) {\n}\n"
    assert [c for c in complaints("a.cu", kernel) if "k has 7 parameters" in c], complaints("a.cu", kernel)
    assert complaints("a.c", "  if (status == TX_OK)\n    status = f();\n")
    assert not complaints("a.c", "  if (status == TX_OK)\n    status = f();\n  else\n    g();\n")


def main():
    check_itself()
    found = []
    for path in sources():
        with open(os.path.join(ROOT, path), encoding="utf-8") as file:
            found += complaints(path, file.read())
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
