"""The command `bringup` around the stages: files, comparison, and a person who types nothing."""

import os
import sys
from pathlib import Path

import pytest

from fleet.bringup.bringup_report import read_report
from fleet.bringup.cause import Cause
from fleet.commands.bringup.host_facts import port_facts
from fleet.commands.bringup.typed_answers import TypedAnswers
from fleet.commands.main import main
from thymio_base.exit_code import ExitCode

REPORT = Path(__file__).parents[1] / "bringup" / "report.json"


def test_a_file_is_not_a_port_and_the_report_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "notes"
    file.write_text("mine")
    assert main(["bringup", f"ser:device={file}", "--output", str(tmp_path), "--json"]) == ExitCode.FAILED
    report = read_report("stdout", capsys.readouterr().out)
    assert report.results[0].symptoms[0].cause is Cause.PORT_DEAD
    (written,) = tmp_path.glob("*.json")
    assert read_report("file", written.read_text()) == report
    assert "port_dead" in written.with_suffix(".html").read_text()
    assert file.read_text() == "mine"


def test_a_wrong_target_is_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bringup", "usb"]) == ExitCode.USAGE
    assert "'usb'" in capsys.readouterr().err


def test_two_reports_are_printed_side_by_side(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bringup", "--compare", str(REPORT), str(REPORT)]) == ExitCode.DONE
    assert "capacity" in capsys.readouterr().out


def test_a_broken_report_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    broken = tmp_path / "broken.json"
    broken.write_text("[NaN]")
    assert main(["bringup", "--compare", str(REPORT), str(broken)]) == ExitCode.FAILED
    assert "broken.json" in capsys.readouterr().err


def test_lines_are_read_as_they_come_and_the_end_is_not_an_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    reading, writing = os.pipe()
    with os.fdopen(reading) as terminal, monkeypatch.context() as patched:
        patched.setattr(sys, "stdin", terminal)
        answers = TypedAnswers()
        assert answers.line() is None
        os.write(writing, b"yes\n14")
        assert answers.line() == "yes"
        assert answers.line() is None
        os.close(writing)
        assert [answers.line(), answers.line(), answers.line()] == ["14", "", ""]


def test_facts_of_a_port_that_does_not_exist(tmp_path: Path) -> None:
    assert not port_facts(str(tmp_path / "none")).exists
