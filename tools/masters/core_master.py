"""Drives vehicles with vda5050-core, the master of ROS-Industrial; prints what happened."""

import json
import sys
import time

from vda5050_core import master, transport, types

DEADLINE_S = 120.0
HEADER = {"headerId": 1, "timestamp": "2026-01-01T00:00:00.000Z", "version": "2.0.0", "manufacturer": "thymio"}


def wait_for(condition, what: str) -> None:
    deadline_s = time.monotonic() + DEADLINE_S
    while not condition():
        assert time.monotonic() < deadline_s, f"waited in vain for {what}"
        time.sleep(0.05)


def node(index: int, name: str, x: float, y: float, *actions: str) -> dict:
    position = {"x": x, "y": y, "mapId": "map", "allowedDeviationXY": 2.0}
    given = [{"actionId": f"{action}-{name}", "actionType": action, "blockingType": "HARD"} for action in actions]
    ids = {"nodeId": name, "sequenceId": 2 * index, "released": True}
    return {**ids, "nodePosition": position, "actions": given}


def edge(index: int, start: str, end: str) -> dict:
    ends = {"startNodeId": start, "endNodeId": end}
    return {"edgeId": f"{start}{end}", "sequenceId": 2 * index + 1, "released": True, **ends, "actions": []}


def order_from(here, serial: str, order_id: str) -> dict:
    places = [
        node(0, "A", here.x, here.y),
        node(1, "B", here.x + 0.2, here.y, "pick"),
        node(2, "C", here.x, here.y, "drop"),
    ]
    edges = [edge(0, "A", "B"), edge(1, "B", "C")]
    ids = {"serialNumber": serial, "orderId": order_id, "orderUpdateId": 0}
    return {**HEADER, **ids, "nodes": places, "edges": edges}


def takes_orders(agv) -> bool:
    state = agv.get_last_state()
    is_automatic = state is not None and state.operating_mode == types.OperatingMode.AUTOMATIC
    return is_automatic and state.agv_position is not None


class Vehicle:
    """What the master reports of one vehicle."""

    def __init__(self) -> None:
        self.reached, self.complete, self.loads, self.errors = [], [], [], []


def main(port: int, serials: list[str]) -> None:
    client = transport.create_default_client_shared(f"tcp://127.0.0.1:{port}", f"core-{'-'.join(serials)}"[:60])
    control = master.VDA5050Master.make(client)
    vehicles = {serial: Vehicle() for serial in serials}

    def of(agv: str) -> Vehicle:
        return vehicles[agv.rpartition("/")[2]]

    control.on_node_reached(lambda agv, node_id: of(agv).reached.append(node_id))
    control.on_order_complete(lambda agv, order_id: of(agv).complete.append(order_id))
    control.on_loads_changed(lambda agv, loads: of(agv).loads.append(len(loads)))
    control.on_errors_appeared(lambda agv, found: of(agv).errors.extend(error.error_type for error in found))
    control.connect()
    onboarded_s = time.monotonic()
    for serial in serials:
        control.onboard_agv("thymio", serial)
    agvs = {serial: control.get_agv("thymio", serial) for serial in serials}
    available = master.AGVState.AVAILABLE
    wait_for(lambda: all(agv.get_operational_state() == available for agv in agvs.values()), "available vehicles")
    available_s = time.monotonic() - onboarded_s
    wait_for(lambda: all(map(takes_orders, agvs.values())), "vehicles that take orders")
    decisions = []
    for serial, agv in agvs.items():
        first = order_from(agv.get_last_state().agv_position, serial, f"core-{serial}")
        decisions.append(control.assign_order("thymio", serial, types.Order.from_json(first)).decision.name)
    asked = set()

    def has_asked_all() -> bool:
        """Give each vehicle that drives a second order, which the master itself would keep back."""
        for serial, agv in agvs.items():
            state = agv.get_last_state()
            if serial not in asked and state.driving and state.order_id == f"core-{serial}":
                asked.add(serial)
                second = order_from(state.agv_position, serial, f"second-{serial}")
                client.publish(f"uagv/v2/thymio/{serial}/order", json.dumps(second), 0)
        return len(asked) == len(agvs)

    wait_for(has_asked_all, f"vehicles that drive; decisions are {decisions}")
    wait_for(lambda: all(vehicle.complete for vehicle in vehicles.values()), "the ends of all orders")
    wait_for(lambda: all(vehicle.loads[-1:] == [0] for vehicle in vehicles.values()), "the loads")
    seen = {
        serial: {
            "reached": list(dict.fromkeys(vehicle.reached)),
            "complete": vehicle.complete,
            "loads": [count for count, _ in zip(vehicle.loads, range(9), strict=False)],
            "errors": vehicle.errors,
        }
        for serial, vehicle in vehicles.items()
    }
    print(json.dumps({"available_s": available_s, "decisions": decisions, "vehicles": seen}), flush=True)
    control.disconnect()


main(int(sys.argv[1]), sys.argv[2:])
