"""Standard streams that were closed before the program started, as some supervisors do."""

import os
import sys
from typing import Final

_STREAMS: Final = (("stdin", "r"), ("stdout", "w"), ("stderr", "w"))  # in the order of their descriptors


def open_closed_streams() -> None:
    """Connect closed standard streams to /dev/null; call it before the program opens anything.

    Otherwise Python has no `sys.stdout`, and what C libraries write to it goes to the first socket that is opened.
    """
    for descriptor, (name, mode) in enumerate(_STREAMS):
        if getattr(sys, name) is None:
            opened = os.open(os.devnull, os.O_RDWR)
            if opened != descriptor:
                os.dup2(opened, descriptor)
                os.close(opened)
            setattr(sys, name, open(descriptor, mode, encoding="utf-8", closefd=False))  # noqa: SIM115  until the end
