"""Parses the definitions that precede all statements: constants and variables."""

from aseba_link.aesl.syntax.expression_parser import ExpressionParser, check_sizes
from aseba_link.aesl.syntax.scope import Scope
from aseba_link.aesl.syntax.statement import Assignment, Block
from aseba_link.aesl.syntax.token_stream import TokenStream


class DefinitionParser:
    """Adds the constants and variables of the code to the scope; every method raises CompilerError."""

    def __init__(self, tokens: TokenStream, scope: Scope, expressions: ExpressionParser) -> None:
        self._tokens = tokens
        self._scope = scope
        self._expressions = expressions

    def definitions(self) -> Block:
        """Parse all constants and variables; return the statements that initialize the variables."""
        block: Block = ()
        while self._tokens.next_is(("const", "var")):
            self._expressions.begin_statement()
            if self._tokens.advance().text == "const":
                name = self._tokens.expect_name("a constant")
                self._tokens.expect("=")
                self._scope.add_constant(name, self._expressions.constant())
            else:
                block += self._variable()
        return block

    def _variable(self) -> Block:
        name = self._tokens.expect_name("a variable")
        self._scope.check_new(name)
        size = self._size()
        equals = self._tokens.accept("=")
        if equals is None:
            if size is None:
                raise name.error(f"variable {name.text} has neither a size nor a value")
            self._scope.add_variable(name, size)
            return ()
        values = self._expressions.initial_values()
        check_sizes(values.size if size is None else size, values.size, equals)
        return (Assignment(equals, self._scope.add_variable(name, values.size), values.elements),)

    def _size(self) -> int | None:
        """Parse the size of a new variable; None if its value determines it."""
        bracket = self._tokens.accept("[")
        if bracket is None:
            return 1
        if self._tokens.accept("]"):
            return None
        size = self._expressions.constant()
        if size < 1:
            raise bracket.error(f"an array has at least one word, not {size}")
        self._tokens.expect("]")
        return size
