"""Never a Status too many, never one too few."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fleet.ros.orchestrated.completion import Completion, CompletionError
from harness.budgets import examples

TOPICS = [f"/topic_{number}" for number in range(6)]


@given(st.lists(st.sampled_from(TOPICS), unique=True), st.data())
@settings(max_examples=examples(500))
def test_status_names_what_was_declared_and_not_published(declared: list[str], data: st.DataObject) -> None:
    published = data.draw(st.lists(st.sampled_from(declared), unique=True)) if declared else []
    said: list[list[str]] = []
    completion = Completion({"tick": declared}, said.append)
    completion.begin("tick")
    for topic in published:
        completion.note(topic)
    completion.end()
    omitted = [topic for topic in declared if topic not in published]
    assert said == ([omitted] if omitted or not declared else [])


def test_undeclared_topics_do_not_matter() -> None:
    said: list[list[str]] = []
    completion = Completion({"tick": ["/a"]}, said.append)
    completion.begin("tick")
    completion.note("/rosout")
    completion.note("/a")
    completion.end()
    assert said == []


def test_end_without_a_callback_says_nothing() -> None:
    said: list[list[str]] = []
    Completion({"tick": []}, said.append).end()
    assert said == []


def test_second_message_on_a_topic_is_an_error() -> None:
    completion = Completion({"tick": ["/a"]}, lambda _: None)
    completion.begin("tick")
    completion.note("/a")
    with pytest.raises(CompletionError, match="callback 'tick' publishes twice on /a"):
        completion.note("/a")


def test_output_of_another_callback_is_an_error() -> None:
    completion = Completion({"tick": ["/a"], "bytes": []}, lambda _: None)
    completion.begin("bytes")
    with pytest.raises(CompletionError, match="callback 'bytes' publishes on /a, which it does not declare"):
        completion.note("/a")


def test_message_while_no_callback_runs_is_an_error() -> None:
    with pytest.raises(CompletionError, match="a message on /a while no callback runs"):
        Completion({"tick": ["/a"]}, lambda _: None).note("/a")


def test_callback_of_a_synchronizer_always_says_when_it_has_ended() -> None:
    said: list[list[str]] = []
    completion = Completion({"both": ["/a"], "tick": ["/a"]}, said.append, ["both"])
    for callback in ("both", "tick"):
        completion.begin(callback)
        completion.note("/a")
        completion.end()
    completion.begin("both")
    completion.end()
    assert said == [[], ["/a"]]
