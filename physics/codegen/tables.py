"""The two files that describe a system, and their tables: read, checked, and refused in one line where they do not fit."""

import ast
import functools
import importlib.util
import pathlib
import re
import sys
import types

import inputs
import parameters
from emit import Components, Result, Variable
from notation import names, parse
from refuse import HERE, ROOT, Mistake, described_by, one_of, reading, refuse, shown

TABLES = {"system.py": ("VARIABLES", "ROLES", "RESULTS", "FILES"), "plan.py": ("UPDATES", "AHEAD", "LAST", "KEPT")}
FILES = ("rhs", "constraints", "analysis", "weyl")
OPTIONAL = {"system.py": {"PARAMETERS": (), "INITIAL": {}, "STABILITY": None, "SHIFT_APART": 0, "DEFAULTS": {}}, "plan.py": {"SHARED": 8}}
RANKS = {"LAPSE": 0, "SHIFT": 1, "FACTOR": 0, "METRIC": 2, "CURVATURE": 2}  # of the roles


def check_folder(system):
    """Refuse a folder that cannot be a system."""
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", system.name):
        refuse("the folder's name is the system's; expected letters, digits and _", shown(system))
    taken = inputs.taken(system.name)
    if taken and not system.is_relative_to(ROOT):
        refuse(f"the folder's name is the system's, and {taken}; expected another name", shown(system))
    for file in TABLES:
        if not (system / file).is_file():
            refuse(f"there is no file {file}; expected {' and '.join(TABLES)}", shown(system))


def module(path):
    """The module that a file is, with all tables of such files."""
    beside = str(path.parent.parent)
    if beside not in sys.path:
        sys.path.append(beside)
    spec = importlib.util.spec_from_file_location(path.parent.name, path)
    found = importlib.util.module_from_spec(spec)
    with described_by(path):
        spec.loader.exec_module(found)
    for name, default in OPTIONAL[path.name].items():
        setattr(found, name, getattr(found, name, default))
    for name in TABLES[path.name]:
        if not hasattr(found, name):
            refuse(f"there is no table {name}; expected {', '.join(TABLES[path.name])}", shown(path))
    return found


def imported(path):
    """The names of the modules that a file imports, or whose parts it may."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from (node.module, *(f"{node.module}.{alias.name}" for alias in node.names))


def sources(system):
    """The files that describe a system: those of its folder, and what they import of folders beside it and of physics."""
    found, left = [], sorted(system.glob("*.py"))
    while left:
        path = left.pop(0)
        if path not in found:
            found.append(path)
            files = (folder / (name.replace(".", "/") + ".py") for name in imported(path) if name.count(".") == 1
                     for folder in (system.parent, HERE.parent))
            left += filter(pathlib.Path.is_file, files)
    return found


def line_of(path, name):
    """File and line of a table."""
    for node in ast.parse(path.read_text()).body:
        targets = getattr(node, "targets", [getattr(node, "target", None)])
        if any(isinstance(target, ast.Name) and target.id == name for target in targets):
            return f"{shown(path)}:{node.lineno}"
    return shown(path)


@functools.cache
def described(system):
    """The description of a system, which is a folder."""
    check_folder(system)
    found, path = module(system / "system.py"), system / "system.py"
    check_quantities(found, path)
    check_roles(found, path)
    if not isinstance(found.PARAMETERS, (list, tuple)) or not all(isinstance(p, parameters.Parameter) for p in found.PARAMETERS):
        refuse("PARAMETERS; expected a list of Parameter(...)", line_of(path, "PARAMETERS"))
    parameters.check(system.name, found.PARAMETERS, [v.name for v in found.VARIABLES])
    check_profiles(found, path)
    check_limits(found, path)
    if not isinstance(found.FILES, dict) or "rhs" not in found.FILES:
        refuse("FILES has no rhs; expected {'rhs': (function, title), ...}", line_of(path, "FILES"))
    for name, entry in found.FILES.items():
        if name not in FILES:
            refuse(f"{name} in FILES; {one_of(FILES)}", line_of(path, "FILES"))
        if not isinstance(entry, tuple) or len(entry) != 2 or not callable(entry[0]) or not isinstance(entry[1], str):
            refuse(f"{name} in FILES; expected (function, title)", line_of(path, "FILES"))
    check_analyses(found, path)
    return found


def check_quantities(found, path):
    for table, kind in (("VARIABLES", Variable), ("RESULTS", Result)):
        entries = getattr(found, table)
        if not isinstance(entries, (list, tuple)) or not all(isinstance(entry, kind) for entry in entries):
            refuse(f"{table}; expected a list of {kind.__name__}(...)", line_of(path, table))
    if not found.VARIABLES:
        refuse("VARIABLES is empty; expected a variable", line_of(path, "VARIABLES"))
    seen = {}
    for quantity in [*found.VARIABLES, *found.RESULTS]:
        for idx in quantity.components():
            other = seen.setdefault(quantity.enumerator(idx), quantity)
            if other is not quantity:
                refuse(f"{quantity.name} and {other.name} both have a component {quantity.enumerator(idx)}; expected names that"
                       " differ in more than case and suffix", quantity.where)


def entries(found, file):
    """Entries of FILES that one generated file computes: the constraints and, behind them, further analysis quantities."""
    if "constraints" not in found.FILES or file not in ("constraints", "analysis"):
        return [file]
    return [name for name in ("constraints", "analysis") if name in found.FILES] if file == "constraints" else []


def constraints(found):
    """Results that are the constraints of gravity, with name in files and text."""
    named = {result.name: result for result in found.RESULTS} if "constraints" in found.FILES else {}
    for name, (shown_as, text) in inputs.CONSTRAINTS.items():
        if name in named:
            named[name].shown, named[name].text = shown_as, text
    return [named[name] for name in inputs.CONSTRAINTS if name in named]


def further(found):
    """Results that are other analysis quantities."""
    return [result for result in found.RESULTS if result.text and result not in constraints(found)]


def analyses(found):
    """Results that are analysis quantities, in the order in which they are numbered: constraints first."""
    return [*constraints(found), *(further(found) if "analysis" in found.FILES else [])]


def check_analyses(found, path):
    """Refuse analysis quantities that cannot be told apart from variables in files."""
    if "analysis" not in found.FILES:
        for result in further(found):
            refuse(f"{result.name} is an analysis quantity, and FILES has no analysis; expected 'analysis': (function, title)", result.where)
        return
    if not further(found):
        refuse("analysis in FILES, and no analysis quantity; expected Result(..., text=\"...\") in RESULTS", line_of(path, "FILES"))
    taken = {"all"}
    for quantity in [*found.VARIABLES, *analyses(found)]:
        for idx in quantity.components():
            name = quantity.shown + quantity.shown_indices(idx)
            if name in taken:
                refuse(f"{quantity.name} is shown as {name}, which is taken; expected another name or shown", quantity.where)
            taken.add(name)


def check_profiles(found, path):
    where = line_of(path, "INITIAL")
    if not isinstance(found.INITIAL, dict):
        refuse(f"INITIAL is {found.INITIAL!r}; expected {{'gaussian': (function, text), ...}}", where)
    for name, entry in found.INITIAL.items():
        if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name):
            refuse(f"the profile {name!r} in INITIAL; expected letters, digits and _", where)
        if not isinstance(entry, tuple) or len(entry) != 2 or not callable(entry[0]) or not isinstance(entry[1], str) \
                or re.search(r'["\\\n]', entry[1]):
            refuse(f"{name} in INITIAL; expected (function, text), the text a line without quotation marks and backslashes", where)


def check_limits(found, path):
    """What the program asks of a system about time steps and defaults."""
    if found.STABILITY is not None and not callable(found.STABILITY):
        refuse(f"STABILITY is {found.STABILITY!r}; expected a function", line_of(path, "STABILITY"))
    if not isinstance(found.SHIFT_APART, (int, float)) or not 0 <= found.SHIFT_APART < 1:
        refuse(f"SHIFT_APART is {found.SHIFT_APART!r}; expected a number from 0 to 1", line_of(path, "SHIFT_APART"))
    keys = parameters.reals()
    if not isinstance(found.DEFAULTS, dict):
        refuse(f"DEFAULTS is {found.DEFAULTS!r}; expected {{'gauge.lambda_f0': 1, ...}}", line_of(path, "DEFAULTS"))
    for key, value in found.DEFAULTS.items():
        if key not in keys or type(value) not in (int, float) or not keys[key][0] <= value <= keys[key][1]:
            refuse(f"DEFAULTS: {value!r} of {key}; expected a number that a parameter of all systems may have", line_of(path, "DEFAULTS"))


def check_roles(found, path):
    variables = {v.name: v for v in found.VARIABLES}
    where = line_of(path, "ROLES")
    if not isinstance(found.ROLES, dict):
        refuse(f"ROLES is {found.ROLES!r}; expected {{'METRIC': 'gt_dd', ...}} or {{}}", where)
    for role, name in found.ROLES.items():
        if role not in RANKS:
            refuse(f"the role {role}; {one_of(RANKS)}", where)
        if name not in variables or variables[name].rank != RANKS[role]:
            fitting = [v.name for v in found.VARIABLES if v.rank == RANKS[role]]
            refuse(f"{role} is {name}; {one_of(fitting)}, which have {RANKS[role]} indices", where)
    if "METRIC" not in found.ROLES:
        return
    missing = [role for role in RANKS if role not in found.ROLES]
    if missing:
        refuse(f"METRIC without {', '.join(missing)}; expected all of {', '.join(RANKS)}", where)
    if not hasattr(found, "TRACE"):
        refuse("METRIC in ROLES, but no table TRACE; expected the trace of the extrinsic curvature", where)
    trace_variables(found, path)


def trace_variables(found, path):
    """The variables of TRACE, which are scalars."""
    known = Components()
    with reading(found.TRACE, line_of(path, "TRACE")):
        for v in found.VARIABLES:
            known.declare(v)
        node = known.read(found.TRACE)
        for inner in ast.walk(node):
            if isinstance(inner, (ast.Call, ast.Pow, ast.Subscript)):
                raise Mistake(f"{ast.unparse(node)}; expected scalar variables, numbers, + - * and /", inner)
        for name in names(node):
            if name.id not in known.tensors:
                raise Mistake(f"{name.id} is no variable; expected scalar variables, numbers, + - * and /", name)
    return [name.id for name in names(node)]


def trace(found):
    """TRACE in C, V(variable) being a value. Numbers of fractions are doubles: those of C are whole."""
    scalars = {v.name: v.enumerator(()) for v in found.VARIABLES if not v.rank}

    def text(node, divided=False):
        if isinstance(node, ast.Name):
            return ast.Name(f"V({scalars[node.id]})")
        if isinstance(node, ast.Constant):
            return ast.Constant(node.value if isinstance(node.value, int) and not divided else float(node.value))
        if isinstance(node, ast.UnaryOp):
            return ast.UnaryOp(node.op, text(node.operand, divided))
        divided = divided or isinstance(node.op, ast.Div)
        return ast.BinOp(text(node.left, divided), node.op, text(node.right, divided))

    return ast.unparse(text(parse(found.TRACE)))


def check_program(system, name, program):
    """Refuse a file that leaves something out."""
    path = system / "system.py"
    expected = program.results()
    for missing in [v for v in expected if v not in program.stored]:
        refuse(f"{name} stores no {missing}; expected store() of {', '.join(expected)}", line_of(path, "FILES"))


def check_profile(system, name, program):
    """Refuse a profile that leaves a variable out."""
    expected = [v.name for v in described(system).VARIABLES]
    for missing in [v for v in expected if v not in program.stored]:
        refuse(f"the profile {name} stores no {missing}; expected store() of {', '.join(expected)}",
               line_of(system / "system.py", "INITIAL"))


def used(system, programs):
    """Names of the parameters that equations ask for, directly or in the expression of another one."""
    asked = {name for program in programs for name in program.scalar_names}
    own = described(system).PARAMETERS
    return asked | {name for other in own if other.name in asked for name in re.findall(r"\w+", other.scalar)}


def check_used(system, programs):
    """Refuse parameters that no equation asks for."""
    asked = used(system, programs)
    for parameter in described(system).PARAMETERS:
        if parameter.name not in asked:
            refuse(f'{parameter.key} is in no equation; expected scalars("{parameter.name}")', parameter.where)


@functools.cache
def plan(system):
    """The plan of a system's kernels."""
    path = system / "plan.py"
    found, known = module(path), [v.name for v in described(system).VARIABLES]
    for table in TABLES["plan.py"]:
        entries = getattr(found, table)
        where = line_of(path, table)
        if not isinstance(entries, (list, tuple)):
            refuse(f"{table} is {entries!r}; expected a list or a tuple, such as ({entries!r},)", where)
        for group in entries if table == "UPDATES" else [entries]:
            if not isinstance(group, (list, tuple)):
                refuse(f"{table}: {group!r}; expected tuples of variables, such as ({group!r},)", where)
            for name in group:
                if name not in known:
                    refuse(f"{table}: {name!r} is no variable; {one_of(known)}", where)
    updated = [name for group in found.UPDATES for name in group]
    for name in known:
        if updated.count(name) != 1:
            refuse(f"{name} is in {updated.count(name)} updates; expected 1", line_of(path, "UPDATES"))
    for name in found.AHEAD:
        if name in found.UPDATES[0]:
            refuse(f"AHEAD: {name} is in the first update; expected variables of later ones", line_of(path, "AHEAD"))
    shared = found.SHARED
    if type(shared) is not int or shared < 0:
        refuse(f"SHARED is {shared!r}; expected how many shared values may be alive at once, from 0 on", line_of(path, "SHARED"))
    return types.SimpleNamespace(**{table: getattr(found, table) for table in TABLES["plan.py"]}, SHARED=shared)


def check_kept(system, program):
    """Refuse to keep what is never needed again."""
    again = set(re.findall(r"TX_AGAIN\(\w+, (\w+)\)", "\n".join(program.kept)))
    for variable in described(system).VARIABLES:
        if variable.name in plan(system).KEPT and not {variable.enumerator(idx) for idx in variable.components()} <= again:
            refuse(f"KEPT: {variable.name} is never needed again; expected variables of again()",
                   line_of(system / "plan.py", "KEPT"))
