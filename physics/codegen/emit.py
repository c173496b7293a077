"""SymPy components -> C statements, stage by stage, with a count of floating-point operations.

A product keeps the sums inside it as they were written; terms of a sum that share a numerical
coefficient are collected behind it. Nothing is reordered across statements, so the text's order is
the order of evaluation.
"""

import re
import textwrap
from sympy import Add, Mul, Pow, Rational, Symbol
from tensors import Components, Tensor, parse, split_lhs

WIDTH = 100


class Quantity(Tensor):
    """A tensor whose components the includer brings in or takes out, by the names that `enumerator` spells."""

    evolved = False

    def __init__(self, name, letters="", symmetric=()):
        super().__init__(name, len(letters), symmetric)
        self.letters, self.base = letters, name.partition("_")[0]

    def enumerator(self, idx):
        return self.base.upper() + "".join(map(str, self.canonical(idx)))


class Result(Quantity):
    """What is computed from the state, and no part of it."""


class Variable(Quantity):
    """An evolved variable. `infinity`, in index notation, and `speed`, a number: the value that it takes far away and the
    speed of its waves there; `falloff`: the power of 1/r with which it gets there. `shown`: what begins its name in files.
    `advection`: the parameter, 0 or 1, that its equation's advection is multiplied by; None: it is always there.
    `floor`: the parameter, positive, that it is kept above. `watched`: where it has structure, wavelets refine the grid.
    `initial`: what begins the name of the variable of the initial data that it starts from, if another one's than its own."""

    evolved = True

    def __init__(self, name, letters="", symmetric=(), *, text, falloff, speed, infinity="0", shown=None,
                 advection=None, floor=None, watched=False, initial=None):
        super().__init__(name, letters, symmetric)
        self.text, self.falloff, self.speed, self.infinity = text, falloff, speed, infinity
        self.shown, self.advection = shown or self.base, advection
        self.floor, self.watched = floor, watched
        self.initial = initial or self.shown

    def row(self, idx):
        """Its line in the table of variables; an index in the direction of a reflection changes sign."""
        suffix = ("_" if idx else "") + "".join("xyz"[i] for i in idx)
        parity = ", ".join(f"{(-1) ** idx.count(d):+d}" for d in range(3))
        far = Components().value(parse(self.infinity), dict(zip(self.letters, idx)))
        speed = float(Components().value(parse(self.speed), {}))
        flags = f"{self.floor is not None:d}, {self.watched:d}"
        row = f"{self.enumerator(idx)}, {self.shown}{suffix}, {parity}, {far}, {self.falloff}, {speed:.17g}, {flags}"
        return f'V({row}, {self.initial}{suffix}, "{self.text}")'

    def derivatives(self, order):
        """Advection with dissipation, then derivatives up to `order`, whose index comes first."""
        base, _, suffix = self.name.partition("_")
        shifted = [(a + 1, b + 1) for a, b in self.symmetric]
        twice = [(0, 1)] + [(a + 2, b + 2) for a, b in self.symmetric]
        return [
            Tensor("ADV_" + self.name, self.rank, self.symmetric,
                   lambda idx: f"TX_ADV({self.enumerator(idx)})"),
            Tensor(f"d{base}_d{suffix}", self.rank + 1, shifted),
            Tensor(f"dd{base}_dd{suffix}", self.rank + 2, twice,
                   lambda idx: f"TX_DD({self.enumerator(idx[2:])}, {idx[0]}, {idx[1]})"),
        ][:order + 1]


class Printer:
    """Prints expressions in C and counts their operations."""

    def __init__(self):
        self.operations = 0

    def number(self, q):
        q = Rational(q)
        if q.q in (1, 2, 4, 8):
            return repr(float(q))
        return f"({float(q.p)!r} / {float(q.q)!r})"

    def sum(self, expr):
        """A sum, its terms grouped by the size of their coefficients."""
        groups = {}
        for term in Add.make_args(expr):
            coefficient, rest = term.as_coeff_Mul()
            groups.setdefault(abs(coefficient), []).append((coefficient > 0, rest))
        text = ""
        for size, terms in sorted(groups.items(), key=lambda g: (g[0] != 1, -len(g[1]), g[0])):
            terms = sorted(((self.product(r), sign) for sign, r in terms),
                           key=lambda t: (not t[1], t[0]))
            flip = not terms[0][1]
            inner = terms[0][0]
            for body, sign in terms[1:]:
                inner += (" + " if sign != flip else " - ") + body
            self.operations += len(terms) - 1
            if size != 1:
                if inner == "1":
                    inner = self.number(size)
                else:
                    inner = self.number(size) + " * " + (f"({inner})" if len(terms) > 1 else inner)
                    self.operations += 1
            elif inner == "1":
                inner = "1.0"
            elif text and flip and len(terms) > 1:
                inner = f"({inner})"
            if text:
                text += (" - " if flip else " + ") + inner
                self.operations += 1
            else:
                text = inner
                if flip:
                    text = f"-({inner})" if len(terms) > 1 and size == 1 else f"-{inner}"
        return text

    def product(self, expr):
        parts, below = [], []
        for f in Mul.make_args(expr):
            if isinstance(f, Pow) and f.exp.is_Integer:
                n = abs(int(f.exp))
                (parts if f.exp > 0 else below).extend([f.base] * n)
            elif f != 1:
                parts.append(f)
        text = " * ".join(sorted(map(self.atom, parts), key=lambda t: t.startswith("("))) or "1"
        self.operations += max(len(parts) - 1, 0)
        for f in below:
            text = ("1.0" if text == "1" else text) + " / " + self.atom(f)
            self.operations += 1
        return text

    def atom(self, expr):
        if isinstance(expr, Symbol):
            return expr.name
        if isinstance(expr, Pow) and expr.exp == Rational(1, 2):
            self.operations += 1
            return f"TX_SQRT({self.sum(expr.base)})"
        return f"({self.sum(expr)})"


class Program:
    """A list of C statements under construction: what the equations of a system talk to."""

    def __init__(self, variables):
        self.statements, self.printer = [], Printer()
        self.components = Components()
        self.variables = {v.name: v for v in variables}
        self.written = set()
        self.loads = []  # components, and the order of the derivatives that they are needed with
        self.scalar_names, self.inputs = [], []  # of the includer; of these those that are worked out at the point
        self.more_factors = []  # and those of more()

    # What an equation may refer to.

    def scalars(self, *names):
        """Inputs that the includer defines: parameters."""
        for name in names:
            self.components.declare(Tensor(name, 0))
            self.scalar_names.append(name)

    def input(self, name):
        """A scalar that is worked out at the point: it is needed from here on, and what it depends on is there."""
        self.scalars(name)
        self.inputs.append(name)
        self.line(f"TX_INPUT({name})")

    def values(self, *names):
        """Bring in the values of evolved variables at the point."""
        for name in names:
            tensor = self.components.declare(self.variables[name])
            for idx in tensor.components():
                target = tensor.spell(idx)
                self.line(f"tx_real {target} = TX_VALUE({tensor.enumerator(idx)});", target)

    # Where few registers must do, the includer may keep values elsewhere meanwhile.

    def park(self, *names, first=(0, 1, 2)):
        """The values of these tensors, of some first indices, are not needed before unpark."""
        self.hook("TX_PARK", names, first)

    def unpark(self, *names, first=(0, 1, 2)):
        self.hook("TX_UNPARK", names, first)

    def hook(self, macro, names, first):
        for name in names:
            tensor = self.components.tensors[name]
            for idx in tensor.components():
                if not idx or idx[0] in first:
                    self.line(f"{macro}({tensor.spell(idx)})")

    def again(self, *names):
        """The values of evolved variables are needed here again, and were not for a while."""
        for name in names:
            tensor = self.components.tensors[name]
            for idx in tensor.components():
                self.line(f"TX_AGAIN({tensor.spell(idx)}, {tensor.enumerator(idx)})")

    def load(self, derivatives, name, then=()):
        """From here on the derivatives of an evolved variable up to the given order, its advection
        and dissipation are available. `then`: equations to evaluate for each component at once."""
        variable = self.variables[name]
        for tensor in variable.derivatives(derivatives):
            self.components.declare(tensor)
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

    def let_later(self, lhs, sym=""):
        """Announce a tensor whose components start with the first "+="."""
        name, letters = split_lhs(lhs)
        pairs = [tuple(letters.index(c) for c in pair) for pair in sym.split()]
        self.components.declare(Tensor(name, len(letters), pairs))

    def stage(self, title):
        self.statements += [("", None, 0), (f"/* {title} */", None, 0)]

    def let(self, lhs, rhs, sym="", bound=None, comment=True):
        """Define the components of a tensor, or add to those that are there ("+=")."""
        bound = bound or {}
        accumulate = lhs.endswith("+=")
        name, letters = split_lhs(lhs.removesuffix("+="))
        free = [i for i in letters if i not in bound]
        if name not in self.components.tensors:
            self.let_later(lhs, sym)
        tensor, node = self.components.tensors[name], parse(rhs)
        if comment:
            self.comment(lhs.removesuffix("+="), "+=" if accumulate else "=", rhs)
        for idx in tensor.components():
            if any(idx[n] != bound[i] for n, i in enumerate(letters) if i in bound):
                continue
            env = {**bound, **{i: idx[letters.index(i)] for i in free}}
            value = self.components.value(node, env)
            if accumulate and value == 0:
                continue
            self.assign(tensor.spell(idx), value, accumulate)

    def assign(self, target, value, accumulate):
        text = "0.0" if value == 0 else self.printer.sum(value)
        if target not in self.written:
            self.line(f"tx_real {target} = {text};", target)
        elif not accumulate:
            raise SyntaxError(f"{target} is defined twice")
        else:
            self.printer.operations += 1
            text = f"-= {text[1:]}" if self.negated(text) else f"+= {text}"
            self.line(f"{target} {text};", target)
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
        name, letters = split_lhs(lhs)
        variable = self.variables[name]
        self.comment(("dt_" if variable.evolved else "") + lhs, "=", rhs)
        for idx in variable.components():
            value = self.components.value(parse(rhs), dict(zip(letters, idx)))
            self.line(f"TX_STORE({variable.enumerator(idx)}, {self.printer.sum(value)});")

    # Text.

    def comment(self, lhs, sign, rhs):
        text = " ".join(f"/* {lhs} {sign} {rhs} */".split())
        self.statements.append((text, None, 0))

    def line(self, text, target=None):
        """Add a statement, the name that it sets, and the operations counted since the last one."""
        self.statements.append((text, target, self.printer.operations))
        self.printer.operations = 0

    def more(self, name, factor, rhs, parked=()):
        """Add a scalar input times an expression to the advection of a scalar variable that is loaded, if it is not 0: what is
        usually left out, and counts no operations. `parked`: tensors of it that it reads from where they are parked."""
        variable = self.variables[name]
        if factor not in self.more_factors:
            self.more_factors.append(factor)
        self.comment(f"ADV_{name}", "+=", f"{factor} * ({rhs})")
        value = self.printer.sum(self.components.value(parse(rhs), {}))
        self.printer.operations = 0
        for tensor in (self.components.tensors[other] for other in parked):
            for target in {tensor.spell(idx) for idx in tensor.components()}:
                value = re.sub(rf"\b{target}\b", f"TX_PARKED({target})", value)
        self.line(f"TX_MORE({variable.enumerator(())}, {factor}, {value})")

    def finish(self):
        """The text, without statements whose result nobody uses, and its operations."""
        kept, used, operations = [], set(), 0
        for text, target, count in reversed(self.statements):
            if target is not None and target not in used:
                continue
            if not text.startswith("/*"):
                used |= set(re.findall(r"\w+", text.split("=", 1)[-1]))
            operations += count
            kept.append(text)
        self.kept = kept[::-1]
        lines = []
        for text in reversed(kept):
            indent = "     " if text.startswith("/*") else "    "
            lines += textwrap.wrap(text, WIDTH, subsequent_indent=indent, break_long_words=False,
                                   break_on_hyphens=False) or [""]
        return lines, operations
