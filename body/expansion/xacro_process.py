"""The process that expands one xacro file: it reads a request from its input and writes the description, as JSON.

It limits its own time and memory, writes no files, and checks each expression before xacro evaluates it.
"""

import contextlib
import glob
import json
import os
import re
import resource
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

import xacro
from xacro import substitution_args

from body.expansion.expression_fence import check_expression
from body.expansion.package_folders import package_folder
from thymio_base.argument_types import suggestion
from thymio_base.texts.json_text import own_json

CPU_S: Final = 10
MEMORY_BYTES: Final = 1_000_000_000
LARGEST: Final = 16_000_000  # most characters of a description

_MISSING: Final = re.compile(r"Undefined substitution argument (\S+)")
_SOURCES: Final[set[Path]] = set()  # folders of packages that were found outside an installation
_ARGUMENT: Final = re.compile(r"<xacro:arg\s[^<>]*?\bname\s*=\s*[\"']([^\"']+)[\"']|\$\(arg\s+([^)\s]+)\s*\)")


def main() -> int:
    """Answer one request."""
    output = os.dup(sys.stdout.fileno())
    with Path(os.devnull).open("w", encoding="utf-8") as nowhere:
        sys.stdout = nowhere  # expressions may print
        request = own_json(sys.stdin.buffer.read())
        _limit()
        answer = _answer(Path(request["file"]), request["arguments"])
    with os.fdopen(output, "w", encoding="utf-8") as answers:
        json.dump(answer, answers)
    return 0


def _limit() -> None:
    limits = (
        (resource.RLIMIT_CPU, CPU_S),
        (resource.RLIMIT_AS, MEMORY_BYTES),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
    )
    for kind, value in limits:
        resource.setrlimit(kind, (value, value))


def _answer(file: Path, arguments: Mapping[str, str]) -> dict[str, str]:
    _put_fence(file)
    try:
        text = xacro.process_file(str(file), mappings=dict(arguments)).toprettyxml(indent="  ")
    except (Exception, SystemExit) as error:
        return {"problem": f"{_place(file)}: {_words(error)}"}
    unknown = _unknown(arguments)
    if unknown:
        return {"problem": unknown}
    return {"text": text} if len(text) <= LARGEST else {"problem": f"{file}: expands to more than {LARGEST} characters"}


def _words(error: BaseException) -> str:
    """Return the text of an error, or the name of an error without a text, such as MemoryError."""
    inner = getattr(error, "exc", None) or error
    words = " ".join([*([] if str(inner) else [type(inner).__name__]), *str(error).split()])
    argument = _MISSING.search(words)
    if argument:
        return f"the argument {argument[1]} is missing; give it as {argument[1]}:=VALUE"
    if isinstance(inner, FileNotFoundError) and inner.filename:
        return f"No such file or directory: {inner.filename}"
    return str(inner) if isinstance(inner, LookupError) else words


def _place(file: Path) -> str:
    """Return the file and the macros that xacro was reading."""
    macros = [one.body.getAttribute("name") for one in xacro.macrostack or () if one.body is not None]
    inside = f": in macro {' > '.join(macros[-5:])}" if macros else ""
    return f"{(xacro.filestack or [file])[-1]}{inside}"


def _unknown(arguments: Mapping[str, str]) -> str:
    """Return the problem of the first argument that no file uses, "" if all are used."""
    known: set[str] = set()
    for name in dict.fromkeys(map(str, (xacro.filestack[0], *xacro.all_includes))):
        with contextlib.suppress(OSError):
            text = Path(name).read_text(encoding="utf-8", errors="replace")
            known.update(one or other for one, other in _ARGUMENT.findall(text))
    for name in arguments:
        if name not in known:
            names = ", ".join(sorted(known)) or "none"
            return f"{xacro.filestack[0]}: it has no argument {name!r}{suggestion(name, known) or f'; it has {names}'}"
    return ""


def _put_fence(file: Path) -> None:
    """Make xacro check expressions before evaluation, and find packages outside a ROS installation."""
    xacro.safe_eval = _checked(xacro.safe_eval)
    substitution_args._eval = _checked(substitution_args._eval)
    python = xacro._global_symbols["python"]
    dict.pop(python, "vars", None)  # it reads attributes by names in texts
    dict.__setitem__(python, "type", _type_of)

    def find(name: str) -> str:
        folder = package_folder(name, file)
        if folder.parent.name != "share":
            _SOURCES.add(folder)
        return str(folder)

    absolute = xacro.abs_filename_spec
    xacro.abs_filename_spec = lambda name: _in_source(absolute(name))
    substitution_args._eval_find = find
    substitution_args._eval_dict["find"] = find


def _in_source(name: str) -> str:
    """Return the name of a file; in a package's sources it may lie a folder deeper than where CMake installs it."""
    file = Path(name)
    for folder in _SOURCES.intersection(file.parents) if not file.exists() else ():
        found = sorted(folder.glob(f"*/{glob.escape(str(file.relative_to(folder)))}"))
        if len(found) == 1:
            return str(found[0])
    return name


def _type_of(value: object) -> type:
    """Return the type of a value; unlike Python's `type`, it cannot create types."""
    return type(value)


def _checked(evaluate: Callable[..., Any]) -> Callable[..., Any]:
    def checked(expression: str, *others: Any) -> Any:
        check_expression(expression)
        return evaluate(expression, *others)

    return checked


if __name__ == "__main__":
    sys.exit(main())
