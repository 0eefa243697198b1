"""Checks an Aseba script: its text, and whether its code for Thymios fits a Thymio."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from aseba_link.aesl.compiler import compile_code
from aseba_link.aesl.program import read_program
from aseba_link.aesl.syntax.script import Script
from aseba_link.errors import CompilerError, ScriptError
from aseba_link.host.upload import fit_problem
from simulator.firmware.thymio import thymio_description
from thymio_base.number_text import count_text
from thymio_base.texts.user_file import read_start

_SUFFIXES: Final = (".aesl", ".aseba")  # suffixes of scripts, and of code without XML
_SNIFFED_BYTES: Final = 4096
_COMMENT: Final = re.compile(rb"<!--.*?(?:-->|\Z)", re.DOTALL)
_ELEMENT: Final = re.compile(rb"\A[^<]*(?:<[?!][^>]*>[^<]*)*<([A-Za-z_][\w.:-]*)")


def is_script(file: Path) -> bool:
    """Whether a file is an Aseba script, by its name or its first element."""
    return file.suffix.lower() in _SUFFIXES or first_element(file) == "network"


def first_element(file: Path) -> str:
    """Return the name of the outermost element of an XML file; "" if it is not XML, or cannot be read."""
    try:
        start = read_start(file, _SNIFFED_BYTES).removeprefix(b"\xef\xbb\xbf")
    except OSError:
        return ""
    found = _ELEMENT.match(_COMMENT.sub(b"", start)) if start.lstrip().startswith(b"<") else None
    return "" if found is None else found[1].decode(errors="replace")


def script_mistakes(file: Path, script: Script) -> Iterator[str]:
    """Yield the first compiler error of each code for Thymios, as a line."""
    description = thymio_description()
    for code in script.codes:
        if code.name not in ("", description.name):
            continue
        try:
            compiled = compile_code(code.text, script.events, script.constants, description)
        except CompilerError as error:
            yield f"{file}: {error.below(code.first_line - 1)}"
            continue
        if problem := fit_problem(compiled, description):
            yield f"{file}: {problem}"


def read_script(file: Path) -> tuple[Script | None, tuple[str, ...]]:
    """Return the script in a file and its mistakes; None instead of the script if it cannot be read."""
    try:
        script = read_program(str(file), {}).script
    except ScriptError as error:
        return None, tuple(str(error).splitlines())
    return script, tuple(script_mistakes(file, script))


def script_summary(script: Script) -> str:
    """Describe a script in a few words."""
    events, constants = count_text(len(script.events), "event"), count_text(len(script.constants), "constant")
    return f"script with {events}, {constants}, code for {count_text(len(script.codes), 'kind')} of nodes"


def script_notes(script: Script) -> tuple[str, ...]:
    """Return notes on code that is not checked because it is for other nodes."""
    thymio = thymio_description().name
    others = sorted({code.name for code in script.codes} - {"", thymio})
    return tuple(f"the code for {name!r} is not compiled: only {thymio} is known here" for name in others)
