"""Index notation: its text, its numbers and the indices of its terms. Whatever the generator takes is read here.

A tensor is a name with one suffix letter an index (gt_dd, Gamt_udd), written with its indices in brackets:
"gt_uu[k,l] * Gamt_ddd[l,i,j]". An index that occurs twice in a product is summed over. Integers in brackets pick a component.
Numbers are exact as written: 0.1 is 1/10. Powers are constants: numbers, or expressions of parameters. FUNCTIONS are those of
scalars; where(a < b, c, d), with <, <=, > or >=, is c where the condition holds and d elsewhere, scalars or tensors.
"""

import ast
import fractions

from refuse import Mistake

DIM = 3
SPECIAL = {"eps": 3, "delta": 2}  # the Levi-Civita symbol, Kronecker's; and how many indices they have
CONSTANTS = ("pi",)  # unless a description has a quantity of that name
FUNCTIONS = {"sqrt": 1, "exp": 1, "log": 1, "sin": 1, "cos": 1, "tan": 1, "tanh": 1, "abs": 1, "min": None, "max": None}
WHERE = "where"
SUMS, PRODUCTS, COMPARISONS = (ast.Add, ast.Sub), (ast.Mult, ast.Div), (ast.Lt, ast.LtE, ast.Gt, ast.GtE)  # those: < <= > >=
KNOWN = f"numbers, names, brackets, + - * / **, {WHERE} and {', '.join(FUNCTIONS)}"


class Decimal(fractions.Fraction):
    """A decimal as it was written."""

    def __new__(cls, text):
        made = super().__new__(cls, text.replace("_", ""))
        made.text = text
        return made

    def __repr__(self):
        return self.text


def parse(text):
    """The tree of an expression in which every node is index notation."""
    if not isinstance(text, str):
        raise Mistake(f"{text!r} is not an expression in quotes")
    text = " ".join(text.split())
    try:
        node = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise Mistake(f"not an expression: {error.args[0]}; expected {KNOWN}", column=getattr(error, "offset", 0) or len(text) or 1) from None
    check_node(node, text)
    return node


def check_node(node, text):
    """Refuse all but KNOWN; decimals become the numbers that they are."""
    if isinstance(node, ast.Constant):
        node.value = exact(node, text)
    elif isinstance(node, ast.Subscript):
        check_indices(node)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd)):
        check_node(node.operand, text)
    elif isinstance(node, ast.BinOp) and isinstance(node.op, SUMS + PRODUCTS + (ast.Pow,)):
        check_node(node.left, text)
        check_node(node.right, text)
    elif isinstance(node, ast.Call):
        check_call(node, text)
    elif isinstance(node, ast.Compare):
        raise Mistake(f"{ast.unparse(node)} is a condition; expected it as the first argument of {WHERE}", node)
    elif not isinstance(node, ast.Name):
        raise Mistake(f"{ast.unparse(node)} is not index notation; expected {KNOWN}", node)


def check_call(node, text):
    name = node.func.id if isinstance(node.func, ast.Name) else None
    if name not in FUNCTIONS and name != WHERE:
        raise Mistake(f"{ast.unparse(node.func)}() is no function here; expected {WHERE}, {', '.join(FUNCTIONS)}", node)
    if node.keywords or any(isinstance(argument, ast.Starred) for argument in node.args):
        raise Mistake(f"{ast.unparse(node)}: expected plain arguments", node)
    arguments = node.args
    if name == WHERE:
        if len(arguments) != 3 or not isinstance(arguments[0], ast.Compare):
            raise Mistake(f"{ast.unparse(node)}: expected {WHERE}(condition, value, other value), as {WHERE}(a < b, c, d)", node)
        condition = arguments[0]
        if len(condition.ops) != 1 or not isinstance(condition.ops[0], COMPARISONS):
            raise Mistake(f"{ast.unparse(condition)}: expected one comparison, with <, <=, > or >=", condition)
        arguments = [condition.left, condition.comparators[0], *arguments[1:]]
    elif FUNCTIONS[name] and len(arguments) != FUNCTIONS[name]:
        raise Mistake(f"{ast.unparse(node)}: expected one argument of {name}", node)
    elif not FUNCTIONS[name] and len(arguments) < 2:
        raise Mistake(f"{ast.unparse(node)}: expected two arguments or more of {name}", node)
    for argument in arguments:
        check_node(argument, text)


def exact(node, text):
    """The exact value of a number."""
    value = node.value
    if isinstance(value, fractions.Fraction):
        return value
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise Mistake(f"{value!r} is not a number; expected integers, decimals and fractions", node)
    if isinstance(value, float):
        value = Decimal(ast.get_source_segment(text, node))
    if not representable(value):
        raise Mistake(f"{value!r} is no double; expected integers up to 2**53, or decimals between 1e-307 and 1e308", node)
    return value


def representable(value):
    """Whether an integer is a double, and a fraction may be rounded to one."""
    try:
        rounded = float(value)
    except OverflowError:
        return False
    if isinstance(value, int):
        return rounded == value
    return value == 0 or abs(rounded) > 1e-307


def index_nodes(node):
    inner = node.slice
    return inner.elts if isinstance(inner, ast.Tuple) else [inner]


def check_indices(node):
    if not isinstance(node.value, ast.Name):
        raise Mistake(f"{ast.unparse(node)}: expected a tensor's name before the brackets", node)
    for i in index_nodes(node):
        component = isinstance(i, ast.Constant) and type(i.value) is int and 0 <= i.value < DIM
        if not isinstance(i, ast.Name) and not component:
            raise Mistake(f"{ast.unparse(node)}: the index {ast.unparse(i)} is neither a letter nor 0, 1 or 2", i)


def split_lhs(text):
    """'Rt_dd[i,j]' -> ('Rt_dd', ['i', 'j'])"""
    node = parse(text)
    if isinstance(node, ast.Name):
        return named(node), []
    letters = letters_of(node) if isinstance(node, ast.Subscript) else []
    if not letters or len(letters) < len(index_nodes(node)) or len(set(letters)) < len(letters):
        raise Mistake("expected on the left a name, of a tensor with different letters in brackets", node)
    return named(node.value), letters


def named(node):
    """The name of what is made."""
    if not node.id.isascii() or node.id.startswith("_"):
        raise Mistake(f"the name {node.id}; expected letters of English, digits and _, a letter first", node)
    return node.id


def letters_of(node):
    return [i.id for i in index_nodes(node) if isinstance(i, ast.Name)]


def is_where(node):
    return isinstance(node, ast.Call) and node.func.id == WHERE


def factors(node):
    """The factors of a product, each with +1 or -1 for its power."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        return factors(node.left) + factors(node.right)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
        return factors(node.left) + [(f, -power) for f, power in factors(node.right)]
    return [(node, 1)]


def terms(node):
    """The terms of a sum."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, SUMS):
        return terms(node.left) + terms(node.right)
    return [node]


def zero(node):
    """A sum may have it whatever the indices of its terms."""
    return isinstance(node, ast.Constant) and node.value == 0


def indices(node):
    """The letters of the free indices of an expression, and of those that are summed inside it, as two sets."""
    if isinstance(node, ast.UnaryOp):
        return indices(node.operand)
    if is_where(node):
        condition, *branches = node.args
        inside = scalar(condition, condition.left, *condition.comparators)
        free, summed = alike(branches, "values of a condition")
        return free, inside | summed
    if isinstance(node, ast.Call):
        return set(), scalar(node, *node.args)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
        return set(), scalar(node, node.left, node.right)
    if isinstance(node, ast.BinOp) and isinstance(node.op, SUMS):
        return alike(terms(node), "terms")
    if isinstance(node, (ast.BinOp, ast.Subscript)):
        return indices_of_product(node)
    return set(), set()


def scalar(node, *parts):
    """The letters that are summed inside parts that have no free index."""
    inside = set()
    for part in parts:
        free, summed = indices(part)
        if free:
            raise Mistake(f"{ast.unparse(node)}: the index {min(free)} is free; expected scalars in functions, powers and conditions",
                          part)
        inside |= summed
    return inside


def alike(parts, what):
    found = [(part, *indices(part)) for part in parts if not zero(part)]
    for part, free, _ in found[1:]:
        if free != found[0][1]:
            raise Mistake(f"{ast.unparse(found[0][0])} has {listed(found[0][1])}, {ast.unparse(part)} has {listed(free)};"
                          f" expected {what} with the same free indices", part)
    return (found[0][1] if found else set()), set().union(*(summed for *_, summed in found))


def indices_of_product(node):
    letters, inside = [], set()
    for factor, power in factors(node):
        free, summed = (letters_of(factor), set()) if isinstance(factor, ast.Subscript) else indices(factor)
        if free and power < 0:
            raise Mistake(f"{ast.unparse(node)}: the index {min(free)} is below a fraction line; expected a scalar there", factor)
        letters += free
        inside |= summed
    for i in sorted(set(letters)):
        times = letters.count(i) + 2 * (i in inside)
        if times > 2:
            raise Mistake(f"{ast.unparse(node)}: the index {i} occurs {times} times; expected once, or twice to be summed", node)
    return {i for i in letters if letters.count(i) == 1}, inside | {i for i in letters if letters.count(i) == 2}


def listed(letters):
    return "the free indices " + ", ".join(sorted(letters)) if letters else "no free index"


def names(node):
    """The nodes that name a scalar or a tensor."""
    if isinstance(node, (ast.Name, ast.Subscript)):
        return [node]
    children = node.args if isinstance(node, ast.Call) else ast.iter_child_nodes(node)
    return [name for child in children for name in names(child)]


def powers(node):
    """The exponents in an expression."""
    found = [node.right] if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow) else []
    return found + [power for child in ast.iter_child_nodes(node) for power in powers(child)]
