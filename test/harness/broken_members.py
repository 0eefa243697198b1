"""Runs the body coupler with reachers and extenders whose methods raise.

python -m harness.broken_members FAULTS ARGUMENTS...: see `harness.broken`. The coupler itself is whole.
"""

import runpy
import shlex
import sys
import tempfile
from pathlib import Path


def main() -> None:
    """Let the coupler start its processes by a script, which injects the faults."""
    faults, sys.argv[1:] = sys.argv[1], sys.argv[2:]
    with tempfile.TemporaryDirectory() as folder:
        python = Path(folder) / "python"
        command = shlex.join([sys.executable, "-m", "harness.broken", faults])
        python.write_text(f'#!/bin/sh\nshift\nexec {command} "$@"\n', encoding="utf-8")
        python.chmod(0o700)
        sys.executable = str(python)
        runpy.run_module("body.ros.rbc_program", run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
