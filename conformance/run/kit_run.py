"""Performs scenarios, repeats those for which the machine was too busy, and judges the recording."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from conformance.cases.all_cases import CASES
from conformance.cases.case import Judgement, ServerCase, judged
from conformance.play.plan import SCENARIOS, KitScenario, RunProfile, missing
from conformance.play.robot_stage import ScenarioStage
from conformance.record.finding import NotSeenError
from conformance.record.run_record import ObservationKind, ServerRecording

_TRIES: Final = 3

Progress = Callable[[KitScenario, Sequence[Judgement]], None]


def perform(
    stage: ScenarioStage, scenarios: Iterable[KitScenario], setup: Mapping[str, Any], progress: Progress
) -> None:
    """Perform scenarios, each up to three times if another try may be conclusive."""
    for scenario in scenarios:
        for _ in range(1 if scenario.hooks else _TRIES):
            _perform_once(stage, scenario)
            found = judge(stage.port.recording, setup, (scenario.name,))
            if not any(one.finding.may_clear for one in found):
                break
        progress(scenario, found)


def _perform_once(stage: ScenarioStage, scenario: KitScenario) -> None:
    recording, port = stage.port.recording, stage.port
    recording.add(port.now_s(), ObservationKind.SCENARIO, scenario.name, {"status": port.latest.get("status")})
    try:
        if scenario.moves:
            stage.settle()
        scenario.perform(stage)
    except NotSeenError as reason:
        stage.note(str(reason))
    finally:
        stage.port.wait(lambda: False, 0.3)  # late messages still belong to this scenario


def judge(recording: ServerRecording, setup: Mapping[str, Any], scenarios: Iterable[str] = ()) -> list[Judgement]:
    """Return the verdicts on all cases, or on the cases of some scenarios, in order."""
    wanted = set(scenarios)
    cases = [case for case in applicable(setup) if not wanted or case.scenario in wanted]
    return [judged(case, recording, setup, missing(SCENARIOS[case.scenario], setup)) for case in cases]


def applicable(setup: Mapping[str, Any]) -> list[ServerCase]:
    """Return the cases of a run: those wanted by name, otherwise those of the profile."""
    wanted = setup.get("cases") or ()
    cases = [case for case in CASES.values() if case.is_general or not setup.get("action")]
    if wanted:
        return [case for case in cases if case.address in wanted]
    profile = RunProfile(setup["profile"])
    return [case for case in cases if profile in SCENARIOS[case.scenario].profiles]
