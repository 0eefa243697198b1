"""Rows for programs are JSON, one a line, whatever they hold."""

import json
import math

import pytest

from thymio_base.texts.json_lines import print_json_lines


def test_each_row_is_a_line_of_json(capsys: pytest.CaptureFixture[str]) -> None:
    print_json_lines([{"name": "Größe\n", "pose": {"x_m": 1.0}}, {"eta_s": math.nan, "ids": (1, math.inf)}])
    lines = capsys.readouterr().out.splitlines()
    assert "Größe" in lines[0]
    assert [json.loads(line) for line in lines] == [
        {"name": "Größe\n", "pose": {"x_m": 1.0}},
        {"eta_s": None, "ids": [1, None]},
    ]
