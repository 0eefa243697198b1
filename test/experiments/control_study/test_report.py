"""The report of the experiments: its output, and the page in the docs, which is such a report."""

import argparse
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from experiments.control_study.plant import LEVELS
from experiments.control_study.report import PAGE, PICTURES, WHOLE, ReportScope, write_report
from experiments.control_study.report_command import add_report
from experiments.control_study.study_laws import laws_under_test
from experiments.control_study.study_tables import GO_TO_TITLES, TRACKING_TITLES, level_table
from experiments.lab.courses import PATHS

DOCS = Path(__file__).parents[3] / "docs/measured"
SMALL = ReportScope(("circle",), LEVELS[1:2], seeds=2, goals=3)
NUMBERS = r"(-|\d+(\.\d+)?%?)( / (-|\d+(\.\d+)?%?))*"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("report")
    write_report(folder, SMALL, processes=1)
    return folder


def test_report_command_accepts_a_folder_and_a_scope() -> None:
    parser = argparse.ArgumentParser()
    add_report(parser)
    options = parser.parse_args(["tracking", "--quick", "--out", "somewhere"])
    assert (options.out, options.quick) == (Path("somewhere"), True)


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def tables(page: str) -> Iterator[list[list[str]]]:
    """Return the cells of each table, line by line, without the line below the titles."""
    for block in re.findall(r"(?:^\|.*\|\n)+", page, re.MULTILINE):
        lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in block.splitlines()]
        yield [lines[0], *lines[2:]]


def tracking_tables(page: str) -> list[list[list[str]]]:
    return [table for table in tables(page) if tuple(table[0]) == TRACKING_TITLES]


def pictures(page: str) -> list[str]:
    return re.findall(r"!\[[^]]+\]\(([^)]+)\)", page)


@pytest.mark.slow
def test_report_has_a_page_and_all_its_pictures(folder: Path) -> None:
    page = (folder / PAGE).read_text(encoding="utf-8")
    names = [str(path.relative_to(folder)) for path in sorted((folder / PICTURES).iterdir())]
    assert sorted(pictures(page)) == names


@pytest.mark.slow
def test_the_same_seeds_give_the_same_bytes_with_any_number_of_processes(folder: Path, tmp_path: Path) -> None:
    write_report(tmp_path, SMALL, processes=2)
    assert contents(tmp_path) == contents(folder)


@pytest.mark.slow
def test_a_report_compares_all_laws(folder: Path) -> None:
    (table,) = tracking_tables((folder / PAGE).read_text(encoding="utf-8"))
    assert [line[0] for line in table[1:]] == list(laws_under_test())


def test_the_page_in_the_docs_is_a_complete_report() -> None:
    page = (DOCS / PAGE).read_text(encoding="utf-8")
    found = tracking_tables(page)
    assert len(found) == len(PATHS)
    assert all([line[0] for line in table[1:]] == list(laws_under_test()) for table in found)
    assert level_table(WHOLE.levels) in page
    assert [table[0] for table in tables(page)][-1] == list(GO_TO_TITLES)


def test_every_number_in_the_docs_has_a_value_for_every_level() -> None:
    cells = [
        cell
        for table in tracking_tables((DOCS / PAGE).read_text(encoding="utf-8"))
        for line in table[1:]
        for cell in line[1:]
    ]
    assert [cell for cell in cells if not re.fullmatch(NUMBERS, cell) or cell.count("/") != len(LEVELS) - 1] == []


def test_pictures_in_the_docs_exist_and_are_small() -> None:
    shown = pictures((DOCS / PAGE).read_text(encoding="utf-8"))
    assert len(shown) == len(PATHS) + 2
    assert [name for name in shown if (DOCS / name).stat().st_size > 150_000] == []
