"""Refuses expressions of xacro files that could reach Python objects beyond those that xacro offers.

xacro evaluates expressions in Python, with few names, and refuses names that begin with two underscores, but only
outside lambdas. Attributes alone lead further: from a generator to its frame, from a frame to all modules, and
`format` reads attributes named in a text. So an expression with such an attribute or name anywhere is refused.
"""

import ast
import re
from typing import Final

_LONGEST: Final = 20_000  # characters; limits the parser's memory
_FORBIDDEN: Final = re.compile(
    r"_.*"  # of Python's own objects
    r"|(gi|cr|ag|tb|f|co|func)_.*"  # of generators, coroutines, tracebacks, frames, code and functions
    r"|mro|format|format_map|with_traceback"
)


class ExpressionError(ValueError):
    """An expression could reach beyond xacro; the message names what it uses."""


def check_expression(text: str) -> None:
    """Check an expression of a xacro file; if it is not Python, xacro reports it, with its place.

    Raises
    ------
    ExpressionError
        It is too long, or uses an attribute or a name that could lead beyond xacro.
    """
    if len(text) > _LONGEST:
        raise ExpressionError(f"an expression has {len(text)} characters; {_LONGEST} are allowed")
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for node in ast.walk(tree):
        name = node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
        is_own = isinstance(node, ast.Name) and not name.startswith("__")  # a property may be called f_x, or _x
        if name and not is_own and _FORBIDDEN.fullmatch(name):
            raise ExpressionError(f"the expression uses {name!r}, which may lead beyond xacro")
