"""What a program logs becomes lines of JSON, if the environment names a folder."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import logging
from pathlib import Path
from thymio_base.fence import Fence
from thymio_base.logs.json_log import log_line, start_json_log
for _ in range(2):  # the second call does nothing
    start_json_log("tried", ["tried", "--config", "my fleet.yaml"], Path("my fleet.yaml"))
logging.getLogger("aiohttp").warning("a %s", "warning")
logging.getLogger("aiohttp").info("of no interest")
log_line(20, "multi_thymio_driver", "100 % ready")
with Fence().around("the door"):
    raise RuntimeError("broken")
"""


def logged(folder: Path, **environment: str) -> tuple[list[dict[str, object]], str]:
    """Run the program; return the rows of its log, and what it printed."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env={**os.environ, "ROS_DOMAIN_ID": "7", **environment},
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    )
    file = folder / "logs" / "tried.jsonl"
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else [], done.stderr


@pytest.mark.fenced
def test_log_starts_with_the_programs_command_line(tmp_path: Path) -> None:
    found, _ = logged(tmp_path, THYMIO_FLEET_LOG_DIR=str(tmp_path / "logs"))
    first = found[0]
    assert [first[key] for key in ("level", "program", "logger", "message")] == ["info", "tried", "tried", "started"]
    assert first["command"] == "tried --config 'my fleet.yaml'"
    assert (first["configuration"], first["domain"]) == (str(tmp_path / "my fleet.yaml"), "7")
    assert {"time", "pid", "version", "distro"} <= set(first)
    assert [row["message"] for row in found].count("started") == 1


@pytest.mark.fenced
def test_lines_have_level_program_logger_and_message(tmp_path: Path) -> None:
    found, printed = logged(tmp_path, THYMIO_FLEET_LOG_DIR=str(tmp_path / "logs"))
    assert [(row["level"], row["program"], row["logger"], row["message"]) for row in found[1:3]] == [
        ("warn", "tried", "aiohttp", "a warning"),
        ("info", "tried", "multi_thymio_driver", "100 % ready"),
    ]
    assert str(found[3]["message"]).startswith("internal error at the door, please report it: RuntimeError: broken")
    assert len(found) == 4
    assert printed.splitlines()[0] == "a warning"  # as without a log


@pytest.mark.fenced
def test_nothing_is_written_without_a_folder(tmp_path: Path) -> None:
    found, printed = logged(tmp_path, THYMIO_FLEET_LOG_DIR="")
    assert (found, list(tmp_path.iterdir())) == ([], [])
    assert printed.splitlines()[0] == "a warning"
