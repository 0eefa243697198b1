"""Drives vehicles with vda5050-sdk, which checks each message by the published schemas; prints what happened."""

import asyncio
import json
import sys

from vda5050 import Action, BlockingType, MasterClient, MasterConfig, OrderBuilder

DEADLINE_S = 180.0


async def drive(master: MasterClient, serial: str, orders: int) -> int:
    """Give one vehicle orders there and back; return how many were completed."""
    target = f"thymio/{serial}"

    def is_available(session) -> bool:
        state = session.state
        return state is not None and state.operating_mode.value == "AUTOMATIC" and state.agv_position is not None

    assert await master.wait_for(target, is_available, timeout=DEADLINE_S), f"{serial} is not available"
    complete = 0
    for number in range(orders):
        order_id = f"sdk-{serial}-{number}"
        here = (await master.session(target)).state.agv_position
        pick = Action(action_id=f"{order_id}-pick", action_type="pick", blocking_type=BlockingType.HARD)
        order = (
            OrderBuilder(order_id=order_id, manufacturer="thymio", serial_number=serial)
            .add_node("A", x=here.x, y=here.y, map_id="map", allowed_deviation_xy=0.1)
            .add_edge("A", "B")
            .add_node("B", x=here.x + 0.2, y=here.y, theta=1.0, map_id="map", actions=[pick])
            .add_edge("B", "C")
            .add_node("C", x=here.x, y=here.y, map_id="map")
            .build()
        )
        result = await master.dispatch(order, target)

        def is_done(session, order_id=order_id) -> bool:
            state = session.state
            is_empty = not state.node_states and not state.edge_states
            is_finished = all(action.action_status.value == "FINISHED" for action in state.action_states)
            return state.order_id == order_id and is_empty and state.last_node_id == "C" and is_finished

        complete += result.accepted and await master.wait_for(target, is_done, timeout=DEADLINE_S)
    return complete


async def main(port: int, orders: int, serials: list[str]) -> None:
    config = MasterConfig(
        broker_url=f"mqtt://127.0.0.1:{port}",
        validate_messages=True,
        progress_stall_timeout=DEADLINE_S,
        action_stuck_timeout=DEADLINE_S,
    )
    issues, errors = [], []
    async with MasterClient(config) as master:
        master.on_progress_issue(lambda issue, _: issues.append(issue.kind.value))
        master.on_error(lambda event: errors.append(str(event.error)))
        master.on_vehicle_error(lambda event, _: errors.append(event.error.error_type))
        complete = sum(await asyncio.gather(*(drive(master, serial, orders) for serial in serials)))
        invalid = master.metrics_snapshot()["validation_failures"]
        found = {"complete": complete, "issues": sorted(set(issues)), "errors": errors, "invalid": invalid}
        print(json.dumps(found))


asyncio.run(main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]))
