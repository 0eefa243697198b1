"""A program never waits for the file, and its end waits for the last line."""

import json
import subprocess
import sys
from pathlib import Path

PROGRAM = """
import sys
from pathlib import Path
from thymio_base.logs.background_lines import BackgroundLines
from thymio_base.logs.rotated_lines import RotatedLines
lines = BackgroundLines(RotatedLines(Path(sys.argv[1])))
for number in range(500):
    lines.append({"number": number})
"""


def test_all_lines_are_in_the_file_when_the_program_has_ended(tmp_path: Path) -> None:
    file = tmp_path / "log.jsonl"
    subprocess.run([sys.executable, "-c", PROGRAM, str(file)], check=True)
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    assert [row["number"] for row in rows] == list(range(500))
    assert all(list(row) == ["time", "number"] for row in rows)
