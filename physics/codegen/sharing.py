"""Subexpressions that several statements have: found, computed once, and named after what they are.

The one that saves most operations is taken first, while no more than a limit of such values are alive at once: each is kept from
the statement that needs it first to the one that needs it last. Candidates are whole sums, powers and functions, the products of
two factors of a product, and two terms of a sum, up to a common number; longer ones grow of these. Values change with "+=", and an
expression of theirs before is another one after. What a condition on parameters may spare is left to it.
"""

import dataclasses
import functools
import itertools
import re
from sympy import Add, Mul, Pow, Rational, Symbol, ceiling

from functions import PRINTED, Where
from printer import multiplied

LONGEST = 40  # characters of a name
WORDS = {Rational(1, 2): "half", Rational(2): "twice"}


@dataclasses.dataclass
class Statement:
    """A line of C. `form`: text; or let, add and store, of whose value the text is made when all are known. `place`: of a store,
    the enumerator of what takes it."""

    form: str
    text: str = ""
    target: str = None
    value: object = None
    place: str = None

    def names(self):
        """The words in what it reads."""
        if self.value is not None:
            return {word for symbol in self.value.free_symbols for word in re.findall(r"\w+", symbol.name)}
        if self.text.startswith("/*"):
            return set()
        return set(re.findall(r"\w+", self.text.split("=", 1)[-1] if self.target is not None else self.text))


def parts(expr, uniform):
    """The candidates in an expression, each as often as it is there."""
    found = []
    if not expr.free_symbols or all(symbol.name in uniform for symbol in expr.free_symbols):
        return found
    if isinstance(expr, Where) and all(s.name in uniform for side in expr.args[1:3] for s in side.free_symbols):
        return found + [expr]
    if isinstance(expr, Add):
        found += [pair for a, b in itertools.combinations(expr.args, 2) if (pair := scaled(a, b)[1])]
    if isinstance(expr, (Mul, Pow)):
        found += [Mul(a, b) for a, b in pairs_of_factors(expr) if Mul(a, b) != expr]
    for child in expr.args[:1] if isinstance(expr, Pow) else expr.args:
        found += parts(child, uniform) * times(expr)
    if isinstance(expr, (Add, Mul)):
        child = expr.as_coeff_Mul()[1]
        if isinstance(child, (Add, Mul)) and child.args:
            found.append(child)
    elif expr.args:
        found.append(expr)
    return found


def times(expr):
    """How often a power is printed as its base."""
    return ceiling(abs(expr.exp)) if isinstance(expr, Pow) and multiplied(expr) else 1


def pairs_of_factors(expr):
    """Two factors of a product, numbers apart; a power counts as its factors, which are alike."""
    factors = [f for f in expr.as_coeff_Mul()[1].as_ordered_factors() if not f.is_number]
    whole = [isinstance(f, Pow) and f.exp.is_Integer and f.exp > 0 for f in factors]
    single = [f.base if is_whole else f for f, is_whole in zip(factors, whole)]
    squares = [(f.base, f.base) for f, is_whole in zip(factors, whole) if is_whole for _ in range(f.exp // 2)]
    return list(itertools.combinations(single, 2)) + squares


def scaled(a, b):
    """Two terms as a number times a sum whose first term has no number; None where both are numbers' multiples of one."""
    (m, a), (n, b) = a.as_coeff_Mul(), b.as_coeff_Mul()
    if a.is_number or b.is_number:
        return None, None
    if b.sort_key() < a.sort_key():
        (m, a), (n, b) = (n, b), (m, a)
    return m, a + n / m * b


def replaced(expr, part, symbol):
    """An expression with a symbol wherever the part is."""
    if expr == part:
        return symbol
    if not expr.args or not part.free_symbols <= expr.free_symbols:
        return expr
    args = [replaced(arg, part, symbol) for arg in expr.args]
    expr = expr.func(*args)
    if expr == part:
        return symbol
    while isinstance(part, (Mul, Pow)) and isinstance(expr, (Mul, Pow)) and divides(part, expr):
        expr = expr / part * symbol
    if isinstance(part, Add) and isinstance(expr, Add):
        terms = {rest: number for number, rest in (arg.as_coeff_Mul() for arg in expr.args)}
        wanted = {rest: number for number, rest in (arg.as_coeff_Mul() for arg in part.args)}
        ratios = {terms[rest] / number if rest in terms else None for rest, number in wanted.items()}
        if len(ratios) == 1 and None not in ratios:
            ratio = ratios.pop()
            expr = Add(*(number * rest for rest, number in terms.items() if rest not in wanted), ratio * symbol)
    return expr


def powers_of(expr):
    return {base: exponent for base, exponent in (f.as_base_exp() for f in Mul.make_args(expr))}


def divides(part, expr):
    """Whether the factors of a product are among those of another."""
    there = powers_of(expr)
    for base, exponent in powers_of(part).items():
        other = there.get(base)
        if other is None or not other.is_Rational or not exponent.is_Rational or other * exponent <= 0 or abs(other) < abs(exponent):
            return False
    return True


class Sharing:
    """Statements that share values. `named`: the description's names of symbols that C spells as calls; `taken`: names that there
    are."""

    def __init__(self, statements, printer, named, taken):
        self.statements, self.printer, self.named, self.taken = list(statements), printer, named, set(taken)
        self.shared = {}  # name -> its statement
        self.parts = functools.cache(lambda expr: tuple(parts(expr, frozenset(printer.uniform))))
        self.cost = functools.cache(self.operations)
        self.refused = set()

    def operations(self, expr):
        before, self.printer.operations = self.printer.operations, 0
        self.printer.sum(expr)
        count, self.printer.operations = self.printer.operations, before
        return count

    # What is alive where, and what changes.

    def values(self):
        return [(n, s) for n, s in enumerate(self.statements) if s.value is not None and s.form != "more"]

    def alive(self):
        """How many shared values each statement finds alive."""
        count = [0] * len(self.statements)
        for name, own in self.shared.items():
            first = next(n for n, s in enumerate(self.statements) if s is own)
            last = max((n for n, s in self.values() if any(symbol.name == name for symbol in s.value.free_symbols)), default=first)
            for n in range(first, last + 1):
                count[n] += 1
        return count

    def changes(self):
        """The statements in which each name gets a value."""
        found = {}
        for n, s in enumerate(self.statements):
            if s.target is not None:
                found.setdefault(s.target, []).append(n)
        return found

    # Candidates.

    def candidates(self):
        """{part: statements that have it while its values are the same, with repetitions}"""
        found, changes = {}, self.changes()
        for n, s in self.values():
            for part in self.parts(s.value):
                when = tuple(sum(m < n for m in changes.get(symbol.name, ())) for symbol in sorted(part.free_symbols, key=str))
                found.setdefault((part, when), []).append(n)
        return {key: where for key, where in found.items() if len(where) > 1 and self.cost(key[0]) > 0}

    def windows(self, where, alive, limit):
        """Runs of these statements between which one more value may be alive."""
        run = []
        for n in where:
            if run and any(alive[m] >= limit for m in range(run[-1] + 1, n + 1)):
                yield run
                run = []
            if alive[n] < limit:
                run.append(n)
        yield run

    def share(self, limit):
        """The statements, with at most `limit` shared values alive at once."""
        while limit > 0 and self.share_one(limit):
            pass
        self.inline()
        return self.statements

    def share_one(self, limit):
        alive = self.alive()
        best = sorted(((-self.cost(part) * (len(run) - 1), run[-1] - run[0], str(part), part, run)
                       for (part, when), where in self.candidates().items() if (part, when) not in self.refused
                       for run in self.windows(where, alive, limit) if len(run) > 1), key=lambda c: c[:3])
        for _, _, text, part, run in best:
            if (text, run[0], run[-1]) not in self.refused and self.take(part, sorted(set(run))):
                return True
            self.refused.add((text, run[0], run[-1]))
        return False

    def take(self, part, run):
        """Share a part among statements, if that saves operations."""
        symbol = Symbol(self.name(part, self.statements[run[0]]))
        made = {n: replaced(self.statements[n].value, part, symbol) for n in run}
        before = sum(self.cost(self.statements[n].value) for n in run)
        if self.cost(part) + sum(map(self.cost, made.values())) >= before:
            return False
        for n, value in made.items():
            self.statements[n].value = value
        own = Statement("share", target=symbol.name, value=part)
        self.statements.insert(self.before(run[0], part), own)
        self.shared[symbol.name] = own
        self.taken.add(symbol.name)
        self.refused = set()
        return True

    def before(self, n, part):
        """Where a line goes that a statement needs: before the comment of its equation, if it is the first one of that."""
        needed = {symbol.name for symbol in part.free_symbols}
        while n > 0 and self.statements[n - 1].form == "share" and self.statements[n - 1].target not in needed:
            n -= 1
        return n - 1 if n > 0 and self.statements[n - 1].text.startswith("/*") else n

    def inline(self):
        """Take back what one place alone has: it went into what is larger."""
        for name, own in list(self.shared.items()):
            symbol = Symbol(name)
            users = [s for _, s in self.values() if symbol in s.value.free_symbols]
            whole = users[0].value.xreplace({symbol: own.value})
            if len(users) == 1 and self.cost(whole) <= self.cost(users[0].value) + self.cost(own.value):
                users[0].value = whole
                self.statements = [s for s in self.statements if s is not own]
                del self.shared[name]

    # Names.

    def name(self, part, statement):
        """What a part is called: after what it is, or after the statement if that is long."""
        text = self.words(part)
        if len(text) > LONGEST or not re.fullmatch(r"[A-Za-z]\w*", text):
            text = f"{statement.target or statement.place.lower()}_part"
        name = next(f"{text}{n}" for n in itertools.chain([""], itertools.count(2)) if f"{text}{n}" not in self.taken)
        return name

    def words(self, expr):
        if isinstance(expr, Symbol):
            return self.named.get(expr.name, expr.name)
        if expr.is_Integer and expr >= 0:
            return str(expr)
        if isinstance(expr, Pow) and expr.exp.is_Rational:
            inner = self.words(expr.base)
            if expr.exp < 0:
                return f"over_{self.words(expr.base ** -expr.exp)}"
            return {2: f"{inner}_squared", 3: f"{inner}_cubed", Rational(1, 2): f"sqrt_{inner}"}.get(expr.exp, f"{inner}_to_{expr.exp.p}"
                                                                           + f"_{expr.exp.q}" * (expr.exp.q > 1))
        if isinstance(expr, Mul):
            number, rest = expr.as_coeff_Mul()
            if number != 1:
                return f"{WORDS.get(abs(number), '?')}_{self.words(rest)}"
            above = [f for f in rest.as_ordered_factors() if not (isinstance(f, Pow) and f.exp.is_Rational and f.exp < 0)]
            below = [f for f in rest.as_ordered_factors() if f not in above]
            return "_".join([self.words(f) for f in above] + [self.words(f) for f in below])
        if isinstance(expr, Add):
            terms = sorted(expr.args, key=lambda term: (negative(term), term.is_number, str(term)))
            text = "minus_" * negative(terms[0]) + self.words(abs_of(terms[0]))
            return text + "".join(("_minus_" if negative(t) else "_plus_") + self.words(abs_of(t)) for t in terms[1:])
        if expr.func in PRINTED:
            return "_".join([PRINTED[expr.func][0].lower(), *(self.words(argument) for argument in expr.args)])
        return "?"


def negative(term):
    return bool(term.as_coeff_Mul()[0] < 0)


def abs_of(term):
    return -term if negative(term) else term
