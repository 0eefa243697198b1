"""Every kind of task by mouse, touch and keyboard alone."""

import math
from collections.abc import Callable, Iterator

import pytest

from fleet.dashboard.orders.fleet_orders import (
    CancelOrder,
    FleetOrder,
    IdentifyOrder,
    LawOrder,
    TaskOrder,
)
from fleet.geometry import Pose2D
from fleet.tasks.task_kind import TaskKind
from fleet.work.work import Work
from harness.dashboard.chromium import FleetPage
from harness.dashboard.hands import Finger, Mouse, Pointer
from harness.dashboard.scripted_dashboard import STATIONS, ServedScript

A, B = ((station.pose.x_m, station.pose.y_m) for station in STATIONS[:2])
ROBOT_1, ROBOT_2, ROBOT_3 = (0.6, 0.6), (1.6, 0.6), (2.6, 0.6)
FREE = (2.1, 1.1)
OpenPage = Callable[..., FleetPage]


@pytest.fixture(params=[Mouse, Finger])
def pointed(request: pytest.FixtureRequest, open_page: OpenPage) -> Iterator[tuple[FleetPage, Pointer]]:
    """A page that is used by a pointer alone."""
    page = open_page(has_touch=request.param is Finger).ready()
    return page, request.param(page)


def order_of(page: FleetPage, script: ServedScript) -> FleetOrder:
    """Wait for the first order; return it."""
    page.until(lambda: script.fleet.orders, "an order")
    return script.fleet.orders[0]


def work_of(order: FleetOrder, kind: TaskKind) -> Work:
    """Return the work of an order to do a kind of task."""
    assert isinstance(order, TaskOrder)
    assert order.work.kind is kind
    return order.work


def goal_of(order: FleetOrder) -> Pose2D:
    """Return where an order sends a robot."""
    return work_of(order, TaskKind.GO_TO).places[0].pose


def ends_of(order: FleetOrder) -> list[Pose2D]:
    """Return where an order lets a robot load and unload."""
    return [place.pose for place in work_of(order, TaskKind.TRANSPORT).places]


def focus(page: FleetPage, selector: str) -> None:
    """Move the focus with Tab to an element."""
    for _ in range(80):
        page.page.keyboard.press("Tab")
        if page.evaluate("(selector) => document.activeElement.matches(selector)", selector):
            return
    raise AssertionError(f"Tab never reaches {selector}")


def press(page: FleetPage, *keys: str) -> None:
    for key in keys:
        page.page.keyboard.press(key)


def test_pointer_sends_a_robot_to_a_place(pointed: tuple[FleetPage, Pointer], script: ServedScript) -> None:
    page, hand = pointed
    hand.tap(ROBOT_1)
    hand.tap(FREE)
    hand.press(page.button("Send"))
    order = order_of(page, script)
    goal = goal_of(order)
    assert isinstance(order, TaskOrder)
    assert order.robot_id == 1
    assert (goal.x_m, goal.y_m) == pytest.approx(FREE, abs=0.02)


def test_pointer_drags_a_heading(pointed: tuple[FleetPage, Pointer], script: ServedScript) -> None:
    page, hand = pointed
    hand.tap(ROBOT_3)
    hand.drag(FREE, (FREE[0], FREE[1] + 0.4))
    hand.press(page.button("Send"))
    order = order_of(page, script)
    assert goal_of(order).heading_rad == pytest.approx(0.5 * math.pi, abs=0.05)


def test_pointer_drags_a_transport_from_station_to_station(
    pointed: tuple[FleetPage, Pointer], script: ServedScript
) -> None:
    page, hand = pointed
    hand.tap(ROBOT_2)
    hand.drag(A, B)
    hand.press(page.button("Send"))
    order = order_of(page, script)
    assert isinstance(order, TaskOrder)
    assert (order.robot_id, ends_of(order)) == (2, [STATIONS[0].pose, STATIONS[1].pose])


def test_two_taps_on_stations_are_a_transport(pointed: tuple[FleetPage, Pointer], script: ServedScript) -> None:
    page, hand = pointed
    hand.tap(A)
    hand.tap(B)
    hand.press(page.button("Send"))
    order = order_of(page, script)
    assert ends_of(order) == [STATIONS[0].pose, STATIONS[1].pose]


def test_pointer_lets_a_robot_follow_a_path(pointed: tuple[FleetPage, Pointer], script: ServedScript) -> None:
    page, hand = pointed
    hand.tap(ROBOT_2)
    hand.press(page.button("Path …"))
    page.find("dialog select").select_option("circle")
    hand.press(page.find("dialog").get_by_role("button", name="Send"))
    order = order_of(page, script)
    assert isinstance(order, TaskOrder)
    assert work_of(order, TaskKind.FOLLOW_PATH).path is not None
    assert order.robot_id == 2


@pytest.mark.parametrize(("name", "kind"), [("Home", TaskOrder), ("Identify", IdentifyOrder)])
def test_pointer_presses_a_button_of_the_robots_panel(
    pointed: tuple[FleetPage, Pointer], script: ServedScript, name: str, kind: type[FleetOrder]
) -> None:
    page, hand = pointed
    hand.press(page.find("[role=option][data-robot='3']"))
    hand.press(page.button(name))
    order = order_of(page, script)
    assert isinstance(order, kind)
    assert order.robot_id == 3


def test_pointer_cancels_a_task(pointed: tuple[FleetPage, Pointer], script: ServedScript) -> None:
    page, hand = pointed
    hand.tap(ROBOT_1)
    hand.tap(FREE)
    hand.press(page.button("Send"))
    hand.press(page.button("Cancel"))
    page.until(lambda: script.fleet.robots[1].last[1] == "CANCELED", "the end of the task")
    assert isinstance(script.fleet.orders[-1], CancelOrder)


def test_pointer_drives_by_hand_until_it_lets_go(pointed: tuple[FleetPage, Pointer], script: ServedScript) -> None:
    page, hand = pointed
    hand.tap(ROBOT_1)
    hand.press(page.button("Drive by hand"))
    box = page.find(".stick").bounding_box()
    assert box is not None
    left, top = box["x"] + 0.5 * box["width"], box["y"] + 0.1 * box["height"]
    if isinstance(hand, Finger):
        hand.touch("touchStart", left, top)
    else:
        page.page.mouse.move(left, top)
        page.page.mouse.down()
    page.until(lambda: len(script.fleet.driven) >= 3, "commands while the stick is held")
    assert all(robot_id == 1 and twist.linear_mps > 0.05 for robot_id, twist in list(script.fleet.driven))
    if isinstance(hand, Finger):
        hand.touch("touchEnd")
    else:
        page.page.mouse.up()
    page.until(lambda: script.fleet.driven[-1][1].linear_mps == 0.0, "zero speed at release")


def test_two_robots_keep_their_formation(page: FleetPage, script: ServedScript) -> None:
    hand = Mouse(page)
    hand.tap(ROBOT_1)
    page.page.keyboard.down("Shift")
    hand.tap(ROBOT_2)
    page.page.keyboard.up("Shift")
    hand.tap(FREE)
    press(page, "Enter")
    page.until(lambda: len(script.fleet.orders) == 2, "two orders")
    first, second = script.fleet.orders
    start, end = goal_of(first), goal_of(second)
    assert (end.x_m - start.x_m, end.y_m - start.y_m) == pytest.approx((1.0, 0.0), abs=0.01)


def test_keys_send_a_robot_with_a_heading(page: FleetPage, script: ServedScript) -> None:
    press(page, "1", "g", "ArrowRight", "ArrowRight", "ArrowUp", ",", "Enter")
    order = order_of(page, script)
    goal = goal_of(order)
    assert (goal.x_m, goal.y_m) == pytest.approx((0.7, 0.65), abs=0.001)
    assert goal.heading_rad == pytest.approx(math.pi / 12, abs=0.001)


def test_keys_carry_from_station_to_station(page: FleetPage, script: ServedScript) -> None:
    press(page, "2", "t")
    focus(page, "select[name=to]")
    press(page, "d")  # chooses "dock"
    focus(page, "dialog button.send")
    press(page, "Enter")
    order = order_of(page, script)
    assert isinstance(order, TaskOrder)
    assert (order.robot_id, ends_of(order)) == (2, [STATIONS[0].pose, STATIONS[2].pose])


def test_keys_let_a_robot_follow_a_path(page: FleetPage, script: ServedScript) -> None:
    press(page, "4")
    focus(page, "[data-verb=follow_path]")
    press(page, "Enter")
    focus(page, "dialog button.send")
    press(page, "Enter")
    order = order_of(page, script)
    assert isinstance(order, TaskOrder)
    assert work_of(order, TaskKind.FOLLOW_PATH).path is not None
    assert order.robot_id == 4


def test_keys_send_home_and_cancel(page: FleetPage, script: ServedScript) -> None:
    press(page, "5", "g", "ArrowDown", "Enter")
    page.until(lambda: script.fleet.robots[5].last[1] == "SUCCEEDED", "the end of the first task")
    press(page, "g", *["ArrowRight"] * 10, "Enter")
    page.until_true("fleet.store.get('robots', 5).task !== ''")
    press(page, "c")
    page.until(lambda: script.fleet.robots[5].last[1] == "CANCELED", "the end of the second task")
    page.until_true("fleet.store.get('robots', 5).task === ''")
    press(page, "h")
    page.until(lambda: script.fleet.orders[-1] == TaskOrder(5, Work(TaskKind.GO_HOME)), "the way home")


def test_keys_drive_by_hand_until_they_are_lifted(page: FleetPage, script: ServedScript) -> None:
    press(page, "1")
    focus(page, "[data-verb=drive]")
    press(page, "Enter")
    focus(page, ".stick")
    page.page.keyboard.down("KeyW")
    page.until(lambda: len(script.fleet.driven) >= 3, "commands while the key is held")
    assert all(twist.linear_mps > 0.05 for _, twist in list(script.fleet.driven))
    page.page.keyboard.up("KeyW")
    page.until(lambda: script.fleet.driven[-1][1].linear_mps == 0.0, "zero speed at release")


def test_control_law_is_chosen_in_the_robots_panel(page: FleetPage, script: ServedScript) -> None:
    press(page, "2")
    page.find(".law select").select_option("kanayama")
    order = order_of(page, script)
    assert isinstance(order, LawOrder)
    assert (order.robot_id, order.law) == (2, "kanayama")
    page.until_true("fleet.store.get('robots', 2).law === 'kanayama'")
    assert page.find(".law select").input_value() == "kanayama"


def test_escape_drops_what_is_drafted(page: FleetPage, script: ServedScript) -> None:
    press(page, "1", "g", "ArrowUp")
    page.button("Send").wait_for()
    press(page, "Escape")
    page.button("Send").wait_for(state="detached")
    press(page, "Enter")
    assert script.fleet.orders == []


def test_robot_docks_at_a_charger_that_is_chosen_among_chargers(page: FleetPage, script: ServedScript) -> None:
    page.page.keyboard.press("2")
    page.button("Dock …").click()
    assert page.find("dialog select[name=charger] option").all_inner_texts() == ["dock"]
    page.button("Send").click()
    order = order_of(page, script)
    assert isinstance(order, TaskOrder)
    assert (order.robot_id, str(work_of(order, TaskKind.DOCK))) == (2, "dock dock")
