"""The command `twin`: its files, and what it says of wrong ones."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from experiments.twin.recorded_run import COLUMNS, read_run
from experiments.twin.twin_error import TwinFitError
from fleet.commands.main import main
from harness.recorded_drive import recorded_drive, tour
from simulator.world.config import build_world, load_world
from thymio_base.exit_code import ExitCode

HEADER = ",".join(COLUMNS)
CELLS = st.sampled_from(["", "0", "1.5", "-200", "nan", "1e400", "x", "1e9", '"'])


@pytest.fixture
def run_file(tmp_path: Path) -> Path:
    """Return a recorded run of a robot whose left wheel rolls too far."""
    robot = {"node_id": 1, "x_m": 20, "y_m": 20, "left_wheel_gain": 1.1}
    world = build_world({"arena": {"width_m": 40, "height_m": 40}, "robots": [robot]})
    commands, duration_s = tour(2)
    run = recorded_drive(world, commands, duration_s)
    rows = [(time_s, f"{time_s},{left:g},{right:g},,,") for time_s, left, right in run.commands.tolist()]
    rows += [(time_s, f"{time_s},,,{x_m},{y_m},{heading}") for time_s, x_m, y_m, heading in run.poses.tolist()]
    file = tmp_path / "run.csv"
    file.write_text("\n".join([HEADER, *(row for _, row in sorted(rows))]))
    return file


def test_a_recorded_run_becomes_a_world(run_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    world = tmp_path / "twin.yaml"
    assert main(["twin", "--run", str(run_file), "--output", str(world)]) == ExitCode.DONE
    assert load_world(world).robots[0].left_wheel_gain == pytest.approx(1.1, rel=0.01)
    printed = capsys.readouterr().out
    assert "twin: on the run kept out" in printed
    assert "default robot: on the run kept out" in printed


def test_the_twin_is_printed_as_json_lines(run_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["twin", "--run", str(run_file), "--json"]) == ExitCode.DONE
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    twin, default = (row for row in rows if "repeats" in row)
    assert twin["end_m"] < default["end_m"]


@pytest.mark.parametrize("text", ["", "a,b\n1,2", f"{HEADER}\n1,2", f"{HEADER}\n1,2,,,,", f"{HEADER}\n1,,,0,0,0"])
def test_a_wrong_run_is_named(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "run.csv"
    file.write_text(text)
    assert main(["twin", "--run", str(file)]) == ExitCode.FAILED
    assert "run.csv" in capsys.readouterr().err


def test_a_missing_report_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["twin", str(tmp_path / "none.json")]) == ExitCode.FAILED
    assert "none.json" in capsys.readouterr().err


@given(rows=st.lists(st.lists(CELLS, min_size=1, max_size=7).map(",".join), max_size=8))
def test_short_tables_are_refused_whatever_they_contain(
    rows: list[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    file = tmp_path_factory.getbasetemp() / "rows.csv"
    file.write_text("\n".join([HEADER, *rows]))
    with pytest.raises(TwinFitError, match=r"rows\.csv"):
        read_run(file)
