"""The rules of the source tree are defined by folder: a new module in any room changes no list."""

import runpy
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.packages import CHECKED

ROOT = Path(__file__).parents[2]
MEASURES = runpy.run_path(str(ROOT / "tools/measure_tree.py"))
COMPILED = runpy.run_path(str(ROOT / "tools/compiled.py"))["compiled_modules"]
CONTRACTS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]["contracts"]


def rooms(root: Path) -> list[Path]:
    """Return the folders of product code, except the top folders of packages."""
    return sorted(path.parent for package in CHECKED for path in (root / package).glob("*/**/__init__.py"))


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the tree with an additional module in each room."""
    for package in CHECKED:
        shutil.copytree(ROOT / package, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__", "*.so"))
    shutil.copytree(ROOT / "tools", tmp_path / "tools", ignore=shutil.ignore_patterns("__pycache__", "wheels"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    for number, room in enumerate(rooms(tmp_path)):
        (room / f"additional_{number}.py").write_text('"""A module named in no list."""\n', encoding="utf-8")
    return tmp_path


@pytest.mark.slow
def test_no_folder_is_too_large_and_no_name_occurs_twice() -> None:
    found = MEASURES["modules"](ROOT)
    assert list(MEASURES["problems"](found)) == []


def test_name_that_a_module_binds_twice_is_found(tmp_path: Path) -> None:
    module = tmp_path / "twice.py"
    module.write_text(
        '"""Text."""\n\nNEAR_M = 0.02\nWIDE_M: float = 0.3\nNEAR_M, FAR_M = 0.03, 1.0\n', encoding="utf-8"
    )
    assert MEASURES["rebound_names"]([MEASURES["_module"](tmp_path, module)]) == {"NEAR_M": ["twice.py"] * 2}


@pytest.mark.slow
def test_additional_module_in_each_room_keeps_the_contracts(copy: Path) -> None:
    command = [str(Path(sys.executable).with_name("lint-imports")), "--no-cache"]
    done = subprocess.run(command, cwd=copy, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_additional_module_in_a_compiled_folder_is_compiled(copy: Path) -> None:
    before, after = set(COMPILED(ROOT)), set(COMPILED(copy))
    folders = {line for line in listed() if (ROOT / line).is_dir()}
    assert {str(Path(path).parent) for path in after - before} == folders


def listed() -> list[str]:
    """Return the entries of tools/compiled.txt that are compiled."""
    lines = (ROOT / "tools/compiled.txt").read_text(encoding="utf-8").split("\n")
    return [line for line in lines if line and not line.startswith(("#", "-"))]


def test_every_compiled_module_exists() -> None:
    assert [path for path in COMPILED(ROOT) if not (ROOT / path).is_file()] == []


def test_line_that_matches_nothing_is_refused(tmp_path: Path) -> None:
    (tmp_path / "tools").mkdir()
    (tmp_path / "tools/compiled.txt").write_text("fleet/nowhere\n", encoding="utf-8")
    with pytest.raises(FileNotFoundError, match="fleet/nowhere"):
        COMPILED(tmp_path)


def floors() -> Iterator[str]:
    """Yield the folders and modules in the table of floors."""
    (contract,) = (contract for contract in CONTRACTS if contract["type"] == "layers")
    for row in contract["layers"]:
        yield from (name.strip() for name in row.split("|"))


def test_every_room_has_a_floor() -> None:
    packages = [path.relative_to(ROOT).parts for path in rooms(ROOT)]
    top = {".".join(parts[:2]) for parts in packages if parts[0] != "bench"}
    assert top - set(floors()) == set()
