"""Prints the modules that are compiled ahead of time, one per line; tools/compiled.txt names them by folder."""

from pathlib import Path


def compiled_modules(root: Path) -> list[str]:
    """Return the modules that are compiled, relative to the root, sorted.

    Raises
    ------
    FileNotFoundError
        A line of the list matches nothing; the message is that line.
    """
    lines = [line.strip() for line in (root / "tools/compiled.txt").read_text(encoding="utf-8").splitlines()]
    chosen: set[str] = set()
    excepted: set[str] = set()
    for line in filter(None, lines):
        if not line.startswith("#"):
            (excepted if line.startswith("- ") else chosen).update(_modules(root, line.removeprefix("- ")))
    return sorted(chosen - excepted)


def _modules(root: Path, line: str) -> set[str]:
    """Return the module, or the modules of the folder, that a line names."""
    path = root / line
    found = {path} if path.is_file() else set(path.glob("*.py")) - {path / "__init__.py"}
    if not found:
        raise FileNotFoundError(line)
    return {module.relative_to(root).as_posix() for module in found}


if __name__ == "__main__":
    print(*compiled_modules(Path(__file__).parent.parent), sep="\n")
