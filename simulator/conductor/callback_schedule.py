"""Decides which callback of which node may run next, so that the same inputs give the same order at each node.

When an input is offered, every callback that it will cause is expected, in a fixed order: first those that it
triggers itself, in the order of the nodes, each followed by those that its outputs trigger. A callback may run once
its message has arrived, and once every earlier callback has ended that

- belongs to the same node: a node runs one callback at a time, in this order;
- publishes on one of its topics: messages of a topic keep this order;
- uses one of its services: provider and callers of a service take turns.

What causes a callback comes before it, so some callback can always run. A callback has ended when each of its outputs
was published or reported as omitted; a callback without outputs reports its end. Callbacks that an omitted output
would have caused are no longer expected.

Every message of a synchronizer gets a Status once it was taken, in addition to the outputs of a completed set.
Whether a message completes a set is known when its turn comes: the schedule runs the same synchronizer as the node.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from simulator.conductor.node_model import CallbackModel, NodeModel, SyncTrigger, TimerTrigger
from simulator.errors import ConductorError
from thymio_base.approximate_time_sync import ApproximateTimeSync


@dataclass(slots=True, eq=False)
class ExpectedCallback:
    """A run of a callback, expected or in progress.

    Parameters
    ----------
    node, callback : the callback and its node
    topic : the triggering topic; "" for a timer
    message : its input; None until it has arrived
    owed : outputs neither published nor omitted yet
    caused : callbacks that its outputs cause
    is_running : whether the node has its input
    owes_status : whether it ends with a Status, whatever it publishes
    is_dropped : whether it is no longer expected
    """

    node: NodeModel
    callback: CallbackModel
    topic: str
    message: object | None = None
    owed: set[str] = field(default_factory=set)
    caused: "list[ExpectedCallback]" = field(default_factory=list)
    is_running: bool = False
    owes_status: bool = False
    is_dropped: bool = False

    @property
    def words(self) -> str:
        """Node, callback and owed outputs: "/driver, tick, owes /factory/robot_1/pose"."""
        owes = ", ".join(sorted(self.owed)) or "its Status"
        return f"{self.node.name}, {self.callback.name}, owes {owes}"


class CallbackSchedule:
    """The callbacks of a stack of nodes.

    Parameters
    ----------
    nodes : the stack's nodes; their order decides between equals
    stamp_ns : returns the header stamp of a message on a topic

    Raises
    ------
    ConductorError
        The nodes cannot be scheduled; the message lists all reasons.
    """

    def __init__(self, nodes: Sequence[NodeModel], stamp_ns: "Callable[[str, object], int] | None" = None) -> None:
        self._nodes: Final = list(nodes)
        self._stamp_ns: Final = stamp_ns
        self._syncs: Final[dict[tuple[str, str], ApproximateTimeSync[None]]] = {}
        self._readers: Final[dict[str, list[tuple[NodeModel, CallbackModel]]]] = {}
        for node in nodes:
            for callback in node.callbacks:
                for topic in callback.topics:
                    self._readers.setdefault(topic, []).append((node, callback))
        self._groups: Final = _service_groups(nodes)
        self._expected: list[ExpectedCallback] = []
        problems = list(_problems(self._nodes, self._readers))
        if problems:
            raise ConductorError("\n".join(problems))

    @property
    def is_idle(self) -> bool:
        """Whether no callback is expected."""
        return not self._expected

    @property
    def running(self) -> list[ExpectedCallback]:
        """The callbacks whose nodes have their input."""
        return [one for one in self._expected if one.is_running]

    # Inputs of the data provider

    def may_publish(self, topic: str) -> bool:
        """Whether every message offered on a topic has been read, and no reconfiguration is possible."""
        return not self._may_reconfigure() and not any(one.topic == topic for one in self._expected)

    def may_set_time(self) -> bool:
        """Whether every due timer has been served, and no reconfiguration is possible."""
        is_due = any(isinstance(one.callback.trigger, TimerTrigger) for one in self._expected)
        return not is_due and not self._may_reconfigure()

    def may_change_state(self) -> bool:
        """Whether every callback that changes the data provider has ended, and no reconfiguration is possible."""
        return not self._may_reconfigure() and not any(one.callback.changes_provider for one in self._expected)

    def offer(self, topic: str, message: object) -> None:
        """Expect the callbacks that a message of the data provider causes."""
        for node, callback in self._readers.get(topic, ()):
            self._expect(node, callback, topic).message = message

    def set_time(self, before_ns: int, now_ns: int, message: object) -> None:
        """Expect the timers due after `before_ns` and not after `now_ns`; `message` carries the time to the nodes.

        Raises
        ------
        ConductorError
            Several timers of a node, or one timer twice, fire in this step of time: their order would be unknown.
        """
        for node in self._nodes:
            due = [(callback, _firings(callback, before_ns, now_ns)) for callback in node.timers]
            if sum(count for _, count in due) > 1:
                names = ", ".join(callback.name for callback, count in due if count)
                step = f"from {before_ns} to {now_ns} ns"
                raise ConductorError(f"{node.name}: several timers fire in one step of time, {step}: {names}")
        for node in self._nodes:
            for callback in node.timers:
                if _firings(callback, before_ns, now_ns):
                    self._expect(node, callback, "").message = message

    # Progress

    def start_ready(self) -> Iterator[ExpectedCallback]:
        """Yield the callbacks that may run now, and mark them as running."""
        nodes: set[str] = set()
        topics: set[str] = set()
        groups: set[str] = set()
        for one in list(self._expected):
            if one.is_dropped:
                continue
            own_groups = self._groups.get((one.node.name, one.callback.name), frozenset())
            is_free = one.node.name not in nodes and topics.isdisjoint(one.callback.outputs)
            if one.message is not None and not one.is_running and is_free and groups.isdisjoint(own_groups):
                one.is_running = True
                self._try_set(one)
                yield one
            nodes.add(one.node.name)
            topics.update(one.owed)
            groups.update(own_groups)

    def note_output(self, topic: str, message: object) -> ExpectedCallback:
        """Record a message that a node has published; return the callback that published it.

        Raises
        ------
        ConductorError
            No running callback owes this output.
        """
        publisher = next((one for one in self._expected if one.is_running and topic in one.owed), None)
        if publisher is None:
            text = f"a message on {topic}, which no running callback owes; running: {self._running_words()}"
            raise ConductorError(text + self._hint(topic))
        publisher.owed.discard(topic)
        for one in publisher.caused:
            if one.topic == topic:
                one.message = message
        self._end_if_done(publisher)
        return publisher

    def note_status(self, node_name: str, omitted: Iterable[str]) -> None:
        """Record what a node's callback has omitted; a Status may overtake the callback's own messages.

        Raises
        ------
        ConductorError
            The node runs no callback, or its callback owes no such output.
        """
        runner = next((one for one in self._expected if one.is_running and one.node.name == node_name), None)
        if runner is None:
            raise ConductorError(f"a Status of {node_name}, which runs no callback; running: {self._running_words()}")
        left_out = set(omitted)
        unknown = sorted(left_out - (set(runner.callback.outputs) if runner.owes_status else runner.owed))
        if unknown:
            raise ConductorError(f"{runner.words}; its Status omits {', '.join(unknown)}")
        if runner.callback.outputs and not left_out and not runner.owes_status:
            raise ConductorError(f"{runner.words}; its Status omits nothing")
        runner.owes_status = False
        self._omit(runner, left_out)
        if not runner.owed:
            self._expected.remove(runner)

    def _try_set(self, one: ExpectedCallback) -> None:
        """Feed a message to its synchronizer; if it completes no set, it causes nothing but a Status."""
        trigger = one.callback.trigger
        if not isinstance(trigger, SyncTrigger) or self._stamp_ns is None:
            return
        key = one.node.name, one.callback.name
        if key not in self._syncs:
            self._syncs[key] = ApproximateTimeSync(len(trigger.topics), trigger.queue_size, trigger.slop_s)
        stamp_ns = self._stamp_ns(one.topic, one.message)
        if self._syncs[key].add(trigger.topics.index(one.topic), stamp_ns, None) is None:
            self._omit(one, set(one.owed))

    def _omit(self, one: ExpectedCallback, left_out: set[str]) -> None:
        """Stop expecting outputs and everything they would have caused."""
        one.owed -= left_out
        for effect in one.caused:
            if effect.topic in left_out and not effect.is_dropped:
                self._drop(effect)

    def _may_reconfigure(self) -> bool:
        return any(one.callback.may_reconfigure for one in self._expected)

    def _hint(self, topic: str) -> str:
        """Return a likely cause if a running callback of a synchronizer publishes on a topic without owing it."""
        is_synced = any(one.owes_status and topic in one.callback.outputs for one in self.running)
        return (
            "; its synchronizer has called back where that of message_filters in Python does not" if is_synced else ""
        )

    def _expect(self, node: NodeModel, callback: CallbackModel, topic: str) -> ExpectedCallback:
        """Expect a callback and everything that it will cause."""
        first = _expected(node, callback, topic)
        waiting = deque([first])
        while waiting:
            one = waiting.popleft()
            self._expected.append(one)
            for output in one.callback.outputs:
                for reader, caused in self._readers.get(output, ()):
                    effect = _expected(reader, caused, output)
                    one.caused.append(effect)
                    waiting.append(effect)
        return first

    def _end_if_done(self, one: ExpectedCallback) -> None:
        if not one.owed and one.callback.outputs and not one.owes_status:
            self._expected.remove(one)

    def _drop(self, one: ExpectedCallback) -> None:
        """Stop expecting a callback and everything it would have caused."""
        for effect in one.caused:
            if not effect.is_dropped:
                self._drop(effect)
        one.is_dropped = True
        self._expected.remove(one)

    def _running_words(self) -> str:
        return "; ".join(one.words for one in self.running) or "none"


def _expected(node: NodeModel, callback: CallbackModel, topic: str) -> ExpectedCallback:
    is_synced = isinstance(callback.trigger, SyncTrigger)
    return ExpectedCallback(node, callback, topic, owed=set(callback.outputs), owes_status=is_synced)


def _firings(callback: CallbackModel, before_ns: int, now_ns: int) -> int:
    """Return how often a timer fires after `before_ns` and not after `now_ns`."""
    trigger = callback.trigger
    return now_ns // trigger.period_ns - before_ns // trigger.period_ns if isinstance(trigger, TimerTrigger) else 0


def _service_groups(nodes: Sequence[NodeModel]) -> dict[tuple[str, str], frozenset[str]]:
    """Return the services that each callback (node, callback) takes turns for."""
    found: dict[tuple[str, str], frozenset[str]] = {}
    called = {service for node in nodes for callback in node.callbacks for service in callback.service_calls}
    for node in nodes:
        provided = called.intersection(node.services)
        for callback in node.callbacks:
            found[(node.name, callback.name)] = frozenset(provided.union(callback.service_calls))
    return found


def _problems(nodes: Sequence[NodeModel], readers: dict[str, list[tuple[NodeModel, CallbackModel]]]) -> Iterator[str]:
    names = [node.name for node in nodes]
    for name in sorted({name for name in names if names.count(name) > 1}):
        yield f"{name} is the name of several nodes"
    provided = {service for node in nodes for service in node.services}
    for node in nodes:
        callback_names = [callback.name for callback in node.callbacks]
        for name in sorted({name for name in callback_names if callback_names.count(name) > 1}):
            yield f"{node.name}: {name} is the name of several callbacks"
        for topic in node.stamped_inputs:
            triggered = [callback.name for callback in node.callbacks if topic in callback.topics]
            if len(triggered) > 1:
                yield f"{node.name}: {topic} of a synchronizer triggers several callbacks: {', '.join(triggered)}"
        periods = [callback.trigger.period_ns for callback in node.timers if isinstance(callback.trigger, TimerTrigger)]
        if len(set(periods)) < len(periods):
            yield f"{node.name}: two timers have the same period, so that their order is unknown"
        for callback in node.callbacks:
            for service in callback.service_calls:
                if service not in provided:
                    yield f"{node.name}, {callback.name}: no node provides the service {service}"
    yield from _rings(nodes, readers)


def _rings(nodes: Sequence[NodeModel], readers: dict[str, list[tuple[NodeModel, CallbackModel]]]) -> Iterator[str]:
    """Yield the first ring of topics in which messages would cause each other forever."""
    checked: set[str] = set()

    def ring(topic: str, way: list[str]) -> list[str] | None:
        if topic in way:
            return [*way[way.index(topic) :], topic]
        if topic in checked:
            return None
        for _, callback in readers.get(topic, ()):
            for output in callback.outputs:
                found = ring(output, [*way, topic])
                if found is not None:
                    return found
        checked.add(topic)
        return None

    for topic in readers:
        found = ring(topic, [])
        if found is not None:
            ways = " > ".join(found)
            yield f"messages would cause each other for ever: {ways}; let one of the nodes publish by a timer"
            return
