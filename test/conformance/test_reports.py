"""Reports of a run with a wrong server."""

import argparse
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from bench.conformance.__main__ import run_in_memory
from bench.conformance.reference_robot import ReferenceRobot
from bench.conformance.wrong_servers import MUTANTS
from conformance.record.run_record import ServerRecording, write_recording
from conformance.reports.html_page import matrix_page, run_page
from conformance.reports.run_report import SCHEMA, differences, report_of, verdict_lines
from conformance.reports.text_reports import console_lines, harmless, junit_text
from conformance.run.conformance_command import add_conformance
from conformance.run.kit_run import judge
from thymio_base.errors import TextError
from thymio_base.exit_code import ExitCode
from thymio_base.texts.json_text import read_json, shipped_schema
from thymio_base.texts.xml_text import read_xml


class Hostile(MUTANTS["CanceledSucceeds"][1]):  # type: ignore[misc]  # a class from a table
    """Says in its status what terminals and browsers would take for commands."""

    def status(self, values: dict[str, str]) -> dict[str, Any]:
        return {**super().status({**values, "battery": "\x1b[31m<script>alert(1)</script>"}), "message": "</svg>"}


@pytest.fixture(scope="module")
def run() -> tuple[ServerRecording, dict[str, Any]]:
    recording, setup = run_in_memory(Hostile)
    return recording, report_of(recording.header, judge(recording, setup))


def test_report_fits_its_schema(run: tuple[ServerRecording, dict[str, Any]]) -> None:
    jsonschema.validate(run[1], shipped_schema("conformance.reports", SCHEMA))
    assert run[1]["conforms"] == "no"
    assert sum(run[1]["counts"].values()) == len(run[1]["cases"]) == 118


def test_junit_has_a_failure_for_each_failed_case(run: tuple[ServerRecording, dict[str, Any]]) -> None:
    suite = read_xml(junit_text(run[1]).encode())
    assert suite.name == "testsuite"
    failed = {row["id"] for row in run[1]["cases"] if row["verdict"] == "FAIL"}
    assert {
        case.attributes["name"].split()[0] for case in suite.children if case.children[0].name == "failure"
    } == failed
    assert {"C4", "G2"} <= failed


def test_what_a_server_says_is_harmless_in_every_report(run: tuple[ServerRecording, dict[str, Any]]) -> None:
    texts = [run_page(run[1], run[0]), junit_text(run[1]), *map(harmless, console_lines(run[1], "thymio-fleet"))]
    assert not any("\x1b" in text for text in texts)
    assert not any("<script" in text for text in texts[:2])
    assert "&lt;script&gt;" in texts[0]


def test_texts_of_a_recording_or_report_from_elsewhere_are_harmless_in_pages(
    run: tuple[ServerRecording, dict[str, Any]],
) -> None:
    keys = ("kit", "time", "ros", "middleware", "server", "profile")
    foreign = {**run[1], **dict.fromkeys(keys, "<script>\x1b")}
    rows = [{**row, **dict.fromkeys(("id", "requirement", "actual"), "<script>\x1b")} for row in run[1]["cases"]]
    for page in (run_page(foreign, run[0]), matrix_page([{**foreign, "cases": rows}])):
        assert "<script" not in page
        assert "\x1b" not in page


def test_page_has_a_timeline_of_each_failing_case_and_loads_nothing(
    run: tuple[ServerRecording, dict[str, Any]],
) -> None:
    page = run_page(run[1], run[0])
    assert page.count("<svg viewBox") == sum(row["verdict"] in ("FAIL", "INCONCLUSIVE") for row in run[1]["cases"])
    assert "What this server is like" in page
    assert re.findall(r"(?:src|href)=", page) == []


def test_matrix_has_a_column_for_each_server(run: tuple[ServerRecording, dict[str, Any]]) -> None:
    recording, setup = run_in_memory(ReferenceRobot)
    page = matrix_page([run[1], report_of(recording.header, judge(recording, setup))])
    assert page.count("<th scope=col>") == 2
    assert re.search(r"<th scope=row>G2</th>.*?FAIL.*?PASS", page)


def test_expected_verdicts_show_differences_alone(run: tuple[ServerRecording, dict[str, Any]]) -> None:
    text = verdict_lines(run[1])
    assert differences(run[1], text, "file") == []
    chosen = {**run[1], "cases": [row for row in run[1]["cases"] if row["id"] == "G2"]}
    assert differences(chosen, text, "file", ["G2"]) == []
    assert differences(run[1], text.replace("G2 FAIL", "G2 PASS  # soon"), "file") == ["G2: expected PASS, is FAIL"]
    with pytest.raises(TextError, match="line 1"):
        differences(run[1], "G2 MAYBE", "file")


def command(*arguments: str) -> int:
    parser = argparse.ArgumentParser()
    add_conformance(parser)
    options = parser.parse_args(arguments)
    return int(options.run(options))


def test_a_recording_is_judged_again_by_the_command(
    run: tuple[ServerRecording, dict[str, Any]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "run.jsonl"
    write_recording(file, run[0])
    assert command("--judge", str(file), "--case", "G2", "--out", str(tmp_path / "out")) == ExitCode.FAILED
    assert "expected  CANCELED (5)" in capsys.readouterr().out
    report = tmp_path / "out" / "report.json"
    assert [row["id"] for row in read_json(report.read_bytes())["cases"]] == ["G2"]
    assert command("--compare", str(report), str(report), "--out", str(tmp_path)) == ExitCode.DONE
    assert (tmp_path / "conformance-matrix.html").exists()
    verdicts = tmp_path / "out" / "verdicts.txt"
    assert command("--judge", str(file), "--case", "G2", "--expect", str(verdicts)) == ExitCode.DONE


def test_wrong_usage_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "no.json").write_text("{}")
    assert command("--namespace", "/r", "--case", "G99") == ExitCode.USAGE
    assert command("--compare", str(tmp_path / "no.json")) == ExitCode.USAGE
    assert command("--judge", str(tmp_path / "none.jsonl")) == ExitCode.USAGE
    problems = capsys.readouterr().err.splitlines()
    assert "there is no case 'G99'" in problems[0]
    assert "not a report" in problems[1]
    assert "No such file" in problems[2]


def test_dry_run_lists_cases_and_why_some_are_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    assert command("--namespace", "/factory/robot_1", "--no-motion", "--dry-run") == ExitCode.DONE
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("A1")
    assert next(line for line in lines if line.startswith("G2")).endswith(
        "(may move the robot, and the run has --no-motion)"
    )
