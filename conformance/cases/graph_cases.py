"""Cases of chapter A: names, types and quality of service."""

from functools import partial
from typing import Any, Final

from conformance.cases.case import CaseTable
from conformance.record.finding import Finding, Obligation, absent, holds, seen, unclear
from conformance.record.window import Window
from thymio_base.texts.decimal_text import whole_number

TABLE: Final = CaseTable()
case = TABLE.case
_ACTIONS: Final = {"task_go_to": "TaskGoTo", "task_go_home": "TaskGoHome", "task_transport": "TaskTransport"}
_TYPES: Final = {
    "pose": "geometry_msgs/msg/PoseStamped",
    "status": "diagnostic_msgs/msg/DiagnosticStatus",
    "assigned_task": "ricaip_interfaces/srv/AssignedTask",
    **{f"{name}/_action/send_goal": f"ricaip_interfaces/action/{kind}_SendGoal" for name, kind in _ACTIONS.items()},
}


def _entities(window: Window) -> dict[str, dict[str, Any]]:
    return {**window.graph["topics"], **window.graph["services"]}


@case("A1", Obligation.MUST, "graph", "pose, status, assigned_task and the three actions exist below the namespace")
def _names(window: Window) -> Finding:
    missing = [name for name in _TYPES if name not in _entities(window)]
    return holds(not missing, "all six names", f"missing: {', '.join(missing)}" if missing else "all six are there")


@case("A2", Obligation.MUST, "graph", "each has the interface's type")
def _types(window: Window) -> Finding:
    found = _entities(window)
    wrong = [
        f"{name} is {', '.join(found[name]['types'])}, not {kind}"
        for name, kind in _TYPES.items()
        if name in found and found[name]["types"] != [kind]
    ]
    return holds(not wrong, "the types of the interface", "; ".join(wrong) or "all as expected")


@case("A3", Obligation.MUST, "graph", "the hashes of the topics' types are those of the kit's own types")
def _hashes(window: Window) -> Finding:
    pairs = [
        (name, publisher["hash"], topic["own_hash"])
        for name, topic in window.graph["topics"].items()
        for publisher in topic["publishers"]
        if publisher["hash"] and topic["own_hash"]
    ]
    wrong = [name for name, found, own in pairs if found != own]
    if not pairs:
        return absent("this distribution or middleware does not provide type hashes")
    return holds(not wrong, "the same hash", f"another hash: {', '.join(wrong)}" if wrong else f"{len(pairs)} agree")


@case("A4", Obligation.MUST, "idle", "the robot's ID is a positive integer, and hardware_id names it if it is given")
def _robot_id(window: Window) -> Finding:
    name = str(window.setup["namespace"]).rpartition("/")[2]
    number = name.removeprefix("robot_")
    hardware_id = window.need_statuses()[-1].hardware_id
    is_right = name.startswith("robot_") and number.isdecimal() and whole_number(number) > 0
    is_named = not hardware_id or number in hardware_id
    return holds(is_right and is_named, f"robot_<ID>, and {number!r} in hardware_id", f"{name}, {hardware_id!r}")


@case("A5", Obligation.MUST, "idle", "an ordinary subscriber (reliable, volatile) receives pose and status")
def _default_quality(window: Window) -> Finding:
    silent = [name for name in ("pose", "status") if not window.messages(name)]
    words = "; ".join(str(note.body["text"]) for note in window.events if note.name == "quality")
    if silent == ["pose"] and not words:
        return unclear("no pose is published; a robot whose pose is unknown has none")
    actual = f"silent: {', '.join(silent)}" if silent else words or "both are heard"
    return holds(not silent and not words, "messages of both", actual)


def _publisher_is(name: str, key: str, expected: str, window: Window) -> Finding:
    publishers = window.graph["topics"].get(name, {}).get("publishers", [])
    found = sorted({str(one[key]) for one in publishers})
    if not found or found == ["unknown"]:
        return unclear(f"no publisher of {name} reports it")
    return holds(found == [expected], f"{name} is {expected}", f"{name} is {', '.join(found)}")


for _address, _requirement, _name, _key, _value in (
    ("A6", "status is transient local: late subscribers get the latest", "status", "durability", "transient_local"),
    ("A7", "pose is reliable", "pose", "reliability", "reliable"),
):
    case(_address, Obligation.SHOULD, "graph", _requirement)(partial(_publisher_is, _name, _key, _value))


@case("A8", Obligation.MUST, "graph", "each topic has one publisher, and each service one server")
def _one_of_each(window: Window) -> Finding:
    counts = {name: len(window.graph["topics"].get(name, {}).get("publishers", [])) for name in ("pose", "status")}
    counts |= {name: one["servers"] for name, one in window.graph["services"].items() if name in _TYPES}
    wrong = [f"{name}: {count}" for name, count in counts.items() if count > 1]
    return holds(not wrong, "one each", ", ".join(wrong) or "one each")


@case("A9", Obligation.INFO, "graph", "further names below the namespace")
def _further(window: Window) -> Finding:
    roots = {name.partition("/_action/")[0] for name in _entities(window)}
    known = {name.partition("/_action/")[0] for name in _TYPES}
    return seen(", ".join(sorted(roots - known)) or "none")
