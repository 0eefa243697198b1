"""The scenarios of a run, their order and their needs."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final

from conformance.play import fault_scenarios, scenarios
from conformance.play.robot_stage import ScenarioStage


class RunProfile(Enum):
    """The extent of a run."""

    QUICK = "quick"  # a minute
    CORE = "core"  # scenarios without hooks
    FULL = "full"  # scenarios with and without hooks, with more repetitions
    FAULTS = "faults"  # scenarios with hooks

    def __str__(self) -> str:
        return self.value


@dataclass(frozen=True, slots=True)
class KitScenario:
    """A sequence of actions that the kit performs with a server.

    Parameters
    ----------
    about_s : approximate duration
    moves : whether the robot may move, as intended or because a server accepts a bad goal
    hooks : commands of the set-up file that it needs
    is_general : whether a run against any action includes it
    """

    name: str
    perform: Callable[[ScenarioStage], None]
    about_s: float
    profiles: frozenset[RunProfile]
    moves: bool = True
    hooks: tuple[str, ...] = ()
    is_general: bool = False


_ALL: Final = frozenset({RunProfile.QUICK, RunProfile.CORE, RunProfile.FULL})
_LONG: Final = frozenset({RunProfile.CORE, RunProfile.FULL})
_FAULTS: Final = frozenset({RunProfile.FULL, RunProfile.FAULTS})

SCENARIOS: Final[Mapping[str, KitScenario]] = {
    one.name: one
    for one in (
        KitScenario("graph", scenarios.read_graph, 1, _ALL, moves=False),
        KitScenario("idle", scenarios.listen, 13, _ALL, moves=False),
        KitScenario("reach", scenarios.reach, 15, _ALL, is_general=True),
        KitScenario("refusals", scenarios.refuse, 8, _ALL),
        KitScenario("acceptances", scenarios.accept, 8, _LONG),
        KitScenario("busy", scenarios.disturb, 8, _ALL),
        KitScenario("same_uuid", scenarios.same_uuid, 2, _ALL, is_general=True),
        KitScenario("cancel", scenarios.cancel, 5, _ALL, is_general=True),
        KitScenario("cancel_all", scenarios.cancel_all, 4, _ALL, is_general=True),
        KitScenario("race", scenarios.race, 8, _LONG, is_general=True),
        KitScenario("at_once", scenarios.crowd_of_goals, 3, _LONG),
        KitScenario("home", scenarios.go_home, 15, _LONG),
        KitScenario("transport", scenarios.carry, 30, _LONG),
        KitScenario("series", scenarios.series, 20, _LONG),
        KitScenario("readers", scenarios.many_readers, 11, frozenset({RunProfile.FULL}), moves=False),
        KitScenario("others", scenarios.several, 5, _LONG),
        KitScenario("late_result", scenarios.late_result, 20, _LONG, is_general=True),
        KitScenario("stop", fault_scenarios.stop_fleet, 15, _FAULTS, hooks=("stop", "resume")),
        KitScenario(
            "battery",
            fault_scenarios.drain_battery,
            60,
            _FAULTS,
            hooks=("battery_low", "battery_critical", "battery_full"),
        ),
        KitScenario("pose_lost", fault_scenarios.lose_pose, 11, _FAULTS, moves=False, hooks=("hide", "show")),
        KitScenario("link_lost", fault_scenarios.lose_link, 25, _FAULTS, hooks=("cut_link", "mend_link")),
        KitScenario("blocked", fault_scenarios.block, 60, _FAULTS, hooks=("block", "unblock")),
        KitScenario("occupied", fault_scenarios.occupy, 60, _FAULTS, hooks=("occupy", "vacate")),
        KitScenario("terminated", fault_scenarios.terminate, 30, _FAULTS, hooks=("terminate", "start")),
        KitScenario("killed", fault_scenarios.kill, 30, _FAULTS, hooks=("kill", "start")),
    )
}
HOOKS: Final = tuple(dict.fromkeys(hook for one in SCENARIOS.values() for hook in one.hooks))


def planned(profile: RunProfile, setup: Mapping[str, Any], wanted: Iterable[str] = ()) -> list[KitScenario]:
    """Return the scenarios of a run that the set-up allows: those wanted by name, otherwise those of the profile."""
    wanted = set(wanted)
    chosen = [one for one in SCENARIOS.values() if (one.name in wanted if wanted else profile in one.profiles)]
    return [one for one in chosen if not missing(one, setup)]


def missing(scenario: KitScenario, setup: Mapping[str, Any]) -> str:
    """Return why the set-up does not allow a scenario; "" if it does."""
    hooks = [hook for hook in scenario.hooks if hook not in setup["hooks"]]
    if hooks:
        return f"needs the hook {' and '.join(hooks)} in the set-up file"
    if scenario.moves and setup["no_motion"]:
        return "may move the robot, and the run has --no-motion"
    if scenario.name == "others" and not setup["others"]:
        return "needs another robot: `others` in the set-up file"
    if setup.get("action") and not scenario.is_general:
        return "is about robots, and the run is about one action"
    return ""
