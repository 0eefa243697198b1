"""A rule for mypy: int() and float() are not given texts, in which they accept more than people mean.

Underscores, other scripts' digits, "nan", blanks, and any length: `thymio_base.texts.decimal_text` reads numbers from
texts instead. The readers themselves are exempt.
"""

from collections.abc import Callable
from typing import Final

from mypy.errorcodes import ErrorCode
from mypy.plugin import FunctionContext, Plugin
from mypy.types import Instance, ProperType, Type, UnionType, get_proper_type

_CODE: Final = ErrorCode("number-text", "A number is read from a text by int() or float()", "Rules of this project")
_TEXTS: Final = ("builtins.str", "builtins.bytes")

_FREE: Final = ("/bench/", "/thymio_base/texts/")  # what reads its own output, and the readers


class NumberTextRule(Plugin):
    """Checks each call of int() and float() with one argument; with a base, they read digits of that base."""

    def get_function_hook(self, fullname: str) -> Callable[[FunctionContext], Type] | None:
        """Return the check."""
        return _check if fullname in ("builtins.int", "builtins.float") else None


def _check(context: FunctionContext) -> Type:
    given = [one for argument in context.arg_types for one in argument]
    is_free = any(folder in f"/{context.api.path}" for folder in _FREE)
    if len(given) == 1 and _may_be_text(get_proper_type(given[0])) and not is_free:
        context.api.fail("use thymio_base.texts.decimal_text for numbers in texts", context.context, code=_CODE)
    return context.default_return_type


def _may_be_text(given: ProperType) -> bool:
    if isinstance(given, UnionType):
        return any(_may_be_text(get_proper_type(item)) for item in given.items)
    return isinstance(given, Instance) and any(given.type.has_base(name) for name in _TEXTS)


def plugin(_: str) -> type[Plugin]:
    """Return the rule, as mypy asks for it."""
    return NumberTextRule
