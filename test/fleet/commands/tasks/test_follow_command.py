"""How the command `thymio-fleet follow` reads its arguments, before it sends anything."""

from pathlib import Path

import pytest

from fleet.commands.main import main


def test_problem_in_a_file_is_reported_with_its_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "path.yaml"
    file.write_text("shape: square\nsped_mps: 0.1\n")
    assert main(["follow", "1", "--path", str(file)]) == 2
    assert capsys.readouterr().err == f"{file}:2: sped_mps: unknown key, did you mean 'speed_mps'?\n"


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--path", "sqare"], "there is no path 'sqare', did you mean 'square'?"),
        (["--path", "oval"], "there is no path 'oval'; there are straight, square, star, circle, eight, and files"),
        (["--path", "absent.yaml"], "absent.yaml: No such file or directory"),
        (["--path", "absent.yaml", "--size", "1"], "a size is for straight, square"),
        (["--path", "square", "--size", "500"], "greater than the maximum of 100"),
        (["--path", "square", "--speed", "0.001"], "speed_mps is 0.001"),
        (["--path", "star", "--laps", "1000"], "1000 laps of"),
        (["--path", "star", "--laps", "2", "--endless"], "--endless has no number of laps: leave --laps 2 out"),
        (["--path", "open.csv", "--endless"], "a path that is not closed cannot be driven again and again"),
    ],
)
def test_goal_that_cannot_be_sent_is_a_usage_error(
    arguments: list[str],
    expected: str,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / "open.csv").write_text("0,0\n1,0\n1,1\n")
    monkeypatch.chdir(tmp_path)
    assert main(["follow", "1", *arguments]) == 2
    assert expected in capsys.readouterr().err


@pytest.mark.parametrize("option", [["--speed", "nan"], ["--speed", "0"], ["--laps", "0"], ["--size", "-1"]])
def test_nonsensical_number_is_refused(option: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["follow", "1", "--path", "square", *option])
    assert caught.value.code == 2
    assert option[0] in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["lqr", "kanayama"], "lqr and kanayama: a robot has one law"),
        (["cross_m=x"], "cross_m: 'x' is not a number"),
        (["cross_m=1", "cross_m=2"], "a gain is given twice"),
    ],
)
def test_invalid_change_of_a_law_is_a_usage_error(
    arguments: list[str], expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["law", "1", *arguments])
    assert caught.value.code == 2
    assert expected in capsys.readouterr().err


def test_a_place_that_is_not_a_pair_of_numbers_does_not_extend_a_path(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["extend", "1", "1.2"])
    assert caught.value.code == 2
    assert "'1.2' is not X,Y, two numbers in metres" in capsys.readouterr().err
