"""Prints measures of the source tree; checks folder sizes, duplicate names and import cycles.

The exit code is 1 if a folder of product code has more than 16 modules, if two modules or two classes have the same
name, or if modules import each other in a cycle. Lines of code exclude docstrings, comments and blank lines.
"""

import ast
import io
import statistics
import sys
import tokenize
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

ROOT = Path(__file__).parent.parent
PACKAGES = tuple(tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["mypy"]["packages"])
LARGEST = 16  # modules of one folder
CONVENTIONAL = {"__init__", "__main__", "config", "errors"}  # names of modules that each package may have

Function = ast.FunctionDef | ast.AsyncFunctionDef
_NO_CODE = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}


@dataclass(frozen=True)
class Module:
    """One file of product code."""

    path: Path
    text: str
    tree: ast.Module

    @property
    def lines(self) -> int:
        """The number of its lines."""
        return len(self.text.splitlines())

    @cached_property
    def code(self) -> frozenset[int]:
        """The lines that contain code."""
        return _code(self.text) - _docstrings(self.tree)

    @property
    def name(self) -> str:
        """Its name as it is imported."""
        return ".".join(self.path.with_suffix("").parts).removesuffix(".__init__")

    @property
    def functions(self) -> list[Function]:
        """All its functions and methods."""
        return [node for node in ast.walk(self.tree) if isinstance(node, Function)]


def modules(root: Path) -> list[Module]:
    """Return every file of product code below the root."""
    return [_module(root, path) for package in PACKAGES for path in sorted((root / package).rglob("*.py"))]


def _module(root: Path, path: Path) -> Module:
    text = path.read_text(encoding="utf-8")
    return Module(path.relative_to(root), text, ast.parse(text))


def _code(text: str) -> frozenset[int]:
    """Return the lines with anything but comments and blanks."""
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return frozenset(
        line for token in tokens if token.type not in _NO_CODE for line in range(token.start[0], token.end[0] + 1)
    )


def _docstrings(tree: ast.Module) -> set[int]:
    """Return the lines of docstrings."""
    documented = (node for node in ast.walk(tree) if isinstance(node, ast.Module | ast.ClassDef | Function))
    firsts = (node.body[0] for node in documented if ast.get_docstring(node, clean=False) is not None)
    return {line for first in firsts for line in range(first.lineno, (first.end_lineno or first.lineno) + 1)}


def lengths(module: Module) -> list[int]:
    """Return the number of code lines in the body of each function."""
    spans = (range(function.body[0].lineno, (function.end_lineno or 0) + 1) for function in module.functions)
    return [sum(line in module.code for line in span) for span in spans]


def typed_share(functions: Iterable[Function]) -> float:
    """Return the share of functions whose arguments and result all have a type."""
    answers = [_is_typed(function) for function in functions]
    return sum(answers) / len(answers)


def _is_typed(function: Function) -> bool:
    arguments = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
    typed = all(argument.annotation is not None for argument in arguments if argument.arg not in {"self", "cls"})
    return typed and function.returns is not None


def documented_share(functions: Iterable[Function]) -> float:
    """Return the share of public functions that have a docstring."""
    answers = [ast.get_docstring(each) is not None for each in functions if not each.name.startswith("_")]
    return sum(answers) / len(answers)


def folder_sizes(found: Iterable[Module]) -> Counter[str]:
    """Return the number of modules in each folder, without `__init__`."""
    return Counter(module.path.parent.as_posix() for module in found if module.path.stem != "__init__")


def imports(found: Iterable[Module]) -> dict[str, set[str]]:
    """Return which of these modules each one imports."""
    known = {module.name for module in found}
    return {module.name: {name for name in _imported(module.tree) if name in known} for module in found}


def _imported(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def folders_of(graph: Mapping[str, set[str]]) -> dict[str, set[str]]:
    """Return the folders that each folder's modules import; a module at the root of a package counts as a folder."""

    def folder(name: str) -> str:
        return name.rpartition(".")[0] if name.count(".") > 1 else name

    found: dict[str, set[str]] = defaultdict(set)
    for name, others in graph.items():
        found[folder(name)] |= {folder(other) for other in others} - {folder(name)}
    return found


def cycles(graph: Mapping[str, set[str]]) -> list[list[str]]:
    """Return the import cycles: groups in which each module reaches itself and all the others."""
    reached = {name: _reached(graph, name) for name in graph}
    rings = {
        tuple(sorted(other for other in reached[name] if name in reached.get(other, ())))
        for name in graph
        if name in reached[name]
    }
    return [list(ring) for ring in sorted(rings)]


def _reached(graph: Mapping[str, set[str]], start: str) -> set[str]:
    seen: set[str] = set()
    waiting = [start]
    while waiting:
        for name in graph.get(waiting.pop(), set()) - seen:
            seen.add(name)
            waiting.append(name)
    return seen


def module_names_twice(found: Iterable[Module]) -> dict[str, list[str]]:
    """Return the module names that occur more than once, with their paths."""
    places: dict[str, list[str]] = defaultdict(list)
    for module in found:
        if module.path.stem not in CONVENTIONAL:
            places[module.path.stem].append(module.path.as_posix())
    return {name: where for name, where in sorted(places.items()) if len(where) > 1}


def class_names_twice(found: Iterable[Module]) -> dict[str, list[str]]:
    """Return the names of public classes that occur more than once, with their paths."""
    places: dict[str, list[str]] = defaultdict(list)
    for module in found:
        for node in module.tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(module.path.as_posix())
    return {name: where for name, where in sorted(places.items()) if len(where) > 1}


def rebound_names(found: Iterable[Module]) -> dict[str, list[str]]:
    """Return the names that a module binds twice at its top level, with its path: the first meaning is lost unseen."""
    places: dict[str, list[str]] = {}
    for module in found:
        bound = Counter(name for node in module.tree.body for name in _bound_names(node))
        places |= {name: [module.path.as_posix()] * count for name, count in bound.items() if count > 1}
    return places


def _bound_names(node: ast.stmt) -> Iterator[str]:
    """Yield the names that a definition or an assignment binds."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield node.name
    elif isinstance(node, ast.Assign | ast.AnnAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        names = (one for target in targets for one in ast.walk(target) if isinstance(one, ast.Name))
        yield from (one.id for one in names if isinstance(one.ctx, ast.Store))


def measures(found: list[Module]) -> Iterator[tuple[str, str]]:
    """Yield each measure with its value."""
    sizes = [module.lines for module in found if module.code]
    functions = [function for module in found for function in module.functions]
    each = [length for module in found for length in lengths(module)]
    folder, most = folder_sizes(found).most_common(1)[0]
    graph = imports(found)
    yield "product: lines in files", _weight(module for module in found if module.path.parts[0] != "bench")
    for package in PACKAGES:
        yield f"  {package}", _weight(module for module in found if module.path.parts[0] == package)
    yield "  test", _weight(_module(ROOT, path) for path in sorted((ROOT / "test").rglob("*.py")))
    yield "code lines", str(sum(len(module.code) for module in found))
    yield "lines a file: median, max", f"{statistics.median(sizes):g}, {max(sizes)}"
    yield "code lines a function: median", f"{statistics.median(each):g}"
    yield "functions above 20 lines", f"{sum(length > 20 for length in each) / len(each):.1%}"
    yield "functions above 40 lines", f"{sum(length > 40 for length in each) / len(each):.1%}"
    yield "typed functions", f"{typed_share(functions):.0%}"
    yield "public functions with a docstring", f"{documented_share(functions):.0%}"
    yield "largest folder", f"{most} modules in {folder}"
    yield "cycles of imports: modules, folders", f"{len(cycles(graph))}, {len(cycles(folders_of(graph)))}"
    yield "names of modules that occur twice", str(len(module_names_twice(found)))
    yield "names of classes that occur twice", str(len(class_names_twice(found)))
    yield "names that a module binds twice", str(len(rebound_names(found)))


def _weight(found: Iterable[Module]) -> str:
    sizes = [module.lines for module in found]
    return f"{sum(sizes)} in {len(sizes)}"


def problems(found: list[Module]) -> Iterator[str]:
    """Yield the problems of the tree."""
    for folder, size in folder_sizes(found).items():
        if size > LARGEST:
            yield f"{folder} has {size} modules, at most {LARGEST} are allowed"
    names = (
        ("module", module_names_twice(found)),
        ("class", class_names_twice(found)),
        ("name", rebound_names(found)),
    )
    for kind, twice in names:
        for name, places in twice.items():
            yield f"{kind} {name} occurs {len(places)} times: {', '.join(places)}"
    for ring in cycles(imports(found)):
        yield f"modules import each other in a cycle: {', '.join(ring)}"
    for ring in cycles(folders_of(imports(found))):
        yield f"folders import each other in a cycle: {', '.join(ring)}"


def main() -> int:
    """Print the measures and the problems; return 1 if there are any."""
    found = modules(ROOT)
    for name, value in measures(found):
        print(f"{name:38} {value}")
    wrong = list(problems(found))
    print(*wrong, sep="\n", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
