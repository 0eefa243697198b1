"""The errors that the compiler reports for invalid code, and their positions."""

import re
from contextlib import suppress
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aseba_link.aesl.compiler import compile_code
from aseba_link.aesl.syntax.lexer import KEYWORDS
from aseba_link.errors import CompilerError
from aseba_link.wire.description import Variable
from harness.aseba.script_run import DESCRIPTION, compiled

EVENTS = {"none": 0, "pair": 2, "big": 33}
CONSTANTS = {"FIVE": 5}
SIGNS = "+ ++ -= - * / % << ^ ~ ( ) [ ] , : = == != < 1 0 2 70000"
NAMES = "a v v[1] v[a] v[0:1] FIVE none pair motor math.fill math.add _id = #@needs\n #@end\n a++ [a,a]"
SOUP = [*sorted(KEYWORDS), *SIGNS.split(" "), *NAMES.split(" ")]


@pytest.mark.parametrize(
    ("code", "problem"),
    [
        # tokens
        ("var a = $", "line 1, column 9: unexpected character '$'"),
        ("var a\n#* open\n", "line 2, column 1: the comment has no end *#"),
        ("var a = 12a", "line 1, column 9: 12a is not a number"),
        ("var a = 0b12", "line 1, column 9: 0b12 is not a number"),
        ("var a = 0x", "line 1, column 9: 0x is not a number"),
        ("var a = 0x10000", "line 1, column 9: 0x10000 does not fit 16 bits"),
        ("var a = 32768", "line 1, column 9: 32768 does not fit 16 bits"),
        ("var a = -32769", "line 1, column 10: -32769 does not fit 16 bits"),
        ("var a = -0x8000", "line 1, column 10: 32768 does not fit 16 bits"),
        ("#* a\n*# var a = ?", "line 2, column 12: unexpected character '?'"),
        # definitions
        ("var _id", "line 1, column 5: there is a variable _id already"),
        ("var a var a", "line 1, column 11: there is a variable a already"),
        ("var FIVE", "line 1, column 5: there is a constant FIVE already"),
        ("const FIVE = 5", "line 1, column 7: there is a constant FIVE already"),
        ("const a = 3\nvar a", "line 2, column 5: there is a constant a already"),
        ("const a = 20000 * 2", "line 1, column 7: constant a: 40000 does not fit 16 bits"),
        ("const a = _id", "line 1, column 11: expected a constant expression"),
        ("const a", "line 1, column 8: expected '=', not the end of the code"),
        ("var if", "line 1, column 5: expected the name of a variable, not 'if'"),
        ("var a[]", "line 1, column 5: variable a has neither a size nor a value"),
        ("var a[0]", "line 1, column 6: an array has at least one word, not 0"),
        ("var a[_id]", "line 1, column 7: expected a constant expression"),
        ("var a[[1, 2]]", "line 1, column 7: expected a constant expression"),
        ("var a[3] = [1, 2]", "line 1, column 10: '=' between 3 and 2 words"),
        ("var a = 1, 2", "line 1, column 7: '=' between 1 and 2 words"),
        ("var a = a", "line 1, column 9: there is no variable a"),
        ("var a\nvar b[512]", "line 2, column 5: variable b does not fit into the node's memory: 512 words, 511 of"),
        ("_id = 1\nvar a", "line 2, column 1: 'var' must precede all statements"),
        # limits of the node
        ("onevent big", "line 1, column 9: event big has 33 arguments, the node accepts 32"),
        ("var a[33]\nemit big a", "line 2, column 6: event big has 33 arguments, the node accepts 32"),
        # names
        ("var left\nlefd = 1", "line 2, column 1: there is no variable lefd; did you mean left?"),
        ("_id = FIVR", "line 1, column 7: there is no variable FIVR; did you mean FIVE?"),
        ("FIVE = 1", "line 1, column 1: FIVE is a constant, it cannot be changed"),
        ("onevent motr", "line 1, column 9: there is no event motr; did you mean motor?"),
        ("emit pear", "line 1, column 6: there is no event pear; did you mean pair?"),
        ("emit motor", "line 1, column 6: event motor is local to the node, code cannot emit it"),
        ("call math.fil(_id, 1)", "line 1, column 6: there is no native function math.fil; did you mean math.fill?"),
        ("callsub one\nsub ome", "line 1, column 9: there is no subroutine one; did you mean ome?"),
        ("onevent motor\nonevent motor", "line 2, column 9: event motor has a handler already, on line 1"),
        ("sub a\nsub a", "line 2, column 5: there is a subroutine a already, on line 1"),
        # sizes and kinds
        ("var a[2]\na = 1", "line 2, column 3: '=' between 2 and 1 words"),
        ("var a[2]\na += 1", "line 2, column 3: '+=' between 2 and 1 words"),
        ("var a[2] = [1, 2] + [1, 2, 3]", "line 1, column 19: '+' between 2 and 3 words"),
        ("var a[2]\na[2] = 1", "line 2, column 3: index 2 is not within a, which has 2 words"),
        ("var a[2]\na[-1] = 1", "line 2, column 4: index -1 is not within a, which has 2 words"),
        ("var a[2]\na[1:2] = [1, 2]", "line 2, column 3: slice 1:2 is not within a, which has 2 words"),
        ("var a[2]\na[1:0] = [1, 2]", "line 2, column 3: slice 1:0 is not within a, which has 2 words"),
        ("var a[2]\na[_id:1] = 1", "line 2, column 3: expected a constant expression"),
        ("var a[2]\na[a] = 1", "line 2, column 3: an index is one number, not 2"),
        ("_id = (1 < 3)", "line 1, column 8: expected a number, not a condition"),
        ("if _id then end", "line 1, column 4: expected a condition, not a number"),
        ("if 0 < _id < 2 then end", "line 1, column 4: expected a number, not a condition"),
        ("if _id == 1 and 2 then end", "line 1, column 17: expected a condition, not a number"),
        ("if acc < [1, 2, 3] then end", "line 1, column 4: a condition compares single numbers, this has 3"),
        ("emit pair _id", "line 1, column 6: event pair has 2 arguments, not 1"),
        ("_emit pair acc", "line 1, column 7: event pair has 2 arguments, not 3"),
        ("call math.fill(_id)", "line 1, column 6: function math.fill has 2 arguments, not 1"),
        ("call _poweroff(1)", "line 1, column 6: function _poweroff has 0 arguments, not 1"),
        ("call math.fill(_id, [1, 2])", "line 1, column 21: value of math.fill has 1 words, not 2"),
        ("call math.add(acc, acc, _id)", "line 1, column 25: src2 of math.add has 3 words, not 1"),
        # values
        ("_id = _id / 0", "line 1, column 11: division by zero"),
        ("_id = 3 % (FIVE - 5)", "line 1, column 9: division by zero"),
        ("_id = abs(-32768)", "line 1, column 7: the absolute value of -32768 does not fit 16 bits"),
        ("while 1 == 1 do _id = 1 end", "line 1, column 1: this loop never ends"),
        ("for _id in 1:3 step 0 do end", "line 1, column 12: a loop with step 0 never ends"),
        ("for _id in 3:1 do end", "line 1, column 12: a loop from 3 to 1 needs a step of the other sign, not 1"),
        (
            "for _id in 1:3 step -1 do end",
            "line 1, column 12: a loop from 1 to 3 needs a step of the other sign, not -1",
        ),
        ("for _id in 0:32767 do end", "line 1, column 12: a loop with step 1 runs within -32768 to 32766, not from 0"),
        ("for acc in 0:2 do end", "line 1, column 9: 'in' between 3 and 1 words"),
        # structure
        ("_id", "line 1, column 4: expected an assignment such as '=', not the end of the code"),
        ("1 = 2", "line 1, column 1: expected a statement, not '1'"),
        ("_id = 1 +", "line 1, column 10: expected a value, not the end of the code"),
        ("_id = (1", "line 1, column 9: expected ')', not the end of the code"),
        ("_id = [1 2]", "line 1, column 10: expected ']', not '2'"),
        ("if _id == 1 do end", "line 1, column 13: expected 'then', not 'do'"),
        ("if _id == 1 then\n", "line 2, column 1: expected a statement, not the end of the code"),
        ("end", "line 1, column 1: expected a statement, not 'end'"),
        ("if _id == 1 then\nonevent motor\nend", "line 2, column 1: expected a statement, not 'onevent'"),
        ("for _id 1:2 do end", "line 1, column 9: expected 'in', not '1'"),
        ("call math.fill _id", "line 1, column 16: expected '(', not '_id'"),
        ("#@needs\n", "line 1, column 1: #@needs names nothing"),
        # memories
        ("sub a\ncallsub b\nsub b\ncallsub a", "line 4, column 9: subroutine a calls itself: a -> b -> a"),
        ("sub a\ncallsub a", "line 2, column 9: subroutine a calls itself: a -> a"),
        (f"_id = {'(1 + ' * 40}_id{')' * 40}", "line 1, column 1: this needs 41 words of stack, the node has 32"),
        (f"onevent tap\ncallsub a\nsub a\n_id = {'(1 + ' * 31}_id{')' * 31}", "line 1, column 9: this needs 33 words"),
        ("var a[511]\nemit pair [1, _id]", "line 2, column 1: intermediate results need 2 words of memory, 1 are free"),
        (f"while _id < 3 do\n{'emit none ' * 700}end", "line 1, column 1: the body of 'while' is too long: a jump"),
        (f"if _id < 3 then _id = 2 else {'emit none ' * 700}end", "line 1, column 1: the body of 'if' is too long"),
    ],
)
def test_error_names_the_problem_and_its_place(code: str, problem: str) -> None:
    with pytest.raises(CompilerError, match=f"^{re.escape(problem)}"):
        compiled(code, EVENTS, CONSTANTS)


@pytest.mark.parametrize(
    "code",
    [
        f"_id = {'(' * 30_000}1{')' * 30_000}",
        f"_id = {'abs ' * 30_000}_id",
        f"_id = _id{'+_id' * 30_000}",
        f"if {'not ' * 30_000}_id == 1 then end",
        f"if _id == 1{' or _id == 1' * 10_000} then end",
        f"_id = {'event.args[' * 10_000}_id{']' * 10_000}",
        f"_id = {'[' * 30_000}1{']' * 30_000}",
        f"{'if _id == 1 then ' * 6000}{'end ' * 6000}",
        f"if _id == 1 then {'elseif _id == 1 then ' * 6000} end",
        f"var a = 1{'+1' * 30_000}",
    ],
)
def test_code_that_is_nested_without_end_is_refused(code: str) -> None:
    with pytest.raises(CompilerError, match="expressions or blocks of the code are nested too deeply"):
        compiled(code, EVENTS, CONSTANTS)


@pytest.mark.parametrize(
    "code",
    [
        f"_id = {'(' * 90}1{')' * 90}",
        f"_id = _id{'+_id' * 200}",
        "_id = 1\n" + f"_id = _id{'+1' * 150}\n" * 20,
        f"if _id == 1 then {'elseif _id == 1 then _id = 2 ' * 100} end",
        "var a = 1" + "".join(f"\nvar a{k} = 1{'+1' * 150}" for k in range(20)),
    ],
)
def test_code_as_deep_as_programs_make_it_is_compiled(code: str) -> None:
    assert compiled(code, EVENTS, CONSTANTS)


def test_error_has_its_place_as_numbers_too() -> None:
    with pytest.raises(CompilerError) as caught:
        compiled("var a\na = b")
    assert (caught.value.line, caught.value.column) == (2, 5)


def test_longest_branch_that_a_jump_can_skip_is_accepted() -> None:
    assert len(compiled(f"if _id < 3 then {'emit none ' * 700}end", EVENTS).bytecode) > 2100


def test_constant_beyond_16_bits_is_an_error() -> None:
    with pytest.raises(CompilerError, match="constant C: 40000 does not fit 16 bits"):
        compiled("", constants={"C": 40000})


def test_variable_that_instructions_cannot_address_is_an_error() -> None:
    description = replace(DESCRIPTION, variables=(Variable("far", 5000),), variables_size=6000)
    with pytest.raises(CompilerError, match="line 1, column 1: variable far lies beyond word 4096"):
        compile_code("far[0] = 1", [], {}, description)


def test_variable_without_words_is_an_error() -> None:
    description = replace(DESCRIPTION, variables=(Variable("nothing", 0),))
    with pytest.raises(CompilerError, match="line 1, column 1: variable nothing has no words"):
        compile_code("nothing = 1", [], {}, description)


def test_subroutine_beyond_the_reach_of_a_call_is_an_error() -> None:
    code = "emit none " * 1400 + "callsub a sub a _id = 1"
    with pytest.raises(CompilerError, match="subroutine a lies at word 4205, calls reach word 4095 at most"):
        compiled(code, EVENTS)


@given(st.lists(st.sampled_from(SOUP), max_size=40).map(" ".join), st.booleans())
def test_any_text_gives_bytecode_or_a_compiler_error(text: str, starts_well: bool) -> None:
    prefix = "var a\nvar v[3]\n" if starts_well else ""
    with suppress(CompilerError):
        assert compiled(prefix + text, EVENTS, CONSTANTS).bytecode
