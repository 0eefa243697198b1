"""Which callback of which node may run next, so that each run of the same inputs has the same order at each node.

When an input is offered, every callback that it will cause is expected, in one order: first those that it triggers
itself, in the order of the nodes, each followed by those that its outputs trigger. A callback may run once its message
is there and each earlier one has ended

- at the same node: it runs one callback at a time, in this order;
- that publishes on a topic on which it publishes, too: messages of one topic come in this order;
- that uses a service which it uses, too: provider and callers of a service take turns.

All of these are earlier, and what causes a callback is earlier, so some callback can always run. A callback has ended
when each of its outputs was published, or was said to be omitted; one without outputs says when it has ended. What an
omitted output would have caused is expected no more.

Messages of a synchronizer each have a Status when they were taken, beside the outputs of those that complete a set.
Whether one does is known once it is its turn: the schedule has the same synchronizer as the node.
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
    """One run of a callback that is expected, or running.

    Parameters
    ----------
    node, callback : whose it is
    topic : that triggers it; "" for a timer
    message : its input; None until it is there
    owed : outputs that were neither published nor omitted
    caused : by its outputs
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
        """Who it is, and what it owes: "/driver, tick, owes /factory/robot_1/pose"."""
        owes = ", ".join(sorted(self.owed)) or "its Status"
        return f"{self.node.name}, {self.callback.name}, owes {owes}"


class CallbackSchedule:
    """The callbacks of a stack of nodes.

    Parameters
    ----------
    nodes : in the order that decides between equals
    stamp_ns : returns the stamp of the header of a message, by its topic

    Raises
    ------
    ConductorError
        The nodes cannot be scheduled; the message lists all reasons.
    """

    def __init__(self, nodes: Sequence[NodeModel], stamp_ns: "Callable[[str, object], int] | None" = None) -> None:
        self._nodes: Final = list(nodes)
        self._stamp_ns: Final = stamp_ns
        self._syncs: Final[dict[CallbackModel, ApproximateTimeSync[None]]] = {}
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
        """Whether nothing is expected."""
        return not self._expected

    @property
    def running(self) -> list[ExpectedCallback]:
        """The callbacks whose nodes have their input."""
        return [one for one in self._expected if one.is_running]

    # Inputs of the data provider

    def may_publish(self, topic: str) -> bool:
        """Whether every message that was offered on a topic has been read, and the stack stays as it is."""
        return not self._may_reconfigure() and not any(one.topic == topic for one in self._expected)

    def may_set_time(self) -> bool:
        """Whether every timer that was due has been served, and the stack stays as it is."""
        is_due = any(isinstance(one.callback.trigger, TimerTrigger) for one in self._expected)
        return not is_due and not self._may_reconfigure()

    def may_change_state(self) -> bool:
        """Whether every callback that changes the data provider's state has ended, and the stack stays as it is."""
        return not self._may_reconfigure() and not any(one.callback.changes_provider for one in self._expected)

    def offer(self, topic: str, message: object) -> None:
        """Expect what a message of the data provider causes."""
        for node, callback in self._readers.get(topic, ()):
            self._expect(node, callback, topic).message = message

    def set_time(self, before_ns: int, now_ns: int, message: object) -> None:
        """Expect the timers that are due after `before_ns` and not after `now_ns`; `message` tells nodes the time.

        Raises
        ------
        ConductorError
            A node has two timers, or one timer twice, in this step of time: their order would be unknown.
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

    # What happens

    def start_ready(self) -> Iterator[ExpectedCallback]:
        """Yield the callbacks that may run now; they count as running."""
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
        """Note a message that a node has published; return the callback that did.

        Raises
        ------
        ConductorError
            No running callback owes it.
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
        """Note what a node's callback has not published; a Status may overtake what it has.

        Raises
        ------
        ConductorError
            The node runs no callback, or the callback owes no such output.
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
        """Try whether a message completes a set of its synchronizer; if not, it causes nothing but a Status."""
        trigger = one.callback.trigger
        if not isinstance(trigger, SyncTrigger) or self._stamp_ns is None:
            return
        if one.callback not in self._syncs:
            self._syncs[one.callback] = ApproximateTimeSync(len(trigger.topics), trigger.queue_size, trigger.slop_s)
        stamp_ns = self._stamp_ns(one.topic, one.message)
        if self._syncs[one.callback].add(trigger.topics.index(one.topic), stamp_ns, None) is None:
            self._omit(one, set(one.owed))

    def _omit(self, one: ExpectedCallback, left_out: set[str]) -> None:
        """Expect outputs no more, nor what they would have caused."""
        one.owed -= left_out
        for effect in one.caused:
            if effect.topic in left_out and not effect.is_dropped:
                self._drop(effect)

    def _may_reconfigure(self) -> bool:
        return any(one.callback.may_reconfigure for one in self._expected)

    def _hint(self, topic: str) -> str:
        """Return what may have gone wrong if a callback of a synchronizer, which runs, publishes on a topic."""
        is_synced = any(one.owes_status and topic in one.callback.outputs for one in self.running)
        return (
            "; its synchronizer has called back where that of message_filters in Python does not" if is_synced else ""
        )

    def _expect(self, node: NodeModel, callback: CallbackModel, topic: str) -> ExpectedCallback:
        """Expect a callback, and all that it will cause."""
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
        """Expect a callback no more, nor what it would have caused."""
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
    """Return how often a timer fires after one instant and not after another one."""
    trigger = callback.trigger
    return now_ns // trigger.period_ns - before_ns // trigger.period_ns if isinstance(trigger, TimerTrigger) else 0


def _service_groups(nodes: Sequence[NodeModel]) -> dict[tuple[str, str], frozenset[str]]:
    """Return, by node and callback, the services for which it takes turns."""
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
    """Yield the rings of topics in which messages would cause each other for ever."""
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
