"""Programs work without the standard streams, which some supervisors close."""

import subprocess
import sys
from pathlib import Path

import pytest

from thymio_base.exit_code import ExitCode

START = "import sys; sys.argv[1:] = {arguments}; from {module} import {name} as main; sys.exit(main())"
ALL = "<&- >&- 2>&-"
PROGRAMS = {
    "thymio-fleet": ("fleet.commands.entry_point", "main", ["check", "config/fleet.yaml"]),
    "multi_thymio_driver": ("fleet.ros.__main__", "main", ["--help"]),
    "thymio_simulator": ("simulator.__main__", "main", ["--help"]),
    "rbc": ("body.ros.entries", "rbc", ["--help"]),
}


@pytest.mark.parametrize(
    ("program", "closed"),
    [("thymio-fleet", "<&-"), ("thymio-fleet", ">&-"), ("thymio-fleet", "2>&-"), *((one, ALL) for one in PROGRAMS)],
)
def test_program_whose_streams_are_closed_ends_well(program: str, closed: str) -> None:
    module, name, arguments = PROGRAMS[program]
    code = START.format(module=module, name=name, arguments=arguments)
    done = subprocess.run(["sh", "-c", f'exec "$@" {closed}', "sh", sys.executable, "-c", code], check=False)
    assert done.returncode == ExitCode.DONE


def test_lines_of_a_program_without_output_do_not_get_into_its_files(tmp_path: Path) -> None:
    file = tmp_path / "kept"
    code = (
        "from thymio_base.stop_signal import open_closed_streams; open_closed_streams(); import os, sys\n"
        f"kept = open({str(file)!r}, 'w'); print('shown'); sys.stdout.flush(); os.write(1, b'raw'); os.write(2, b'raw')"
    )
    subprocess.run(["sh", "-c", 'exec "$@" <&- >&- 2>&-', "sh", sys.executable, "-c", code], check=True)
    assert file.read_text() == ""
