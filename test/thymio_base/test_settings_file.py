from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from thymio_base.errors import SettingsError
from thymio_base.settings_file import Problem, load_settings, read_document, repeats

SCHEMA = {
    "type": "object",
    "additionalProperties": False,
    "required": ["robots"],
    "properties": {
        "rates": {
            "type": "object",
            "additionalProperties": False,
            "default": {},
            "properties": {"pose_hz": {"type": "number", "exclusiveMinimum": 0, "default": 10}},
        },
        "robots": {
            "type": "array",
            "items": {
                "type": "object",
                "additionalProperties": False,
                "required": ["id"],
                "properties": {"id": {"type": "integer", "minimum": 1}, "colour": {"type": "string", "default": "red"}},
            },
        },
    },
}


def write(folder: Path, text: str) -> Path:
    path = folder / "settings.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def problems_of(folder: Path, text: str) -> list[str]:
    with pytest.raises(SettingsError) as caught:
        load_settings(write(folder, text), SCHEMA)
    return [problem.removeprefix(f"{folder}/settings.yaml:") for problem in caught.value.problems]


def test_defaults_of_the_schema_are_filled_in_at_every_depth(tmp_path: Path) -> None:
    settings = load_settings(write(tmp_path, "robots:\n- id: 3\n"), SCHEMA)
    assert settings == {"robots": [{"id": 3, "colour": "red"}], "rates": {"pose_hz": 10}}


def test_every_problem_is_reported_with_its_line_and_path(tmp_path: Path) -> None:
    text = "rates:\n  pose_hz: -1\nrobots:\n- id: 0\n- id: x\n- {}\n"
    assert problems_of(tmp_path, text) == [
        "2: rates.pose_hz: -1 is less than or equal to the minimum of 0",
        "4: robots[0].id: 0 is less than the minimum of 1",
        "5: robots[1].id: 'x' is not of type 'integer'",
        "6: robots[2]: key 'id' is missing",
    ]


def test_an_unknown_key_is_reported_with_the_nearest_known_one(tmp_path: Path) -> None:
    assert problems_of(tmp_path, "rates: {pose_herz: 3}\nrobots: []\n") == [
        "1: rates.pose_herz: unknown key, did you mean 'pose_hz'?"
    ]


def test_a_duplicate_key_is_a_problem(tmp_path: Path) -> None:
    assert problems_of(tmp_path, "robots: []\nrobots: []\n") == ["2: robots: is given twice, first on line 1"]


def test_numbers_that_are_not_finite_are_problems(tmp_path: Path) -> None:
    assert problems_of(tmp_path, "rates: {pose_hz: .nan}\nrobots: []\n") == [
        "1: rates.pose_hz: nan is not a finite number"
    ]


def test_a_mapping_as_a_key_is_reported_with_its_line(tmp_path: Path) -> None:
    assert problems_of(tmp_path, "robots: []\n{a: 1}: 2\n") == ["2: not YAML: a key must be a text"]


def test_text_that_is_not_yaml_is_reported_with_its_line(tmp_path: Path) -> None:
    (problem,) = problems_of(tmp_path, "robots:\n- {id: 3\n")
    assert problem.startswith("3: not YAML: ")


def test_a_missing_file_is_reported_by_name(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"absent\.yaml: No such file"):
        load_settings(tmp_path / "absent.yaml", SCHEMA)


def test_problems_from_a_check_are_reported_together_with_those_from_the_schema(tmp_path: Path) -> None:
    def check(values: dict[str, Any]) -> Iterator[Problem]:
        yield ("robots", 1, "id"), f"3 is taken, the others are {values['robots'][0]}, {values['rates']}"

    path = write(tmp_path, "rates: {pose_hz: -1}\nrobots:\n- id: 0\n- id: 3\n")
    with pytest.raises(SettingsError) as caught:
        load_settings(path, SCHEMA, check)
    assert caught.value.problems == [
        f"{path}:1: rates.pose_hz: -1 is less than or equal to the minimum of 0",
        f"{path}:3: robots[0].id: 0 is less than the minimum of 1",
        f"{path}:4: robots[1].id: 3 is taken, the others are None, {{'pose_hz': 10.0}}",
    ]


def test_document_holds_sound_values_and_lists_its_problems_with_further_ones_in_the_order_of_lines() -> None:
    document = read_document("rates: {pose_hz: 20}\nrobots:\n- id: 3\n- id: 0\n", "s.yaml", SCHEMA)
    assert document.values == {"rates": {"pose_hz": 20}, "robots": [{"id": 3, "colour": "red"}, None]}
    assert document.listed([(("robots", 0, "id"), "is taken")]) == [
        "s.yaml:3: robots[0].id: is taken",
        "s.yaml:4: robots[1].id: 0 is less than the minimum of 1",
    ]


PARTS = """rates: {pose_hz: -1}
robots:
- {id: 1, colour: 3}
- {colour: red}
- 5
- {id: 2, color: blue}
"""


def test_parts_of_a_document_lack_only_what_is_invalid() -> None:
    document = read_document(PARTS, "settings.yaml", SCHEMA)
    assert document.parts == {
        "rates": {"pose_hz": None},
        "robots": [{"id": 1, "colour": None}, {"colour": "red"}, None, {"id": 2, "color": None, "colour": "red"}],
    }
    assert document.values == {"rates": {"pose_hz": 10}, "robots": [None, None, None, None]}


def test_check_of_parts_sees_what_is_beside_an_invalid_value(tmp_path: Path) -> None:
    def check(parts: dict[str, Any]) -> Iterator[Problem]:
        yield ("robots",), str([robot.get("id") for robot in parts["robots"]])

    with pytest.raises(SettingsError) as caught:
        load_settings(write(tmp_path, "robots:\n- {id: 7, colour: 1}\n"), SCHEMA, parts_check=check)
    assert [problem.removeprefix(f"{tmp_path}/settings.yaml:") for problem in caught.value.problems] == [
        "1: robots: [7]",
        "2: robots[0].colour: 1 is not of type 'string': write it in quotes",
    ]


def test_file_of_more_than_a_megabyte_is_refused_unread(tmp_path: Path) -> None:
    path = write(tmp_path, "{" * 1_000_001)
    with pytest.raises(SettingsError) as caught:
        load_settings(path, SCHEMA)
    assert caught.value.problems == [f"{path}: has 1000001 bytes; a settings file may have at most 1000000"]


def test_file_without_a_known_size_is_refused_as_well() -> None:
    with pytest.raises(SettingsError, match="/dev/zero: has 1000001 bytes"):
        load_settings(Path("/dev/zero"), SCHEMA)


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        ("a:{ b: 1, c: 2 }\n", "1: not YAML: mapping values are not allowed here; is a space missing after a colon?"),
        ("a:\n\tb: 1\n", "indent with spaces instead of tabs"),
    ],
)
def test_frequent_mistakes_in_yaml_come_with_advice(tmp_path: Path, text: str, advice: str) -> None:
    (problem,) = problems_of(tmp_path, text)
    assert problem.endswith(advice)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("robots: &a [*a]\n", "1: not YAML: too deep, or an alias within itself"),
        ("robots: " + "[" * 100_000, " not YAML: lists and mappings are nested more than 32 deep"),
        ("- " * 2000, "1: not YAML: lists and mappings are nested more than 32 deep"),
        (
            "a: &a [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n"
            + "".join(f"{after}: &{after} [{', '.join([f'*{name}'] * 10)}]\n" for name, after in pairwise("abcdefgh")),
            " not YAML: has more than 300000 values, including those repeated by aliases",
        ),
    ],
    ids=["alias within itself", "brackets", "dashes", "repeated aliases"],
)
def test_endless_text_is_refused(tmp_path: Path, text: str, problem: str) -> None:
    assert problems_of(tmp_path, text) == [problem]


def test_repeated_values_are_paired_with_the_first_of_them() -> None:
    assert list(repeats(["a", None, "b", "a", None, "b", "a"])) == [(3, 0), (5, 2), (6, 0)]


NUMBERS = {
    "type": "object",
    "properties": {
        "count": {"type": "integer"},
        "size_m": {"type": "number", "default": 1},
        "name": {"type": "string"},
        "places": {"type": "array", "items": {"$ref": "#/$defs/place"}},
        "robot": {"anyOf": [{"type": "integer"}, {"const": "any"}]},
        "others": {"type": "object", "additionalProperties": {"type": "integer"}},
    },
    "$defs": {"place": {"type": "object", "properties": {"x_m": {"type": "number"}, "rank": {"type": "integer"}}}},
}


LONG = f"'{'9' * 56}...{'9' * 19}'"  # 400 digits, as messages quote them


def test_whole_numbers_are_ints_and_others_floats_however_they_are_written() -> None:
    text = "{count: 1.0, places: [{x_m: 3, rank: 1e0}], robot: 2.0, others: {a: 4.}}"
    values = read_document(text, "s.yaml", NUMBERS).checked()
    found = [values["count"], values["size_m"], *values["places"][0].values(), values["robot"], values["others"]["a"]]
    assert repr(found) == "[1, 1.0, 3.0, 1, 2, 4]"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("count: 1.5", "1: count: 1.5 is not of type 'integer'"),
        ("count: 010", "1: count: '010' is not a whole number: write 8 or 10, without a leading 0"),
        ("count: 08", "1: count: '08' is not a whole number: write 8, without a leading 0"),
        ("count: 1_0", "1: count: '1_0' is not a whole number: write 10, without underscores"),
        ("size_m: 1:30", "1: size_m: '1:30' is not a number: write a decimal number, without colons"),
        ("size_m: 0x10", "1: size_m: '0x10' is not a number: write 16"),
        ("size_m: 90deg", "1: size_m: '90deg' is not a number: angles are in radians, 1.5708"),
        ("size_m: \u22123", "1: size_m: '\u22123' is not a number: write -3, with the minus of keyboards"),
        ("size_m: 1e0999", "1: size_m: inf is not a finite number"),
        ("size_m: ٣", "1: size_m: '٣' is not a number: write it with the digits 0 to 9"),
        ("count: " + "9" * 400, f"1: count: {LONG} is not a whole number: it has 400 digits, which is too many"),
        ("size_m: " + "9" * 400, f"1: size_m: {LONG} is not a number: it has 400 digits, which is too many"),
        ("count: 1.0e+300", "1: count: 1e+300 is not of type 'integer'"),
        ("size_m: 1e400", "1: size_m: inf is not a finite number"),
        ("size_m: 2024-13-45", "1: size_m: '2024-13-45' is not of type 'number'"),
        ("name: on", "1: name: True is not of type 'string': write it in quotes"),
    ],
)  # fmt: skip
def test_number_that_readers_understand_differently_is_a_problem_with_advice(text: str, problem: str) -> None:
    with pytest.raises(SettingsError) as caught:
        read_document(text, "s.yaml", NUMBERS).checked()
    assert caught.value.problems == [f"s.yaml:{problem}"]


def test_only_the_first_of_very_many_problems_are_listed() -> None:
    with pytest.raises(SettingsError) as caught:
        read_document("robots: [" + "x, " * 5000 + "]", "s.yaml", SCHEMA)
    assert len(caught.value.problems) == 101
    assert caught.value.problems[-1] == "s.yaml: more than 100 problems; these are the first"
