"""Of two runs, the node is found that made the first difference, and not those that only passed it on."""

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


def test_order_between_topics_is_no_difference() -> None:
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
def test_culprit_is_who_had_equal_inputs(values: list[float], culprit: str, errors: dict[int, float]) -> None:
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
