import re

import pytest

from fleet.dashboard.model.reason_words import WORDS, words
from fleet.dashboard.web.palette_sheet import palette_sheet
from fleet.paths.shapes import SHAPES
from fleet.reason import Reason
from fleet.tasks.task_kind import TaskKind
from thymio_base.palette import DARK, LIGHT, Theme, Tone, contrast


def test_every_reason_has_a_sentence_and_an_advice() -> None:
    assert set(WORDS) == set(Reason)
    assert all(sentence.endswith(".") and advice.rstrip(".?") for sentence, advice in WORDS.values())


def test_words_name_tones_in_the_order_of_the_rows() -> None:
    assert list(words()["tones"]) == [tone.name.lower() for tone in Tone]
    assert words()["shapes"] == list(SHAPES)


def test_words_name_each_kind_of_task_with_its_places() -> None:
    kinds = {kind["name"]: kind for kind in words()["kinds"]}
    assert list(kinds) == [kind.public_name for kind in TaskKind]
    assert kinds["transport"] == {
        "name": "transport",
        "words": "transport",
        "places": ["from", "to"],
        "role": "",
        "has_path": False,
        "has_route": False,
    }
    assert [name for name, kind in kinds.items() if kind["has_path"]] == ["follow_path"]


def test_style_sheet_has_every_property_in_each_of_its_three_rules() -> None:
    rules = re.findall(r"{\n((?:  [^{}]+;\n)+)}", palette_sheet())
    names = [re.findall(r"(--[a-z0-9-]+):", rule) for rule in rules]
    assert len(names) == 3
    assert names[0] == names[1] == names[2]
    assert {"--ground", "--ink", "--tone-lost", "--series-6"} <= set(names[0])
    assert f"--tone-error: {Tone.ERROR.dark};" in rules[2]


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_text_is_readable_on_its_ground(theme: Theme) -> None:
    assert contrast(theme.ink, theme.ground) >= 7.0
    assert contrast(theme.quiet, theme.ground) >= 4.5
    assert contrast(theme.ink, theme.paper) >= 7.0


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_edges_of_objects_are_visible(theme: Theme) -> None:
    for edge in (theme.object_edge, theme.fixture_edge, theme.charger_edge):
        assert contrast(edge, theme.ground) >= 3.0


@pytest.mark.parametrize(("theme", "shade"), [(LIGHT, "light"), (DARK, "dark")], ids=["light", "dark"])
def test_states_and_text_on_paper_and_on_states_are_visible(theme: Theme, shade: str) -> None:
    for tone in Tone:
        assert contrast(getattr(tone, shade), theme.ground) >= 3.0
    assert contrast(getattr(Tone.ERROR, shade), theme.ground) >= 4.5  # STOP ALL is written on it
