import os
import subprocess
import sys
import sysconfig

import pytest

PROGRAM = """
import sys
sys.modules["ament_index_python"] = None
from thymio_base.shipped_files import shipped_file
print(shipped_file("absent.yaml"))
"""


def test_files_are_where_pip_installs_them_without_ros() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == f"{sysconfig.get_path('data')}/share/thymio_fleet/config/absent.yaml"


@pytest.mark.parametrize("ament_path", ["", "/nowhere"])
def test_files_are_where_pip_installs_them_beside_a_plain_ros(ament_path: str) -> None:
    environment = {**os.environ, "AMENT_PREFIX_PATH": ament_path}
    program = PROGRAM.replace('sys.modules["ament_index_python"] = None', "")
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, env=environment)
    assert done.stdout.strip() == f"{sysconfig.get_path('data')}/share/thymio_fleet/config/absent.yaml"
