"""The page of tracking: its tables are those of the study of Park 2024."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from experiments.scenarios.file.study_file import load_study
from experiments.scenarios.perform import main
from harness.pages import ROOT
from thymio_base.exit_code import ExitCode
from thymio_base.texts.yaml_text import read_yaml, write_yaml

STUDY = ROOT / "examples/experiments/park_study.yaml"
PAGE = ROOT / "docs/measured/tracking.md"
MEASURES = ("path_max_mm", "path_rms_mm", "makespan_s")
CELL = re.compile(r"([\d.]+) \[([\d.]+), ([\d.]+)\], [\d.]+")
Key = tuple[str, str, str, str]


def cells(page: Path) -> Iterator[tuple[Key, str]]:
    """Yield each cell of the tables of means, by measure, path, level and law."""
    text = page.read_text(encoding="utf-8")
    for measure, path, table in re.findall(r"^### (\w+), path=(\w+)\n\n((?:\|.*\n)+)", text, re.MULTILINE):
        titles, _, *lines = ([cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines())
        for law, *values in lines:
            for title, value in zip(titles[1:], values, strict=True):
                yield (measure, path, title.removeprefix("level "), law), value


def test_page_has_every_condition_of_the_study() -> None:
    levels = [condition.levels for condition, _ in load_study(STUDY).conditions]
    expected = {(measure, one["path"], one["level"], one["law"]) for measure in MEASURES for one in levels}
    found = dict(cells(PAGE))
    assert set(found) == expected
    assert [value for value in found.values() if not CELL.fullmatch(value)] == []


@pytest.mark.slow
def test_part_of_the_study_gives_the_numbers_of_the_page(tmp_path: Path) -> None:
    values = read_yaml(STUDY.read_text(encoding="utf-8")).values
    sweep = values["sweep"]
    values["sweep"] = {"path": {"straight": sweep["path"]["straight"]}, "level": {"L1": sweep["level"]["L1"]}}
    values["sweep"]["law"] = ["lqr"]
    (tmp_path / "part.yaml").write_text(write_yaml(values), encoding="utf-8")
    options = ["--out", str(tmp_path / "part"), "--jobs", "1", "--quiet", "--tables-only"]
    assert main([str(tmp_path / "part.yaml"), *options]) == ExitCode.DONE
    page, part = dict(cells(PAGE)), dict(cells(tmp_path / "part/summary.md"))
    for measure in MEASURES:
        key = (measure, "straight", "L1", "lqr")
        (mean, _, _), (_, low, high) = (map(float, CELL.fullmatch(text[key]).groups()) for text in (part, page))  # type: ignore[union-attr]
        assert low <= mean <= high, key  # other processors round in other ways
