"""The small changes a mutant can make, each from a node of the syntax tree to the text that replaces it."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from typing import Any

Change = tuple[str, str]
"""Name of the operator, new text."""

_BOUNDARY = {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt}
_OPPOSITE = {
    ast.Lt: ast.Gt,
    ast.Gt: ast.Lt,
    ast.LtE: ast.GtE,
    ast.GtE: ast.LtE,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
_ARITHMETIC = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.Pow: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}
_PAIRS = [("min", "max"), ("any", "all"), ("floor", "ceil"), ("minimum", "maximum"), ("argmin", "argmax")]
_PAIRS += [("nanmin", "nanmax"), ("sin", "cos"), ("mean", "sum"), ("cumsum", "cumprod"), ("zeros", "ones")]
_TWIN = {**dict(_PAIRS), **{b: a for a, b in _PAIRS}}
_SYMMETRIC = frozenset(("min", "max", "minimum", "maximum", "hypot", "allclose", "isclose", "gcd", "isinstance"))
"""Functions whose first two arguments may change places, or may not at all."""


def changes(node: ast.AST) -> Iterator[Change]:
    """Every change of the node itself; its children are asked on their own."""
    match node:
        case ast.Compare(ops=[first, *_]):
            if type(first) in _BOUNDARY:
                yield "boundary", _with(node, ops=[_BOUNDARY[type(first)](), *node.ops[1:]])
            yield "comparison", _with(node, ops=[_OPPOSITE[type(first)](), *node.ops[1:]])
        case ast.BinOp(op=op) if type(op) in _ARITHMETIC and not (_is_text(node.left) or _is_text(node.right)):
            yield "arithmetic", _with(node, op=_ARITHMETIC[type(op)]())
        case ast.BoolOp(op=op):
            yield "boolean", _with(node, op=ast.Or() if isinstance(op, ast.And) else ast.And())
        case ast.UnaryOp(op=ast.Not() | ast.USub(), operand=operand):
            yield "sign", f"({ast.unparse(operand)})"
        case ast.Constant(value=bool() as value):
            yield "constant", repr(not value)
        case ast.Constant(value=int() as value):
            yield "constant", repr(value + 1)
        case ast.Constant(value=float() as value):
            yield "constant", repr(value * 1.5 if value else 1.0)
        case ast.IfExp(test=test) if not _has_opposite(test):
            yield "condition", _with(node, test=_negated(test))
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name), args=arguments):
            if name in _TWIN:
                renamed = copy.deepcopy(node.func)
                setattr(renamed, "id" if isinstance(renamed, ast.Name) else "attr", _TWIN[name])
                yield "function", _with(node, func=renamed)
            plain = not any(isinstance(a, ast.Starred) for a in arguments[:2])
            if len(arguments) >= 2 and plain and name not in _SYMMETRIC:
                yield "arguments", _with(node, args=[arguments[1], arguments[0], *arguments[2:]])
        case ast.stmt():
            yield from _statement_changes(node)


def _statement_changes(node: ast.stmt) -> Iterator[Change]:
    match node:
        case ast.Return(value=value) if value is not None and not _is_none(value):
            yield "return", "return None"
        case ast.Expr(value=ast.Call() | ast.Yield()) | ast.AugAssign() | ast.Raise() | ast.Delete():
            yield "removed", "pass"
        case ast.Assign(targets=[ast.Attribute() | ast.Subscript()]):
            yield "removed", "pass"
        case ast.Continue():
            yield "removed", "break"
        case ast.Break():
            yield "removed", "pass"


def condition_of(node: ast.AST) -> Iterator[tuple[ast.expr, Change]]:
    """Conditions that stand in a header: of `if`, `while` and the filters of a comprehension."""
    tests = [node.test] if isinstance(node, ast.If | ast.While) else []
    tests += node.ifs if isinstance(node, ast.comprehension) else []
    for test in tests:
        if not _has_opposite(test):
            yield test, ("condition", ast.unparse(_negated(test)))


def _has_opposite(test: ast.expr) -> bool:
    """Whether another operator turns the condition round already, or nothing at run time hangs on it."""
    exact = ast.Eq | ast.NotEq | ast.In | ast.NotIn | ast.Is | ast.IsNot
    if isinstance(test, ast.Compare):
        return len(test.ops) == 1 and isinstance(test.ops[0], exact)
    if isinstance(test, ast.Name):
        return test.id == "TYPE_CHECKING"
    return isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not)


def _negated(test: ast.expr) -> ast.expr:
    return ast.UnaryOp(ast.Not(), test)


def _with(node: ast.expr, **parts: Any) -> str:
    changed = copy.copy(node)
    for name, part in parts.items():
        setattr(changed, name, part)
    return f"({ast.unparse(changed)})"


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str | bytes))


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None
