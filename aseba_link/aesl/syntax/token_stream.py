"""The tokens of a node's code as the parser walks through them."""

from collections.abc import Collection, Sequence

from aseba_link.aesl.syntax.lexer import Token, TokenKind


class TokenStream:
    """Tokens one after the other; there is always a next one, the last is the end of the code."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self._tokens = tokens
        self._position = 0

    @property
    def next(self) -> Token:
        """The token that comes next."""
        return self._tokens[self._position]

    @property
    def second(self) -> Token:
        """The token after the next one."""
        return self._tokens[min(self._position + 1, len(self._tokens) - 1)]

    def next_is(self, marks: Collection[str]) -> bool:
        """Whether one of some keywords or signs comes next."""
        return self.next.kind is TokenKind.MARK and self.next.text in marks

    def advance(self) -> Token:
        """Return the next token and advance."""
        token = self.next
        self._position = min(self._position + 1, len(self._tokens) - 1)
        return token

    def accept(self, mark: str) -> Token | None:
        """Take the next token if it is this keyword or sign."""
        return self.advance() if self.next_is((mark,)) else None

    def expect(self, mark: str) -> Token:
        """Take a keyword or sign that must come next; raises CompilerError."""
        if not self.next_is((mark,)):
            raise self.next.error(f"expected '{mark}', not {self.next}")
        return self.advance()

    def expect_name(self, what: str) -> Token:
        """Take a name that must come next; raises CompilerError."""
        if self.next.kind is not TokenKind.NAME:
            raise self.next.error(f"expected the name of {what}, not {self.next}")
        return self.advance()
