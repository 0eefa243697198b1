"""Compares the records of two runs of a stack, and finds the node that made the first difference; pure, without ROS.

In equal runs, the order of messages may differ between topics, but not on one topic or at one node. So topics are
compared one by one, and a node made a difference if all its previous inputs were equal. If no node did, then the first
inputs that differ are the difference, or else the order of two nodes' messages on one topic.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, zip_longest
from typing import Any

from thymio_base.texts.json_text import own_json


@dataclass(slots=True)
class Step:
    """One callback of a node, or one message of the data provider, whose `trigger` is "".

    Parameters
    ----------
    trigger : topic that triggered it
    digest : SHA-256 of the triggering message's fields
    outputs : fields of the published messages in order, by topic
    """

    time_ns: int
    callback: str
    trigger: str = ""
    digest: str = ""
    outputs: dict[str, list[Any]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RunRecord:
    """The steps of each node and the messages on each topic in a run, each in order."""

    steps: Mapping[str, Sequence[Step]]
    messages: Mapping[str, Sequence[Any]]

    @property
    def message_count(self) -> int:
        """Number of messages on all topics."""
        return sum(map(len, self.messages.values()))

    def digests(self) -> dict[str, str]:
        """Return the SHA-256 of each topic, over the fields of all its messages."""
        found: dict[str, str] = {}
        for topic in sorted(self.messages):
            text = "\n".join(json.dumps(message) for message in self.messages[topic])
            found[topic] = hashlib.sha256(text.encode()).hexdigest()
        return found


@dataclass(frozen=True, slots=True)
class Difference:
    """The first difference between two runs.

    Parameters
    ----------
    time_ns : simulated time of the callback that made it
    node, callback : node and callback that made it; node is "" if the order of several nodes' messages differs
    topic : topic of the message that differs
    words : the difference in words
    inputs : number of equal inputs of the node before it
    is_made : whether the node made it; otherwise it received other inputs, or in another order
    """

    time_ns: int
    node: str
    callback: str
    topic: str
    words: str
    inputs: int
    is_made: bool = True


def read_record(lines: Iterable[str]) -> RunRecord:
    """Return the record in lines written by the simulator."""
    steps: dict[str, list[Step]] = {}
    messages: dict[str, list[Any]] = {}
    for line in lines:
        event = own_json(line)
        own = steps.setdefault(event["node"], [])
        if event["way"] == "in":
            own.append(Step(event["time_ns"], event["callback"], event["topic"], event["sha256"]))
            continue
        messages.setdefault(event["topic"], []).append(event["fields"])
        if not event["callback"]:
            own.append(Step(event["time_ns"], ""))
        own[-1].outputs.setdefault(event["topic"], []).append(event["fields"])
    return RunRecord(steps, messages)


def first_difference(one: RunRecord, other: RunRecord) -> Difference | None:
    """Return the first difference between two runs; None if their digests, and the inputs of all nodes, are equal."""
    found = [_difference_of(node, one, other) for node in sorted({*one.steps, *other.steps})]
    differences = [difference for difference in found if difference is not None]
    first = min(differences, key=lambda difference: (not difference.is_made, difference.time_ns), default=None)
    return first or _order_difference(one, other)


def _difference_of(node: str, one: RunRecord, other: RunRecord) -> Difference | None:
    """Return the first difference at a node; None if there is none."""
    inputs = 0
    for left, right in zip_longest(one.steps.get(node, ()), other.steps.get(node, ())):
        if left is None or right is None:
            return _length_difference(node, left or right, inputs)
        if (left.callback, left.trigger, left.digest) != (right.callback, right.trigger, right.digest):
            words = f"it is {_input_words(left)} in one run, {_input_words(right)} in the other"
            return Difference(left.time_ns, node, left.callback, left.trigger, words, inputs, is_made=False)
        inputs += bool(left.trigger)
        for topic in sorted({*left.outputs, *right.outputs}):
            if output_words := _words(left.outputs.get(topic, ()), right.outputs.get(topic, ())):
                return Difference(left.time_ns, node, left.callback, topic, output_words, inputs)
    return None


def _length_difference(node: str, step: Step, inputs: int) -> Difference | None:
    """Return a data provider's message, or an input of another node, that only one run has."""
    if step.trigger:
        words = "only one run has such an input"
        return Difference(step.time_ns, node, step.callback, step.trigger, words, inputs, is_made=False)
    (topic,) = step.outputs
    return Difference(step.time_ns, node, "", topic, "only one run has such a message", inputs)


def _input_words(step: Step) -> str:
    return f"{step.trigger} with SHA-256 {step.digest[:8]} for callback {step.callback!r}"


def _order_difference(one: RunRecord, other: RunRecord) -> Difference | None:
    """Return the first difference on a topic on which several nodes publish equal messages in different order."""
    times_ns = {
        id(fields): step.time_ns
        for steps in one.steps.values()
        for step in steps
        for fields in chain.from_iterable(step.outputs.values())
    }
    for topic in sorted({*one.messages, *other.messages}):
        for left, right in zip_longest(one.messages.get(topic, ()), other.messages.get(topic, ())):
            if words := _first_unequal("", left, right):
                return Difference(times_ns.get(id(left), 0), "", "", topic, words, 0, is_made=False)
    return None


def _words(left: Sequence[Any], right: Sequence[Any]) -> str | None:
    for pair in zip_longest(left, right):
        found = _first_unequal("", *pair)
        if found is not None:
            return "it was published in one run, and omitted in the other" if None in pair else found
    return None


def _first_unequal(path: str, left: Any, right: Any) -> str | None:
    """Return the first part that differs between two messages, and how; None if they are equal."""
    if isinstance(left, dict) and isinstance(right, dict) and list(left) == list(right):
        parts = ((f"{path}.{name}" if path else name, left[name], right[name]) for name in left)
    elif isinstance(left, list) and isinstance(right, list) and len(left) == len(right):
        parts = ((f"{path}[{index}]", *pair) for index, pair in enumerate(zip(left, right, strict=True)))
    else:
        same = json.dumps(left) == json.dumps(right)  # two NaN are the same here
        return None if same else f"{path} is {json.dumps(left)} in one run, {json.dumps(right)} in the other"
    return next((found for found in (_first_unequal(*part) for part in parts) if found is not None), None)
