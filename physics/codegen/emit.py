"""Equations in index notation -> C statements, stage by stage, with a count of floating-point operations (printer.py).

Nothing is reordered across statements, so the text's order is the order of evaluation.
"""

import re
import textwrap

import inputs
from notation import names as names_in, split_lhs
from printer import Printer
from refuse import Mistake, one_of, place, reading, refuse
from sharing import Sharing, Statement
from tensors import Components, Tensor, number

WIDTH = 100
WORD = r"[A-Za-z]\w*"


def check_quantity(name, letters, symmetric, antisymmetric=()):
    """Refuse a name that does not say its indices."""
    with reading(name):
        if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z][A-Za-z0-9]*(_[ud]+)?", name):
            raise Mistake("expected letters and digits, and for each index a letter u or d after _")
        suffix = name.partition("_")[2]
        if not isinstance(letters, str) or not len(suffix) == len(letters) == len(set(re.findall("[a-z]", letters))):
            raise Mistake(f'the indices "{letters}"; expected {len(suffix)} different letters, as the name says')
        for what, pairs in (("symmetric", symmetric), ("antisymmetric", antisymmetric)):
            if not isinstance(pairs, (list, tuple)) or not all(is_pair(pair, len(suffix)) for pair in pairs):
                raise Mistake(f"{what} in {pairs}; expected pairs of the indices' numbers, the smaller first, from 0 on")
        if shared_pairs(symmetric, antisymmetric):
            raise Mistake(f"symmetric in {symmetric} and antisymmetric in {antisymmetric}; expected an index in pairs of one kind")


def is_pair(pair, rank):
    return (isinstance(pair, (list, tuple)) and len(pair) == 2 and all(type(i) is int for i in pair)
            and 0 <= pair[0] < pair[1] < rank)


def shared_pairs(symmetric, antisymmetric):
    """Indices that are in pairs of both kinds."""
    return {i for pair in symmetric for i in pair} & {i for pair in antisymmetric for i in pair}


class Quantity(Tensor):
    """A tensor whose components the includer brings in or takes out, by the names that `enumerator` spells."""

    evolved, axial = False, False

    def __init__(self, name, letters="", symmetric=(), antisymmetric=()):
        self.where = place()
        check_quantity(name, letters, symmetric, antisymmetric)
        super().__init__(name, len(letters), symmetric, antisymmetric=antisymmetric)
        self.letters, self.base = letters, name.partition("_")[0]

    def enumerator(self, idx):
        return self.base.upper() + "".join(map(str, self.canonical(idx)))


    def parity(self, idx):
        """Signs of a component under reflections of x, y, z: an index in their direction changes it; of axial tensors all do."""
        return [(-1) ** (idx.count(d) + self.axial) for d in range(3)]

    @staticmethod
    def shown_indices(idx):
        """The end of a component's name in files."""
        return ("_" if idx else "") + "".join("xyz"[i] for i in idx)

    @staticmethod
    def check_text(text):
        if not isinstance(text, str) or re.search(r'["\\\n]', text):
            raise Mistake(f"the text {text!r}; expected a line without quotation marks and backslashes")


class Result(Quantity):
    """What is computed from the state, and no part of it. An analysis quantity has a `text`, a `unit`, and what begins its name in
    files, `shown`."""

    def __init__(self, name, letters="", symmetric=(), antisymmetric=(), *, text="", unit="", shown=None, axial=False):
        super().__init__(name, letters, symmetric, antisymmetric)
        self.text, self.unit, self.shown, self.axial = text, unit, shown or self.base, axial
        with reading(self.name):
            if not isinstance(self.shown, str) or not re.fullmatch(WORD, self.shown):
                raise Mistake(f"shown as {self.shown!r}; expected letters, digits and _")
            self.check_text(text)
            self.check_text(unit)

    def row(self, idx):
        """Its line in the table of analysis quantities."""
        parity = ", ".join(f"{sign:+d}" for sign in self.parity(idx))
        return f'A({self.enumerator(idx)}, {self.shown}{self.shown_indices(idx)}, {parity}, "{self.text}", "{self.unit}")'


class Variable(Quantity):
    """An evolved variable. `infinity`, in index notation, and `speed`, a number: the value that it takes far away and the
    speed of its waves there; `falloff`, a number: the power of 1/r with which it gets there. `shown`: what begins its name
    in files.
    `advection`: the parameter, 0 or 1, that its equation's advection is multiplied by; None: it is always there.
    `floor`: the parameter, positive, that it is kept above. `watched`: where it has structure, wavelets refine the grid.
    `initial`: what begins the name of the variable of the initial data that it starts from, if another one's than its own.
    `axial`: a pseudo-tensor, such as a magnetic field."""

    evolved = True

    def __init__(self, name, letters="", symmetric=(), antisymmetric=(), *, text, falloff, speed, infinity="0", shown=None,
                 advection=None, floor=None, watched=False, initial=None, axial=False):
        super().__init__(name, letters, symmetric, antisymmetric)
        self.text, self.falloff, self.speed = text, number(falloff, "falloff", 0), number(speed, "speed", 0)
        self.infinity = repr(infinity) if type(infinity) in (int, float) else infinity
        self.shown, self.advection = shown or self.base, advection
        self.floor, self.watched, self.axial = floor, watched, axial
        self.initial = initial or self.shown
        self.check()

    def check(self):
        """Refuse what the table of variables cannot say."""
        with reading(self.name):
            if self.floor is not None:
                inputs.check(self.floor, inputs.parameters("floor"), f"the floor {self.floor}")
                if self.rank:
                    raise Mistake("a tensor has no floor; expected that of a scalar")
            if self.advection is not None:
                inputs.check(self.advection, inputs.parameters("advection"), f"the advection {self.advection}")
            if not all(isinstance(name, str) and re.fullmatch(WORD, name) for name in (self.shown, self.initial)):
                raise Mistake(f"shown as {self.shown!r}, initially {self.initial!r}; expected letters, digits and _")
            self.check_text(self.text)
        self.far(self.components()[0])

    def far(self, idx):
        """The value at infinity of a component, in C."""
        known = Components()
        with reading(self.infinity):
            return constant(known.evaluate(known.read(self.infinity, self.letters), dict(zip(self.letters, idx))))

    def row(self, idx):
        """Its line in the table of variables; an index in the direction of a reflection changes sign."""
        suffix = self.shown_indices(idx)
        parity = ", ".join(f"{sign:+d}" for sign in self.parity(idx))
        flags = f"{self.floor is not None:d}, {self.watched:d}"
        numbers = f"{self.far(idx)}, {constant(self.falloff)}, {float(self.speed):.17g}"
        row = f"{self.enumerator(idx)}, {self.shown}{suffix}, {parity}, {numbers}, {flags}"
        return f'V({row}, {self.initial}{suffix}, "{self.text}")'

    def derivatives(self, order):
        """Advection with dissipation, then derivatives up to `order`, whose index comes first."""
        base, _, suffix = self.name.partition("_")

        def shifted(pairs, by):
            return [(a + by, b + by) for a, b in pairs]

        return [
            Tensor("ADV_" + self.name, self.rank, self.symmetric, lambda idx: f"TX_ADV({self.enumerator(idx)})", self.antisymmetric),
            Tensor(f"d{base}_d{suffix}", self.rank + 1, shifted(self.symmetric, 1), antisymmetric=shifted(self.antisymmetric, 1)),
            Tensor(f"dd{base}_dd{suffix}", self.rank + 2, [(0, 1)] + shifted(self.symmetric, 2),
                   lambda idx: f"TX_DD({self.enumerator(idx[2:])}, {idx[0]}, {idx[1]})", shifted(self.antisymmetric, 2)),
        ][:order + 1]


def constant(value):
    """A number of a table in C."""
    return str(value) if value.is_Integer else f"{float(value):.17g}"


class Program:
    """A list of C statements under construction: what the equations of a system talk to. `file`: rhs, constraints, analysis,
    weyl, initial, a profile of initial data, or stability, of time steps."""

    def __init__(self, variables, file="rhs", parameters=None):
        self.statements, self.printer, self.file = [], Printer(), file
        self.equations = []  # as they are written
        self.parameters = parameters or {}  # the system's own, and their values in C
        self.head = None, 0  # name of the shared file, and the statements that it has
        self.components = Components()
        self.variables = {v.name: v for v in variables}
        self.spelled = {}  # names in C -> the tensor's
        self.written, self.stored = set(), set()  # names of components; of quantities
        self.made = set()  # tensors of let()
        self.earlier = set()  # quantities that were stored before begin()
        self.loads = []  # components, and the order of the derivatives that they are needed with
        self.scalar_names, self.inputs = [], []  # of the includer; of these those that are worked out at the point
        self.more_factors = []  # and those of more()
        self.modes = 0  # of the stability

    def begin(self, file):
        """Go on with the equations of `file`, to which all that is there is known."""
        self.file, self.earlier = file, {*self.stored}

    # What an equation may refer to.

    def declare(self, tensor):
        with reading(tensor.name):
            if tensor.name in self.components.tensors:
                raise Mistake(f"{tensor.name} is there already; expected one declaration")
            for name in {tensor.spell(idx) for idx in tensor.components()}:
                other = self.spelled.setdefault(name, tensor.name)
                if other != tensor.name:
                    raise Mistake(f"{tensor.name} and {other} both have a component {name}; expected another name")
            return self.components.declare(tensor)

    def variable(self, name):
        evolved = [v.name for v in self.variables.values() if v.evolved]
        if name not in evolved:
            refuse(f"{name} is no variable; {one_of(evolved)}")
        return self.variables[name]

    def tensor(self, name):
        if name not in self.components.tensors:
            refuse(f"{name} is unknown here; {one_of(self.components.tensors)}")
        return self.components.tensors[name]

    def scalars(self, *names):
        """Inputs that the includer defines: parameters."""
        for name in names:
            if self.file == "initial":
                self.parameter(name)
            else:
                self.scalar(name, [*inputs.scalars(), *self.parameters])
            self.uniform(name)

    def parameter(self, name):
        """One of the system's own, of a profile: it knows no spacing."""
        with reading(name):
            inputs.check(name, self.parameters, "the parameter")
        if re.search(r"\bh\b", self.parameters[name]):
            refuse(f"{name} depends on the spacing; expected in profiles parameters that do not")
        self.declare(Tensor(name, 0))
        self.scalar_names.append(name)
        self.line(f"const double {name} = {self.parameters[name]};", name)

    def uniform(self, name):
        """A scalar that is the same at all points, and a double: powers may have it."""
        self.printer.uniform.add(inputs.spelled(name))
        self.components.constant.add(name)

    def scalar(self, name, known):
        with reading(name):
            inputs.check(name, known, "the scalar")
        if self.file in ("weyl", "initial") or name in inputs.POINTWISE and self.file != "rhs":
            files = "rhs" if name in inputs.POINTWISE else "rhs and analysis"
            refuse(f"{name} is not there in {self.file}; expected it in {files} alone")
        self.declare(Tensor(name, 0))
        self.scalar_names.append(name)
        if self.file == "stability":
            self.line(f"const double {name} = tx_scalar_{name}(p, spacing);", name)

    def input(self, *names):
        """Scalars of the point, which are needed from here on: its coordinates x, y, z, the time t, and what is worked out there,
        of which what it depends on is there."""
        for name in names:
            if self.file == "stability":
                self.symbol(name)
            elif name in inputs.COORDINATES:
                self.declare(Tensor(name, 0))
                self.line(f"tx_real {name} = TX_COORDINATE({inputs.COORDINATES.index(name)});", name)
            elif name == inputs.TIME:
                if self.file in ("weyl", "initial"):
                    refuse(f"t is not there in {self.file}; expected it in rhs and analysis alone")
                self.declare(Tensor(name, 0))
                self.uniform(name)
                self.line(f"const double {name} = TX_TIME;", name)
            else:
                self.scalar(name, [*inputs.POINTWISE, *inputs.COORDINATES, inputs.TIME])
                self.inputs.append(name)
                self.line(f"TX_INPUT({name})")

    def symbol(self, name):
        with reading(name):
            inputs.check(name, inputs.SYMBOLS, f"the input {name} of stability")
        self.declare(Tensor(name, 0))
        self.uniform(name)

    def values(self, *names):
        """Bring in the values of evolved variables at the point."""
        for name in names:
            self.needs_state(name)
            tensor = self.declare(self.variable(name))
            for idx in tensor.components():
                target = tensor.spell(idx)
                self.line(f"tx_real {target} = TX_VALUE({tensor.enumerator(idx)});", target)

    def needs_state(self, name):
        """Refuse what a profile does not have."""
        if self.file == "initial":
            refuse(f"{name} has no value before the profile gives it one; expected parameters and coordinates")
        if self.file == "stability":
            refuse(f"{name} has no value in the stability of time steps; expected parameters, {', '.join(inputs.SYMBOLS)}")

    # Where few registers must do, the includer may keep values elsewhere meanwhile.

    def park(self, *names, first=(0, 1, 2)):
        """The values of these tensors, of some first indices, are not needed before unpark."""
        self.hook("TX_PARK", names, first)

    def unpark(self, *names, first=(0, 1, 2)):
        self.hook("TX_UNPARK", names, first)

    def hook(self, macro, names, first):
        for name in names:
            tensor = self.tensor(name)
            for idx in tensor.components():
                if not idx or idx[0] in first:
                    self.line(f"{macro}({tensor.spell(idx)})")

    def again(self, *names):
        """The values of evolved variables are needed here again, and were not for a while."""
        for name in names:
            tensor = self.variable(self.tensor(name).name)
            for idx in tensor.components():
                self.line(f"TX_AGAIN({tensor.spell(idx)}, {tensor.enumerator(idx)})")

    def load(self, derivatives, name, then=()):
        """From here on the derivatives of an evolved variable up to the given order, its advection
        and dissipation are available. `then`: equations to evaluate for each component at once."""
        if type(derivatives) is not int or not 0 <= derivatives <= 2:
            refuse(f"derivatives of {name} of order {derivatives}; expected 0, 1 or 2")
        self.needs_state(name)
        variable = self.variable(name)
        for tensor in variable.derivatives(derivatives)[self.file != "rhs":]:
            self.declare(tensor)
        for idx in variable.components():
            self.loads.append((variable.enumerator(idx), derivatives))
            self.line(f"TX_LOAD{derivatives}({variable.enumerator(idx)})")
            if derivatives > 0:
                first = variable.derivatives(1)[1]
                for k in range(3):
                    target = first.spell((k,) + idx)
                    value = f"TX_D({variable.enumerator(idx)}, {k})"
                    self.line(f"const tx_real {target} = {value};", target)
            for lhs, rhs in then:
                bound = dict(zip(variable.letters, idx))
                self.let(lhs, rhs, bound=bound, comment=not any(idx))

    # Equations.

    def let_later(self, lhs, sym="", anti=""):
        """Announce a tensor whose components start with the first "+=". `sym`, `anti`: its symmetric and antisymmetric pairs of
        indices, as letters."""
        with reading(lhs):
            name, letters = split_lhs(lhs)
            pairs = [self.pairs(text, letters, what) for text, what in ((sym, "symmetric"), (anti, "antisymmetric"))]
            if shared_pairs(*pairs):
                raise Mistake(f'symmetric in "{sym}" and antisymmetric in "{anti}"; expected an index in pairs of one kind')
        self.declare(Tensor(name, len(letters), pairs[0], antisymmetric=pairs[1]))
        self.made.add(name)

    @staticmethod
    def pairs(text, letters, what):
        """The numbers of indices of pairs of letters."""
        if not isinstance(text, str) or any(len(set(pair)) != 2 or len(pair) != 2 or not set(pair) <= set(letters)
                                            for pair in text.split()):
            raise Mistake(f'{what} in "{text}"; expected pairs of the letters on the left')
        return [tuple(sorted(letters.index(c) for c in pair)) for pair in text.split()]

    def read(self, rhs, letters=(), summed=()):
        """An expression whose tensors have values."""
        node = self.components.read(rhs, letters, summed)
        for name in {getattr(found, "value", found).id for found in names_in(node)} & self.made:
            tensor = self.components.tensors[name]
            if not any(tensor.spell(idx) in self.written for idx in tensor.components()):
                raise Mistake(f"{name} has no value yet; expected a let() of it before",
                              next(found for found in names_in(node) if getattr(found, "value", found).id == name))
        return node

    def shared(self, name):
        """What there is until here is the file `name`, which all include that begin with it, of other systems too."""
        self.head = name, len(self.statements)

    def stage(self, title):
        self.statements += [Statement("text"), Statement("text", f"/* {title} */")]

    def let(self, lhs, rhs, sym="", anti="", bound=None, comment=True):
        """Define the components of a tensor, or add to those that are there ("+=")."""
        bound = bound or {}
        accumulate = isinstance(lhs, str) and lhs.endswith("+=")
        left = lhs.removesuffix("+=") if accumulate else lhs
        with reading(lhs):
            name, letters = split_lhs(left)
        if not accumulate and name not in self.components.tensors:
            self.let_later(left, sym, anti)
        tensor = self.tensor(name)
        if name not in self.made or len(letters) != tensor.rank:
            refuse(f'in "{lhs}": {name} is there already, with {tensor.rank} indices; expected a tensor of let() and its indices')
        if comment:
            self.comment(left, "+=" if accumulate else "=", rhs)
        with reading(rhs):
            node = self.read(rhs, letters, [i for i in bound if i not in letters])
            self.check_antisymmetry(tensor, node, {**dict.fromkeys(letters), **bound})
            for idx in tensor.components():
                if any(idx[n] != bound[i] for n, i in enumerate(letters) if i in bound):
                    continue
                value = self.components.evaluate(node, {**bound, **dict(zip(letters, idx))})
                if accumulate and value == 0:
                    continue
                self.assign(tensor.spell(idx), value, accumulate)

    def check_antisymmetry(self, tensor, node, env):
        """Refuse a right side that is symmetric where its tensor is antisymmetric. `env`: its letters first, in their order."""
        letters = list(env)[:tensor.rank]
        for a, b in tensor.antisymmetric:
            for idx in tensor.components():
                swapped = [idx[{a: b, b: a}.get(n, n)] for n in range(tensor.rank)]
                here, there = (self.components.evaluate(node, {**env, **dict(zip(letters, i))}) for i in (idx, swapped))
                if here == there != 0:
                    raise Mistake(f"the right side is symmetric in {letters[a]} and {letters[b]}; expected an antisymmetric one, as"
                                  f" {tensor.name} is", node)

    def assign(self, target, value, accumulate):
        if target not in self.written:
            self.statements.append(Statement("let", target=target, value=value))
        elif not accumulate:
            raise Mistake(f'{target} is defined twice; expected one let(), or "+=" to add to it')
        else:
            self.statements.append(Statement("add", target=target, value=value))
        self.written.add(target)

    @staticmethod
    def negated(text):
        """Whether the text is one negative term, so that its sign may move into the assignment."""
        depth, body = 0, text[1:]
        for n, c in enumerate(body):
            depth += (c == "(") - (c == ")")
            if depth == 0 and c in "+-" and body[n - 1] == " ":
                return False
        return text.startswith("-")

    def store(self, lhs, rhs):
        """Finish the components of an output."""
        with reading(lhs):
            name, letters = split_lhs(lhs)
            expected = self.results()
            if name not in expected:
                raise Mistake(f"{name} is no result of {self.file}; {one_of(expected)}")
            if name not in self.variables:
                raise Mistake(f"{name} is not in RESULTS; {one_of(self.variables)}")
            variable = self.variables[name]
            if name in self.stored or len(letters) != variable.rank:
                raise Mistake(f"expected {name} once, with {variable.rank} indices")
            if self.file == "rhs" and not any(v == variable.enumerator(variable.components()[0]) for v, _ in self.loads):
                raise Mistake(f'{name} is stored and not loaded; expected load(0, "{name}") before')
        self.stored.add(name)
        self.comment(("dt_" if self.file == "rhs" else "") + lhs, "=", rhs)
        with reading(rhs):
            node = self.read(rhs, letters)
            self.check_antisymmetry(variable, node, dict.fromkeys(letters))
            for idx in variable.components():
                value = self.components.evaluate(node, dict(zip(letters, idx)))
                self.statements.append(Statement("store", value=value, place=variable.enumerator(idx)))

    def load_values(self):
        """Load what only has values: where derivatives come from records, values do too."""
        loaded = {name for name, _ in self.loads}
        for statement in self.statements:
            found = re.search(r"TX_VALUE\((\w+)\)", statement.text or "")
            if found and found[1] not in loaded:
                loaded.add(found[1])
                self.loads.append((found[1], 0))

    def results(self):
        """The names of what the file must store."""
        if self.file == "analysis":
            return [v.name for v in self.variables.values() if not v.evolved and v.text and v.name not in self.earlier]
        return list(inputs.STORES.get(self.file) or [v.name for v in self.variables.values() if v.evolved])

    # The stability of time steps.

    def mode(self, square, damping="0", by=None):
        """A mode of the equations linearised about flat space, of wave number theta/h in every dimension: the square of its
        frequency times h^2, and its damping rate times h. k1 and k2 are the symbols of the differences: of d_i i k1/h, of d_i^2
        -k2/h^2; spacing is h. `by`: the parameter to lower where the damping is too fast."""
        if by is not None:
            self.own(by)
        number = f"mode[{self.modes}]"
        self.modes += 1
        self.comment(f"mode {self.modes}: square of the frequency, damping", "=", f"{square}; {damping}")
        self.result(f"{number}.square", square)
        self.result(f"{number}.damping", damping)
        self.line(f"TX_STORE({number}.parameter, {f'TX_OWN_{by.upper()}' if by else '-1'});")

    def damps(self, rate, by):
        """The fastest damping anywhere, 1/M, and the parameter to lower where it is too fast."""
        self.own(by)
        self.comment("fastest damping", "=", rate)
        self.result("rate", rate)
        self.line(f"TX_STORE(by, TX_OWN_{by.upper()});")

    def own(self, name):
        with reading(name):
            inputs.check(name, self.parameters, f"the parameter {name} to lower")

    def result(self, place, text):
        if self.file != "stability":
            refuse(f"it is not there in {self.file}; expected it in STABILITY alone")
        with reading(text):
            self.statements.append(Statement("store", value=self.components.evaluate(self.read(text), {}), place=place))

    # Text.

    def comment(self, lhs, sign, rhs):
        text = " ".join(f"{lhs} {sign} {rhs}".split())
        self.equations.append(text)
        self.statements.append(Statement("text", f"/* {text} */"))

    def line(self, text, target=None):
        """Add a statement, and the name that it sets."""
        self.statements.append(Statement("text", text, target))

    def more(self, name, factor, rhs, parked=()):
        """Add a scalar input times an expression to the advection of a scalar variable that is loaded, if it is not 0: what is
        usually left out, and counts no operations. `parked`: tensors of it that it reads from where they are parked."""
        variable = self.variable(name)
        if variable.rank or factor not in self.scalar_names or f"ADV_{name}" not in self.components.tensors:
            refuse(f"more of {name} by {factor}; expected a scalar that is loaded, and one of scalars()")
        if factor not in self.more_factors:
            self.more_factors.append(factor)
        self.comment(f"ADV_{name}", "+=", f"{factor} * ({rhs})")
        with reading(rhs):
            value = self.printer.sum(self.components.evaluate(self.read(rhs), {}))
        for tensor in map(self.tensor, parked):
            for target in {tensor.spell(idx) for idx in tensor.components()}:
                value = re.sub(rf"\b{target}\b", f"TX_PARKED({target})", value)
        self.line(f"TX_MORE({variable.enumerator(())}, {factor}, {value})")

    def finish(self, limit=0):
        """The text, without statements whose result nobody uses, before and after shared(), and the operations of both. `limit`:
        how many values that statements share may be alive at once (sharing.py)."""
        parts, used = ([], []), set()
        for n, statement in reversed(list(enumerate(self.statements))):
            if statement.target is None or statement.target in used:
                used |= statement.names()
                parts[n >= self.head[1]].insert(0, statement)
        taken = {*self.spelled, *inputs.RESERVED}
        named = {tensor.spell(idx): inputs.spelled(tensor.name) + "".join(map(str, idx))
                 for tensor in self.components.tensors.values() for idx in tensor.components()}
        self.printer.operations = 0
        texts = []
        for part in parts:
            sharing = Sharing(part, self.printer, named, taken)
            texts.append([self.printed(statement) for statement in sharing.share(limit)])
            taken |= {*sharing.shared}
        self.kept = texts[0] + texts[1]
        return *([line for text in part for line in wrapped(text)] for part in texts), self.printer.operations

    def printed(self, statement):
        """A statement in C."""
        value, target = statement.value, statement.target
        if statement.form == "text":
            return statement.text
        if statement.form == "store":
            return f"TX_STORE({statement.place}, {self.printer.value(value)});"
        if statement.form == "add":
            self.printer.operations += 1
            text = self.printer.sum(value)
            return f"{target} -= {text[1:]};" if self.negated(text) else f"{target} += {text};"
        return f"{'const ' * (statement.form == 'share')}tx_real {target} = {self.printer.value(value)};"


def wrapped(text):
    indent = "     " if text.startswith("/*") else "    "
    return textwrap.wrap(text, WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False) or [""]
