"""Writes factsheets: what a vehicle is and can do."""

from typing import Any, Final

from fleet.vda5050.order.order_graph import ActionType
from fleet.vda5050.order.order_rules import MAX_NODES, POSITION_KEYS, TEXT_MAX, VehicleRules
from fleet.vda5050.wire.order_codec import INSTANT_MAX
from fleet.vda5050.wire.state_codec import LOAD_TYPE
from fleet.vda5050.wire.vda_version import VdaVersion

MIN_STATE_S: Final = 0.2  # between two states
STATE_S: Final = 25.0  # longest time between two states
VISUALIZATION_S: Final = 1.0
LENGTH_M: Final = 0.11  # of a Thymio II
WIDTH_M: Final = 0.112
HEIGHT_M: Final = 0.053
_LEAST_SPEED_MPS: Final = 0.005
_LOAD_KG: Final = 0.5


def factsheet_values(rules: VehicleRules, version: VdaVersion) -> dict[str, Any]:
    """Return the fields of a factsheet."""
    lacking = () if version.is_3 else (ActionType.CLEAR_INSTANT_ACTIONS,)
    times = {"pickTime": rules.dwell_s, "dropTime": rules.dwell_s}
    values = {
        "typeSpecification": {
            "seriesName": "Thymio II",
            "agvKinematic mobileRobotKinematics": version.pick("DIFF", "DIFFERENTIAL"),
            "agvClass mobileRobotClass": "CARRIER",
            "maxLoadMass maximumLoadMass": _LOAD_KG,
            "localizationTypes": ["NATURAL"],
            "navigationTypes": ["VIRTUAL_LINE_GUIDED"],
        },
        "physicalParameters": {
            "speedMin minimumSpeed": _LEAST_SPEED_MPS,
            "speedMax maximumSpeed": rules.speed_mps,
            "accelerationMax maximumAcceleration": rules.acceleration_mps2,
            "decelerationMax maximumDeceleration": rules.acceleration_mps2,
            "heightMin minimumHeight": HEIGHT_M,
            "heightMax maximumHeight": HEIGHT_M,
            "width": WIDTH_M,
            "length": LENGTH_M,
        },
        "protocolLimits": {
            "maxStringLens maximumStringLengths": {"idLen maximumIdLength": TEXT_MAX},
            "maxArrayLens maximumArrayLengths": {
                "order.nodes": MAX_NODES,
                "order.edges": MAX_NODES - 1,
                "instantActions": INSTANT_MAX,
            },
            "timing": {
                "minOrderInterval minimumOrderInterval": MIN_STATE_S,
                "minStateInterval minimumStateInterval": MIN_STATE_S,
                "defaultStateInterval": STATE_S,
                "visualizationInterval": VISUALIZATION_S,
            },
        },
        "protocolFeatures": {
            "optionalParameters": [],  # masters may omit any optional parameter not listed
            "agvActions mobileRobotActions": [_action(kind, version) for kind in ActionType if kind not in lacking],
        },
        "agvGeometry mobileRobotGeometry": {},
        "loadSpecification": {"loadSets": [{"setName": "default", "loadType": LOAD_TYPE, **times}]},
    }
    return _named(values, version)


def _named(values: dict[str, Any], version: VdaVersion) -> dict[str, Any]:
    """Return an object with each pair of names replaced by the name of this version."""
    return {
        key.split()[-1 if version.is_3 else 0]: _named(value, version) if isinstance(value, dict) else value
        for key, value in values.items()
    }


def _action(kind: ActionType, version: VdaVersion) -> dict[str, Any]:
    values: dict[str, Any] = {
        "actionType": kind.value,
        "actionDescription": kind.text,
        "actionScopes": list(kind.scopes),
    }
    if kind is ActionType.WAIT:
        values["actionParameters"] = [{"key": "duration", "valueDataType": "NUMBER", "isOptional": True}]
    if kind is ActionType.INIT_POSITION:
        values["actionParameters"] = [{"key": key, "valueDataType": "NUMBER"} for key in POSITION_KEYS]
    if version.is_3:
        is_of_node = "NODE" in kind.scopes
        moves = kind in (ActionType.WAIT, ActionType.BEEP, ActionType.STOP_CHARGING) or not is_of_node
        blocking = (["NONE"] if moves else []) + (["SOFT", "HARD"] if is_of_node else [])
        values |= {"blockingTypes": blocking, "pauseAllowed": True, "cancelAllowed": True}
    return values  # no blockingTypes satisfy the schema of version 2
