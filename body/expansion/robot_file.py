"""Reads the text of a robot's description, after expansion if it is xacro."""

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from body.errors import DescriptionError
from thymio_base.errors import TextError
from thymio_base.texts.json_text import read_json
from thymio_base.texts.shortened import shortened
from thymio_base.texts.user_file import read_start
from thymio_base.texts.xml_text import MAX_SIZE

_DEADLINE_S: Final = 30.0
_TAG: Final = "<xacro:"
_LINK: Final = "<link"
NO_LINK: Final = "it has no link: a file of macros is a part of a robot; give the file that includes it and calls them"


def robot_text(file: Path, arguments: Mapping[str, str]) -> str:
    """Return the text of a URDF.

    Parameters
    ----------
    file
        a URDF file, or a xacro file if its name ends in .xacro or it has xacro tags
    arguments
        arguments of a xacro file, by name

    Raises
    ------
    DescriptionError
        The file cannot be read or expanded, or gets arguments and is not xacro; the message says why.
    """
    try:
        text = read_start(file, MAX_SIZE + 1).decode()
    except OSError as error:
        raise DescriptionError([error.strerror or str(error)]) from error
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise DescriptionError([f"line {line}: not UTF-8: save the file in this encoding"]) from error
    if is_xacro(file, text):
        return _expanded(file, arguments)
    if arguments:
        given = " ".join(f"{name}:={value}" for name, value in arguments.items())
        raise DescriptionError([f"{given}: only xacro files have arguments"])
    return text


def is_xacro(file: Path, text: str) -> bool:
    """Whether a file must be expanded."""
    return file.suffix == ".xacro" or _TAG in text


def _expanded(file: Path, arguments: Mapping[str, str]) -> str:
    request = json.dumps({"file": str(file.resolve()), "arguments": dict(arguments)}).encode()
    command = [sys.executable, "-m", "body.expansion.xacro_process"]
    try:
        done = subprocess.run(command, input=request, capture_output=True, timeout=_DEADLINE_S, check=False)
    except subprocess.TimeoutExpired as error:
        raise DescriptionError([f"xacro has not expanded it in {_DEADLINE_S:g} s"]) from error
    if done.returncode:
        text = "xacro has ended without an answer: the file needs more than 10 s of processor time, or 1 GB of memory"
        cause = shortened(done.stderr.decode(errors="replace").strip().rpartition("\n")[2])  # an exception's last line
        raise DescriptionError(
            [text if done.returncode < 0 else _NOT_THERE if _XACRO in cause else f"xacro has ended: {cause}"]
        )
    try:
        answer = read_json(done.stdout.decode())
    except TextError as error:
        raise DescriptionError([f"the answer of xacro cannot be read: {error}"]) from error
    if "problem" in answer:
        raise DescriptionError([f"xacro: {answer['problem']}"])
    if _LINK not in answer["text"]:
        raise DescriptionError([NO_LINK])
    return str(answer["text"])


_XACRO: Final = "No module named 'xacro"
_NOT_THERE: Final = "xacro cannot run; is its package installed? pip install xacro"
