"""The set-up of a run: the user's file, with additions from the command line."""

from collections.abc import Iterator, Mapping
from importlib import resources
from pathlib import Path
from typing import Any

from conformance.cases.all_cases import CASES
from conformance.play.plan import HOOKS, SCENARIOS, RunProfile
from thymio_base.settings_file import Problem, load_settings, read_settings
from thymio_base.texts.json_text import own_json


def read_set_up(
    path: Path | None, namespace: str, profile: RunProfile, changes: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Return the set-up of a run; raise SettingsError if the file has problems."""
    schema = own_json(resources.files("conformance.run").joinpath("set_up.schema.json").read_text(encoding="utf-8"))
    values = read_settings("{}", "", schema) if path is None else load_settings(path, schema, _check)
    is_quick, is_full = profile is RunProfile.QUICK, profile is RunProfile.FULL
    return {
        "area": None,
        **values,
        "namespace": "/" + namespace.strip("/"),
        "profile": profile.value,
        "listen_s": 6.0 if is_quick else 10.0,
        "series": 20 if is_full else 5,
        "races": 20,
        "strict": False,
        "no_motion": False,
        "action": "",
        "goal": {},
        **(changes or {}),
    }


def _check(values: dict[str, Any]) -> Iterator[Problem]:
    for name in values["hooks"]:
        if name not in HOOKS:
            yield ("hooks", name), f"{name} is not a hook; known: {', '.join(HOOKS)}"
    for name in values["unsupported"]:
        if name not in CASES and name not in SCENARIOS:
            yield ("unsupported",), f"{name!r} is neither a case nor a scenario"
