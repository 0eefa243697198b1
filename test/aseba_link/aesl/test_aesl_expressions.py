"""The values of expressions of the Aseba language, on the simulated Thymio."""

import operator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aseba_link.wire.message import MessageType
from harness.aseba.script_run import run

words = st.integers(-0x8000, 0x7FFF)


def signed(value: int) -> int:
    return ((value + 0x8000) & 0xFFFF) - 0x8000


@pytest.mark.parametrize(
    ("expression", "result"),
    [
        ("7", 7),
        ("-32768", -32768),
        ("0x7f", 127),
        ("0xffff", -1),
        ("-0xffff", 1),
        ("0b101", 5),
        ("007", 7),
        ("2 + 3 * 4", 14),
        ("(2 + 3) * 4", 20),
        ("20 - 5 - 3", 12),
        ("100 / 5 / 2", 10),
        ("1 << 2 + 1", 8),
        ("1 | 6 ^ 3 & 2", 5),
        ("7 % 4 * 2", 6),
        ("-2 * -3", 6),
        ("- -3", 3),
        ("~5", -6),
        ("-(3)", -3),
        ("abs(-3)", 3),
        ("abs -3", 3),
        ("-7 / 3", -2),
        ("-7 % 3", -1),
        ("30000 + 30000", -5536),
        ("30000 * 4 / 8", 15000),  # constants have 32 bits until the result
        ("C - 1", -6),
        ("seven + 1", 8),
        ("list[1]", 20),
        ("list[seven - 5]", 30),
        ("list[C + 5]", 10),
    ],
)
def test_expression_has_the_value_of_its_closed_form(expression: str, result: int) -> None:
    done = run(f"var seven = 7\nvar list[3] = [10, 20, 30]\nvar x = {expression}", constants={"C": -5})
    assert done.variables()["x"] == [result]


@pytest.mark.parametrize(
    ("sign", "result"),
    [
        ("+", operator.add),
        ("-", operator.sub),
        ("*", operator.mul),
        ("|", operator.or_),
        ("^", operator.xor),
        ("&", operator.and_),
    ],
)
@given(left=words, right=words)
def test_arithmetic_wraps_at_16_bits(sign: str, result: object, left: int, right: int) -> None:
    assert callable(result)
    done = run(f"var a = {left}\nvar b = {right}\nvar x = a {sign} b\nvar y = {left} {sign} b\na {sign}= b")
    expected = [signed(result(left, right))]
    assert done.variables() == {"a": expected, "b": [right], "x": expected, "y": expected}


@given(left=words, right=words.filter(bool))
def test_quotient_is_rounded_towards_zero_and_the_remainder_has_the_sign_of_the_dividend(left: int, right: int) -> None:
    done = run(f"var a = {left}\nvar b = {right}\nvar q = a / b\nvar r = a % b")
    quotient = abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)
    assert done.variables()["q"] == [signed(quotient)]
    assert done.variables()["r"] == [left - right * quotient]


@given(value=words, exponent=st.integers(0, 14))
def test_quotient_by_a_literal_power_of_two_is_rounded_down_as_by_aseba(value: int, exponent: int) -> None:
    assert run(f"var a = {value}\na /= {2**exponent}").variables() == {"a": [value >> exponent]}


@given(value=words, count=st.integers(0, 15))
def test_shifts_are_arithmetic(value: int, count: int) -> None:
    done = run(f"var a = {value}\nvar n = {count}\nvar l = a << n\nvar r = a >> n\na >>= {count}\nn <<= 1")
    down = [value >> count]
    assert done.variables() == {"a": down, "n": [2 * count], "l": [signed(value << count)], "r": down}


@pytest.mark.parametrize(
    ("sign", "holds"),
    [
        ("==", operator.eq),
        ("!=", operator.ne),
        ("<", operator.lt),
        ("<=", operator.le),
        (">", operator.gt),
        (">=", operator.ge),
    ],
)
@given(left=st.integers(-2, 2) | words, right=st.integers(-2, 2) | words)
def test_comparison_decides_between_branches(sign: str, holds: object, left: int, right: int) -> None:
    assert callable(holds)
    done = run(
        f"var a = {left}\nvar b = {right}\nvar x[4] = [0, 0, 0, 0]\n"
        f"if a {sign} b then x[0] = 1 else x[0] = 2 end\n"
        f"if not a {sign} b then x[1] = 1 else x[1] = 2 end\n"
        f"if {left} {sign} {right} then x[2] = 1 else x[2] = 2 end\n"
        f"if a {sign} {right} then else x[3] = 1 end"
    )
    expected = [1, 2, 1, 0] if holds(left, right) else [2, 1, 2, 1]
    assert done.variables()["x"] == expected


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        ("t == 1 and f == 1", False),
        ("t == 1 or f == 1", True),
        ("f == 1 and f == 1 or t == 1", True),
        ("f == 1 and (f == 1 or t == 1)", False),
        ("not t == 1 or t == 1", True),
        ("not (t == 1 or f == 1)", False),
        ("not not t == 1", True),
        ("not (not (t == 1 and f == 0) or f == 1)", True),
        ("1 == 1 and t == 1", True),
        ("1 == 2 or f == 1", False),
        ("1 == 2 and t == 1", False),
        ("f == 1 or 1 == 1", True),
        ("not 1 == 1", False),
    ],
)
def test_conditions_are_combined(condition: str, holds: bool) -> None:
    done = run(f"var t = 1\nvar f = 0\nvar x = 0\nif {condition} then x = 1 end")
    assert done.variables()["x"] == [int(holds)]


def test_both_sides_of_and_are_evaluated() -> None:
    done = run("var list[2] = [1, 1]\nvar i = 2\nif i < 2 and list[i] == 1 then i = 0 end")
    assert done.faults == [MessageType.ARRAY_ACCESS_OUT_OF_BOUNDS]


def test_vectors_are_computed_element_by_element() -> None:
    done = run("var a[3] = [1, 2, 3]\nvar b[3] = [10, 20, 30]\nvar x[3] = a + b * [2, 2, 2] - -a\na *= b\nb++\nx = -x")
    assert done.variables() == {"a": [10, 40, 90], "b": [11, 21, 31], "x": [-22, -44, -66]}


def test_slices_are_read_and_written() -> None:
    done = run("var a[5] = [1, 2, 3, 4, 5]\nvar b[2] = a[3:4]\na[0:1] = a[2:3] * [10, 10]\na[4:4] = 7")
    assert done.variables() == {"a": [30, 40, 3, 4, 7], "b": [4, 5]}


@pytest.mark.parametrize(
    ("assignment", "result"),
    [
        ("a = [a[1], a[0], a[2]]", [2, 1, 3]),
        ("a[1:2] = a[0:1]", [1, 1, 2]),
        ("a[0:1] = a[1:2]", [2, 3, 3]),
        ("a = [a[2], a[i], a[i + 1]]", [3, 1, 2]),
        ("a += a", [2, 4, 6]),
        ("a = [a[0:1], a[0]] + a", [2, 4, 4]),
    ],
)
def test_values_are_computed_before_any_is_written(assignment: str, result: list[int]) -> None:
    assert run(f"var a[3] = [1, 2, 3]\nvar i = 0\n{assignment}").variables()["a"] == result


def test_elements_are_written_at_a_computed_index() -> None:
    done = run("var a[4] = [0, 0, 0, 0]\nvar i = 1\na[i] = 5\na[i + 1] += 7\na[a[2] - 4]--\na[i * 2] <<= 1")
    assert done.variables()["a"] == [0, 5, 14, -1]


@pytest.mark.parametrize("index", [-1, 3, 32767])
def test_element_beyond_an_array_is_a_run_time_error(index: int) -> None:
    done = run(f"var a[3]\nvar i = {index}\nvar after = 1\na[i] = 1\nafter = 2")
    assert done.faults == [MessageType.ARRAY_ACCESS_OUT_OF_BOUNDS]
    assert done.variables()["after"] == [1]


@pytest.mark.parametrize("value", ["1 / a", "1 % a", "a % 0"])
def test_division_by_a_variable_that_is_zero_is_a_run_time_error(value: str) -> None:
    assert run(f"var a = 0\na = {value}").faults == [MessageType.DIVISION_BY_ZERO]
