"""Generated files of each kind are read, and what came of each file is counted."""

from pathlib import Path

import pytest

from bench.files.__main__ import rows_of
from bench.files.file_readers import FileResult, FileSort, Verdict, sort_of, tried
from harness.made_files import COUNT, made_path, made_script, made_urdf, made_world, made_xacro, write_files

MAKERS = {
    FileSort.URDF: (made_urdf, COUNT),
    FileSort.XACRO: (made_xacro, COUNT),
    FileSort.WORLD: (made_world, COUNT),
    FileSort.PATH: (made_path, COUNT),
    FileSort.SCRIPT: (made_script, COUNT),
}


@pytest.mark.parametrize("sort", FileSort, ids=lambda sort: sort.value)
def test_made_files_are_read(tmp_path: Path, sort: FileSort) -> None:
    maker, count = MAKERS[sort]
    results = [tried(file) for file in sorted(write_files(tmp_path / "made", maker, count).iterdir())]
    assert [one for one in results if one is None or one.verdict is not Verdict.READ or one.sort is not sort] == []
    assert len(results) == count


def test_rows_count_the_outcome_of_each_file() -> None:
    verdicts = (Verdict.READ, Verdict.READ, Verdict.REFUSED, Verdict.CRASHED, Verdict.WRONG)
    found = [FileResult(FileSort.URDF, f"{number}.urdf", verdict) for number, verdict in enumerate(verdicts)]
    assert rows_of([*found, FileResult(FileSort.PATH, "a.csv", Verdict.READ)]) == [
        {"kind": "urdf", "files": 5, "read": 3, "refused": 1, "crashed": 1, "wrong_kinematics": 1},
        {"kind": "path", "files": 1, "read": 1, "refused": 0, "crashed": 0, "wrong_kinematics": 0},
    ]


@pytest.mark.parametrize(
    ("name", "text"), [("a.md", "text"), ("macros.xacro", "<robot/>"), ("mesh.stl", "solid"), ("a", "")]
)
def test_files_of_no_kind_do_not_count(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    assert sort_of(tmp_path / name) is None
