import pytest

from fleet.geometry import Pose2D
from fleet.vda5050.order.action_book import ActionStatus
from fleet.vda5050.order.order_fault import VehicleFaultKind
from fleet.vda5050.order.order_graph import BlockingType, OrderedAction, OrderEdge
from fleet.vda5050.order.order_graph import Order as VdaOrder
from fleet.vda5050.order.robot_facts import CancelRun, ExtendRun, RobotControl, StartRun
from harness.vda5050_robot import Vehicle, line, node

PICK = OrderedAction("pick-1", "pick")
DROP = OrderedAction("drop-1", "drop")
CANCEL = OrderedAction("cancel-1", "cancelOrder", BlockingType.NONE)
PAUSE = OrderedAction("pause-1", "startPause", BlockingType.NONE)
RESUME = OrderedAction("resume-1", "stopPause", BlockingType.NONE)


def statuses(book) -> dict[str, ActionStatus]:
    return {state.action_id: state.status for state in book}


def kinds(vehicle: Vehicle) -> list[VehicleFaultKind]:
    return [fault.kind for fault in vehicle.machine.faults]


def test_the_first_node_is_traversed_at_once_and_the_others_when_they_were_driven() -> None:
    vehicle = Vehicle()
    vehicle.machine.take_order(line("a", 0, 2, 2))
    assert vehicle.machine.last_node_id == "n0"
    vehicle.poll()
    assert [node.node_id for node in vehicle.machine.nodes_ahead] == ["n1", "n2"]
    vehicle.perform_leg()
    assert vehicle.machine.last_node_id == "n1"
    vehicle.perform_leg()
    assert not vehicle.machine.is_active
    assert vehicle.machine.order_id == "a"


def test_one_order_is_one_task_however_many_actions_and_updates_it_has() -> None:
    vehicle = Vehicle()
    vehicle.machine.take_order(line("a", 0, 1, 3, actions={1: [PICK]}))
    vehicle.poll()
    vehicle.machine.take_order(line("a", 1, 3, 3, update_id=1, actions={1: [PICK], 3: [DROP]}))
    vehicle.finish()
    assert [type(request) for request in vehicle.asked] == [StartRun, ExtendRun]
    assert set(statuses(vehicle.machine.actions).values()) == {ActionStatus.FINISHED}


def test_a_robot_is_loaded_from_pick_to_drop() -> None:
    vehicle = Vehicle()
    vehicle.machine.take_order(line("a", 0, 1, 1, actions={0: [PICK], 1: [DROP]}))
    vehicle.poll()
    assert statuses(vehicle.machine.actions)["pick-1"] is ActionStatus.RUNNING
    vehicle.perform_leg()
    assert vehicle.machine.load_id == "pick-1"
    vehicle.perform_leg()
    vehicle.perform_leg()
    assert vehicle.machine.load_id == ""


def test_nodes_of_an_extension_whose_answer_is_lost_are_reported_only_when_driven() -> None:
    vehicle = Vehicle()
    vehicle.machine.take_order(line("a", 0, 1, 2))
    vehicle.poll()
    vehicle.loses_answers = True
    vehicle.machine.take_order(line("a", 1, 2, 2, update_id=1))
    vehicle.poll()
    vehicle.perform_leg()
    assert vehicle.machine.last_node_id == "n1"
    vehicle.perform_leg()
    assert vehicle.machine.last_node_id == "n2"
    assert not vehicle.machine.is_active


def test_an_outdated_extension_is_driven_in_a_new_task() -> None:
    vehicle = Vehicle()
    vehicle.machine.take_order(line("a", 0, 1, 2))
    vehicle.poll()
    vehicle.refuses_extensions = "OUTDATED_UPDATE"
    vehicle.machine.take_order(line("a", 1, 2, 2, update_id=1))
    vehicle.poll()
    vehicle.finish()
    assert [type(request) for request in vehicle.asked] == [StartRun, ExtendRun, CancelRun, StartRun]
    assert vehicle.machine.last_node_id == "n2"


def test_an_extension_that_the_robot_cannot_take_now_waits_for_the_end_of_its_task() -> None:
    vehicle = Vehicle()
    vehicle.machine.take_order(line("a", 0, 1, 2))
    vehicle.poll()
    vehicle.refuses_extensions = "BAD_PATH"
    vehicle.machine.take_order(line("a", 1, 2, 2, update_id=1))
    vehicle.poll()
    vehicle.finish()
    assert vehicle.robot.cancels == 0
    assert vehicle.machine.last_node_id == "n2"


def test_cancel_ends_when_the_robot_has_stopped_and_clears_the_order_at_once() -> None:
    vehicle = Vehicle()
    vehicle.machine.take_order(line("a", 0, 2, 3, actions={2: [PICK]}))
    vehicle.poll()
    vehicle.machine.take_action(CANCEL)
    assert statuses(vehicle.machine.instant_actions) == {"cancel-1": ActionStatus.RUNNING}
    assert vehicle.machine.nodes_ahead
    vehicle.poll()
    assert statuses(vehicle.machine.instant_actions) == {"cancel-1": ActionStatus.FINISHED}
    assert not vehicle.machine.nodes_ahead
    assert statuses(vehicle.machine.actions) == {"pick-1": ActionStatus.FAILED}
    assert vehicle.machine.order_id == "a"


def test_cancel_without_an_order_fails_and_says_why() -> None:
    vehicle = Vehicle()
    vehicle.machine.take_action(CANCEL)
    assert statuses(vehicle.machine.instant_actions) == {"cancel-1": ActionStatus.FAILED}
    assert kinds(vehicle) == [VehicleFaultKind.NO_ORDER]


def test_a_second_cancel_fails_while_the_first_one_runs() -> None:
    vehicle = Vehicle()
    vehicle.machine.take_order(line("a", 0, 2, 2))
    vehicle.poll()
    vehicle.machine.take_action(CANCEL)
    vehicle.machine.take_action(OrderedAction("cancel-2", "cancelOrder"))
    vehicle.poll()
    assert statuses(vehicle.machine.instant_actions) == {
        "cancel-1": ActionStatus.FINISHED,
        "cancel-2": ActionStatus.FAILED,
    }


def test_a_paused_robot_stops_and_later_drives_the_rest() -> None:
    vehicle = Vehicle()
    vehicle.machine.take_order(line("a", 0, 3, 3))
    vehicle.poll()
    vehicle.perform_leg()
    vehicle.machine.take_action(PAUSE)
    vehicle.poll()
    assert statuses(vehicle.machine.instant_actions)["pause-1"] is ActionStatus.FINISHED
    assert not vehicle.robot.run_id
    vehicle.pass_time()
    assert not vehicle.robot.run_id
    vehicle.machine.take_action(RESUME)
    vehicle.finish()
    assert [step.sequence_id for step in vehicle.robot.performed] == [2, 4, 6]


def test_an_interrupted_action_is_paused_and_then_performed_again() -> None:
    vehicle = Vehicle()
    vehicle.machine.take_order(line("a", 0, 1, 1, actions={0: [PICK]}))
    vehicle.poll()
    vehicle.machine.take_action(PAUSE)
    vehicle.poll()
    assert statuses(vehicle.machine.actions)["pick-1"] is ActionStatus.PAUSED
    vehicle.machine.take_action(RESUME)
    vehicle.finish()
    assert statuses(vehicle.machine.actions)["pick-1"] is ActionStatus.FINISHED


def test_an_order_goes_on_after_the_fleet_was_stopped() -> None:
    vehicle = Vehicle()
    vehicle.machine.take_order(line("a", 0, 2, 2))
    vehicle.poll()
    vehicle.robot.is_stopped = True
    vehicle.end_run("STOPPED")
    vehicle.pass_time()
    assert not vehicle.robot.run_id
    assert not vehicle.machine.faults
    vehicle.finish()
    assert vehicle.machine.last_node_id == "n2"


def test_a_blocked_robot_tries_again_and_reports_it() -> None:
    vehicle = Vehicle()
    vehicle.machine.take_order(line("a", 0, 2, 2))
    vehicle.poll()
    vehicle.end_run("BLOCKED")
    assert kinds(vehicle) == [VehicleFaultKind.UNREACHED]
    vehicle.finish()
    assert vehicle.machine.last_node_id == "n2"
    assert not vehicle.machine.faults


def test_a_charger_that_does_not_feed_fails_its_action_and_the_order_goes_on() -> None:
    vehicle = Vehicle()
    vehicle.machine.take_order(line("a", 0, 1, 1, actions={0: [OrderedAction("c", "startCharging")]}))
    vehicle.poll()
    vehicle.end_run("NOT_CHARGING")
    vehicle.finish()
    assert statuses(vehicle.machine.actions) == {"c": ActionStatus.FAILED}
    assert vehicle.machine.last_node_id == "n1"


def test_a_task_that_another_client_cancels_is_paused_until_the_master_goes_on() -> None:
    vehicle = Vehicle()
    vehicle.machine.take_order(line("a", 0, 2, 2))
    vehicle.poll()
    vehicle.end_run("CANCELED")
    vehicle.pass_time()
    assert vehicle.machine.is_paused
    assert not vehicle.robot.run_id
    vehicle.machine.take_action(RESUME)
    vehicle.finish()
    assert vehicle.machine.last_node_id == "n2"


def test_an_order_with_the_same_content_is_silent_and_other_content_is_an_error() -> None:
    vehicle = Vehicle()
    vehicle.machine.take_order(line("a", 0, 2, 2))
    assert not vehicle.machine.take_order(line("a", 0, 2, 2))
    assert not vehicle.machine.faults
    vehicle.machine.take_order(line("a", 0, 1, 2))
    assert kinds(vehicle) == [VehicleFaultKind.SAME_UPDATE]


def test_rejections_stay_until_the_next_accepted_order() -> None:
    vehicle = Vehicle()
    vehicle.machine.take_order(line("a", 0, 1, 2))
    vehicle.machine.take_order(line("b", 0, 1, 1))
    assert kinds(vehicle) == [VehicleFaultKind.OTHER_ORDER]
    vehicle.machine.take_order(line("a", 1, 2, 2, update_id=1))
    assert not vehicle.machine.faults


def test_an_update_is_stitched_to_the_last_released_node_not_to_the_horizon() -> None:
    vehicle = Vehicle()
    vehicle.machine.take_order(line("a", 0, 1, 3))
    vehicle.machine.take_order(line("a", 3, 4, 4, update_id=1))
    assert kinds(vehicle) == [VehicleFaultKind.OUTDATED]
    vehicle.machine.take_order(line("a", 1, 1, 1, update_id=1))
    assert not vehicle.machine.nodes_ahead[-1].is_released or len(vehicle.machine.nodes_ahead) == 1


def test_a_replaced_horizon_takes_its_actions_with_it() -> None:
    vehicle = Vehicle()
    vehicle.machine.take_order(line("a", 0, 1, 3, actions={3: [PICK]}))
    vehicle.machine.take_order(line("a", 1, 1, 2, update_id=1, actions={2: [DROP]}))
    assert statuses(vehicle.machine.actions) == {"drop-1": ActionStatus.WAITING}


def test_a_finished_order_goes_on_from_its_last_node() -> None:
    vehicle = Vehicle()
    vehicle.machine.take_order(line("a", 0, 1, 1))
    vehicle.finish()
    vehicle.machine.take_order(line("a", 1, 2, 2, update_id=1))
    vehicle.finish()
    assert vehicle.machine.last_node_id == "n2"


def test_a_canceled_order_takes_no_update() -> None:
    vehicle = Vehicle()
    vehicle.machine.take_order(line("a", 0, 2, 3))
    vehicle.poll()
    vehicle.machine.take_action(CANCEL)
    vehicle.machine.take_order(line("a", 2, 3, 3, update_id=1))
    vehicle.poll()
    vehicle.machine.take_order(line("a", 2, 3, 3, update_id=2))
    assert kinds(vehicle) == [VehicleFaultKind.AFTER_CANCEL] * 2


def test_new_actions_at_the_current_node_come_by_an_edge_to_itself() -> None:
    vehicle = Vehicle()
    vehicle.machine.take_order(line("a", 0, 1, 1))
    vehicle.finish()
    again = node(1, actions=(PICK,))
    twin = VdaOrder("a", 1, (node(1), type(again)("n1", 4, True, again.place, (PICK,))), (OrderEdge("self", 3, True),))
    vehicle.machine.take_order(twin)
    vehicle.finish()
    assert statuses(vehicle.machine.actions) == {"pick-1": ActionStatus.FINISHED}
    assert vehicle.machine.last_sequence_id == 4


def test_an_order_starts_at_its_robots_place() -> None:
    vehicle = Vehicle()
    vehicle.machine.take_order(line("a", 1, 2, 2))
    assert kinds(vehicle) == [VehicleFaultKind.START_TOO_FAR]
    assert "0.300 m from the first node n1" in vehicle.machine.faults[0].text


def test_an_order_before_the_robot_is_known_gets_a_clear_error() -> None:
    vehicle = Vehicle()
    vehicle.robot.control = RobotControl.STARTUP
    vehicle.poll()
    vehicle.machine.take_order(line("a", 0, 2, 2))
    assert kinds(vehicle) == [VehicleFaultKind.NOT_AVAILABLE]
    assert not vehicle.machine.order_id


def test_a_robot_taken_over_by_another_client_no_longer_has_an_order() -> None:
    vehicle = Vehicle()
    vehicle.machine.take_order(line("a", 0, 2, 2, actions={2: [PICK]}))
    vehicle.poll()
    vehicle.machine.take_action(PAUSE)
    vehicle.poll()
    vehicle.robot.control = RobotControl.MANUAL
    vehicle.poll()
    assert not vehicle.machine.is_active
    assert statuses(vehicle.machine.actions) == {"pick-1": ActionStatus.FAILED}


def test_an_unknown_instant_action_fails_and_names_what_is_unknown() -> None:
    vehicle = Vehicle()
    vehicle.machine.take_action(OrderedAction("x", "dance"))
    assert statuses(vehicle.machine.instant_actions) == {"x": ActionStatus.FAILED}
    assert "dance" in vehicle.machine.faults[0].text


def test_an_order_of_hundreds_of_nodes_is_given_to_the_robot_in_parts() -> None:
    vehicle = Vehicle()
    vehicle.machine.take_order(line("a", 0, 450, 450))
    vehicle.poll()
    assert [len(request.steps) for request in vehicle.asked] == [200, 200, 50]


def init_position(action_id: str = "init", **parameters: object) -> OrderedAction:
    given = {"x": 0.5, "y": 0.25, "theta": 1.0, "mapId": "map", "lastNodeId": "here"} | parameters
    return OrderedAction(action_id, "initPosition", BlockingType.NONE, given)


def test_init_position_ends_when_the_robot_was_put_there_or_was_not() -> None:
    machine = Vehicle().machine
    machine.take_action(init_position())
    assert machine.wanted_pose == Pose2D(0.5, 0.25, 1.0)
    machine.on_position()
    assert machine.last_node_id == "here"
    machine.take_action(init_position("again"))
    machine.on_position("no simulator answers")
    assert {state.action_id: state.status for state in machine.instant_actions} == {
        "init": ActionStatus.FINISHED,
        "again": ActionStatus.FAILED,
    }
    assert machine.wanted_pose is None


@pytest.mark.parametrize("parameters", [{"x": "east"}, {"theta": None}, {"mapId": "moon"}])
def test_init_position_without_a_place_has_failed(parameters) -> None:
    machine = Vehicle().machine
    machine.take_action(init_position(**parameters))
    assert machine.wanted_pose is None
    assert [state.status for state in machine.instant_actions] == [ActionStatus.FAILED]


def test_init_position_is_refused_while_an_order_is_active() -> None:
    vehicle = Vehicle()
    vehicle.machine.take_order(line("a", 0, 2, 2))
    vehicle.machine.take_action(init_position())
    assert vehicle.machine.wanted_pose is None
    assert vehicle.machine.faults[-1].kind is VehicleFaultKind.OTHER_ORDER


def test_init_position_that_a_restart_interrupted_has_failed() -> None:
    vehicle = Vehicle()
    vehicle.machine.take_action(init_position())
    vehicle.restart()
    assert [state.status for state in vehicle.machine.instant_actions] == [ActionStatus.FAILED]
