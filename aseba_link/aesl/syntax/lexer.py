"""Splits AESL into tokens: names, numbers, keywords and signs, each with its position in the code."""

import re
from collections.abc import Iterator
from enum import Enum, auto
from typing import NamedTuple

from aseba_link.errors import CompilerError
from thymio_base.texts.shortened import shortened

# fmt: off
KEYWORDS = frozenset({
    "_emit", "abs", "and", "call", "callsub", "const", "do", "else", "elseif", "emit", "end", "for", "if", "in", "not",
    "onevent", "or", "return", "step", "sub", "then", "var", "when", "while",
})
# fmt: on

# longer signs first
_TOKEN = re.compile(
    r"""
    (?P<gap>[ \t\r\n]+ | \#\*.*?\*\# | \#(?!\*)[^\r\n]*)
    | (?P<number>[0-9][\w.]*)
    | (?P<name>[^\W\d][\w.]*)
    | (?P<sign><<=|>>=|<<|>>|\+\+|--|[-+*/%|^&<>=!]=|[-+*/%|^&~<>=()\[\]:,])
    """,
    re.VERBOSE | re.DOTALL,
)
_RADICES = (
    (re.compile("0x([0-9a-fA-F]+)"), 16),
    (re.compile("0b([01]+)"), 2),
    (re.compile("([0-9]+)"), 10),
)


_MOST_RAW, _MOST_DIGITS = 0xFFFF, 16  # of a literal
_SHORT = 5  # decimal numbers of fewer digits fit


class TokenKind(Enum):
    """The kinds of tokens."""

    NAME = auto()  # of a variable, constant, event, function or subroutine
    NUMBER = auto()  # a literal without its sign
    MARK = auto()  # a keyword or sign
    END = auto()  # after the last token of the code


class Token(NamedTuple):
    """A token; line and column count from 1, `value` is for numbers."""

    kind: TokenKind
    text: str
    line: int
    column: int
    value: int = 0

    def __str__(self) -> str:
        return "the end of the code" if self.kind is TokenKind.END else f"'{self.text}'"

    def error(self, problem: str) -> CompilerError:
        """Return the error for a problem at this token."""
        return CompilerError(problem, self.line, self.column)


def tokenize(text: str) -> list[Token]:
    """Return the tokens of a node's code; the last one marks its end.

    Raises
    ------
    CompilerError
        The code has an unknown character, a malformed number or an unterminated comment.
    """
    return list(_tokens(text))


def _tokens(text: str) -> Iterator[Token]:
    position, line, line_start = 0, 1, 0
    for match in _TOKEN.finditer(text):
        start, found, group = match.start(), match.group(), match.lastgroup
        if start != position:
            break
        position = match.end()
        if group != "gap":
            yield _token(group or "", found, line, start - line_start + 1)
        elif "\n" in found:
            line += found.count("\n")
            line_start = start + found.rindex("\n") + 1
    if position < len(text):
        raise CompilerError(_unknown(text[position:]), line, position - line_start + 1)
    yield Token(TokenKind.END, "", line, position - line_start + 1)


def _unknown(rest: str) -> str:
    return "the comment has no end *#" if rest.startswith("#*") else f"unexpected character {rest[0]!r}"


def _token(group: str, text: str, line: int, column: int) -> Token:
    if group == "number":
        return Token(TokenKind.NUMBER, text, line, column, _value(text, line, column))
    is_name = group == "name" and text not in KEYWORDS
    return Token(_NAME if is_name else _MARK, text, line, column)


_NAME, _MARK = TokenKind.NAME, TokenKind.MARK


def _value(text: str, line: int, column: int) -> int:
    """Return the value of a literal; binary and hexadecimal ones are the 16 bits of a signed word."""
    if text.isdecimal() and text.isascii() and len(text) < _SHORT:
        return int(text, 10)
    for pattern, radix in _RADICES:
        match = pattern.fullmatch(text)
        if match:
            digits = match[1].lstrip("0")
            value = int(digits or "0", radix) if len(digits) <= _MOST_DIGITS else _MOST_RAW + 1
            if value > _MOST_RAW:
                raise CompilerError(f"{shortened(text)} does not fit 16 bits", line, column)
            return value - 0x10000 if radix != 10 and value > 0x7FFF else value
    raise CompilerError(f"{shortened(text)} is not a number", line, column)
