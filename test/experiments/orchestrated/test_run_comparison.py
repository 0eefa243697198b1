"""Of two runs, the node is found that made the first difference, not those that only passed it on; none is missed."""

import json
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from experiments.orchestrated.run_comparison import first_difference, read_record

Event = dict[str, Any]


def heard(time_ns: int, node: str, topic: str, value: object) -> Event:
    return {
        "way": "in", "time_ns": time_ns, "node": node, "callback": f"on {topic}", "topic": topic, "sha256": str(value),
    }  # fmt: skip


def said(time_ns: int, node: str, topic: str, fields: object, callback: str = "") -> Event:
    return {"way": "out", "time_ns": time_ns, "node": node, "callback": callback, "topic": topic, "fields": fields}


def chain(values: list[float], errors: dict[int, float] | None = None, spoiled: str = "") -> list[str]:
    """Return a run: /world sends /in, /first makes /one of it, /second makes /two; one of them adds errors."""
    events: list[Event] = []
    for number, value in enumerate(values):
        error = (errors or {}).get(number)
        parts = [value, value, value]
        for index, node in enumerate(("/world", "/first", "/second")):
            if node == spoiled and error is not None:
                parts[index:] = [value + error] * len(parts[index:])
        events += [
            said(number, "/world", "/in", {"x": parts[0]}),
            heard(number, "/first", "/in", parts[0]),
            said(number, "/first", "/one", {"x": parts[1]}, "on /in"),
            heard(number, "/second", "/one", parts[1]),
            said(number, "/second", "/two", {"x": [parts[2]]}, "on /one"),
        ]
    return [json.dumps(event) for event in events]


def test_equal_runs_have_no_difference_and_equal_digests() -> None:
    one, other = read_record(chain([1.0, 2.0])), read_record(chain([1.0, 2.0]))
    assert first_difference(one, other) is None
    assert (one.digests(), one.message_count) == (other.digests(), 6)


def test_order_between_topics_is_not_a_difference() -> None:
    lines = [
        json.dumps(event)
        for event in (
            heard(0, "/node", "/in", 1),
            said(0, "/node", "/a", {"x": 1}, "on /in"),
            said(0, "/node", "/b", {"x": 2}, "on /in"),
        )
    ]
    one, other = read_record(lines), read_record([lines[0], lines[2], lines[1]])
    assert first_difference(one, other) is None
    assert one.digests() == other.digests()


@example([-0.0], "/world", {1: 1.0})  # -0.0 + 0.0 is 0.0, another number in JSON
@given(
    st.lists(st.floats(-10.0, 10.0), min_size=1, max_size=8),
    st.sampled_from(["/world", "/first", "/second"]),
    st.dictionaries(st.integers(0, 7), st.floats(1.0, 2.0), min_size=1),
)
def test_culprit_is_the_node_that_differs_on_equal_inputs(
    values: list[float], culprit: str, errors: dict[int, float]
) -> None:
    one, other = read_record(chain(values)), read_record(chain(values, errors, culprit))
    first = min((number for number in errors if number < len(values)), default=None)
    found = first_difference(one, other)
    if first is None:
        assert found is None
    else:
        assert found is not None
        assert (found.node, found.time_ns) == (culprit, first)


def test_words_name_the_field_and_both_values() -> None:
    found = first_difference(read_record(chain([1.0])), read_record(chain([1.0], {0: 0.5}, "/second")))
    assert found is not None
    assert (found.topic, found.callback, found.inputs) == ("/two", "on /one", 1)
    assert found.words == "x[0] is 1.0 in one run, 1.5 in the other"


def test_omitted_output_is_a_difference_of_who_omits_it() -> None:
    lines = chain([1.0])
    found = first_difference(read_record(lines), read_record(lines[:-1]))
    assert found is not None
    assert (found.node, found.words) == ("/second", "it was published in one run, and omitted in the other")


def test_further_message_of_the_data_provider_is_its_difference() -> None:
    lines = chain([1.0])
    more = [*lines, json.dumps(said(1, "/world", "/in", {"x": 3.0}))]
    found = first_difference(read_record(lines), read_record(more))
    assert found is not None
    assert (found.node, found.topic, found.words) == ("/world", "/in", "only one run has such a message")


def test_not_a_number_equals_itself() -> None:
    lines = chain([float("nan")])
    assert first_difference(read_record(lines), read_record(lines)) is None


TIMES_NS = st.integers(0, 2)
FIELDS = st.fixed_dictionaries({}, optional={"x": st.integers(0, 1), "y": st.just(-0.0)})
SHUFFLED: st.SearchStrategy[Event] = st.one_of(
    st.builds(heard, TIMES_NS, st.sampled_from("NM"), st.sampled_from("ab"), st.integers(0, 1)),
    st.builds(said, TIMES_NS, st.just("W"), st.sampled_from("ab"), FIELDS),
    st.builds(said, TIMES_NS, st.sampled_from("NM"), st.sampled_from("bc"), st.just({"x": 1}), st.just("on a")),
)


def lines_of(events: list[Event]) -> list[str]:
    """Return a run in which both nodes have an input before they publish."""
    return [json.dumps(event) for event in (heard(0, "N", "a", 0), heard(0, "M", "a", 0), *events)]


@example(  # inputs in another order, which no node made
    [heard(0, "N", "a", 0), said(0, "N", "c", {"x": 1}, "on a"), heard(0, "N", "b", 0), said(0, "N", "c", {}, "on b")],
    [heard(0, "N", "b", 0), said(0, "N", "c", {}, "on b"), heard(0, "N", "a", 0), said(0, "N", "c", {"x": 1}, "on a")],
)
@example(  # two nodes publish on one topic
    [said(0, "N", "c", {"x": 1}, "on a"), said(0, "M", "c", {}, "on a")],
    [said(0, "M", "c", {}, "on a"), said(0, "N", "c", {"x": 1}, "on a")],
)
@example(  # a callback publishes twice on one topic
    [said(0, "N", "c", {"x": 1}, "on a"), said(0, "N", "c", {}, "on a")], [said(0, "N", "c", {}, "on a")]
)
@example([said(0, "W", "a", {})], [said(0, "W", "a", {"x": 1})])
@given(st.lists(SHUFFLED, max_size=6), st.lists(SHUFFLED, max_size=6) | st.none())
def test_runs_without_a_difference_have_equal_digests(events: list[Event], others: list[Event] | None) -> None:
    again = list(reversed(events)) if others is None else others
    one, other = read_record(lines_of(events)), read_record(lines_of(again))
    assert first_difference(one, one) is None
    assert (first_difference(one, other) is None) <= (one.digests() == other.digests())


def test_words_name_the_input_that_came_in_another_order() -> None:
    events = [heard(3, "/node", "/a", 1), heard(3, "/node", "/b", 1)]
    lines = [json.dumps(event) for event in events]
    found = first_difference(read_record(lines), read_record(lines[::-1]))
    assert found is not None
    assert (found.node, found.topic, found.time_ns, found.is_made) == ("/node", "/a", 3, False)
    assert "/b" in found.words
