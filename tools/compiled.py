"""Prints the modules that are compiled ahead of time, one per line; tools/compiled.txt names them by folder."""

from pathlib import Path


def compiled_modules(root: Path) -> list[str]:
    """Return the modules that are compiled, relative to the root, sorted.

    Raises
    ------
    FileNotFoundError
        A line of the list matches nothing; the message is that line.
    """
    return sorted((_listed(root, "") | _listed(root, "+ ")) - _listed(root, "- "))


def hot_modules(root: Path) -> list[str]:
    """Return those of the compiled modules that take most of the time."""
    return sorted(_listed(root, "+ "))


def _listed(root: Path, sign: str) -> set[str]:
    """Return the modules that the lines with this sign name."""
    lines = (line.strip() for line in (root / "tools/compiled.txt").read_text(encoding="utf-8").splitlines())
    signed = [line for line in lines if line and not line.startswith("#")]
    if sign:
        named = [line.removeprefix(sign) for line in signed if line.startswith(sign)]
    else:
        named = [line for line in signed if not line.startswith(("+ ", "- "))]
    return {module for line in named for module in _modules(root, line)}


def _modules(root: Path, line: str) -> set[str]:
    """Return the module, or the modules of the folder, that a line names."""
    path = root / line
    found = {path} if path.is_file() else set(path.glob("*.py")) - {path / "__init__.py"}
    if not found:
        raise FileNotFoundError(line)
    return {module.relative_to(root).as_posix() for module in found}


if __name__ == "__main__":
    print(*compiled_modules(Path(__file__).parent.parent), sep="\n")
