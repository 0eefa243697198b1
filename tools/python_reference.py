"""Prints docs/python_names.md: the public names of the Python package, read from the sources.

The sources are parsed, not imported: of compiled modules Python knows no signatures.
"""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parent.parent
PACKAGE: Final = "thymio_fleet"
TITLE: Final = """# Public names of the Python package

This page is generated from the sources (`tools/python_reference.py`); [Python](python.md) shows how to use them. What
is not here may change at any time.
"""
Definition = ast.FunctionDef | ast.AsyncFunctionDef


def reference(root: Path = ROOT) -> str:
    """Return the page."""
    sections = [TITLE]
    for name, module in sorted(public_names(root).items()):
        tree = _tree(root, module)
        node = _defined(tree, name)
        sections.append("\n".join([f"## {name}", "", f"From `{module}`.", "", *_section(node, tree), ""]))
    return "\n".join(sections)


def public_names(root: Path = ROOT) -> dict[str, str]:
    """Return the names of `__all__`, with the modules that define them."""
    tree = _tree(root, PACKAGE)
    modules = {
        alias.name: node.module for node in tree.body if isinstance(node, ast.ImportFrom) for alias in node.names
    }
    (listed,) = (node.value for node in tree.body if isinstance(node, ast.Assign))
    return {name: str(modules[name]) for name in ast.literal_eval(listed)}


def _tree(root: Path, module: str) -> ast.Module:
    path = root / Path(*module.split("."))
    source = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    return ast.parse(source.read_text(encoding="utf-8"))


def _defined(tree: ast.Module, name: str) -> ast.stmt:
    """Return the definition of a name; the docstring of an alias follows it."""
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and node.name == name:
            return node
        if isinstance(node, ast.AnnAssign) and ast.unparse(node.target) == name:
            return node
    raise LookupError(f"{name} is neither a class nor an alias")


def _section(node: ast.stmt, tree: ast.Module) -> Iterator[str]:
    if isinstance(node, ast.AnnAssign):
        yield f"`{ast.unparse(node.target)} = {ast.unparse(node.value)}`" if node.value else ""
        following = tree.body[tree.body.index(node) + 1]
        if isinstance(following, ast.Expr):
            yield from ("", *_text(ast.literal_eval(following.value)))
        return
    assert isinstance(node, ast.ClassDef)
    bases = ", ".join(map(ast.unparse, node.bases))
    constructor = next((one for one in node.body if isinstance(one, Definition) and one.name == "__init__"), None)
    yield f"`class {node.name}{f'({bases})' if bases else ''}`"
    if constructor is not None:
        yield from ("", f"`{node.name}({_arguments(constructor)})`")
    yield from ("", *_text(ast.get_docstring(node) or ""))
    rows = list(_rows(node))
    if rows:
        yield from ("", "| member | |", "|---|---|", *rows)


def _rows(node: ast.ClassDef) -> Iterator[str]:
    """Yield a row for each public member of a class."""
    for one in node.body:
        name = _member_name(one)
        if name.startswith("_") and name != "__getitem__":
            continue
        if isinstance(one, Definition):
            yield f"| `{_code(_signature(one))}` | {_code(_first(ast.get_docstring(one) or ''))} |"
        elif isinstance(one, ast.AnnAssign):
            yield f"| `{name}: {_code(ast.unparse(one.annotation))}` | |"
        elif name:
            yield f"| `{name} = {_code(ast.unparse(one.value))}` | |" if isinstance(one, ast.Assign) else ""


def _member_name(node: ast.stmt) -> str:
    """Return what a statement of a class defines; "_" for other statements."""
    if isinstance(node, Definition):
        return node.name
    if isinstance(node, ast.AnnAssign):
        return ast.unparse(node.target)
    return ast.unparse(node.targets[0]) if isinstance(node, ast.Assign) else "_"


def _signature(node: Definition) -> str:
    if {"property", "cached_property"}.intersection(map(ast.unparse, node.decorator_list)):
        return f"{node.name}: {_returned(node)}"
    prefix = "async " if isinstance(node, ast.AsyncFunctionDef) else ""
    return f"{prefix}{node.name}({_arguments(node)}) -> {_returned(node)}"


def _returned(node: Definition) -> str:
    return ast.unparse(node.returns).strip("'\"") if node.returns is not None else "None"


def _arguments(node: Definition) -> str:
    return ast.unparse(node.args).removeprefix("self").removeprefix(", ")


def _first(docstring: str) -> str:
    return " ".join(docstring.partition("\n\n")[0].split())


def _text(docstring: str) -> Iterator[str]:
    """Yield a docstring; what follows its sentences, as it is written."""
    first, _, others = docstring.partition("\n\n")
    yield _first(first)
    if others:
        yield from ("", "```text", *others.splitlines(), "```")


def _code(text: str) -> str:
    return text.replace("|", "\\|")


if __name__ == "__main__":
    sys.stdout.write(reference())
