import re
from pathlib import Path

from fleet.geometry import Pose2D
from fleet.settings.config import load_config
from fleet.vda5050.order.order_graph import ActionType
from fleet.vda5050.order.order_machine import OrderMachine
from fleet.vda5050.order.order_rules import VehicleRules
from fleet.vda5050.order.robot_facts import RobotControl, RobotFacts
from fleet.vda5050.wire.order_codec import read_instant_actions, read_order
from fleet.vda5050.wire.vda_version import VdaVersion

ROOT = Path(__file__).parents[3]
ORDER, CANCEL = re.findall(r"```json\n(.*?)```", (ROOT / "docs" / "vda5050.md").read_text(encoding="utf-8"), re.DOTALL)


def test_the_order_of_the_page_is_accepted_at_the_place_of_robot_1() -> None:
    config = load_config(ROOT / "config" / "fleet.yaml")
    home = config.robots[0].home
    machine = OrderMachine(VehicleRules(config.frame), lambda order_id: order_id)
    here = Pose2D(home.x_m, home.y_m, home.heading_rad)
    machine.advance(RobotFacts(RobotControl.AUTOMATIC, here, is_localized=True, is_at_rest=True), 0)
    machine.take_order(read_order(ORDER.encode(), VdaVersion.V2_1))
    assert machine.faults == ()
    assert machine.order_id == "first"
    machine.take_action(read_instant_actions(CANCEL.encode())[0])
    assert machine.is_canceling


def test_the_cancel_of_the_page_is_one() -> None:
    assert read_instant_actions(CANCEL.encode())[0].kind is ActionType.CANCEL_ORDER
