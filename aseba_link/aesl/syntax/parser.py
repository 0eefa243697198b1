"""Parses AESL statements."""

from collections.abc import Sequence

from aseba_link.aesl.syntax.definition_parser import DefinitionParser
from aseba_link.aesl.syntax.expression import Expression, Number
from aseba_link.aesl.syntax.expression_parser import ASSIGNING, ExpressionParser, check_sizes, combined
from aseba_link.aesl.syntax.folding import binary
from aseba_link.aesl.syntax.lexer import Token, TokenKind, tokenize
from aseba_link.aesl.syntax.scope import Scope, check_subroutine
from aseba_link.aesl.syntax.statement import (
    Assignment,
    Block,
    Branch,
    Code,
    Emission,
    Loop,
    NativeCall,
    Return,
    SubroutineCall,
)
from aseba_link.aesl.syntax.token_stream import TokenStream
from aseba_link.wire.description import NativeFunction
from aseba_link.wire.operators import BinaryOperator

_DEEPEST = 200  # nested blocks, including `elseif`
_STEPS = {"++": BinaryOperator.ADD, "--": BinaryOperator.SUBTRACT}


class Parser:
    """Parses a node's code and adds the names it defines to the scope; every method raises CompilerError."""

    def __init__(self, text: str, scope: Scope) -> None:
        self._tokens = TokenStream(tokenize(text))
        self._scope = scope
        self._expressions = ExpressionParser(self._tokens, scope)
        self._called: list[Token] = []
        self._depth = 0
        self._statements = {
            "if": self._if,
            "when": self._when,
            "while": self._while,
            "for": self._for,
            "emit": self._emit,
            "_emit": self._emit,
            "call": self._call,
            "callsub": self._callsub,
            "return": self._return,
        }

    def parse(self) -> Code:
        """Parse the code and return its parts."""
        first = self._tokens.next
        definitions = DefinitionParser(self._tokens, self._scope, self._expressions).definitions()
        code = Code((first, definitions + self._part()), {}, {})
        while self._tokens.next.kind is not TokenKind.END:
            if self._tokens.accept("onevent"):
                self._handler(code)
            else:
                self._tokens.expect("sub")
                self._subroutine(code)
        for token in self._called:
            check_subroutine(token, code.subroutines)
        return code

    def _handler(self, code: Code) -> None:
        name = self._tokens.expect_name("an event")
        event = self._scope.handled_event(name)
        if event in code.handlers:
            raise name.error(f"event {name.text} has a handler already, on line {code.handlers[event][0].line}")
        code.handlers[event] = (name, self._part())

    def _subroutine(self, code: Code) -> None:
        name = self._tokens.expect_name("a subroutine")
        if name.text in code.subroutines:
            first = code.subroutines[name.text][0]
            raise name.error(f"there is a subroutine {name.text} already, on line {first.line}")
        code.subroutines[name.text] = (name, self._part())

    def _part(self) -> Block:
        """Parse the statements of a handler or subroutine."""
        block: Block = ()
        while not self._tokens.next_is(("onevent", "sub")) and self._tokens.next.kind is not TokenKind.END:
            block += self._statement()
        return block

    def _block(self, *ends: str) -> Block:
        """Parse statements up to one of the keywords `ends`, which is not consumed."""
        block: Block = ()
        self._descend()
        while not self._tokens.next_is(ends):
            block += self._statement()
        self._depth -= 1
        return block

    def _descend(self) -> None:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise RecursionError

    def _statement(self) -> Block:
        token = self._tokens.next
        self._expressions.begin_statement()
        if token.kind is TokenKind.NAME:
            return self._assignment()
        if self._tokens.next_is(self._statements):
            return self._statements[self._tokens.advance().text](token)
        if self._tokens.next_is(("var", "const")):
            raise token.error(f"'{token.text}' must precede all statements")
        raise token.error(f"expected a statement, not {token}")

    def _assignment(self) -> Block:
        target = self._target()
        token = self._tokens.advance()
        mark = token.text if token.kind is TokenKind.MARK else ""
        if mark == "=":
            values = self._expressions.values()
        elif mark in ASSIGNING:
            values = combined(ASSIGNING[mark], target, self._expressions.values(), token)
        elif mark in _STEPS:
            ones = Expression(token, (Number(1),) * target.size)
            values = combined(_STEPS[mark], target, ones, token)
        else:
            raise token.error(f"expected an assignment such as '=', not {token}")
        check_sizes(target.size, values.size, token)
        return (Assignment(token, target.places, values.elements),)

    def _target(self) -> Expression:
        """Parse the variable to assign."""
        name = self._tokens.next
        if self._scope.constant(name) is not None:
            raise name.error(f"{name.text} is a constant, it cannot be changed")
        return self._expressions.variable()

    def _if(self, token: Token) -> Block:
        condition = self._expressions.condition().elements[0]
        self._tokens.expect("then")
        body = self._block("elseif", "else", "end")
        elseif = self._tokens.accept("elseif")
        if elseif is not None:
            self._descend()
            further = self._if(elseif)
            self._depth -= 1
            return (Branch(token, condition, body, further),)
        alternative = self._block("end") if self._tokens.accept("else") else ()
        self._tokens.expect("end")
        return (Branch(token, condition, body, alternative),)

    def _when(self, token: Token) -> Block:
        condition = self._expressions.condition().elements[0]
        return (Branch(token, condition, self._body(), is_when=True),)

    def _while(self, token: Token) -> Block:
        condition = self._expressions.condition().elements[0]
        return (Loop(token, condition, self._body()),)

    def _for(self, token: Token) -> Block:
        """Parse a loop with constant bounds; if they are equal, the body runs once."""
        variable = self._target()
        check_sizes(variable.size, 1, self._tokens.expect("in"))
        place, counter = variable.places[0], variable.elements[0]
        first_token = self._tokens.next
        first = self._expressions.constant()
        self._tokens.expect(":")
        last = self._expressions.constant()
        step = self._expressions.constant() if self._tokens.accept("step") else 1
        _check_range(first, last, step, first_token)
        initial = Assignment(token, (place,), (Number(first),))
        body = self._body()
        if first == last:
            return (initial, *body)
        comparison = BinaryOperator.LESS_EQUAL if step > 0 else BinaryOperator.GREATER_EQUAL
        condition = binary(comparison, counter, Number(last), token)
        go_on = Assignment(token, (place,), (binary(BinaryOperator.ADD, counter, Number(step), token),))
        return (initial, Loop(token, condition, (*body, go_on)))

    def _body(self) -> Block:
        self._tokens.expect("do")
        body = self._block("end")
        self._tokens.expect("end")
        return body

    def _emit(self, token: Token) -> Block:
        """Parse an event and its arguments; the hidden `_emit` may have fewer than the event."""
        name = self._tokens.expect_name("an event")
        rank, size = self._scope.emitted_event(name)
        if size == 0:
            return (Emission(token, rank, None),)
        arguments = self._expressions.values()
        if arguments.size > size or (arguments.size < size and token.text == "emit"):
            raise name.error(f"event {name.text} has {size} arguments, not {arguments.size}")
        return (Emission(token, rank, arguments),)

    def _call(self, token: Token) -> Block:
        name = self._tokens.expect_name("a native function")
        number, function = self._scope.function(name)
        arguments = self._arguments()
        if len(arguments) != len(function.parameters):
            expected = len(function.parameters)
            raise name.error(f"function {name.text} has {expected} arguments, not {len(arguments)}")
        return (NativeCall(token, number, tuple(arguments), _sizes(function, arguments)),)

    def _arguments(self) -> list[Expression]:
        self._tokens.expect("(")
        if self._tokens.accept(")"):
            return []
        arguments = [self._expressions.values()]
        while self._tokens.accept(","):
            arguments.append(self._expressions.values())
        self._tokens.expect(")")
        return arguments

    def _return(self, token: Token) -> Block:
        return (Return(token),)

    def _callsub(self, _: Token) -> Block:
        name = self._tokens.expect_name("a subroutine")
        self._called.append(name)
        return (SubroutineCall(name),)


def _check_range(first: int, last: int, step: int, token: Token) -> None:
    """Reject a loop that never ends, or whose counter does not fit into a word; raises CompilerError."""
    if step == 0:
        raise token.error("a loop with step 0 never ends")
    if (last - first) * step < 0:
        raise token.error(f"a loop from {first} to {last} needs a step of the other sign, not {step}")
    lowest, highest = (-0x8000, 0x7FFE) if step > 0 else (-0x7FFF, 0x7FFF)
    if not lowest <= min(first, last) <= max(first, last) <= highest:
        raise token.error(f"a loop with step {step} runs within {lowest} to {highest}, not from {first} to {last}")


def _sizes(function: NativeFunction, arguments: Sequence[Expression]) -> tuple[int, ...]:
    """Return the sizes passed to a function: of its parameters of size 0, then of its templates -1, -2, ..."""
    free: list[int] = []
    templates: dict[int, int] = {}
    for argument, (size, parameter) in zip(arguments, function.parameters, strict=True):
        expected = size if size > 0 else templates.setdefault(size, argument.size) if size < 0 else argument.size
        if argument.size != expected:
            raise argument.token.error(f"{parameter} of {function.name} has {expected} words, not {argument.size}")
        if size == 0:
            free.append(argument.size)
    return (*free, *(templates[key] for key in sorted(templates, reverse=True)))
