"""Parses AESL expressions."""

from collections.abc import Mapping

from aseba_link.aesl.syntax.expression import Element, Expression, ExpressionKind, Number, Word
from aseba_link.aesl.syntax.folding import binary, negated, unary
from aseba_link.aesl.syntax.lexer import Token, TokenKind
from aseba_link.aesl.syntax.scope import Scope
from aseba_link.aesl.syntax.token_stream import TokenStream
from aseba_link.wire.operators import BinaryOperator, UnaryOperator

# from lowest to highest precedence
_ARITHMETIC: tuple[Mapping[str, BinaryOperator], ...] = (
    {"|": BinaryOperator.BIT_OR},
    {"^": BinaryOperator.BIT_XOR},
    {"&": BinaryOperator.BIT_AND},
    {"<<": BinaryOperator.SHIFT_LEFT, ">>": BinaryOperator.SHIFT_RIGHT},
    {"+": BinaryOperator.ADD, "-": BinaryOperator.SUBTRACT},
    {"*": BinaryOperator.MULTIPLY, "/": BinaryOperator.DIVIDE, "%": BinaryOperator.MODULO},
)
_PRECEDENCE = {mark: level for level, operators in enumerate(_ARITHMETIC) for mark in operators}
_COMPARISONS = {
    "==": BinaryOperator.EQUAL,
    "!=": BinaryOperator.NOT_EQUAL,
    ">": BinaryOperator.GREATER,
    ">=": BinaryOperator.GREATER_EQUAL,
    "<": BinaryOperator.LESS,
    "<=": BinaryOperator.LESS_EQUAL,
}
_PREFIXES = {"-": UnaryOperator.MINUS, "~": UnaryOperator.BIT_NOT, "abs": UnaryOperator.ABS}
_DEEPEST = 100  # nested expressions
_MOST_OPERATORS = 2000  # in a statement; a Thymio cannot hold as many
ASSIGNING = {f"{mark}=": operator for level in _ARITHMETIC for mark, operator in level.items()}


class ExpressionParser:
    """Parses expressions from a stream of tokens; every method raises CompilerError."""

    def __init__(self, tokens: TokenStream, scope: Scope) -> None:
        self._tokens = tokens
        self._scope = scope
        self._depth = 0  # counted here because compiled code has no recursion limit
        self._operators = 0

    def begin_statement(self) -> None:
        """Start counting the operators of the next statement."""
        self._operators = 0

    def condition(self) -> Expression:
        """Parse a condition."""
        return _of_kind(self._any(), is_condition=True)

    def values(self) -> Expression:
        """Parse an expression of one or more numbers."""
        return _of_kind(self._arithmetic(0), is_condition=False)

    def initial_values(self) -> Expression:
        """Parse the values of a new variable; the old syntax allows commas between them without brackets."""
        return self._joined(self.values())

    def constant(self) -> int:
        """Parse a compile-time constant."""
        return _constant_value(self.values())

    def variable(self) -> Expression:
        """Parse a variable, an element or a slice of it."""
        name = self._tokens.expect_name("a variable")
        words = self._scope.variable(name)
        if not self._tokens.accept("["):
            return Expression(name, words, ExpressionKind.VARIABLE)
        picked = self._pick(name, words)
        self._tokens.expect("]")
        return picked

    def _pick(self, name: Token, words: tuple[Word, ...]) -> Expression:
        """Parse an index or slice; return the array elements that it selects."""
        index = self.values()
        if index.size != 1:
            raise index.token.error(f"an index is one number, not {index.size}")
        first = index.elements[0]
        if self._tokens.accept(":"):
            start, end = _constant_value(index), self.constant()
            if not 0 <= start <= end < len(words):
                raise index.token.error(f"slice {start}:{end} is not within {name.text}, which has {len(words)} words")
            return Expression(name, words[start : end + 1], ExpressionKind.VARIABLE)
        if not isinstance(first, Number):
            element = Element(words[0].address, len(words), first)
            return Expression(name, (element,), ExpressionKind.VARIABLE)
        if not 0 <= first.value < len(words):
            raise index.token.error(f"index {first.value} is not within {name.text}, which has {len(words)} words")
        return Expression(name, (words[first.value],), ExpressionKind.VARIABLE)

    def _any(self) -> Expression:
        """Parse numbers or a condition."""
        left = self._conjunction()
        while token := self._tokens.accept("or"):
            self._count_operator()
            left = _logic(BinaryOperator.OR, left, self._conjunction(), token)
        return left

    def _conjunction(self) -> Expression:
        left = self._negation()
        while token := self._tokens.accept("and"):
            self._count_operator()
            left = _logic(BinaryOperator.AND, left, self._negation(), token)
        return left

    def _negation(self) -> Expression:
        token = self._tokens.accept("not")
        if token is None:
            return self._comparison()
        self._descend()
        operand = _of_kind(self._negation(), is_condition=True)
        self._depth -= 1
        return Expression(token, (negated(operand.elements[0]),), ExpressionKind.CONDITION)

    def _comparison(self) -> Expression:
        left = self._arithmetic(0)
        while self._tokens.next_is(_COMPARISONS):
            token = self._tokens.advance()
            self._count_operator()
            right = self._arithmetic(0)
            for side in (left, right):
                if _of_kind(side, is_condition=False).size != 1:
                    raise side.token.error(f"a condition compares single numbers, this has {side.size}")
            result = binary(_COMPARISONS[token.text], left.elements[0], right.elements[0], token)
            left = Expression(left.token, (result,), ExpressionKind.CONDITION)
        return left

    def _arithmetic(self, level: int) -> Expression:
        """Parse operands joined by operators of at least this precedence level."""
        self._descend()
        left = self._operand()
        self._depth -= 1
        while self._tokens.next_is(_PRECEDENCE) and _PRECEDENCE[self._tokens.next.text] >= level:
            token = self._tokens.advance()
            self._count_operator()
            own = _PRECEDENCE[token.text]
            left = combined(_ARITHMETIC[own][token.text], left, self._arithmetic(own + 1), token)
        return left

    def _operand(self) -> Expression:
        token = self._tokens.next
        if token.kind is TokenKind.NUMBER:
            return _literal(self._tokens.advance(), 1)
        if token.kind is TokenKind.NAME:
            return self._named()
        if self._tokens.next_is(_PREFIXES):
            return self._prefixed(self._tokens.advance())
        if self._tokens.accept("("):
            inner = self._any()
            self._tokens.expect(")")
            return inner
        if self._tokens.accept("["):
            vector = self._joined(self.values())
            self._tokens.expect("]")
            return Expression(token, vector.elements)
        raise token.error(f"expected a value, not {token}")

    def _descend(self) -> None:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise RecursionError

    def _count_operator(self) -> None:
        self._operators += 1
        if self._operators > _MOST_OPERATORS:
            raise RecursionError

    def _named(self) -> Expression:
        value = self._scope.constant(self._tokens.next)
        return self.variable() if value is None else Expression(self._tokens.advance(), (Number(value),))

    def _prefixed(self, token: Token) -> Expression:
        """Parse the operand of a prefix; a minus belongs to the literal after it, since 32768 alone is out of range."""
        if token.text == "-" and self._tokens.next.kind is TokenKind.NUMBER:
            return _literal(self._tokens.advance(), -1)
        self._descend()
        operand = _of_kind(self._operand(), is_condition=False)
        self._depth -= 1
        return Expression(token, tuple(unary(_PREFIXES[token.text], each, token) for each in operand.elements))

    def _joined(self, first: Expression) -> Expression:
        """Parse the remaining values, separated by commas, and return all of them."""
        elements = _of_kind(first, is_condition=False).elements
        while self._tokens.accept(","):
            elements += _of_kind(self.values(), is_condition=False).elements
        return Expression(first.token, elements)


def combined(operator: BinaryOperator, left: Expression, right: Expression, token: Token) -> Expression:
    """Return the result of an operator on two expressions, element by element; raises CompilerError."""
    pairs = zip(_of_kind(left, is_condition=False).elements, _of_kind(right, is_condition=False).elements, strict=False)
    check_sizes(left.size, right.size, token)
    return Expression(left.token, tuple(binary(operator, *pair, token) for pair in pairs))


def check_sizes(left: int, right: int, token: Token) -> None:
    """Reject an operator between vectors of different sizes; raises CompilerError."""
    if left != right:
        raise token.error(f"'{token.text}' between {left} and {right} words")


def _logic(operator: BinaryOperator, left: Expression, right: Expression, token: Token) -> Expression:
    first, second = (_of_kind(side, is_condition=True).elements[0] for side in (left, right))
    return Expression(left.token, (binary(operator, first, second, token),), ExpressionKind.CONDITION)


def _of_kind(expression: Expression, *, is_condition: bool) -> Expression:
    """Return an expression after checking whether it is a condition."""
    if (expression.kind is ExpressionKind.CONDITION) != is_condition:
        words = ("a number", "a condition")
        raise expression.token.error(f"expected {words[is_condition]}, not {words[not is_condition]}")
    return expression


def _literal(token: Token, sign: int) -> Expression:
    value = sign * token.value
    if not -0x8000 <= value <= 0x7FFF:
        raise token.error(f"{value} does not fit 16 bits")
    return Expression(token, (Number(value),))


def _constant_value(expression: Expression) -> int:
    """Return the value of an expression, which must be a compile-time constant."""
    first = _of_kind(expression, is_condition=False).elements[0]
    if expression.size != 1 or not isinstance(first, Number):
        raise expression.token.error("expected a constant expression")
    return first.value
