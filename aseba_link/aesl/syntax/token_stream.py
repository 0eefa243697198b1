"""The tokens of a node's code, and the parser's position in them."""

from collections.abc import Collection, Sequence

from aseba_link.aesl.syntax.lexer import Token, TokenKind

_MARK = TokenKind.MARK


class TokenStream:
    """A sequence of tokens; there is always a `next` token, since the last is the end of the code."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self._tokens = tokens
        self._position = 0
        self._last = len(tokens) - 1
        self.next = tokens[0]

    def next_is(self, marks: Collection[str]) -> bool:
        """Whether the next token is one of these keywords or signs."""
        return self.next.kind is _MARK and self.next.text in marks

    def advance(self) -> Token:
        """Return the next token and advance."""
        token = self.next
        if self._position < self._last:
            self._position += 1
            self.next = self._tokens[self._position]
        return token

    def accept(self, mark: str) -> Token | None:
        """Return the next token and advance if it is this keyword or sign, else return None."""
        token = self.next
        return self.advance() if token.text == mark and token.kind is _MARK else None

    def expect(self, mark: str) -> Token:
        """Return the next token and advance; raises CompilerError if it is not this keyword or sign."""
        token = self.accept(mark)
        if token is None:
            raise self.next.error(f"expected '{mark}', not {self.next}")
        return token

    def expect_name(self, what: str) -> Token:
        """Return the next token and advance; raises CompilerError if it is not a name."""
        if self.next.kind is not TokenKind.NAME:
            raise self.next.error(f"expected the name of {what}, not {self.next}")
        return self.advance()
