"""Writes factsheets: what a vehicle is and can do."""

from dataclasses import dataclass
from typing import Any, Final

from fleet.vda5050.order.order_graph import ActionType
from fleet.vda5050.order.order_rules import MAX_NODES
from fleet.vda5050.wire.order_codec import INSTANT_MAX
from fleet.vda5050.wire.state_codec import LOAD_TYPE
from fleet.vda5050.wire.vda_version import VdaVersion
from fleet.vda5050.wire.wire_fields import TEXT_MAX

MIN_STATE_S: Final = 0.2  # between two states
STATE_S: Final = 25.0  # longest time between two states
VISUALIZATION_S: Final = 0.5
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
    ActionType.STATE_REQUEST: "Publishes a state.",
    ActionType.FACTSHEET_REQUEST: "Publishes the factsheet.",
    ActionType.CLEAR_INSTANT_ACTIONS: "Forgets the states of instant actions that have ended.",
}


@dataclass(frozen=True, slots=True)
class VehicleTraits:
    """How fast a vehicle is, and how long it takes to pick and to drop."""

    speed_mps: float
    acceleration_mps2: float
    dwell_s: float


def factsheet_values(traits: VehicleTraits, version: VdaVersion) -> dict[str, Any]:
    """Return the fields of a factsheet."""
    return _of_version_3(traits) if version.is_3 else _of_version_2(traits)


def _of_version_2(traits: VehicleTraits) -> dict[str, Any]:
    return {
        "typeSpecification": {
            "seriesName": "Thymio II",
            "agvKinematic": "DIFF",
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
            "maxArrayLens": _array_limits(),
            "timing": {
                "minOrderInterval": MIN_STATE_S,
                "minStateInterval": MIN_STATE_S,
                "defaultStateInterval": STATE_S,
                "visualizationInterval": VISUALIZATION_S,
            },
        },
        "protocolFeatures": {
            "optionalParameters": [],  # masters may leave out what is not in a list
            "agvActions": [_action(kind) for kind in ActionType if kind is not ActionType.CLEAR_INSTANT_ACTIONS],
        },
        "agvGeometry": {},
        "loadSpecification": _loads(traits),
    }


def _of_version_3(traits: VehicleTraits) -> dict[str, Any]:
    return {
        "typeSpecification": {
            "seriesName": "Thymio II",
            "mobileRobotKinematics": "DIFFERENTIAL",
            "mobileRobotClass": "CARRIER",
            "maximumLoadMass": _LOAD_KG,
            "localizationTypes": ["NATURAL"],
            "navigationTypes": ["VIRTUAL_LINE_GUIDED"],
        },
        "physicalParameters": {
            "minimumSpeed": _LEAST_SPEED_MPS,
            "maximumSpeed": traits.speed_mps,
            "maximumAcceleration": traits.acceleration_mps2,
            "maximumDeceleration": traits.acceleration_mps2,
            "minimumHeight": HEIGHT_M,
            "maximumHeight": HEIGHT_M,
            "width": WIDTH_M,
            "length": LENGTH_M,
        },
        "protocolLimits": {
            "maximumStringLengths": {"maximumIdLength": TEXT_MAX},
            "maximumArrayLengths": _array_limits(),
            "timing": {
                "minimumOrderInterval": MIN_STATE_S,
                "minimumStateInterval": MIN_STATE_S,
                "defaultStateInterval": STATE_S,
                "visualizationInterval": VISUALIZATION_S,
            },
        },
        "protocolFeatures": {
            "optionalParameters": [],
            "mobileRobotActions": [_action(kind) | _of_action_in_version_3(kind) for kind in ActionType],
        },
        "mobileRobotGeometry": {},
        "loadSpecification": _loads(traits),
    }


def _array_limits() -> dict[str, int]:
    return {"order.nodes": MAX_NODES, "order.edges": MAX_NODES - 1, "instantActions": INSTANT_MAX}


def _action(kind: ActionType) -> dict[str, Any]:
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
    return values


def _of_action_in_version_3(kind: ActionType) -> dict[str, Any]:
    """Return what version 2 lacks: no blockingTypes satisfy its schema."""
    moves = kind in (ActionType.WAIT, ActionType.BEEP, ActionType.STOP_CHARGING)
    blocking = (["NONE"] if moves or not kind.is_of_node else []) + (["SOFT", "HARD"] if kind.is_of_node else [])
    return {"blockingTypes": blocking, "pauseAllowed": True, "cancelAllowed": True}


def _loads(traits: VehicleTraits) -> dict[str, Any]:
    times = {"pickTime": traits.dwell_s, "dropTime": traits.dwell_s}
    return {"loadSets": [{"setName": "default", "loadType": LOAD_TYPE, **times}]}
