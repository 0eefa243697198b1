"""Writes factsheets: what a vehicle is and can do."""

from dataclasses import dataclass
from typing import Any, Final

from fleet.vda5050.order.order_graph import ActionType
from fleet.vda5050.order.order_rules import MAX_NODES, POSITION_KEYS
from fleet.vda5050.wire.order_codec import INSTANT_MAX
from fleet.vda5050.wire.state_codec import LOAD_TYPE
from fleet.vda5050.wire.vda_version import VdaVersion
from fleet.vda5050.wire.wire_fields import TEXT_MAX

MIN_STATE_S: Final = 0.2  # between two states
STATE_S: Final = 25.0  # longest time between two states
VISUALIZATION_S: Final = 1.0
LENGTH_M: Final = 0.11  # of a Thymio II
WIDTH_M: Final = 0.112
HEIGHT_M: Final = 0.053
_LEAST_SPEED_MPS: Final = 0.005
_LOAD_KG: Final = 0.5
_DESCRIPTIONS: Final = {
    ActionType.PICK: "Stands still, and carries a load afterwards.",
    ActionType.DROP: "Stands still, and carries no load afterwards.",
    ActionType.WAIT: "Waits for the parameter duration, in seconds.",
    ActionType.BEEP: "Lights up and beeps.",
    ActionType.START_CHARGING: "Drives onto the charger at the node, until it charges the robot.",
    ActionType.STOP_CHARGING: "Ends charging: the next edge leaves the charger.",
    ActionType.CANCEL_ORDER: "Cancels the active order.",
    ActionType.START_PAUSE: "Stops the robot, and keeps its order.",
    ActionType.STOP_PAUSE: "Goes on with the order.",
    ActionType.INIT_POSITION: "Puts a simulated robot at x, y, theta.",
    ActionType.STATE_REQUEST: "Publishes a state.",
    ActionType.FACTSHEET_REQUEST: "Publishes the factsheet.",
    ActionType.CLEAR_INSTANT_ACTIONS: "Forgets the states of instant actions that have ended.",
}
_NAMES_3: Final = {
    "agvKinematic": "mobileRobotKinematics",
    "agvClass": "mobileRobotClass",
    "maxLoadMass": "maximumLoadMass",
    "speedMin": "minimumSpeed",
    "speedMax": "maximumSpeed",
    "accelerationMax": "maximumAcceleration",
    "decelerationMax": "maximumDeceleration",
    "heightMin": "minimumHeight",
    "heightMax": "maximumHeight",
    "maxStringLens": "maximumStringLengths",
    "idLen": "maximumIdLength",
    "maxArrayLens": "maximumArrayLengths",
    "minOrderInterval": "minimumOrderInterval",
    "minStateInterval": "minimumStateInterval",
    "agvActions": "mobileRobotActions",
    "agvGeometry": "mobileRobotGeometry",
}


@dataclass(frozen=True, slots=True)
class VehicleTraits:
    """How fast a vehicle is, and how long it takes to pick and to drop."""

    speed_mps: float
    acceleration_mps2: float
    dwell_s: float


def factsheet_values(traits: VehicleTraits, version: VdaVersion) -> dict[str, Any]:
    """Return the fields of a factsheet."""
    lacking = () if version.is_3 else (ActionType.CLEAR_INSTANT_ACTIONS,)
    times = {"pickTime": traits.dwell_s, "dropTime": traits.dwell_s}
    values = {
        "typeSpecification": {
            "seriesName": "Thymio II",
            "agvKinematic": "DIFFERENTIAL" if version.is_3 else "DIFF",
            "agvClass": "CARRIER",
            "maxLoadMass": _LOAD_KG,
            "localizationTypes": ["NATURAL"],
            "navigationTypes": ["VIRTUAL_LINE_GUIDED"],
        },
        "physicalParameters": {
            "speedMin": _LEAST_SPEED_MPS,
            "speedMax": traits.speed_mps,
            "accelerationMax": traits.acceleration_mps2,
            "decelerationMax": traits.acceleration_mps2,
            "heightMin": HEIGHT_M,
            "heightMax": HEIGHT_M,
            "width": WIDTH_M,
            "length": LENGTH_M,
        },
        "protocolLimits": {
            "maxStringLens": {"idLen": TEXT_MAX},
            "maxArrayLens": {"order.nodes": MAX_NODES, "order.edges": MAX_NODES - 1, "instantActions": INSTANT_MAX},
            "timing": {
                "minOrderInterval": MIN_STATE_S,
                "minStateInterval": MIN_STATE_S,
                "defaultStateInterval": STATE_S,
                "visualizationInterval": VISUALIZATION_S,
            },
        },
        "protocolFeatures": {
            "optionalParameters": [],  # masters may leave out what is not in a list
            "agvActions": [_action(kind, version) for kind in ActionType if kind not in lacking],
        },
        "agvGeometry": {},
        "loadSpecification": {"loadSets": [{"setName": "default", "loadType": LOAD_TYPE, **times}]},
    }
    return _in_version_3(values) if version.is_3 else values


def _in_version_3(values: dict[str, Any]) -> dict[str, Any]:
    """Return an object with the names that version 3 has for its fields."""
    return {
        _NAMES_3.get(key, key): _in_version_3(value) if isinstance(value, dict) else value
        for key, value in values.items()
    }


def _action(kind: ActionType, version: VdaVersion) -> dict[str, Any]:
    scopes = [
        name
        for name, is_in in (
            ("INSTANT", kind.is_instant),
            ("NODE", kind.is_of_node),
            ("EDGE", kind is ActionType.BEEP),
        )
        if is_in
    ]
    values: dict[str, Any] = {
        "actionType": kind.value,
        "actionDescription": _DESCRIPTIONS[kind],
        "actionScopes": scopes,
    }
    if kind is ActionType.WAIT:
        values["actionParameters"] = [{"key": "duration", "valueDataType": "NUMBER", "isOptional": True}]
    if kind is ActionType.INIT_POSITION:
        values["actionParameters"] = [{"key": key, "valueDataType": "NUMBER"} for key in POSITION_KEYS]
    if version.is_3:
        moves = kind in (ActionType.WAIT, ActionType.BEEP, ActionType.STOP_CHARGING) or not kind.is_of_node
        blocking = (["NONE"] if moves else []) + (["SOFT", "HARD"] if kind.is_of_node else [])
        values |= {"blockingTypes": blocking, "pauseAllowed": True, "cancelAllowed": True}
    return values  # no blockingTypes satisfy the schema of version 2
