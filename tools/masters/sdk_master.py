"""Drives one vehicle with vda5050-sdk, which checks each message by the published schemas; prints what happened."""

import asyncio
import json
import sys

from vda5050 import Action, BlockingType, MasterClient, MasterConfig, OrderBuilder

DEADLINE_S = 180.0


async def main(port: int, serial: str) -> None:
    config = MasterConfig(
        broker_url=f"mqtt://127.0.0.1:{port}",
        validate_messages=True,
        progress_stall_timeout=DEADLINE_S,
        action_stuck_timeout=DEADLINE_S,
    )
    issues, errors = [], []
    target = f"thymio/{serial}"
    async with MasterClient(config) as master:
        master.on_progress_issue(lambda issue, _: issues.append(issue.kind.value))
        master.on_error(lambda event: errors.append(str(event.error)))
        master.on_vehicle_error(lambda event, _: errors.append(event.error.error_type))

        def is_available(session) -> bool:
            state = session.state
            return state is not None and state.operating_mode.value == "AUTOMATIC" and state.agv_position is not None

        assert await master.wait_for(target, is_available, timeout=DEADLINE_S), "the vehicle is not available"
        here = (await master.session(target)).state.agv_position
        pick = Action(action_id="sdk-pick", action_type="pick", blocking_type=BlockingType.HARD)
        order = (
            OrderBuilder(order_id="sdk-order", manufacturer="thymio", serial_number=serial)
            .add_node("A", x=here.x, y=here.y, map_id="map", allowed_deviation_xy=0.1)
            .add_edge("A", "B")
            .add_node("B", x=here.x + 0.2, y=here.y, theta=1.0, map_id="map", actions=[pick])
            .add_edge("B", "C")
            .add_node("C", x=here.x, y=here.y, map_id="map")
            .build()
        )
        result = await master.dispatch(order, target)

        def is_done(session) -> bool:
            state = session.state
            is_empty = not state.node_states and not state.edge_states
            return state.order_id == "sdk-order" and is_empty and state.last_node_id == "C"

        is_complete = await master.wait_for(target, is_done, timeout=DEADLINE_S)
        state = (await master.session(target)).state
        print(
            json.dumps(
                {
                    "accepted": result.accepted,
                    "complete": is_complete,
                    "actions": {action.action_id: action.action_status.value for action in state.action_states},
                    "issues": sorted(set(issues)),
                    "errors": errors,
                    "invalid": master.metrics_snapshot()["validation_failures"],
                }
            )
        )


asyncio.run(main(int(sys.argv[1]), sys.argv[2]))
