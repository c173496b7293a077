"""Index notation: its text, its numbers and the indices of its terms. Whatever the generator takes is read here.

A tensor is a name with one suffix letter an index (gt_dd, Gamt_udd), written with its indices in brackets:
"gt_uu[k,l] * Gamt_ddd[l,i,j]". An index that occurs twice in a product is summed over. Integers in brackets pick a component.
Numbers are integers and their fractions, which are exact; powers are integers; the one function is sqrt.
"""

import ast
import fractions

from refuse import Mistake

DIM = 3
SPECIAL = {"eps": 3, "delta": 2}  # the Levi-Civita symbol, Kronecker's; and how many indices they have
LARGEST = 2**53  # integers up to here are doubles
SUMS, PRODUCTS = (ast.Add, ast.Sub), (ast.Mult, ast.Div)


def parse(text):
    """The tree of an expression in which every node is index notation."""
    if not isinstance(text, str):
        raise Mistake(f"{text!r} is not an expression in quotes")
    try:
        node = ast.parse(" ".join(text.split()), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise Mistake(f"not an expression: {error.args[0]}") from None
    check_node(node)
    return node


def check_node(node):
    """Refuse all but numbers, names, brackets, + - * /, integer powers and sqrt."""
    if isinstance(node, ast.Constant):
        whole(node.value)
    elif isinstance(node, ast.Subscript):
        check_indices(node)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        check_node(node.operand)
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
        check_node(node.left)
        exponent(node.right)
    elif isinstance(node, ast.BinOp) and isinstance(node.op, SUMS + PRODUCTS):
        check_node(node.left)
        check_node(node.right)
    elif isinstance(node, ast.Call):
        if not isinstance(node.func, ast.Name) or node.func.id != "sqrt":
            raise Mistake(f"{ast.unparse(node.func)}() is no function here; expected sqrt")
        if len(node.args) != 1 or node.keywords or isinstance(node.args[0], ast.Starred):
            raise Mistake(f"{ast.unparse(node)}: expected one argument of sqrt")
        check_node(node.args[0])
    elif not isinstance(node, ast.Name):
        raise Mistake(f"{ast.unparse(node)} is not index notation; expected numbers, names, brackets, + - * / ** and sqrt")


def whole(value):
    """An integer that is exact in double precision."""
    if isinstance(value, float):
        exact = fractions.Fraction(repr(value)) if abs(value) < LARGEST else None
        raise Mistake(f"{value!r} is a decimal; expected integers and fractions" + (f", here {exact}" if exact is not None else ""))
    if not isinstance(value, int) or isinstance(value, bool):
        raise Mistake(f"{value!r} is not a number; expected integers and fractions")
    if abs(value) > LARGEST:
        raise Mistake(f"{value} is not exact in double precision; expected at most 2**53")
    return value


def exponent(node):
    """The integer of a power."""
    sign, digits = (-1, node.operand) if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) else (1, node)
    if not isinstance(digits, ast.Constant) or type(digits.value) is not int:
        raise Mistake(f"the power {ast.unparse(node)} is not an integer; expected integers, and sqrt() for roots")
    return sign * whole(digits.value)


def index_nodes(node):
    inner = node.slice
    return inner.elts if isinstance(inner, ast.Tuple) else [inner]


def check_indices(node):
    if not isinstance(node.value, ast.Name):
        raise Mistake(f"{ast.unparse(node)}: expected a tensor's name before the brackets")
    for i in index_nodes(node):
        component = isinstance(i, ast.Constant) and type(i.value) is int and 0 <= i.value < DIM
        if not isinstance(i, ast.Name) and not component:
            raise Mistake(f"{ast.unparse(node)}: the index {ast.unparse(i)} is neither a letter nor 0, 1 or 2")


def split_lhs(text):
    """'Rt_dd[i,j]' -> ('Rt_dd', ['i', 'j'])"""
    node = parse(text)
    if isinstance(node, ast.Name):
        return node.id, []
    letters = letters_of(node) if isinstance(node, ast.Subscript) else []
    if not letters or len(letters) < len(index_nodes(node)) or len(set(letters)) < len(letters):
        raise Mistake("expected on the left a name, of a tensor with different letters in brackets")
    return node.value.id, letters


def letters_of(node):
    return [i.id for i in index_nodes(node) if isinstance(i, ast.Name)]


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
    if isinstance(node, ast.Call) or isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
        free, summed = indices(node.args[0] if isinstance(node, ast.Call) else node.left)
        if free:
            raise Mistake(f"{ast.unparse(node)}: the index {min(free)} is free; expected a scalar under a root or a power")
        return free, summed
    if isinstance(node, ast.BinOp) and isinstance(node.op, SUMS):
        return indices_of_sum(node)
    if isinstance(node, (ast.BinOp, ast.Subscript)):
        return indices_of_product(node)
    return set(), set()


def indices_of_sum(node):
    found = [(term, *indices(term)) for term in terms(node) if not zero(term)]
    for term, free, _ in found[1:]:
        if free != found[0][1]:
            raise Mistake(f"{ast.unparse(found[0][0])} has {listed(found[0][1])}, {ast.unparse(term)} has {listed(free)};"
                          " expected terms with the same free indices")
    return (found[0][1] if found else set()), set().union(*(summed for *_, summed in found))


def indices_of_product(node):
    letters, inside = [], set()
    for factor, power in factors(node):
        free, summed = (letters_of(factor), set()) if isinstance(factor, ast.Subscript) else indices(factor)
        if free and power < 0:
            raise Mistake(f"{ast.unparse(node)}: the index {min(free)} is below a fraction line; expected a scalar there")
        letters += free
        inside |= summed
    for i in sorted(set(letters)):
        times = letters.count(i) + 2 * (i in inside)
        if times > 2:
            raise Mistake(f"{ast.unparse(node)}: the index {i} occurs {times} times; expected once, or twice to be summed")
    return {i for i in letters if letters.count(i) == 1}, inside | {i for i in letters if letters.count(i) == 2}


def listed(letters):
    return "the free indices " + ", ".join(sorted(letters)) if letters else "no free index"


def names(node):
    """The nodes that name a scalar or a tensor."""
    if isinstance(node, (ast.Name, ast.Subscript)):
        return [node]
    children = node.args if isinstance(node, ast.Call) else ast.iter_child_nodes(node)
    return [name for child in children for name in names(child)]
