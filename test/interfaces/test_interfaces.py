import importlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = {
    "asebaros_msgs": "interfaces/asebaros_msgs",
    "impedance_control_msgs": "interfaces/impedance_control_msgs",
    "orchestrator_interfaces": "interfaces/orchestrator_interfaces",
    "rbc_actions": "interfaces/rbc_actions",
    "rbc_msgs_srvs": "interfaces/rbc_msgs_srvs",
    "ricaip_interfaces": "interfaces",
    "tf2_msgs": "tools/wheels/tf2_msgs",
    "thymio_fleet_interfaces": "interfaces/thymio_fleet_interfaces",
    "thymio_msgs": "interfaces/thymio_msgs",
    "thymio_simulator_interfaces": "interfaces/thymio_simulator_interfaces",
}
FIELDS = {  # third-party ones have the names, types, order, constants and defaults that their users expect
    "asebaros_msgs/msg/AnonymousEvent": "builtin_interfaces/Time stamp; uint16 source; uint16 type; int16[] data",
    "asebaros_msgs/msg/Constant": "string name; int16 value",
    "asebaros_msgs/msg/Event": "builtin_interfaces/Time stamp; uint16 source; int16[] data",
    "asebaros_msgs/msg/Node": "uint16 id; string name; string name_space; bool running; bool ignored; bool connected",
    "asebaros_msgs/msg/NodeDescription": (
        "uint16 id; string name; Constant[] constants; string[] events; string[] variables"
    ),
    "asebaros_msgs/msg/NodeList": "Node[] nodes",
    "asebaros_msgs/srv/GetDescription": "--- NodeDescription description",
    "asebaros_msgs/srv/GetNodeList": "bool ignored false --- Node[] nodes",
    "asebaros_msgs/srv/GetVariable": "string variable --- int16[] data",
    "asebaros_msgs/srv/LoadScript": (
        "string file_name; Constant[] constants; uint16[] node_ids; bool set_as_default false ---"
    ),
    "asebaros_msgs/srv/SetVariable": "string variable; int16[] data ---",
    "ricaip_interfaces/action/TaskGoHome": "string task_id --- bool success ---",
    "ricaip_interfaces/action/TaskGoTo": "string task_id; geometry_msgs/PoseStamped goal_pose --- bool success ---",
    "ricaip_interfaces/action/TaskTransport": (
        "string task_id; geometry_msgs/PoseStamped pose_from; geometry_msgs/PoseStamped pose_to --- bool success ---"
    ),
    "ricaip_interfaces/srv/AssignedTask": "--- string id",
    "tf2_msgs/msg/TFMessage": "geometry_msgs/TransformStamped[] transforms",
    "thymio_fleet_interfaces/action/Dock": (
        "string task_id; geometry_msgs/PoseStamped charger_pose --- "
        "bool success; string reason; float64 duration_s --- float64 progress; float64 eta_s"
    ),
    "thymio_fleet_interfaces/action/FollowPath": (
        "string task_id; string path; float64[<=2000] waypoints_m; float64 speed_mps; uint32 laps; string relative_to; "
        "bool endless --- "
        "bool success; string reason; float64 max_cross_track_m; float64 rms_cross_track_m; float64 duration_s --- "
        "float64 along_track_m; float64 cross_track_m; float64 heading_error_rad; float64 progress; float64 eta_s; "
        "uint32 lap"
    ),
    "thymio_fleet_interfaces/action/FollowRoute": (
        "string task_id; thymio_fleet_interfaces/RouteLegs legs --- "
        "bool success; string reason; string detail; uint32 legs_completed; float64 max_cross_track_m; "
        "float64 rms_cross_track_m; float64 duration_s --- "
        "uint32 legs_completed; uint32 legs; float64 leg_remaining_m; float64 progress; float64 eta_s; "
        "float64 along_track_m; float64 cross_track_m; float64 heading_error_rad"
    ),
    "thymio_fleet_interfaces/action/PerformJob": (
        "Job job --- bool success; string reason; string detail; uint32 robot; uint32 attempts; float64 duration_s --- "
        "JobState job"
    ),
    "thymio_fleet_interfaces/msg/Driver": (
        "string host; string node; string token; int64 begun_ns; uint32[] serves; int64[] since_ns; uint32[] waits_for;"
        " string[] knows; string[] stoppers; uint32[] stops; uint32[] resumed; string jobs;"
        " string[] tasks"
    ),
    "thymio_fleet_interfaces/msg/Job": (
        "string job_id; string kind; JobPlace[<=8] places; string path; float64 speed_mps; uint32 laps; "
        "string relative_to; uint32[] robots; uint8 priority 5; builtin_interfaces/Time not_before; "
        "builtin_interfaces/Time deadline; bool abort_when_late; string[] after; bool after_any_end; uint8 attempts 3; "
        "bool may_be_interrupted true"
    ),
    "thymio_fleet_interfaces/msg/JobPlace": "string name; float64 x_m; float64 y_m; float64 heading_rad",
    "thymio_fleet_interfaces/msg/JobState": (
        "string job_id; string words; string state; uint32 robot; int32 place; uint8 priority; float64 eta_s; "
        "float64 progress; uint32 attempts; string reason; string detail; builtin_interfaces/Time submitted; "
        "builtin_interfaces/Time ended"
    ),
    "thymio_fleet_interfaces/msg/JobStates": (
        "std_msgs/Header header; JobState[] jobs; uint32[] off_duty; string trouble; string host; string[] standby"
    ),
    "thymio_fleet_interfaces/msg/KnownWays": (
        "std_msgs/Header header; string host; string node; string token; string[] tokens; uint64[] numbers"
    ),
    "thymio_fleet_interfaces/msg/Place": (
        "string name; string role; float64 x_m; float64 y_m; float64 heading_rad; uint32[] robots; uint32[] coming"
    ),
    "thymio_fleet_interfaces/msg/Places": "std_msgs/Header header; string host; Place[] places",
    "thymio_fleet_interfaces/msg/RobotPoses": (
        "std_msgs/Header header; uint32[] robots; int64[] stamps_ns; float64[] xs_m; float64[] ys_m; "
        "float64[] headings_rad"
    ),
    "thymio_fleet_interfaces/msg/RobotTask": (
        "std_msgs/Header header; string task_id; string kind; string state; string reason; string detail; string words;"
        " TaskLeg[] legs; uint32 leg; float32[] plan_x_m; float32[] plan_y_m; float64 eta_s; float64 progress;"
        " string[] clients"
    ),
    "thymio_fleet_interfaces/msg/RouteLegs": (
        "uint8 DRIVE=1; uint8 TURN=2; uint8 WAIT=3; uint8 LOAD=4; uint8 UNLOAD=5; uint8 DOCK=6; uint8[<=200] kinds; "
        "uint16[<=200] point_counts; float64[<=2000] points_m; float64[<=200] values; float64[<=200] corners_m"
    ),
    "thymio_fleet_interfaces/msg/ScriptResult": (
        "uint16 node_id; string node_name; bool success; string message; uint32 line; uint32 column"
    ),
    "thymio_fleet_interfaces/msg/SharedWay": (
        "uint32 robot_id; uint64 version; builtin_interfaces/Time start; float32[] time_s; float32[] x_m;"
        " float32[] y_m; float32[] heading_rad; builtin_interfaces/Time asked; bool is_roaming; bool is_lost;"
        " bool is_asking"
    ),
    "thymio_fleet_interfaces/msg/SharedWays": (
        "std_msgs/Header header; string host; string node; string token; uint64 number; float64 radius_m;"
        " float64 speed_mps; float64 stop_s; bool is_leaving; SharedWay[] ways"
    ),
    "thymio_fleet_interfaces/msg/TaskLeg": (
        "string kind; float64 x_m; float64 y_m; float64 heading_rad; float64 duration_s; bool loads"
    ),
    "thymio_fleet_interfaces/srv/ChangeJobs": (
        "string[<=200] job_ids; string change; uint8 priority; string before; uint32[] robots; "
        "builtin_interfaces/Time deadline --- bool success; string[] details"
    ),
    "thymio_fleet_interfaces/srv/ConfigureTracker": (
        "string law; string[] names; float64[] values"
        " --- bool success; string message; string law; string[] names; float64[] values"
    ),
    "thymio_fleet_interfaces/srv/ExtendPath": (
        "string task_id; uint32 after; float64[<=2002] waypoints_m; uint32 laps"
        " --- bool accepted; string reason; string detail; uint32 waypoints"
    ),
    "thymio_fleet_interfaces/srv/ExtendRoute": (
        "string task_id; uint32 expected_legs; thymio_fleet_interfaces/RouteLegs legs"
        " --- bool accepted; string reason; string detail; uint32 legs"
    ),
    "thymio_fleet_interfaces/srv/ListJobs": "string[<=200] job_ids; string[] states; uint32 robot --- JobState[] jobs",
    "thymio_fleet_interfaces/srv/LoadScript": (
        "string file_name; string text; asebaros_msgs/Constant[<=1000] constants; uint16[] node_ids; "
        "bool set_as_default --- bool success; string message; ScriptResult[] results"
    ),
    "thymio_fleet_interfaces/srv/SetDuty": "uint32[] robots; string duty --- bool success; string message",
    "thymio_fleet_interfaces/srv/SubmitJobs": (
        "Job[<=200] jobs; bool estimate_only --- bool accepted; string[] reasons; string[] details; float64[] eta_s"
    ),
    "impedance_control_msgs/msg/PosRef": "float64[] position; float64[] simulated_effort",
    "impedance_control_msgs/msg/State": "float64[] position; float64[] velocity; float64[] effort",
    "rbc_actions/action/JointReacher": (
        "rbc_msgs_srvs/JointValue[] goal --- bool success; string reason; rbc_msgs_srvs/JointValue[] error"
        " --- rbc_msgs_srvs/JointValue[] error"
    ),
    "rbc_actions/action/SimContact": (
        "geometry_msgs/Wrench wrench; geometry_msgs/PointStamped position; builtin_interfaces/Duration duration"
        " --- bool success; string reason ---"
    ),
    "rbc_actions/action/VF": (
        "geometry_msgs/Pose goal; geometry_msgs/Twist precision; builtin_interfaces/Duration timeout"
        " --- bool success; string reason; geometry_msgs/Twist error"
        " --- geometry_msgs/Twist error; float64 slowest_weight"
    ),
    "rbc_msgs_srvs/msg/JointValue": "string joint; float64 value",
    "rbc_msgs_srvs/msg/MotorCommand": "builtin_interfaces/Time stamp; MotorReference reference",
    "rbc_msgs_srvs/msg/MotorReading": "float64 position; float64 velocity; float64 external_torque",
    "rbc_msgs_srvs/msg/MotorReference": "float64 position; float64 simulated_torque",
    "rbc_msgs_srvs/msg/MotorState": "builtin_interfaces/Time stamp; MotorReading reading",
    "rbc_msgs_srvs/msg/Variables": "builtin_interfaces/Time stamp; string[] names; float64[] values",
    "rbc_msgs_srvs/srv/RbcL2Ctrl": "string cmd; string data; string name --- bool success; string message",
    "orchestrator_interfaces/msg/SampleMessage": "std_msgs/Header header; string debug_data",
    "orchestrator_interfaces/msg/Status": "string node_name; string[] omitted_outputs; int32 debug_id",
    "orchestrator_interfaces/srv/ReconfigurationAnnouncement": "---",
    "orchestrator_interfaces/srv/ReconfigurationRequest": (
        "--- string new_launch_config_package; string new_launch_config_filename"
    ),
    "orchestrator_interfaces/srv/SampleService": "string caller; string message --- string message",
    "orchestrator_interfaces/srv/SetConfigurationService": "string config_value --- bool success",
    "thymio_msgs/msg/Comm": "int16 value; int16[7] payloads; int16[7] intensities",
    "thymio_msgs/msg/Led": (
        "uint8 CIRCLE=0; uint8 PROXIMITY=1; uint8 BUTTONS=2; uint8 GROUND=3; uint8 TEMPERATURE=4; uint8 MICROPHONE=5;"
        " uint8 REMOTE=6; uint8 id; float32[] values"
    ),
    "thymio_msgs/msg/LedGesture": (
        "uint8 OFF=0; uint8 WAVE=1; uint8 RECT=0; uint8 HARMONIC=1; uint8 CIRCLE=0; uint8 PROXIMITY=1; uint8 BUTTONS=2;"
        " uint8 gesture; uint8 wave; uint8 leds; float32 period; uint16 length; uint8 mirror; bool[] mask"
    ),
    "thymio_msgs/msg/Sound": "builtin_interfaces/Duration duration; float32 frequency",
    "thymio_msgs/msg/SystemSound": (
        "int8 STOP=-1; int8 STARTUP=0; int8 SHUTDOWN=1; int8 ARROW_BUTTON=2; int8 CENTRAL_BUTTON=3; int8 FREE_FALL=4;"
        " int8 COLLISION=5; int8 TARGET_OK=6; int8 TARGET_DETECT=7; int8 sound"
    ),
    "thymio_simulator_interfaces/srv/AttachObject": (
        "string entity; string object --- simulation_interfaces/Result result"
    ),
    "thymio_simulator_interfaces/srv/DetachObject": "string object --- simulation_interfaces/Result result",
    "thymio_simulator_interfaces/srv/PressButton": (
        "string entity; string button; float64 duration_s --- simulation_interfaces/Result result"
    ),
    "thymio_simulator_interfaces/srv/SetBattery": (
        "string entity; float64 charge --- simulation_interfaces/Result result"
    ),
    "thymio_simulator_interfaces/srv/SetCapture": (
        "string entity; bool is_seen --- simulation_interfaces/Result result"
    ),
    "thymio_simulator_interfaces/srv/SetLink": (
        "uint8 LINK_CONNECTED=0; uint8 LINK_SILENT=1; uint8 LINK_DISCONNECTED=2; string entity; uint8 link"
        " --- simulation_interfaces/Result result"
    ),
    "thymio_simulator_interfaces/srv/SetSpeedFactor": "float64 factor --- simulation_interfaces/Result result",
}
PARTS = {"msg": [""], "srv": ["Request", "Response"], "action": ["Goal", "Result", "Feedback"]}
# rosidl's names; the others keep their names
PYTHON_TYPES = {"bool": "boolean", "float32": "float", "float64": "double"}
VALUES = {"true": True, "false": False, "3": 3, "5": 5}


def files(package: str) -> Iterator[Path]:
    """Return the interface files of a package, relative to its folder, without those of packages inside it."""
    folder = ROOT / FOLDERS[package]
    return (path.relative_to(folder) for kind in PARTS for path in folder.glob(f"{kind}/*"))


def lines(name: str) -> list[str]:
    package, kind, stem = name.split("/")
    return (ROOT / FOLDERS[package] / kind / f"{stem}.{kind}").read_text(encoding="utf-8").splitlines()


def without_comments(name: str) -> str:
    """Return the fields of a file, written as in the table."""
    bare = [" ".join(line.partition("#")[0].split()) for line in lines(name)]
    return re.sub(r"(^|; )---(; |$)", " --- ", "; ".join(filter(None, bare))).strip()


def built(name: str) -> list[tuple[Any, list[list[str]]]]:
    """Return the Python type of each part of an interface, with the words of its declarations in the table."""
    package, kind, stem = name.split("/")
    whole = getattr(importlib.import_module(f"{package}.{kind}"), stem)
    types = [getattr(whole, part) if part else whole for part in PARTS[kind]]
    declarations = [[words.split() for words in part.split(";") if words.strip()] for part in FIELDS[name].split("---")]
    return list(zip(types, declarations, strict=True))


def python_type(package: str, declared: str) -> str:
    element, bracket, size = declared.partition("[")
    element = PYTHON_TYPES.get(element, element)
    element = f"{package}/{element}" if element[0].isupper() else element
    if size.startswith("<="):
        return f"sequence<{element}, {size.strip('<=]')}>"
    return f"sequence<{element}>" if size == "]" else f"{element}{bracket}{size}"


def constants(kind: Any) -> dict[str, int]:
    """Return the constants of a rosidl type, without the defaults and slot types stored beside them."""
    return {
        name: getattr(kind, name)
        for name in dir(kind)
        if name.isupper() and not name.endswith("__DEFAULT") and name != "SLOT_TYPES"
    }


def test_the_set_of_interfaces_is_complete() -> None:
    found = {f"{package}/{path.with_suffix('')}" for package in FOLDERS for path in files(package)}
    assert found == set(FIELDS)


def test_every_interface_package_is_in_the_table() -> None:
    found = {str(path.parent.relative_to(ROOT)) for path in (ROOT / "interfaces").rglob("package.xml")}
    assert found | {"tools/wheels/tf2_msgs"} == set(FOLDERS.values())


@pytest.mark.parametrize("package", sorted(FOLDERS.keys() - {"tf2_msgs"}))  # only set-up builds that copy
def test_package_builds_exactly_its_interface_files(package: str) -> None:
    recipe = (ROOT / FOLDERS[package] / "CMakeLists.txt").read_text(encoding="utf-8")
    assert re.findall(r"^  ((?:action|msg|srv)/\S+)$", recipe, flags=re.MULTILINE) == sorted(map(str, files(package)))


@pytest.mark.parametrize("name", FIELDS)
def test_interface_file_has_the_fields_of_the_table(name: str) -> None:
    assert without_comments(name) == FIELDS[name]


@pytest.mark.parametrize("name", FIELDS)
def test_every_field_of_an_interface_has_a_comment(name: str) -> None:
    text = lines(name)
    bare = [line for before, line in zip(["", *text], text, strict=False) if is_field(line) and before[:1] != "#"]
    assert bare == []


def is_field(line: str) -> bool:
    return bool(line) and not line.startswith(("#", "---"))


@pytest.mark.parametrize("name", FIELDS)
def test_built_type_has_the_fields_of_the_table(name: str) -> None:
    package = name.partition("/")[0]
    for kind, declarations in built(name):
        expected = [(words[1], python_type(package, words[0])) for words in declarations if "=" not in words[1]]
        assert list(kind.get_fields_and_field_types().items()) == expected


@pytest.mark.parametrize("name", FIELDS)
def test_built_type_has_the_constants_of_the_table(name: str) -> None:
    for kind, declarations in built(name):
        pairs = [words[1].partition("=") for words in declarations if "=" in words[1]]
        assert constants(kind) == {constant: int(value) for constant, _, value in pairs}


@pytest.mark.parametrize("name", FIELDS)
def test_built_type_has_the_defaults_of_the_table(name: str) -> None:
    for kind, declarations in built(name):
        expected = {words[1]: VALUES[words[2]] for words in declarations if len(words) == 3}
        assert {field: getattr(kind(), field) for field in expected} == expected
