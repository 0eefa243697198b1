from itertools import count

from hypothesis import given, settings
from hypothesis import strategies as st

from fleet.vda5050.order.order_graph import BlockingType, OrderedAction
from fleet.vda5050.order.robot_facts import CancelRun
from harness.budgets import examples
from harness.vda5050_robot import Vehicle, line

BLOCKING = st.sampled_from(BlockingType)
NODE_ACTIONS = st.sampled_from(("pick", "drop", "wait", "beep", "stopCharging", "startCharging"))
ROBOT_EVENTS = ("leg", "leg", "leg", "time", "BLOCKED", "STOPPED", "ROBOT_LOST", "NOT_CHARGING", "stop", "go")
MASTER_EVENTS = ("order", "order", "update", "update", "update", "update", "again", "cancel", "pause", "resume")
LINK_EVENTS = ("restart", "lose", "find", "OUTDATED_UPDATE", "BAD_PATH", "accept")
EVENTS = st.lists(
    st.tuples(
        st.sampled_from((*ROBOT_EVENTS, *MASTER_EVENTS, *LINK_EVENTS)),
        st.integers(0, 3),
        st.integers(0, 3),
        st.lists(st.tuples(NODE_ACTIONS, BLOCKING), max_size=2),
    ),
    max_size=40,
)


class Play:
    """Plays events of a master, a robot and a link, and checks after each one what must always hold."""

    def __init__(self) -> None:
        self.vehicle = Vehicle()
        self.ids = count(1)
        self.ended: dict[str, object] = {}
        self.before = ("", 0)

    def play(self, event: str, base: int, horizon: int, actions: list[tuple[str, BlockingType]]) -> None:
        vehicle, machine = self.vehicle, self.vehicle.machine
        match event:
            case "leg" | "time":
                vehicle.perform_leg() if event == "leg" else vehicle.pass_time()
            case "BLOCKED" | "STOPPED" | "ROBOT_LOST" | "NOT_CHARGING":
                vehicle.end_run(event)
            case "stop" | "go":
                vehicle.robot.is_stopped = event == "stop"
            case "order":
                first = round(vehicle.robot.pose.x_m / 0.3)
                machine.take_order(self.order(f"o{next(self.ids)}", first, base, horizon, 0, actions))
            case "update" if machine.order_id:
                self.update(base, horizon, actions)
            case "again" if machine.message.order_id:
                assert not machine.take_order(machine.message)
            case "cancel" | "pause" | "resume":
                name = {"cancel": "cancelOrder", "pause": "startPause", "resume": "stopPause"}[event]
                machine.take_action(OrderedAction(f"i{next(self.ids)}", name, BlockingType.NONE))
            case _:
                self.disturb(event)
        self.check()

    def disturb(self, event: str) -> None:
        if event == "restart":
            self.vehicle.restart()
        if event in ("lose", "find"):
            self.vehicle.loses_answers = event == "lose"
        elif event in ("OUTDATED_UPDATE", "BAD_PATH", "accept"):
            self.vehicle.refuses_extensions = "" if event == "accept" else event

    def order(self, order_id, first, base, horizon, update_id, actions):
        given = [OrderedAction(f"a{next(self.ids)}", name, blocking) for name, blocking in actions]
        return line(
            order_id, first, first + base, first + base + horizon, update_id=update_id, actions={first + base: given}
        )

    def update(self, base: int, horizon: int, actions: list[tuple[str, BlockingType]]) -> None:
        vehicle, machine = self.vehicle, self.vehicle.machine
        robot, cancels = vehicle.robot, vehicle.robot.cancels
        has_time = bool(robot.run_id) and robot.done < len(robot.legs) and not vehicle.refuses_extensions
        is_wanted = not machine.run.is_unwanted
        first = machine.order.base_end.sequence_id // 2
        machine.take_order(self.order(machine.order_id, first, base, horizon, machine.order.update_id + 1, actions))
        vehicle.poll()
        if has_time and is_wanted and not machine.is_canceling:
            assert robot.cancels == cancels, "an update has stopped a robot that had time to go on"

    def check(self) -> None:
        machine = self.vehicle.machine
        for state in (*machine.actions, *machine.instant_actions):
            if state.action_id in self.ended:
                assert state.status is self.ended[state.action_id], "an action has ended twice"
            elif state.status.is_over:
                self.ended[state.action_id] = state.status
        order_id, sequence_id = self.before
        if machine.order_id == order_id:
            assert machine.last_sequence_id >= sequence_id
        self.before = machine.order_id, machine.last_sequence_id
        self.check_traversed()

    def check_traversed(self) -> None:
        """Nodes count as traversed in turn, and only once they were driven."""
        machine, robot = self.vehicle.machine, self.vehicle.robot
        if not machine.order_id:
            return
        first = machine.order.nodes[0].sequence_id
        own = [step for step in robot.performed if step.is_arrival]
        if machine.last_sequence_id > first:
            assert own[-1].sequence_id >= machine.last_sequence_id
        if machine.nodes_ahead:
            assert machine.nodes_ahead[0].sequence_id == machine.last_sequence_id + 2
        assert all(step.sequence_id % 2 == 0 for step in own)


@settings(max_examples=examples(600))
@given(EVENTS)
def test_every_accepted_order_ends_or_waits_for_its_master_whatever_happens(events) -> None:
    play = Play()
    for event in events:
        play.play(*event)
    vehicle, machine = play.vehicle, play.vehicle.machine
    play.vehicle.machine.take_action(OrderedAction("last", "stopPause", BlockingType.NONE))
    vehicle.finish()
    play.check()
    assert not machine.is_canceling
    assert not vehicle.robot.run_id
    assert not any(node.is_released for node in machine.nodes_ahead)
    open_ids = {state.action_id for state in machine.actions if not state.status.is_over}
    assert open_ids <= {action.action_id for node in machine.nodes_ahead for action in node.actions}
    assert all(state.status.is_over for state in machine.instant_actions)


@settings(max_examples=examples(300))
@given(st.integers(1, 6), st.lists(st.integers(1, 4), max_size=5), st.lists(st.booleans(), max_size=30))
def test_updates_in_time_make_one_task_and_no_node_is_driven_twice(base, updates, drives) -> None:
    vehicle = Vehicle()
    vehicle.machine.take_order(line("a", 0, base, base + 9))
    vehicle.poll()
    end = base
    for number, more in enumerate(updates, 1):
        if drives[number:] and drives[number] and vehicle.robot.done + 1 < len(vehicle.robot.legs):
            vehicle.perform_leg()
        vehicle.machine.take_order(line("a", end, end + more, end + more + 2, update_id=number))
        vehicle.poll()
        end += more
    vehicle.finish()
    assert [step.sequence_id for step in vehicle.robot.performed] == list(range(2, 2 * end + 1, 2))
    assert not any(isinstance(request, CancelRun) for request in vehicle.asked)
    assert vehicle.machine.last_sequence_id == 2 * end
    assert vehicle.machine.nodes_ahead
