"""Lets empy expand the templates of rosidl as fast as their output is written.

empy 3 scans a template again, character by character, each time that it is expanded, and compiles each expression in it
again. rosidl expands the same few templates for each interface: both are nine tenths of its time.
"""

from functools import cache
from types import CodeType
from typing import Any

import em


class RememberingInterpreter(em.Interpreter):
    """Scans each template and compiles each piece of Python in it once in a process; the output is the same."""

    def parse(self, scanner: em.Scanner, locals: dict[str, Any] | None = None) -> None:  # noqa: A002 -- as empy names it
        """Expand what a scanner holds."""
        for token in _tokens(self.prefix, scanner.rest()):
            token.run(self, locals)

    def evaluate(self, expression: str, locals: dict[str, Any] | None = None) -> Any:  # noqa: A002 -- as empy names it
        """Return the value of an expression."""
        return super().evaluate(_compiled(expression.lstrip(" \t"), "eval"), locals)

    def execute(self, statements: str, locals: dict[str, Any] | None = None) -> None:  # noqa: A002 -- as empy names it
        """Execute statements."""
        self.push()
        try:
            exec(_compiled(statements if "\n" in statements else statements.strip(), "exec"), self.globals, locals)
        finally:
            self.pop()


@cache
def _tokens(prefix: str, template: str) -> list[em.Token]:
    ended = template if template.endswith("\n") else f"{template}{prefix}\n"  # as empy ends it: this expands to nothing
    scanner = em.Scanner(prefix, ended)
    return list(iter(scanner.one, None))


@cache
def _compiled(text: str, mode: str) -> CodeType:
    return compile(text, "<template>", mode)


def use_fast_templates() -> None:
    """Give rosidl this interpreter of templates."""
    em.Interpreter = RememberingInterpreter
