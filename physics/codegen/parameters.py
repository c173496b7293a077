"""Parameters of a system, PARAMETERS of its description: rows of the table of all parameters (src/params/params.def), the conditions
under which they have an effect (conditions.def), and the scalar inputs that they are in the equations."""

import ast
import copy
import functools
import re

import inputs
from notation import FUNCTIONS, names, parse
from refuse import ROOT, Mistake, one_of, place, reading, refuse

# What an expression of `scalar` may have beside the system's parameters, in C.
GRID = {"cfl": "p->cfl", "spacing": "h"}
ORDERS = {">": "above", "<": "below"}
ONLY = re.compile(r"(\w+)(?: ([<>]) (\S+))?")


@functools.cache
def table():
    """Keys of the parameters that all systems have, their sections, and those of these that take parameters of one."""
    text = (ROOT / "src/params/params.def").read_text()
    keys = {f"{section}.{name}" for section, name in re.findall(r"^[A-Z]\w*\((?:\d, \w+, )?(\w+), (\w+),", text, re.M)}
    return keys, re.findall(r"^SECTION\((\w+),", text, re.M), re.findall(r"^#define TX_ROWS_([a-z]\w*)", text, re.M)


@functools.cache
def reals():
    """{key: (least, largest value)} of those that are numbers."""
    text = (ROOT / "src/params/params.def").read_text()
    rows = re.findall(r"^REAL\((\w+), (\w+), [^,]+, ([^,]+), ([^,]+),", text, re.M)
    return {f"{section}.{name}": (float(least), float(most)) for section, name, least, most in rows}


def number(value, what):
    if type(value) not in (int, float) or abs(value) == float("inf") or value != value:
        refuse(f"{what} is {value!r}; expected a number")
    return float(value)


def line(text, what):
    if not isinstance(text, str) or set(text) & set('"\\\n'):
        refuse(f"{what} is {text!r}; expected a line without quotation marks")
    return text


class Parameter:
    """A parameter of a system, section.name: a number from least to most, or true or false (1 or 0 in equations) as its default is.
    `only`: it has an effect only if another one, of this system and section, is above or below a number, as "kappa1 > 0", or true.
    `scalar`: what equations have by its name, an expression of parameters of the system, of the Courant factor cfl and the spacing."""

    def __init__(self, section, name, default, least=None, most=None, *, text, unit="", only=None, scalar=None):
        self.where = place()
        for what, word in (("section", section), ("name", name)):
            if not isinstance(word, str) or not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", word):
                refuse(f"the {what} of a parameter is {word!r}; expected letters, digits and _")
        self.section, self.name, self.key = section, name, f"{section}.{name}"
        self.is_bool = isinstance(default, bool)
        self.text, self.unit = line(text, f"the text of {self.key}"), line(unit, f"the unit of {self.key}")
        if self.is_bool:
            if least is not None or most is not None or unit:
                refuse(f"{self.key} is true or false; expected neither range nor unit")
            self.default = default
        else:
            self.default, self.least, self.most = (number(value, f"{what} of {self.key}") for value, what in
                                                   ((default, "the default"), (least, "the least value"), (most, "the largest value")))
            if not self.least <= self.default <= self.most:
                refuse(f"the default of {self.key}, {default}, is not from {least} to {most}")
        self.only, self.scalar = only, scalar or name

    def of(self, section):
        """The same parameter in the section of another system."""
        other = copy.copy(self)
        other.section, other.key = section, f"{section}.{self.name}"
        return other

    def row(self, condition):
        values = f"{self.default}".lower() if self.is_bool else f'{self.default!r}, {self.least!r}, {self.most!r}, "{self.unit}"'
        return f'{"BOOL" if self.is_bool else "REAL"}({self.section}, {self.name}, {values}, "{self.text}", ONLY({condition}))'


def most(macro):
    """A limit of physics/system.h."""
    return int(re.search(rf"#define {macro} (\d+)", (ROOT / "physics/system.h").read_text())[1])


def check(system, parameters, variables):
    """Refuse parameters that do not fit the program, the system's variables, or each other."""
    keys, known, sections = table()
    own = [system] if system not in known else []
    scalars = {*inputs.scalars(), *inputs.POINTWISE, *inputs.COORDINATES, inputs.TIME, *GRID, *FUNCTIONS, "where", "pi", "delta", "eps", *variables}
    own_most = most("TX_SYSTEM_OWN")
    if len(parameters) > own_most:
        refuse(f"{len(parameters)} parameters; expected at most {own_most}", parameters[own_most].where)
    seen = set()
    for parameter in parameters:
        name, where = parameter.name, parameter.where
        if parameter.section not in sections + own:
            refuse(f"{parameter.key}: {one_of(sections + own)} as section", where)
        if parameter.key in keys:
            refuse(f"{parameter.key} is a parameter of all systems; expected another name", where)
        if name in {*scalars, *seen} or name != inputs.spelled(name):
            refuse(f"the parameter {name}: equations have another meaning for {name}; expected another name", where)
        seen.add(name)
    for parameter in parameters:
        condition(parameter, parameters)
        scalar(parameter, parameters)


def condition(parameter, parameters):
    """Text and C of `only`; None without."""
    if parameter.only is None:
        return None
    found = ONLY.fullmatch(parameter.only) if isinstance(parameter.only, str) else None
    others = {other.name: other for other in parameters if other is not parameter}
    other = found and others.get(found[1])
    if not other or other.is_bool != (found[2] is None):
        refuse(f"{parameter.name} only if {parameter.only!r}; expected another parameter of PARAMETERS with a bound, as 'kappa > 0', or"
               " alone if it is true or false", parameter.where)
    member = f"p->{other.section}_{other.name}"
    if other.is_bool:
        return f"{other.key} is true", member
    try:
        bound = float(found[3])
    except ValueError:
        refuse(f"{parameter.name} only if {parameter.only!r}: {found[3]} is not a number", parameter.where)
    return f"{other.key} is {ORDERS[found[2]]} {found[3]}", f"{member} {found[2]} {bound!r}"


def scalar(parameter, parameters):
    """The scalar input in C, p being tx_system_params and h the spacing. Operations stay in the order of the text."""
    own = {other.name: f"p->own[{enumerator(other)}]" for other in parameters} | GRID
    with reading(parameter.scalar, parameter.where):
        node = parse(parameter.scalar)
        for inner in ast.walk(node):
            if isinstance(inner, (ast.Call, ast.Pow, ast.Subscript)):
                raise Mistake(f"{ast.unparse(node)}; expected parameters, {', '.join(GRID)}, numbers, + - * and /")
        for name in names(node):
            inputs.check(name.id, own, f"{name.id}: the parameter")
    return ast.unparse(in_c(node, own))


def in_c(node, own):
    if isinstance(node, ast.Name):
        return ast.Name(own[node.id])
    if isinstance(node, ast.Constant):
        return ast.Constant(float(node.value))
    if isinstance(node, ast.UnaryOp):
        return ast.UnaryOp(node.op, in_c(node.operand, own))
    return ast.BinOp(in_c(node.left, own), node.op, in_c(node.right, own))


def enumerator(parameter):
    return f"TX_OWN_{parameter.name.upper()}"


def chosen(profiles):
    """Text and C of the condition that one of these profiles is chosen."""
    names = " or ".join(", ".join(profiles).rsplit(", ", 1))
    return f"initial_data.profile is {names}", "(" + " || ".join(f'tx_param_profile_is(p, "{name}")' for name in profiles) + ")"


def rows(system, parameters, profiles):
    """Conditions and rows, for conditions.def and for params.def. `profiles`: those that a parameter is for, None if it is for the
    equations too."""
    if not parameters:
        return []
    whole = f"evolved_{system}"
    conditions = {(None, None): whole}
    evolved = f"p->evolution_system == TX_EVOLVED_{system.upper()}"
    lines = ["#ifdef CONDITION"]
    key_of = {p.name: (p.only, profiles[p.name] and tuple(profiles[p.name])) for p in parameters}
    if (None, None) in key_of.values():
        lines.append(f'CONDITION({whole}, evolution_system, "evolution.system is {system}", {evolved})')
        evolved = f"{whole}(p)"
    for parameter in parameters:
        key = key_of[parameter.name]
        if key not in conditions:
            parts = [part for part in (key[1] and chosen(key[1]), condition(parameter, parameters)) if part]
            conditions[key] = f"{whole}_{len(conditions)}"
            lines.append(f'CONDITION({conditions[key]}, SEVERAL, "evolution.system is {system} and {" and ".join(text for text, _ in parts)}",'
                         f' {" && ".join([evolved, *(test for _, test in parts)])})')
    lines.append("#endif")
    for section in dict.fromkeys(parameter.section for parameter in parameters):
        own = section not in table()[2]
        lines.append(f"#ifdef TX_ROWS_{'OWN' if own else section}")
        if own:
            lines.append(f'SECTION({section}, "The system {system}")')
        lines += [parameter.row(conditions[key_of[parameter.name]]) for parameter in parameters if parameter.section == section]
        lines.append("#endif")
    return lines
