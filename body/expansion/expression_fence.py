"""Which expressions of a xacro file are evaluated: those that cannot reach Python beyond what xacro gives them.

xacro evaluates expressions by Python, with few names, and refuses names that begin with two underscores, but only
outside of lambdas. Objects lead further by attributes alone: from a generator to its frame, from a frame to all
modules, and `format` reads attributes that a text names. So expressions are refused if one of their attributes or names
is of that kind, wherever it stands.
"""

import ast
import re
from typing import Final

_LONGEST: Final = 20_000  # characters: the parser needs memory for each
_FORBIDDEN: Final = re.compile(
    r"_.*"  # of Python's own objects
    r"|(gi|cr|ag|tb|f|co|func)_.*"  # of generators, coroutines, tracebacks, frames, code and functions
    r"|mro|format|format_map|with_traceback"
)


class ExpressionError(ValueError):
    """An expression could reach beyond xacro; the message names what it uses."""


def check_expression(text: str) -> None:
    """Check an expression of a xacro file; one that is not Python is left to xacro, which says where it stands.

    Raises
    ------
    ExpressionError
        It is too long, or uses an attribute or a name that could lead beyond what xacro gives.
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
