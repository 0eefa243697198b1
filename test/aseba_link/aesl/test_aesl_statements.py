"""What statements of the Aseba language do, on the simulated Thymio."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aseba_link.wire.message import MessageType
from harness.aseba.script_run import DESCRIPTION, OWN_START, compiled, run


@pytest.mark.parametrize(("value", "branch"), [(1, 10), (2, 20), (3, 30), (4, 40)])
def test_only_the_first_branch_whose_condition_holds_is_taken(value: int, branch: int) -> None:
    done = run(
        f"var a = {value}\nvar x\n"
        "if a == 1 then x = 10 elseif a <= 2 then x = 20 elseif a <= 3 then x = 30 else x = 40 end"
    )
    assert done.variables()["x"] == [branch]


def test_empty_branch_does_nothing() -> None:
    done = run("var a = 1\nif a == 1 then end\nwhen a == 1 do end\nwhile a == 1 do end\nif a == 1 then else end\na = 2")
    assert done.variables() == {"a": [2]}


def test_when_acts_each_time_its_condition_becomes_true() -> None:
    done = run("var count = 0\nonevent e\nwhen event.args[0] > 2 do count++ end", events={"e": 1})
    for value in (1, 3, 4, 2, 5, 5, 0):
        done.raise_event(0, [value])
    assert done.variables() == {"count": [2]}


@given(count=st.integers(0, 20))
def test_while_repeats_as_long_as_its_condition_holds(count: int) -> None:
    done = run(f"var n = {count}\nvar sum = 0\nwhile n > 0 do sum += n n-- end")
    assert done.variables() == {"n": [0], "sum": [count * (count + 1) // 2]}


@pytest.mark.parametrize(
    ("head", "turns"),
    [
        ("1:4", [1, 2, 3, 4]),
        ("-2:0", [-2, -1, 0]),
        ("0:7 step 3", [0, 3, 6]),
        ("5:1 step -2", [5, 3, 1]),
        ("3:3", [3]),
        ("3:3 step -1", [3]),
        ("C:C + 2", [-5, -4, -3]),
    ],
)
def test_for_includes_both_ends(head: str, turns: list[int]) -> None:
    done = run(f"var i\nvar n = 0\nvar seen[8]\nfor i in {head} do seen[n] = i n++ end", constants={"C": -5})
    assert done.variables()["seen"][: done.variables()["n"][0]] == turns


def test_counter_of_a_for_can_be_an_element() -> None:
    done = run("var i[2] = [0, 1]\nvar n = 0\nfor i[1] in 1:3 do n += i[1] end")
    assert done.variables()["n"] == [6]


def test_variables_have_values_from_their_declarations() -> None:
    done = run(
        "const SIZE = 2 * 2 - 1\nvar a[SIZE] = [1, 2, 3]\nvar b[] = [a[1:2], 9]\nvar c = a[0] + b[2]\n"
        "var old[2] = -3, 4\nvar single[1] = 5"
    )
    assert done.variables() == {"a": [1, 2, 3], "b": [2, 3, 9], "c": [10], "old": [-3, 4], "single": [5]}


def test_own_variables_follow_those_of_the_node_in_the_order_of_the_code() -> None:
    done = run("var a = 1\nvar b[2] = [2, 3]\nvar c = 4")
    assert done.memory(OWN_START + 4)[OWN_START:] == (1, 2, 3, 4)


def test_handlers_run_for_their_events() -> None:
    done = run(
        "var last = 0\nonevent zulu\nlast = event.args[0]\nonevent alpha\nlast = -1",
        events={"zulu": 1, "alpha": 0},
    )
    done.raise_event(0, [42])
    assert done.variables()["last"] == [42]
    done.raise_event(1)
    assert done.variables()["last"] == [-1]


def test_events_are_emitted_with_their_rank_and_arguments() -> None:
    done = run(
        "var a = 1\nvar b = 2\nvar c[3] = [3, 4, 5]\nvar i = 1\n"
        "emit none\nemit two [a, b]\nemit two [b, a]\nemit two c[1:2]\nemit two c[0:1] + [a, b]\nemit one c[i]\n"
        "emit one -c[2]\nemit one 7\n_emit two a",
        events={"none": 0, "one": 1, "two": 2},
    )
    two = [(2, args) for args in ((1, 2), (2, 1), (4, 5), (4, 6))]
    one = [(1, args) for args in ((4,), (-5,), (7,))]
    assert done.emitted == [(0, ()), *two, *one, (2, (1,))]


def test_subroutines_return_to_where_they_are_called() -> None:
    done = run(
        "var trace[6] = [0, 0, 0, 0, 0, 0]\nvar n = 0\ncallsub outer\ntrace[n] = 9\n"
        "sub inner\ntrace[n] = 2 n++\nif n > 1 then return end\ntrace[n] = 99 n++\n"
        "sub outer\ntrace[n] = 1 n++\ncallsub inner\ntrace[n] = 3 n++\ncallsub nothing\nsub nothing"
    )
    assert done.variables()["trace"] == [1, 2, 3, 9, 0, 0]


def test_subroutine_that_ends_with_a_return_in_a_branch_also_returns_past_that_branch() -> None:
    done = run("var a = 0\nvar b = 0\ncallsub one\nsub one\nif a == 1 then return end\nsub two\nb = 1")
    assert done.variables() == {"a": [0], "b": [0]}


def test_return_ends_a_handler() -> None:
    done = run("var a = 1\nonevent e\na = 2\nif a == 2 then return end\na = 3", events={"e": 0})
    done.raise_event(0)
    assert done.variables() == {"a": [2]}


def test_native_functions_get_the_addresses_of_variables() -> None:
    done = run(
        "var a[3] = [3, 1, 2]\nvar b[3]\ncall math.sort(a)\ncall math.copy(b[0:1], a[1:2])\ncall math.fill(b[2], a[2])"
    )
    assert done.variables() == {"a": [1, 2, 3], "b": [2, 3, 3]}


def test_native_functions_get_computed_values() -> None:
    done = run(
        "var a[2] = [1, 2]\nvar i = 1\nvar x[2]\nvar dot\ncall math.add(x, a * [10, 10], [i, i + 1])\n"
        "call math.dot(dot, a, [3, 4], 0)\ncall math.fill(a[i], -(5))\ncall math.copy(a[i - 1], x[i])"
    )
    assert done.variables() == {"a": [22, -5], "i": [1], "x": [11, 22], "dot": [11]}


def test_index_of_an_element_that_a_native_function_gets_is_checked() -> None:
    done = run("var a[2]\nvar i = 2\ncall math.fill(a[i], 1)")
    assert done.faults == [MessageType.ARRAY_ACCESS_OUT_OF_BOUNDS]


def test_native_functions_do_not_change_values_passed_to_them() -> None:
    done = run("var a[2] = [2, 1]\ncall math.sort([a[0], a[1]])\ncall math.sort(a + [0, 0])")
    assert done.variables() == {"a": [2, 1]}


def test_comments_are_ignored() -> None:
    done = run("var a = 1 # a = 2\n#* a = 3\n a = 4 *# a += 1 #** a = 5 **#\n#")
    assert done.variables() == {"a": [2]}


def test_names_may_have_dots_and_letters_of_all_alphabets() -> None:
    assert run("var λ.µ_1 = 3\nvar _x = λ.µ_1").variables() == {"λ.µ_1": [3], "_x": [3]}


def test_code_that_does_nothing_has_no_handlers() -> None:
    assert compiled("var a\nonevent motor\nsub s\na = 1").bytecode == (1,)


def test_uncalled_subroutine_costs_nothing() -> None:
    assert compiled("var a\na = 1\nsub s\na = 2").bytecode == compiled("var a\na = 1").bytecode


def test_event_table_holds_user_events_local_events_and_the_start() -> None:
    code = "var a = 1\nonevent motor\na = 2\nonevent zulu\na = 3\nonevent button.backward\na = 4"
    table = compiled(code, {"alpha": 0, "zulu": 0}).bytecode
    names = [event.name for event in DESCRIPTION.local_events]
    ranks = [names.index(name) for name in ("motor", "button.backward")]
    assert sorted(table[1 : table[0] : 2]) == sorted([1, 0xFFFF, *(0xFFFE - rank for rank in ranks)])


def test_long_sum_needs_little_stack() -> None:
    terms = 200
    assert run(f"var a = 3\na = {' + '.join(['a'] * terms)}").variables() == {"a": [3 * terms]}


def test_intermediate_results_may_use_all_remaining_memory() -> None:
    room = DESCRIPTION.variables_size - OWN_START - 4
    done = run(f"var a[2] = [1, 2]\nvar b[2]\nvar rest[{room - 2}]\nb = [b[1], b[0]]\ncall math.add(b, a, [5, 6])")
    assert done.variables()["b"] == [6, 8]
