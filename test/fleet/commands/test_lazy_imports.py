"""Commands start without the libraries that only some of them need."""

import subprocess
import sys


def test_no_command_loads_matplotlib_at_its_start() -> None:
    program = "import sys, fleet.commands.main; print([name for name in sys.modules if name.startswith('matplotlib')])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
