"""How the benchmarks print their rows."""

import math

import pytest

from bench.instruments.printed_rows import options_of, print_rows


def test_rows_are_printed_as_objects_with_null_for_missing_figures(capsys: pytest.CaptureFixture[str]) -> None:
    assert print_rows([{"case": "quiet", "ms": math.nan}], as_json=True) == [{"case": "quiet", "ms": math.nan}]
    assert capsys.readouterr().out == '{"case": "quiet", "ms": null}\n'


def test_table_has_a_line_for_each_name_where_there_are_more_names_than_rows(
    capsys: pytest.CaptureFixture[str],
) -> None:
    print_rows([{"case": "quiet", "ms": 1.23456, "goals": 7}], as_json=False)
    lines = [line.split() for line in capsys.readouterr().out.splitlines() if "--" not in line and line.strip()]
    assert [(line[1], line[3]) for line in lines] == [("case", "quiet"), ("ms", "1.23"), ("goals", "7")]


def test_program_is_described_by_the_first_line_of_its_module() -> None:
    assert options_of("Measures it.\n\nAt length.").description == "Measures it."
