"""Drives one vehicle with vda5050-core, the master of ROS-Industrial; prints what happened."""

import json
import sys
import threading
import time

from vda5050_core import master, transport, types

DEADLINE_S = 60.0
HEADER = {"headerId": 1, "timestamp": "2026-01-01T00:00:00.000Z", "version": "2.0.0", "manufacturer": "thymio"}


def wait_for(condition, what: str) -> None:
    deadline_s = time.monotonic() + DEADLINE_S
    while not condition():
        assert time.monotonic() < deadline_s, f"waited in vain for {what}"
        time.sleep(0.05)


def node(index: int, name: str, x: float, y: float) -> dict:
    position = {"x": x, "y": y, "mapId": "map", "allowedDeviationXY": 2.0}
    return {"nodeId": name, "sequenceId": 2 * index, "released": True, "nodePosition": position, "actions": []}


def edge(index: int, start: str, end: str) -> dict:
    ends = {"startNodeId": start, "endNodeId": end}
    return {"edgeId": f"{start}{end}", "sequenceId": 2 * index + 1, "released": True, **ends, "actions": []}


def main(port: int, serial: str) -> None:
    client = transport.create_default_client_shared(f"tcp://127.0.0.1:{port}", f"core-{serial}")
    control = master.VDA5050Master.make(client)
    reached, complete, errors = [], threading.Event(), []
    control.on_node_reached(lambda _, node_id: reached.append(node_id))
    control.on_order_complete(lambda _, order_id: complete.set())
    control.on_errors_appeared(lambda _, found: errors.extend(error.error_type for error in found))
    control.connect()
    control.onboard_agv("thymio", serial)
    agv = control.get_agv("thymio", serial)
    wait_for(lambda: agv.get_operational_state() == master.AGVState.AVAILABLE, "an available vehicle")
    wait_for(lambda: agv.get_last_state() is not None and agv.get_last_state().agv_position is not None, "its position")
    here = agv.get_last_state().agv_position
    places = [node(0, "A", here.x, here.y), node(1, "B", here.x + 0.2, here.y), node(2, "C", here.x, here.y)]
    order = {
        **HEADER,
        "serialNumber": serial,
        "orderId": "core-order",
        "orderUpdateId": 0,
        "nodes": places,
        "edges": [edge(0, "A", "B"), edge(1, "B", "C")],
    }
    decision = control.assign_order("thymio", serial, types.Order.from_json(order)).decision
    is_complete = complete.wait(DEADLINE_S)
    print(
        json.dumps(
            {
                "decision": decision.name,
                "reached": list(dict.fromkeys(reached)),
                "complete": is_complete,
                "errors": errors,
            }
        ),
        flush=True,
    )
    control.disconnect()


main(int(sys.argv[1]), sys.argv[2])
