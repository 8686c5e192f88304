"""What the arithmetic of a formula comes to, worked out apart from the program."""

import ast
import math
import operator

SIGNS = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}
CALLS = {"ceil": math.ceil, "min": min, "max": max}


def worked_out(formula):
    """Return the typical value of a formula, rounded up."""
    return math.ceil(exactly(formula))


def exactly(formula):
    """Return the typical value of a formula."""
    numbers = {value.name: value.amount.typical for value in formula.values}

    def value(node):
        if isinstance(node, ast.BinOp):
            return SIGNS[type(node.op)](value(node.left), value(node.right))
        if isinstance(node, ast.Call):
            return CALLS[node.func.id](*map(value, node.args))
        return numbers[node.id] if isinstance(node, ast.Name) else node.value

    return value(ast.parse(formula.expression, mode="eval").body)
