"""Lines of several programs never mix, and what cannot be written is dropped."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from thymio_base.logs.background_lines import stamped
from thymio_base.logs.rotated_lines import RotatedLines

WRITER = """
import sys
from pathlib import Path
from thymio_base.logs.rotated_lines import RotatedLines
lines = RotatedLines(Path(sys.argv[1]), 40_000)
for number in range(300):
    lines.append({"program": sys.argv[2], "number": number, "message": "x" * 200})
"""


def rows(file: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def test_row_is_a_line_with_the_time_in_front(tmp_path: Path) -> None:
    lines = RotatedLines(tmp_path / "new" / "log.jsonl")
    lines.append(stamped({"message": "Ärger\nin two lines", "number": 3}))
    (line,) = (tmp_path / "new" / "log.jsonl").read_text(encoding="utf-8").splitlines()
    assert re.match(r'\{"time": "\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", "message": "Ärger', line)
    assert json.loads(line)["number"] == 3


def test_old_files_are_numbered_and_the_oldest_one_goes(tmp_path: Path) -> None:
    file = tmp_path / "log.jsonl"
    lines = RotatedLines(file, largest_bytes=1)
    for number in range(1, 9):
        lines.append({"number": number})
    assert {path.name for path in tmp_path.glob("log.jsonl.?")} == {f"log.jsonl.{one}" for one in range(1, 6)}
    assert [rows(file.with_name(f"log.jsonl.{one}"))[0]["number"] for one in (1, 5)] == [8, 4]


def test_lines_of_programs_that_share_a_file_are_whole_while_it_is_rotated(tmp_path: Path) -> None:
    file = tmp_path / "log.jsonl"
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, str(file), name]) for name in "ab"]
    assert [writer.wait(60) for writer in writers] == [0, 0]
    assert file.exists()
    found = [row for path in [file, *tmp_path.glob("log.jsonl.?")] for row in rows(path)]
    assert sorted((row["program"], row["number"]) for row in found) == [(one, n) for one in "ab" for n in range(300)]
    assert len(list(tmp_path.glob("log.jsonl.?"))) >= 3


def test_full_disk_is_reported_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "taken").write_text("a file, and no folder")
    lines = RotatedLines(tmp_path / "taken" / "log.jsonl")
    for _ in range(3):
        lines.append({"message": "lost"})
    assert capsys.readouterr().err == f"cannot write {tmp_path}/taken/log.jsonl: File exists\n"


@pytest.mark.parametrize("value", ["\udcff", "\x00", float("nan"), object(), {"a": (1, 2)}, "y" * 100_000])
def test_any_value_becomes_one_line(tmp_path: Path, value: object) -> None:
    lines = RotatedLines(tmp_path / "log.jsonl")
    lines.append({"message": value})
    (line,) = (tmp_path / "log.jsonl").read_bytes().splitlines()
    assert len(line) < 30_000
    assert "message" in json.loads(line)
