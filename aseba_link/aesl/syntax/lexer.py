"""Splits AESL into tokens: names, numbers, keywords and signs, each with its position in the code."""

import re
from enum import Enum, auto

from aseba_link.errors import CompilerError
from thymio_base.texts.shortened import shortened

# fmt: off
KEYWORDS = frozenset({
    "_emit", "abs", "and", "call", "callsub", "const", "do", "else", "elseif", "emit", "end", "for", "if", "in", "not",
    "onevent", "or", "return", "step", "sub", "then", "var", "when", "while",
})
# fmt: on

# fmt: off
_SIGNS = frozenset({
    "!=", "%", "%=", "&", "&=", "(", ")", "*", "*=", "+", "++", "+=", ",", "-", "--", "-=", "/", "/=", ":", "<", "<<",
    "<<=", "<=", "=", "==", ">", ">=", ">>", ">>=", "[", "]", "^", "^=", "|", "|=", "~",
})
# fmt: on

# blanks and comments, then a number or name, a sign, or the rest of the code
_TOKEN = re.compile(
    r"""
    ( [ \t\r\n]* (?: \#(?: \*.*?\*\# | (?!\*)[^\r\n]* ) [ \t\r\n]* )* )
    ( \w[\w.]* | [()\[\]:,~] | <<=? | >>=? | \+\+ | -- | [-+*/%|^&<>=!]= | [-+*/%|^&<>=] | .* )
    """,
    re.VERBOSE | re.DOTALL,
)
_RADICES = (
    (re.compile("0x([0-9a-fA-F]+)"), 16),
    (re.compile("0b([01]+)"), 2),
    (re.compile("([0-9]+)"), 10),
)
_MOST_RAW, _MOST_DIGITS = 0xFFFF, 16  # limits of a literal
_DIGITS = frozenset("0123456789")


class TokenKind(Enum):
    """The kinds of tokens."""

    NAME = auto()  # of a variable, constant, event, function or subroutine
    NUMBER = auto()  # a literal without its sign
    MARK = auto()  # a keyword or sign
    END = auto()  # after the last token of the code


class Token:
    """A token of a node's code; `value` is used for numbers."""

    __slots__ = ("_code", "_start", "kind", "text", "value")

    def __init__(self, kind: TokenKind, text: str, value: int, code: str, start: int) -> None:
        self.kind = kind
        self.text = text
        self.value = value
        self._code = code
        self._start = start

    def __str__(self) -> str:
        return "the end of the code" if self.kind is TokenKind.END else f"'{self.text}'"

    @property
    def line(self) -> int:
        """Its line in the code, from 1."""
        return self._code.count("\n", 0, self._start) + 1

    @property
    def column(self) -> int:
        """Its column in that line, from 1."""
        return self._start - self._code.rfind("\n", 0, self._start)

    def error(self, problem: str) -> CompilerError:
        """Return the error for a problem at this token."""
        return CompilerError(problem, self.line, self.column)


def tokenize(text: str) -> list[Token]:
    """Return the tokens of a node's code; the last token marks its end.

    Raises
    ------
    CompilerError
        The code has an unknown character, a malformed number or an unterminated comment.
    """
    meanings: dict[str, tuple[TokenKind, int]] = {}  # of the texts found so far
    tokens: list[Token] = []
    position = 0
    for gap, found in _TOKEN.findall(text):
        position += len(gap)
        if not found:
            break
        meaning = meanings.get(found)
        if meaning is None:
            meaning = meanings[found] = _meaning(Token(TokenKind.NUMBER, found, 0, text, position))
        tokens.append(Token(meaning[0], found, meaning[1], text, position))
        position += len(found)
    tokens.append(Token(TokenKind.END, "", 0, text, position))
    return tokens


def _meaning(token: Token) -> tuple[TokenKind, int]:
    """Return the kind of a token and, for a number, its value."""
    text = token.text
    first = text[0]
    if first in _DIGITS:
        return TokenKind.NUMBER, _value(token)
    if text in KEYWORDS or text in _SIGNS:
        return TokenKind.MARK, 0
    if first == "_" or (first.isalnum() and not first.isdecimal()):
        return TokenKind.NAME, 0
    raise token.error("the comment has no end *#" if text.startswith("#*") else f"unexpected character {first!r}")


def _value(token: Token) -> int:
    """Return the value of a literal; binary and hexadecimal literals are the 16 bits of a signed word."""
    text = token.text
    for pattern, radix in _RADICES:
        match = pattern.fullmatch(text)
        if match:
            digits = match[1].lstrip("0")
            value = int(digits or "0", radix) if len(digits) <= _MOST_DIGITS else _MOST_RAW + 1
            if value > _MOST_RAW:
                raise token.error(f"{shortened(text)} does not fit 16 bits")
            return value - 0x10000 if radix != 10 and value > 0x7FFF else value
    raise token.error(f"{shortened(text)} is not a number")
