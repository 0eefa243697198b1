"""A new member of an enumeration is forgotten nowhere: tables are complete, and choices end with `assert_never`.

A table is a dict whose keys are members. One that leaves members out on purpose is in `_PARTIAL`, and is read with
`get`, or by keys that are known to be in it.
"""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from harness.packages import PRODUCT

_ROOT = Path(__file__).parents[1]
_ENUMS = ("Enum", "IntEnum", "StrEnum")
_PARTIAL = {  # module, enumeration: why members are missing
    ("aseba_link.host.description_collector", "MessageType"): "parts of descriptions",
    ("aseba_link.host.run_time_error", "MessageType"): "errors of scripts",
    ("body.description.tag_warnings", "CommandKind"): "commands with a range",
    ("body.ros.member_factory", "MemberType"): "extenders",
    ("body.ros.reacher_member", "EndReason"): "ends that are not aborts",
    ("experiments.checks.file_kind", "FileKind"): "kinds with keys",
    ("fleet.bringup.bringup_run", "BringupStage"): "stages that reach the robot",
    ("fleet.commands.fleet_table", "Tone"): "tones of paths that are followed",
    ("fleet.commands.jobs.queue_table", "JobState"): "states with a colour",
    ("fleet.dashboard.model.fleet_entries", "Tone"): "tones of tasks",
    ("fleet.dashboard.model.job_view", "JobState"): "ends",
    ("fleet.dashboard.orders.command_desk", "Verb"): "verbs without robots",
    ("fleet.dashboard.orders.command_log", "CommandState"): "failures",
    ("fleet.dashboard.orders.order_reader", "Verb"): "verbs for robots",
    ("fleet.dashboard.orders.request_schemas", "Verb"): "verbs beside those of tasks",
    ("fleet.dashboard.web.gate", "Verb"): "verbs with limits of their own",
    ("fleet.dispatch.dispatcher", "Hold"): "held",
    ("fleet.ros.jobs.remote_robot", "GoalState"): "ends that need no reason",
    ("fleet.ros.jobs.perform_action", "JobState"): "ends",
    ("fleet.ros.pose_source", "Reason"): "reasons of messages",
    ("fleet.ros.task_actions", "TaskState"): "ends",
    ("fleet.ros.thymio_topics.sensor_topics", "Event"): "events with a topic",
    ("fleet.vda5050.link.route_client", "ActionType"): "actions with a kind of leg of their own",
    ("fleet.vda5050.link.route_client", "StepKind"): "steps that are legs",
    ("fleet.vda5050.order.order_machine", "ActionType"): "actions that the surroundings carry out",
    ("fleet.vda5050.order.order_machine", "RobotControl"): "controls in which no orders are taken",
    ("fleet.vda5050.vehicle.received_messages", "Topic"): "topics that are subscribed to",
    ("fleet.view.drawing", "Material"): "what stands on the floor",
    ("simulator.firmware.thymio", "MessageType"): "commands to a node",
    ("simulator.machine.processor", "Operation"): "operations with a handler",
    ("simulator.machine.stack_expression", "BinaryOperator"): "operators by their shape",
    ("simulator.ros.control_interface", "Refusal"): "refusals with a code of their own",
    ("thymio_fleet.fleet_works", "GoalState"): "ends with an error of their own",
}
_OPEN = {  # module, enumeration: choices that need not name each member
    ("aseba_link.aesl.syntax.expression_parser", "TokenKind"): "other tokens are errors of the script",
    ("fleet.calibration.line_run", "Event"): "other events are ignored",
    ("fleet.calibration.wall_run", "Event"): "other events are ignored",
    ("fleet.client.robot_report", "Level"): "the tone depends on more",
    ("fleet.goals.end_reason", "GoalState"): "other ends are those of a task",
    ("simulator.firmware.thymio", "MessageType"): "other messages are ignored",
    ("simulator.machine.processor", "UnaryOperator"): "other numbers in bytecode are faults of the script",
}


@cache
def _modules() -> dict[str, ast.Module]:
    files = (file for package in PRODUCT for file in sorted((_ROOT / package).rglob("*.py")))
    return {
        ".".join(file.relative_to(_ROOT).with_suffix("").parts): ast.parse(file.read_text(encoding="utf-8"))
        for file in files
    }


@cache
def _nodes() -> dict[str, tuple[ast.AST, ...]]:
    """Return all nodes of each module."""
    return {module: tuple(ast.walk(tree)) for module, tree in _modules().items()}


@cache
def _members() -> dict[str, frozenset[str]]:
    """Return the members of each enumeration."""
    found: dict[str, frozenset[str]] = {}
    for nodes in _nodes().values():
        for node in nodes:
            if isinstance(node, ast.ClassDef) and any(ast.unparse(base) in _ENUMS for base in node.bases):
                targets = (target for one in node.body if isinstance(one, ast.Assign) for target in one.targets)
                found[node.name] = frozenset(one.id for one in targets if isinstance(one, ast.Name))
    return found


def _enum_of(node: ast.expr) -> tuple[str, str] | None:
    """Return the enumeration and the member that an expression names."""
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in _members():
        return node.value.id, node.attr
    return None


@cache
def _tables() -> tuple[tuple[str, int, str, frozenset[str]], ...]:
    """Return all tables."""
    return tuple(_found_tables())


def _found_tables() -> Iterator[tuple[str, int, str, frozenset[str]]]:
    """Yield module, line and enumeration of each table, and its keys."""
    for module, nodes in _nodes().items():
        for node in nodes:
            if isinstance(node, ast.Dict):
                keys = [found for key in node.keys if key is not None and (found := _enum_of(key))]
                for enum in sorted({enum for enum, _ in keys}):
                    yield module, node.lineno, enum, frozenset(member for name, member in keys if name == enum)


def _matched(pattern: ast.pattern) -> list[str]:
    if isinstance(pattern, ast.MatchAs) and pattern.pattern is not None:
        return _matched(pattern.pattern)
    if isinstance(pattern, ast.MatchOr):
        return [enum for part in pattern.patterns for enum in _matched(part)]
    found = _enum_of(pattern.value) if isinstance(pattern, ast.MatchValue) else None
    return [] if found is None else [found[0]]


def _tested(statement: ast.stmt) -> tuple[str, str] | None:
    """Return what an `if` compares with a member, and the enumeration."""
    test = statement.test if isinstance(statement, ast.If) else None
    if not isinstance(test, ast.Compare) or len(test.ops) != 1 or not isinstance(test.ops[0], ast.Is | ast.Eq):
        return None
    found = _enum_of(test.comparators[0])
    return None if found is None else (ast.unparse(test.left), found[0])


def _chains(body: list[ast.stmt]) -> Iterator[tuple[int, str]]:
    """Yield line and enumeration where one value is compared with two members, one after the other."""
    for statement, following in zip(body, [*body[1:], None], strict=False):
        tested = _tested(statement)
        if tested is None or not isinstance(statement, ast.If):
            continue
        ends = isinstance(statement.body[-1], ast.Return | ast.Raise | ast.Continue)
        after = statement.orelse[0] if len(statement.orelse) == 1 else following if ends else None
        if after is not None and _tested(after) == tested:
            yield statement.lineno, tested[1]


@pytest.mark.slow
def test_tables_have_all_members_of_their_enumeration() -> None:
    missing = {
        f"{module}:{line} {enum}: {', '.join(sorted(_members()[enum] - keys))}"
        for module, line, enum, keys in _tables()
        if keys < _members()[enum] and (module, enum) not in _PARTIAL
    }
    assert missing == set()


@pytest.mark.slow
def test_lists_of_exceptions_name_nothing_that_is_complete() -> None:
    partial = {(module, enum) for module, _, enum, keys in _tables() if keys < _members()[enum]}
    assert _PARTIAL.keys() - partial == set()
    assert _OPEN.keys() - {(module, enum) for module, _, enum in _all_chains()} == set()


def _all_chains() -> Iterator[tuple[str, int, str]]:
    for module, nodes in _nodes().items():
        for node in nodes:
            for body in (getattr(node, "body", None), getattr(node, "orelse", None)):
                if isinstance(body, list):
                    yield from ((module, line, enum) for line, enum in _chains(body))


def test_members_have_values_of_their_own() -> None:
    for nodes in _nodes().values():
        for node in nodes:
            if isinstance(node, ast.ClassDef) and node.name in _members():
                values = [ast.unparse(one.value) for one in node.body if isinstance(one, ast.Assign)]
                assert len({*values} - {"auto()"}) == len([one for one in values if one != "auto()"]), node.name


def test_choices_among_members_are_matches() -> None:
    chains = {f"{module}:{line} {enum}" for module, line, enum in _all_chains() if (module, enum) not in _OPEN}
    assert chains == set()


def test_matches_of_members_end_with_assert_never() -> None:
    found = {
        f"{module}:{node.lineno}"
        for module, nodes in _nodes().items()
        for node in nodes
        if isinstance(node, ast.Match) and any(_matched(case.pattern) for case in node.cases)
        if "assert_never" not in ast.unparse(node.cases[-1])
    }
    assert found == set()


def test_kinds_of_task_have_their_names_from_one_place() -> None:
    tables = [
        f"{module}:{node.lineno}"
        for module, nodes in _nodes().items()
        for node in nodes
        if isinstance(node, ast.Dict) and len(node.values) > 1
        if ("TaskKind", "GO_TO") in [_enum_of(value) for value in node.values]
    ]
    assert tables == []
