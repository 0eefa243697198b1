"""Callbacks run in one order at each node, whatever the order in which nodes answer."""

from collections.abc import Sequence
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.conductor.callback_schedule import CallbackSchedule, ExpectedCallback
from simulator.conductor.node_model import CallbackModel, NodeModel, SyncTrigger, TimerTrigger, TopicTrigger
from simulator.errors import ConductorError

Log = dict[str, list[tuple[str, object]]]


def on(topic: str, *outputs: str, name: str = "", calls: Sequence[str] = (), changes: bool = False) -> CallbackModel:
    """Return a callback that a topic triggers."""
    return CallbackModel(name or f"on {topic}", TopicTrigger(topic), outputs, tuple(calls), changes)


def every(period_ns: int, *outputs: str, name: str = "tick") -> CallbackModel:
    return CallbackModel(name, TimerTrigger(period_ns), outputs)


def both(*outputs: str, slop_s: float = 10e-9) -> CallbackModel:
    """Return a callback for messages on /x and /y whose stamps are within a few nanoseconds."""
    return CallbackModel("both", SyncTrigger(("/x", "/y"), slop_s, 3), outputs)


def finish(schedule: CallbackSchedule, one: ExpectedCallback, omitted: Sequence[str] = ()) -> None:
    """Let a running callback publish what it does not omit, and end."""
    message = f"{one.node.name}({one.message})"
    for output in sorted(one.owed):
        if output not in omitted:
            schedule.note_output(output, message)
    if omitted or not one.callback.outputs or one.owes_status:
        schedule.note_status(one.node.name, omitted)


def run(schedule: CallbackSchedule, inputs: Sequence[tuple[str, object]], random: Random) -> Log:
    """Offer inputs when that is allowed, and let nodes answer in a random order; return what each node ran."""
    log: Log = {}
    running: list[ExpectedCallback] = []
    waiting = list(inputs)
    while waiting or running or not schedule.is_idle:
        if waiting and schedule.may_publish(waiting[0][0]):
            schedule.offer(*waiting.pop(0))
        for one in schedule.start_ready():
            log.setdefault(one.node.name, []).append((one.callback.name, one.message))
            running.append(one)
        if running:
            one = running.pop(random.randrange(len(running)))
            omitted = [output for output in one.callback.outputs if hash_of(one, output) % 3 == 0]
            finish(schedule, one, omitted)
    return log


def hash_of(one: ExpectedCallback, output: str) -> int:
    """Return a number that depends on what a callback is given, and on nothing else."""
    return sum(map(ord, f"{one.node.name} {one.message} {output}"))


CHAINS = (
    NodeModel("/detect_1", (on("/in", "/one"),)),
    NodeModel("/detect_2", (on("/in", "/two"),)),
    NodeModel("/join", (on("/one"), on("/two"))),
)


@pytest.mark.parametrize("seed", range(5))
def test_two_parallel_chains_join_in_one_order(seed: int) -> None:
    log = run(CallbackSchedule(CHAINS), [("/in", number) for number in range(40)], Random(seed))
    assert log == run(CallbackSchedule(CHAINS), [("/in", number) for number in range(40)], Random(99))
    assert [name for name, _ in log["/join"]] != []


@pytest.mark.parametrize("seed", range(5))
def test_two_publishers_of_one_topic_take_turns(seed: int) -> None:
    nodes = (
        NodeModel("/a", (on("/in", "/out"),)),
        NodeModel("/b", (on("/in", "/out"),)),
        NodeModel("/reader", (on("/out"),)),
    )
    inputs = [("/in", number) for number in range(40)]
    assert run(CallbackSchedule(nodes), inputs, Random(seed)) == run(CallbackSchedule(nodes), inputs, Random(99))


def test_callers_and_provider_of_a_service_take_turns() -> None:
    nodes = (
        NodeModel("/caller_1", (on("/in", calls=["/add"]),)),
        NodeModel("/caller_2", (on("/in", calls=["/add"]),)),
        NodeModel("/provider", (on("/in"),), services=("/add",)),
        NodeModel("/other", (on("/in"),)),
    )
    schedule = CallbackSchedule(nodes)
    schedule.offer("/in", 1)
    order = []
    while not schedule.is_idle:
        started = [one.node.name for one in schedule.start_ready()]
        order.append(started)
        for one in schedule.running:
            finish(schedule, one)
    assert order == [["/caller_1", "/other"], ["/caller_2"], ["/provider"]]


@st.composite
def stacks(draw: st.DrawFn) -> tuple[NodeModel, ...]:
    """Draw nodes whose topics lead from low numbers to higher ones, so that there are no rings."""
    nodes = []
    for number in range(draw(st.integers(1, 4))):
        callbacks = []
        for index in range(draw(st.integers(1, 2))):
            source = draw(st.integers(0, 4))
            outputs = draw(st.lists(st.integers(source + 1, 5), max_size=2, unique=True))
            callbacks.append(on(f"/t{source}", *(f"/t{output}" for output in outputs), name=f"callback {index}"))
        nodes.append(NodeModel(f"/n{number}", tuple(callbacks)))
    return tuple(nodes)


@given(stacks(), st.lists(st.integers(0, 3), max_size=8), st.randoms(use_true_random=False))
def test_any_stack_comes_to_rest_and_runs_in_one_order(
    nodes: tuple[NodeModel, ...], topics: list[int], random: Random
) -> None:
    inputs = [(f"/t{topic}", number) for number, topic in enumerate(topics)]
    assert run(CallbackSchedule(nodes), inputs, random) == run(CallbackSchedule(nodes), inputs, Random(1))


def test_omitted_output_withdraws_everything_that_it_would_cause() -> None:
    nodes = (NodeModel("/a", (on("/in", "/b"),)), NodeModel("/b", (on("/b", "/c"),)), NodeModel("/c", (on("/c"),)))
    schedule = CallbackSchedule(nodes)
    schedule.offer("/in", 1)
    (one,) = schedule.start_ready()
    finish(schedule, one, ["/b"])
    assert schedule.is_idle


def test_timers_fire_at_multiples_of_their_period_and_not_at_the_start() -> None:
    schedule = CallbackSchedule([NodeModel("/driver", (every(50, "/out"),))])
    fired = []
    for before, now in ((-1, 0), (0, 20), (20, 50), (50, 60), (60, 100)):
        schedule.set_time(max(before, 0), now, now)
        for one in schedule.start_ready():
            fired.append(one.message)
            assert not schedule.may_set_time()
            schedule.note_output("/out", now)
        assert schedule.may_set_time()
    assert fired == [50, 100]


@pytest.mark.parametrize(("callbacks", "step"), [((every(50),), 100), ((every(50), every(25, name="fast")), 50)])
def test_several_firings_in_one_step_are_refused(callbacks: tuple[CallbackModel, ...], step: int) -> None:
    schedule = CallbackSchedule([NodeModel("/driver", callbacks)])
    with pytest.raises(ConductorError, match="/driver: several timers fire in one step of time, from 0 to"):
        schedule.set_time(0, step, None)


def test_state_of_the_provider_waits_for_callbacks_that_change_it() -> None:
    nodes = (NodeModel("/driver", (every(50, "/wheels"),)), NodeModel("/simulator", (on("/wheels", changes=True),)))
    schedule = CallbackSchedule(nodes)
    schedule.set_time(0, 50, "50 ns")
    assert not schedule.may_change_state()
    while not schedule.is_idle:
        for one in list(schedule.start_ready()):
            finish(schedule, one)
    assert schedule.may_change_state()


def test_unexpected_message_is_an_error_that_names_the_running_node() -> None:
    schedule = CallbackSchedule(CHAINS)
    schedule.offer("/in", 1)
    list(schedule.start_ready())
    schedule.note_output("/one", 1)
    with pytest.raises(ConductorError, match=r"a message on /one, .* running: /detect_2, on /in, owes /two"):
        schedule.note_output("/one", 2)


def test_unexpected_status_is_an_error() -> None:
    schedule = CallbackSchedule(CHAINS)
    with pytest.raises(ConductorError, match="a Status of /join, which runs no callback; running: none"):
        schedule.note_status("/join", [])


def test_status_that_omits_what_is_not_owed_is_an_error() -> None:
    schedule = CallbackSchedule(CHAINS)
    schedule.offer("/in", 1)
    list(schedule.start_ready())
    with pytest.raises(ConductorError, match="/detect_1, on /in, owes /one; its Status omits /two"):
        schedule.note_status("/detect_1", ["/two"])


def test_status_that_omits_nothing_of_a_callback_with_outputs_is_an_error() -> None:
    schedule = CallbackSchedule([NodeModel("/a", (on("/in", "/b"),))])
    schedule.offer("/in", 1)
    list(schedule.start_ready())
    with pytest.raises(ConductorError, match="/a, on /in, owes /b; its Status omits nothing"):
        schedule.note_status("/a", [])


def test_status_may_overtake_what_was_published() -> None:
    schedule = CallbackSchedule([NodeModel("/a", (on("/in", "/b", "/c"),))])
    schedule.offer("/in", 1)
    list(schedule.start_ready())
    schedule.note_status("/a", ["/b"])
    assert not schedule.is_idle
    schedule.note_output("/c", 1)
    assert schedule.is_idle


@pytest.mark.parametrize(
    ("nodes", "problem"),
    [
        ((NodeModel("/a", ()), NodeModel("/a", ())), "/a is the name of several nodes"),
        ((NodeModel("/a", (on("/x"), on("/x"))),), "/a: on /x is the name of several callbacks"),
        ((NodeModel("/a", (both(), on("/x"))),), "/a: /x of a synchronizer triggers several callbacks: both, on /x"),
        ((NodeModel("/a", (every(5), every(5, name="b"))),), "/a: two timers have the same period"),
        ((NodeModel("/a", (on("/x", calls=["/s"]),)),), "/a, on /x: no node provides the service /s"),
        ((NodeModel("/a", (on("/x", "/y"),)), NodeModel("/b", (on("/y", "/x"),))), "for ever: /x > /y > /x"),
    ],
)
def test_nodes_that_cannot_be_scheduled_are_refused(nodes: tuple[NodeModel, ...], problem: str) -> None:
    with pytest.raises(ConductorError, match=problem):
        CallbackSchedule(nodes)


def synced(*outputs: str) -> CallbackSchedule:
    """Return a schedule of a synchronizer, and of a reader of its outputs; messages are their own stamps."""
    nodes = (NodeModel("/sync", (both(*outputs),)), NodeModel("/reader", tuple(map(on, outputs))))
    return CallbackSchedule(nodes, lambda _, message: int(str(message)))


def test_message_that_completes_no_set_ends_with_a_status_and_causes_nothing() -> None:
    schedule = synced("/out")
    schedule.offer("/x", 100)
    assert [one.words for one in schedule.start_ready()] == ["/sync, both, owes its Status"]
    schedule.note_status("/sync", [])
    assert schedule.is_idle


def test_message_that_completes_a_set_owes_outputs_and_a_status() -> None:
    schedule = synced("/out")
    for topic, stamp in (("/x", 100), ("/y", 105)):
        schedule.offer(topic, stamp)
        list(schedule.start_ready())
        if topic == "/x":
            schedule.note_status("/sync", ["/out"])  # which it does not owe: a node may not know that
    schedule.note_output("/out", 1)
    assert [one.words for one in schedule.running] == ["/sync, both, owes its Status"]
    schedule.note_status("/sync", [])
    assert [one.node.name for one in schedule.start_ready()] == ["/reader"]


def test_equal_synchronizers_of_two_nodes_complete_their_own_sets() -> None:
    nodes = [NodeModel(name, (both("/out"),)) for name in ("/sync_1", "/sync_2")]
    schedule = CallbackSchedule(nodes, lambda _, message: int(str(message)))
    owed = []
    for topic in ("/x", "/y"):
        schedule.offer(topic, 100)
        while not schedule.is_idle:
            for one in list(schedule.start_ready()):
                owed.append((one.node.name, sorted(one.owed)))
                finish(schedule, one)
    assert owed == [("/sync_1", []), ("/sync_2", []), ("/sync_1", ["/out"]), ("/sync_2", ["/out"])]


def test_completed_set_with_omitted_outputs_causes_nothing() -> None:
    schedule = synced("/out")
    for topic in ("/x", "/y"):
        schedule.offer(topic, 100)
        list(schedule.start_ready())
        schedule.note_status("/sync", ["/out"])
    assert schedule.is_idle


def test_synchronizer_that_calls_back_otherwise_is_named() -> None:
    schedule = synced("/out")
    schedule.offer("/x", 100)
    list(schedule.start_ready())
    with pytest.raises(ConductorError, match="its synchronizer has called back where that of message_filters"):
        schedule.note_output("/out", 1)


@given(st.lists(st.tuples(st.sampled_from(["/x", "/y"]), st.integers(0, 40)), max_size=20), st.integers(0, 9))
def test_sets_do_not_depend_on_the_order_of_answers(inputs: list[tuple[str, int]], seed: int) -> None:
    relay = [NodeModel(f"/relay{topic[1:]}", (on(f"/raw{topic}", topic),)) for topic in ("/x", "/y")]
    offered = [(f"/raw{topic}", stamp) for topic, stamp in inputs]
    logs = []
    for random in (Random(seed), Random(99)):
        nodes = (*relay, NodeModel("/sync", (both("/out"),)), NodeModel("/reader", (on("/out"),)))
        schedule = CallbackSchedule(nodes, lambda _, message: sum(map(ord, str(message))))
        logs.append(run(schedule, offered, random))
    assert logs[0] == logs[1]


def test_next_input_waits_for_a_callback_that_may_reconfigure_the_stack() -> None:
    deciding = CallbackModel("decide", TopicTrigger("/in"), may_reconfigure=True)
    schedule = CallbackSchedule([NodeModel("/a", (deciding, every(50)))])
    assert (schedule.may_publish("/other"), schedule.may_set_time(), schedule.may_change_state()) == (True,) * 3
    schedule.offer("/in", 1)
    assert (schedule.may_publish("/other"), schedule.may_set_time(), schedule.may_change_state()) == (False,) * 3
    list(schedule.start_ready())
    schedule.note_status("/a", [])
    assert schedule.may_publish("/other")
