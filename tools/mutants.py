"""Changes the pure rooms, one place at a time, and prints which changes the tests of the room notice.

Usage: python tools/mutants.py [--count 200] [--seed 0] [--only ROOM]. It works on a copy of the tree, so sources can be
edited meanwhile. Each mutant meets the fast tests of its room and, if it survives, all tests of the room that need
neither ROS nor sockets. The draw depends only on the seed and on the mutated expressions, whatever else changes.
"""

import argparse
import ast
import hashlib
import os
import runpy
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PYTEST = (sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "--hypothesis-seed=0")
NEED_MORE = runpy.run_path(str(ROOT / "test/harness/needs.py"))["NEED_MORE"]
RUNS = {"fast": ["--fast"], "all": [f"--ignore-glob=*/{name}/*" for name in sorted(NEED_MORE)]}
GREEN = (0, 5)  # exit codes of pytest: passed, no tests
TIMEOUT_S = 600.0  # a mutant that never ends is noticed
OTHER = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.FloorDiv: ast.Div,
    ast.Mod: ast.Mult, ast.Pow: ast.Mult,
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.And: ast.Or, ast.Or: ast.And,
}  # fmt: skip
FUNCTIONS = {"min": "max", "max": "min", "any": "all", "all": "any"}


@dataclass(frozen=True, slots=True)
class Mutant:
    """A changed expression: the module, the number of the change in it, its line, and the expression then and now."""

    module: str
    number: int
    line: int
    before: str
    after: str

    def rank(self, seed: int) -> bytes:
        """Return its place in the draw."""
        return hashlib.sha256(f"{seed} {self.module} {self.before} {self.after}".encode()).digest()

    def text(self) -> str:
        """Return the text of the whole module."""
        tree = ast.parse((ROOT / self.module).read_text(encoding="utf-8"))
        node, field, other = list(changes(tree))[self.number]
        setattr(node, field, other)
        return ast.unparse(tree)


def mutants(module: str) -> Iterator[Mutant]:
    """Yield every mutant of a module."""
    for number, (node, field, other) in enumerate(changes(ast.parse((ROOT / module).read_text(encoding="utf-8")))):
        before, value = ast.unparse(node), getattr(node, field)
        setattr(node, field, other)
        yield Mutant(module, number, getattr(node, "lineno", 0), before, ast.unparse(node))
        setattr(node, field, value)


def changes(tree: ast.Module) -> Iterator[tuple[ast.AST, str, object]]:
    """Yield the nodes of a module that have another value for a field, with the field and that value."""
    declared = ("frozen", "slots", "strict", "kw_only", "init")  # says only what other code may do
    nodes = [one for one in ast.walk(tree) if not (isinstance(one, ast.keyword) and one.arg in declared)]
    for node, field, value in [(one, *place) for one in nodes for place in ast.iter_fields(one)]:
        if (other := _changed(node, field, value)) is not None:
            yield node, field, other


def _changed(node: ast.AST, field: str, value: object) -> object:
    """Return what a field of a node becomes; None if it stays."""
    other: object = None
    match value:
        case ast.operator() | ast.boolop() if type(value) in OTHER:
            other = OTHER[type(value)]()
        case [ast.cmpop() as one]:
            other = [OTHER[type(one)]()]
        case ast.Constant(value=bool(held)):
            other = ast.Constant(not held)
        case ast.Constant(value=int(held) | float(held)):
            other = ast.Constant(held + 1)
        case ast.Name(id=name) if field == "func" and name in FUNCTIONS:
            other = ast.Name(FUNCTIONS[name])
        case ast.expr() if field == "test":
            other = ast.UnaryOp(ast.Not(), value)
        case ast.expr() if isinstance(node, ast.Return) and not (
            isinstance(value, ast.Constant) and value.value is None
        ):
            other = ast.Constant(None)
    return other


def verdict(mutant: Mutant, folder: Path) -> str:
    """Return which run of the tests of its room notices a mutant, in a copy of the tree."""
    tests = next(str(room) for room in Path("test", mutant.module).parents if (ROOT / room).is_dir())
    changed = folder / mutant.module
    kept = changed.read_bytes()
    changed.write_text(mutant.text(), encoding="utf-8")
    noticed = next((name for name, options in RUNS.items() if not is_green(folder, [*options, tests])), "survives")
    changed.write_bytes(kept)
    return noticed


def is_green(folder: Path, arguments: list[str]) -> bool:
    """Whether tests of a copy of the tree pass."""
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    try:
        code = subprocess.call(
            [*PYTEST, *arguments], cwd=folder, env=environment, timeout=TIMEOUT_S, stdout=subprocess.DEVNULL
        )
    except subprocess.TimeoutExpired:
        return False
    return code in GREEN


def main() -> None:
    """Print a line for each mutant, and how many are noticed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="", metavar="ROOM", help="such as fleet/paths")
    options = parser.parse_args()
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    rooms = next(one["source_modules"] for one in contracts if one["name"].startswith("What decides and computes"))
    paths = [path for room in rooms for path in sorted((ROOT / room.replace(".", "/")).rglob("*.py"))]
    modules = [name for path in paths if (name := path.relative_to(ROOT).as_posix()).startswith(options.only)]
    drawn = sorted((one for module in modules for one in mutants(module)), key=lambda one: one.rank(options.seed))
    verdicts: Counter[str] = Counter()
    ignored = shutil.ignore_patterns(".*", "__pycache__", "*.so", "build", "install", "log", "*.egg-info")
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(ROOT, folder, ignore=ignored, dirs_exist_ok=True)
        for mutant in drawn[: options.count]:
            noticed = verdict(mutant, Path(folder))
            verdicts[noticed] += 1
            print(f"{noticed:9} {mutant.module}:{mutant.line}: {mutant.before}  ->  {mutant.after}", flush=True)
    print(dict(verdicts))


if __name__ == "__main__":
    main()
