import errno
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from fleet.dashboard.model.published_state import Section
from fleet.dashboard.model.story import Story
from fleet.dashboard.orders.awaited_fleet import AwaitedFleet
from fleet.dashboard.orders.command_desk import CommandDesk, read_drive
from fleet.dashboard.orders.command_log import Person
from fleet.dashboard.orders.fleet_orders import SubmitOrder, TaskOrder, Verb
from fleet.dashboard.orders.request_errors import BadRequestError, ConflictError, NotFoundError
from fleet.geometry import Pose2D, Twist2D
from fleet.settings.station_config import StationConfig, StationRole
from fleet.work.work import PathWish
from harness.dashboard.scripted_fleet import ScriptedFleet
from thymio_base.logs.audit_log import AuditLog

ANNA = Person("Anna", "operator", "127.0.0.1")
BEN = Person("Ben", "viewer", "")
STEP_NS = 50_000_000


class Stage:
    """A board with a scripted fleet, whose time a test lets pass."""

    def __init__(self, **options: Any) -> None:
        self.fleet = ScriptedFleet(4, **options)
        self.kept: list[list[str]] = []
        self.kept_problem: OSError | None = None
        self.audit: list[Mapping[str, Any]] = []
        audit = AuditLog("dashboard", 7, self)
        self.board = CommandDesk(Story(0), self.fleet, self.fleet, self.keep, audit=audit)
        self.now_ns = 0
        self.let_pass(1.5)

    def append(self, row: Mapping[str, Any]) -> None:
        self.audit.append(row)

    def keep(self, kept: Sequence[StationConfig]) -> None:
        if self.kept_problem is not None:
            raise self.kept_problem
        self.kept.append([one.name for one in kept])

    def let_pass(self, duration_s: float) -> None:
        for _ in range(round(duration_s * 1e9 / STEP_NS)):
            self.now_ns += STEP_NS
            self.board.advance(self.now_ns)

    def perform(self, verb: Verb, body: Any) -> list[dict[str, Any]]:
        return self.board.perform(verb, body, ANNA, self.now_ns)

    def entry(self, section: Section, key: str) -> Any:
        return self.board.story.state.get(section, key)

    def events(self) -> list[tuple[str, str]]:
        state = self.board.story.state
        found = [state.get(Section.EVENTS, key) for key in state.keys(Section.EVENTS)]
        return [(event["text"], event["by"]) for event in found]


def test_command_is_followed_from_the_order_to_its_end() -> None:
    stage = Stage()
    command = stage.perform(Verb.GO_TO, {"goals": [{"robot": 1, "x_m": 0.9, "y_m": 0.6, "heading_rad": 0}]})[0]
    assert (command["state"], command["robot"], command["by"]) == ("sent", 1, "Anna (operator)")
    stage.let_pass(0.2)
    executing = stage.board.commands.entry(command["id"]) or {}
    assert executing["state"] == "executing"
    assert stage.entry(Section.TASKS, f"1/{executing['task_id']}")["command"] == command["id"]
    stage.let_pass(4.0)
    assert (stage.board.commands.entry(command["id"]) or {})["state"] == "succeeded"
    assert ("robot 1: go_to (0.90, 0.60)", "Anna (operator)") in stage.events()


def test_audit_log_has_the_sender_of_each_order_and_its_end() -> None:
    stage = Stage()
    stage.perform(Verb.GO_TO, {"goals": [{"robot": 1, "x_m": 0.9, "y_m": 0.6, "heading_rad": 0}]})
    stage.let_pass(4.0)
    ordered, ended = stage.audit
    common = {"program": "dashboard", "domain": 7, "who": "Anna", "role": "operator", "address": "127.0.0.1"}
    facts = {"what": "go_to (0.90, 0.60)", "verb": "go_to", "robot": 1, "command": "c1"}
    assert ordered == common | facts | {"event": "ordered"}
    assert ended.items() >= (common | facts | {"event": "ended", "outcome": "succeeded"}).items()
    assert ended["task"]


def test_audit_log_has_actions_that_start_no_command() -> None:
    stage = Stage()
    stage.perform(Verb.STATION, {"name": "B", "x_m": 1.0, "y_m": 1.0, "heading_rad": 0.0, "role": "load"})
    stage.perform(Verb.STOP, {})
    stage.let_pass(1.0)
    for _ in range(3):
        stage.board.drive(1, Twist2D(0.05, 0.0), ANNA, stage.now_ns)
    found = [(row["event"], row["what"], row.get("outcome")) for row in stage.audit]
    assert found[:2] == [("ended", "station B added", "done"), ("ordered", "STOP ALL", None)]
    assert found[2:] == [("ended", "STOP ALL", "done"), ("ordered", "drive by hand", None)]
    assert {(row["who"], row["role"], row["address"]) for row in stage.audit} == {("Anna", "operator", "127.0.0.1")}


def test_audit_log_has_the_ends_of_more_commands_than_pages_show() -> None:
    stage = Stage()
    for _ in range(60):
        stage.perform(Verb.IDENTIFY, {"robots": [1, 2]})
    stage.let_pass(1.0)
    assert [row["event"] for row in stage.audit].count("ended") == 120


def test_rejected_goal_has_its_reason() -> None:
    stage = Stage()
    command = stage.perform(Verb.GO_TO, {"goals": [{"robot": 1, "x_m": 1.0, "y_m": 5.0}]})[0]
    stage.let_pass(0.1)
    found = stage.board.commands.entry(command["id"]) or {}
    assert (found["state"], found["reason"]) == ("rejected", "OUT_OF_ARENA")
    assert "at most 2.120" in found["text"]
    assert ("go_to (1.00, 5.00): rejected", "Anna (operator)") in stage.events()
    assert stage.board.commands.rejected == {"OUT_OF_ARENA": 1}


def test_job_is_submitted_held_and_canceled() -> None:
    stage = Stage(has_jobs=True)
    stage.board.stations.configure([StationConfig("A", Pose2D(1.0, 0.5, 0.0), StationRole.LOAD)])
    body = {"kind": "go_to", "places": [{"station": "A"}], "id": "first"}
    command = stage.perform(Verb.SUBMIT, body)[0]
    stage.let_pass(0.2)
    assert (stage.board.commands.entry(command["id"]) or {})["state"] == "done"
    assert stage.entry(Section.JOBS, "first")["words"] == "go_to A"
    assert ("submit a job: go_to A", "Anna (operator)") in stage.events()
    for change, state in (("hold", "held"), ("release", "queued"), ("cancel", "CANCELED")):
        stage.perform(Verb.CHANGE_JOBS, {"jobs": ["first"], "change": change})
        stage.let_pass(0.2)
        assert stage.entry(Section.JOBS, "first")["state"] == state


def test_path_is_followed_as_a_job() -> None:
    stage = Stage(has_jobs=True)
    stage.perform(Verb.SUBMIT, {"kind": "follow", "path": "eight", "size_m": 0.3, "laps": 2, "id": "round"})
    order = stage.fleet.orders[-1]
    assert isinstance(order, SubmitOrder)
    assert order.job.work.path == PathWish('{"shape": "eight", "size_m": 0.3}', laps=2)
    with pytest.raises(BadRequestError, match="path"):
        stage.perform(Verb.SUBMIT, {"kind": "follow"})


def test_stop_that_a_resume_follows_is_over() -> None:
    stage = Stage()
    stage.fleet.confirms_stop = False
    stop, resume = (stage.perform(verb, {})[0]["id"] for verb in (Verb.STOP, Verb.RESUME))
    first, second = (stage.board.commands.entry(one) or {} for one in (stop, resume))
    assert (first["state"], first["text"], second["verb"]) == ("done", "another one followed at once", "resume")


def test_jobs_are_refused_where_no_driver_accepts_them() -> None:
    with pytest.raises(NotFoundError, match="no driver accepts jobs"):
        Stage().perform(Verb.SUBMIT, {"kind": "go_home"})


def test_goal_without_a_heading_gets_the_bearing() -> None:
    stage = Stage()
    stage.perform(Verb.GO_TO, {"goals": [{"robot": 1, "x_m": 0.6, "y_m": 1.6}]})
    order = stage.fleet.orders[-1]
    assert isinstance(order, TaskOrder)
    assert order.work.places[0].pose.heading_rad == pytest.approx(1.5708, abs=1e-3)


def test_goal_without_a_heading_needs_a_pose() -> None:
    stage = Stage()
    stage.board.story.picture.robots[1].pose = None
    stage.board.story.picture.robots[1].refresh(stage.now_ns)
    with pytest.raises(ConflictError, match="robot 1 publishes no pose: heading_rad is needed"):
        stage.perform(Verb.GO_TO, {"goals": [{"robot": 1, "x_m": 0.6, "y_m": 1.6}]})


def test_transport_is_given_to_the_nearest_idle_robot() -> None:
    stage = Stage()
    stage.perform(Verb.GO_TO, {"goals": [{"robot": 3, "x_m": 2.7, "y_m": 0.9}]})
    stage.let_pass(1.5)
    body = {"from": {"x_m": 2.6, "y_m": 0.6}, "to": {"x_m": 1.0, "y_m": 1.0}}
    assert stage.perform(Verb.TRANSPORT, body)[0]["robot"] in (2, 4)


def test_stop_shows_confirmations_and_when_all_robots_have_stopped() -> None:
    stage = Stage()
    sent = stage.perform(Verb.GO_TO, {"goals": [{"robot": 1, "x_m": 1.5, "y_m": 0.6}]})[0]
    stage.let_pass(1.0)
    command = stage.perform(Verb.STOP, {})[0]
    stage.board.note_confirmed(stage.fleet.stop_local(), stage.now_ns + 8_000_000)
    stop = stage.entry(Section.FLEET, "stop")
    assert stop["confirmed"] == [{"host": "lab-pc", "node": "/multi_thymio_driver", "robots": [1, 2, 3, 4], "ms": 8}]
    assert (stop["standing"], stop["is_over"]) == ([], False)
    stage.let_pass(1.2)
    stop = stage.entry(Section.FLEET, "stop")
    assert (stop["standing"], stop["is_over"], stop["unconfirmed"]) == ([1, 2, 3, 4], True, [])
    assert 200 <= stop["stand_ms"] <= 500
    assert stage.entry(Section.FLEET, "is_stopped") is True
    assert (stage.board.commands.entry(command["id"]) or {})["state"] == "done"
    assert (stage.board.commands.entry(sent["id"]) or {})["reason"] == "STOPPED"


def test_unconfirmed_stop_names_the_missing_drivers() -> None:
    stage = Stage()
    stage.fleet.confirms_stop = False
    command = stage.perform(Verb.STOP, {})[0]
    stage.let_pass(5.5)
    stop = stage.entry(Section.FLEET, "stop")
    assert stop["unconfirmed"] == [{"host": "lab-pc", "node": "/multi_thymio_driver", "robots": [1, 2, 3, 4]}]
    assert stop["is_over"] is True
    found = stage.board.commands.entry(command["id"]) or {}
    assert (found["state"], found["text"]) == ("failed", "not confirmed by lab-pc")


def test_resume_is_over_when_the_drivers_confirm() -> None:
    stage = Stage()
    stage.perform(Verb.STOP, {})
    stage.let_pass(2.0)
    command = stage.perform(Verb.RESUME, {})[0]
    stage.let_pass(0.5)
    assert stage.entry(Section.FLEET, "is_stopped") is False
    assert (stage.board.commands.entry(command["id"]) or {})["state"] == "done"


def test_press_that_arrives_twice_is_one_stop_with_the_times_of_the_first() -> None:
    stage = Stage()
    first = stage.perform(Verb.STOP, {})[0]["id"]
    stage.board.note_confirmed(stage.fleet.stop_local(), stage.now_ns + 8_000_000)
    stage.let_pass(0.05)
    assert stage.perform(Verb.STOP, {})[0]["id"] == first
    stage.board.note_confirmed(stage.fleet.stop_local(), stage.now_ns + 1_000_000)
    stop = stage.entry(Section.FLEET, "stop")
    assert ([one["ms"] for one in stop["confirmed"]], stop["number"]) == ([8], 2)
    stage.let_pass(0.9)
    assert stage.perform(Verb.STOP, {})[0]["id"] == first
    assert [text for text, _ in stage.events() if text == "STOP ALL"] == ["STOP ALL"]


def test_repeated_stop_is_carried_out_again() -> None:
    stage = Stage()
    stage.perform(Verb.STOP, {})
    stage.fleet.is_stopped = False
    stage.perform(Verb.STOP, {})
    assert stage.fleet.is_stopped


def test_stop_is_repeated_as_one_until_it_is_confirmed() -> None:
    stage = Stage()
    stage.fleet.confirms_stop = False
    first = stage.perform(Verb.STOP, {})[0]["id"]
    stage.let_pass(3.0)
    assert stage.perform(Verb.STOP, {})[0]["id"] == first
    stage.let_pass(3.0)
    assert stage.perform(Verb.STOP, {})[0]["id"] != first


def test_every_press_of_stop_is_logged_with_its_user() -> None:
    stage = Stage()
    for person in (ANNA, BEN, BEN):
        stage.board.stop(person, stage.now_ns, is_stop=True)
    assert [by for text, by in stage.events() if text == "STOP ALL"] == ["Anna (operator)", "Ben (viewer)"]


def test_stop_of_a_stopped_fleet_is_confirmed_by_direct_answers_alone() -> None:
    stage = Stage()
    stage.perform(Verb.STOP, {})
    stage.let_pass(3.0)
    command = stage.perform(Verb.STOP, {})[0]
    stage.let_pass(0.05)
    stop = stage.entry(Section.FLEET, "stop")
    driver = {"host": "lab-pc", "node": "/multi_thymio_driver", "robots": [1, 2, 3, 4]}
    assert (stop["confirmed"], stop["unconfirmed"], stop["before"]) == ([], [], [driver])
    stage.board.note_confirmed(stage.fleet.stop_local(), stage.now_ns)
    stop = stage.entry(Section.FLEET, "stop")
    assert (stop["confirmed"], stop["before"]) == ([driver | {"ms": 50}], [])
    stage.let_pass(1.0)
    assert (stage.board.commands.entry(command["id"]) or {})["state"] == "done"


def test_stop_of_a_stopped_fleet_is_over_without_direct_answers() -> None:
    stage = Stage()
    stage.perform(Verb.STOP, {})
    stage.let_pass(3.0)
    command = stage.perform(Verb.STOP, {})[0]
    stage.let_pass(1.1)
    assert stage.entry(Section.FLEET, "stop")["is_over"] is True
    assert (stage.board.commands.entry(command["id"]) or {})["state"] == "done"


def test_robot_is_driven_by_one_session_at_a_time() -> None:
    stage = Stage()
    stage.board.drive(1, Twist2D(0.1, 0.0), ANNA, stage.now_ns)
    stage.let_pass(0.1)
    assert stage.entry(Section.FLEET, "driving") == {"1": "Anna"}
    with pytest.raises(ConflictError, match="Anna drives robot 1"):
        stage.board.drive(1, Twist2D(0.1, 0.0), BEN, stage.now_ns)
    stage.let_pass(1.0)
    stage.board.drive(1, Twist2D(0.1, 0.0), BEN, stage.now_ns)
    assert [robot for robot, _ in stage.fleet.driven] == [1, 1]


def test_robot_that_does_not_offer_it_is_not_driven() -> None:
    stage = Stage()
    stage.board.story.on_offer(1, ["go_to"])
    with pytest.raises(NotFoundError, match=r"driver\.accept\.cmd_vel is off"):
        stage.board.drive(1, Twist2D(0.1, 0.0), ANNA, stage.now_ns)
    with pytest.raises(NotFoundError, match="no robot 99"):
        stage.board.drive(99, Twist2D(0.1, 0.0), ANNA, stage.now_ns)


def test_message_that_drives_is_checked() -> None:
    message = {"type": "drive", "robot": 1, "speed_mps": 0.1, "turn_radps": -0.5}
    robot_id, twist = read_drive(message)
    assert (robot_id, twist.linear_mps, twist.angular_radps) == (1, 0.1, -0.5)
    with pytest.raises(BadRequestError, match="speed_mps: 7 is greater"):
        read_drive(message | {"speed_mps": 7})


def test_stations_are_added_used_kept_and_removed() -> None:
    stage = Stage()
    stage.board.stations.configure([StationConfig("fixed", Pose2D(1.0, 1.0, 0.0), StationRole.LOAD)])
    stage.perform(Verb.STATION, {"name": "A", "x_m": 1.0, "y_m": 0.5, "role": "unload"})
    assert stage.entry(Section.STATIONS, "A") == {
        "name": "A",
        "pose": [1.0, 0.5, 0.0],
        "role": "unload",
        "is_configured": False,
    }
    stage.perform(Verb.STATION, {"name": "A", "x_m": 1.0, "y_m": 0.5, "role": "unload"})
    with pytest.raises(ConflictError, match="a station 'A' already"):
        stage.perform(Verb.STATION, {"name": "A", "x_m": 1.1, "y_m": 0.5, "role": "unload"})
    with pytest.raises(ConflictError, match="a station 'fixed' already"):
        stage.perform(Verb.STATION, {"name": "fixed", "x_m": 1.0, "y_m": 0.5, "role": "load"})
    stage.perform(Verb.REMOVE_STATION, {"name": "A"})
    with pytest.raises(NotFoundError, match="no station 'fixed' that an operator"):
        stage.perform(Verb.REMOVE_STATION, {"name": "fixed"})
    assert stage.kept == [["A"], []]


def test_stations_that_cannot_be_kept_are_as_before() -> None:
    stage = Stage()
    station = {"name": "A", "x_m": 1.0, "y_m": 0.5, "role": "unload"}
    stage.perform(Verb.STATION, station)
    stage.kept_problem = OSError(errno.ENOSPC, "No space left on device")
    with pytest.raises(ConflictError, match="stations cannot be kept: No space left on device"):
        stage.perform(Verb.STATION, station | {"name": "B"})
    with pytest.raises(ConflictError, match="stations cannot be kept: No space left on device"):
        stage.perform(Verb.REMOVE_STATION, {"name": "A"})
    assert [one.name for one in stage.board.stations.added] == ["A"]
    assert stage.entry(Section.STATIONS, "A")["role"] == "unload"


@pytest.mark.parametrize("name", ["A ", "A\nB", " ", "e\u0301"])
def test_name_of_a_station_follows_the_rules_of_files(name: str) -> None:
    with pytest.raises(BadRequestError, match="name: "):
        Stage().perform(Verb.STATION, {"name": name, "x_m": 1.0, "y_m": 0.5, "role": "unload"})


def test_stations_of_operators_are_limited() -> None:
    stage = Stage()
    station = {"x_m": 1.0, "y_m": 0.5, "role": "unload"}
    for number in range(500):
        stage.perform(Verb.STATION, station | {"name": f"A{number}"})
    with pytest.raises(ConflictError, match="operators have added 500 stations already"):
        stage.perform(Verb.STATION, station | {"name": "B"})


def test_alarm_is_acknowledged_by_name() -> None:
    stage = Stage()
    stage.perform(Verb.LINK, {"robots": [2], "link": "silent"})
    stage.let_pass(3.0)
    stage.perform(Verb.ACKNOWLEDGE, {"alarms": ["2:link"]})
    assert stage.entry(Section.ALARMS, "2:link")["acknowledged_by"] == "Anna (operator)"
    with pytest.raises(NotFoundError, match="no alarm 9:link"):
        stage.perform(Verb.ACKNOWLEDGE, {"alarms": ["9:link"]})


def test_request_with_an_unknown_id_is_refused_as_a_whole() -> None:
    stage = Stage()
    stage.perform(Verb.LINK, {"robots": [2], "link": "silent"})
    stage.let_pass(3.0)
    with pytest.raises(NotFoundError, match="no alarm 9:link"):
        stage.perform(Verb.ACKNOWLEDGE, {"alarms": ["2:link", "9:link"]})
    assert stage.entry(Section.ALARMS, "2:link")["acknowledged_by"] == ""
    stage.fleet.is_silent = True
    stage.let_pass(6.0)
    stage.board.story.on_status(2, 0, "idle", {}, stage.now_ns)
    with pytest.raises(NotFoundError, match="cannot be dismissed: 2"):
        stage.perform(Verb.DISMISS, {"robots": [1, 2]})
    assert stage.entry(Section.ROBOTS, "1") is not None


def test_only_silent_robots_are_dismissed() -> None:
    stage = Stage()
    with pytest.raises(NotFoundError, match="robots that publish cannot be dismissed: 1"):
        stage.perform(Verb.DISMISS, {"robots": [1]})
    stage.fleet.is_silent = True
    stage.let_pass(6.0)
    stage.perform(Verb.DISMISS, {"robots": [1]})
    assert stage.entry(Section.ROBOTS, "1") is None


def test_latest_commands_stay() -> None:
    stage = Stage()
    for _ in range(105):
        stage.perform(Verb.IDENTIFY, {"robots": [1]})
    keys = stage.board.story.state.keys(Section.COMMANDS)
    assert (len(keys), stage.board.commands.entry("c1")) == (100, None)


def test_orders_before_ros_is_loaded_fail_and_a_stop_is_remembered() -> None:
    awaited = AwaitedFleet(list)
    board = CommandDesk(Story(0), awaited, awaited)
    board.story.on_offer(1, ["go_home"])
    command = board.perform(Verb.GO_HOME, {"robots": [1]}, ANNA, 0)[0]
    board.perform(Verb.STOP, {}, ANNA, 0)
    board.advance(50_000_000)
    assert (board.commands.entry(command["id"]) or {})["state"] == "failed"
    assert awaited.is_stop_wanted
