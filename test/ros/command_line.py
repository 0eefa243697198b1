"""The command as a program."""

import re
import subprocess
import sys

# If another program is opening the same memory, Fast DDS reports it on our output and uses other memory.
_OF_FAST_DDS = re.compile(r"^.*RTPS_[A-Z]+.*\n", re.MULTILINE)


def run(*arguments: str, timeout_s: float = 180.0) -> subprocess.CompletedProcess[str]:
    """Run the command to its end; return its own output."""
    command = [sys.executable, "-m", "fleet.commands.main", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=timeout_s, check=False)
    done.stdout, done.stderr = _OF_FAST_DDS.sub("", done.stdout), _OF_FAST_DDS.sub("", done.stderr)
    return done
