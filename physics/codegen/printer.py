"""SymPy expressions -> C, with a count of floating-point operations.

A product keeps the sums inside it as they were written; terms of a sum that share a numerical coefficient are collected behind
it. Each of + - * /, sqrt, abs, min, max and a condition at a point counts 1, exp, log, sin, cos, tan and tanh 20, a power that
is no product of factors and roots 40. What the same at all points, a function of parameters and of the time alone, counts none
but its + - * /.
"""

from sympy import Add, Mul, Pow, Rational, Symbol

from functions import COMPARISONS, OPERATIONS_OF_POWER, PRINTED, Where

EXACT = 2**53  # integers up to here are doubles
FACTORS = 16  # most factors that a power is multiplied from


class Printer:
    """Prints expressions in C and counts their operations. `uniform`: names of doubles that are the same at all points; the type
    of all others is tx_real."""

    def __init__(self):
        self.operations = 0
        self.uniform = set()

    def is_uniform(self, expr):
        return all(symbol.name in self.uniform for symbol in expr.free_symbols)

    def value(self, expr):
        """An expression as a tx_real."""
        return f"TX_UNIFORM({self.sum(expr)})" if self.is_uniform(expr) else self.sum(expr)

    def number(self, q):
        """The double nearest to a rational number."""
        q = Rational(q)
        if q.q in (1, 2, 4, 8) or max(abs(q.p), q.q) > EXACT:
            return repr(q.p / q.q)
        return f"({float(q.p)!r} / {float(q.q)!r})"

    def sum(self, expr):
        """A sum, its terms grouped by the size of their coefficients."""
        if expr == 0:
            return "0.0"
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
            if isinstance(f, Pow) and multiplied(f):
                n, root = divmod(abs(f.exp), 1)
                side = parts if f.exp > 0 else below
                side.extend([f.base] * int(n) + [f.base**root] * (root != 0))
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
        if expr.is_number and not expr.is_Rational:
            return f"{float(expr.evalf(30)):.17g}"
        if isinstance(expr, Where):
            return self.where(*expr.args)
        if expr.func in PRINTED:
            return self.call(*PRINTED[expr.func], *expr.args)
        if isinstance(expr, Pow) and multiplied(expr) and 0 < expr.exp < 1:
            return self.call("SQRT", "sqrt", 1, expr.base ** (2 * expr.exp))
        if isinstance(expr, Pow) and not multiplied(expr):
            return self.call("POW", "pow", OPERATIONS_OF_POWER, *expr.args)
        return f"({self.sum(expr)})"

    def call(self, macro, function, operations, *arguments):
        """A function: of doubles that are the same at all points C's own."""
        if all(map(self.is_uniform, arguments)):
            return f"{function}({', '.join(map(self.sum, arguments))})"
        self.operations += operations
        if macro == "POW":  # whose exponent is a double
            return f"TX_POW({self.value(arguments[0])}, {self.sum(arguments[1])})"
        return f"TX_{macro}({', '.join(map(self.value, arguments))})"

    def where(self, comparison, a, b, yes, no):
        """A condition, which C decides once where it is the same at all points."""
        sign = COMPARISONS[int(comparison)]
        if self.is_uniform(a) and self.is_uniform(b):
            side = self.sum if self.is_uniform(yes) and self.is_uniform(no) else self.value
            return f"({self.sum(a)} {sign} {self.sum(b)} ? {side(yes)} : {side(no)})"
        self.operations += 1
        return f"TX_WHERE({self.value(a)} {sign} {self.value(b)}, {self.value(yes)}, {self.value(no)})"


def multiplied(power):
    """Whether a power is a product of factors and square roots, or a fraction of them."""
    exponent = power.exp
    return exponent.is_Rational and exponent.q in (1, 2, 4, 8) and abs(exponent) <= FACTORS
