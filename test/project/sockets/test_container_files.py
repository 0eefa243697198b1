"""The container's recipe and the compose file are valid, and start our programs with options that these have."""

import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from fleet.commands.main import read_options
from harness.service_units import settings

ROOT = Path(__file__).parents[3]
SERVICES: dict[str, dict[str, Any]] = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))["services"]
HADOLINT = shutil.which("hadolint", path=str(Path(sys.executable).parent)) or shutil.which("hadolint")


@pytest.mark.skipif(HADOLINT is None, reason="needs the program hadolint: make setup")
def test_linter_finds_nothing_wrong_with_the_recipe() -> None:
    assert HADOLINT is not None
    done = subprocess.run([HADOLINT, str(ROOT / "Dockerfile")], capture_output=True, text=True, check=False)
    assert done.stdout + done.stderr == ""


def instruction(name: str) -> str:
    """Return the last instruction of a name, with its continued lines."""
    lines = (ROOT / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", " ").splitlines()
    return [line for line in lines if line.startswith(f"{name} ")][-1]


def test_image_is_run_by_a_user_and_checked_at_the_liveness_door() -> None:
    assert instruction("USER") == "USER 10001"
    assert "HEALTH_URL=http://127.0.0.1:8642/health" in instruction("ENV")
    assert "os.environ['HEALTH_URL']" in instruction("HEALTHCHECK")


def test_containers_run_what_the_units_run() -> None:
    (unit,) = settings("thymio-fleet-driver@.service", "ExecStart")
    words = [word.rpartition("/")[2] for word in shlex.split(unit)]
    assert shlex.split(SERVICES["driver"]["command"]) == words
    dashboard = SERVICES["dashboard"]["command"][-1].partition("thymio-fleet ")[2]
    options = read_options(shlex.split(dashboard.replace("$$DASHBOARD_OPTIONS", "--host 0.0.0.0 --port 8652")))
    assert (str(options.config), options.host, options.port) == ("fleet.yaml", "0.0.0.0", 8652)


def test_containers_are_started_again_have_no_rights_and_keep_their_state() -> None:
    for name, service in SERVICES.items():
        assert service["restart"] == "always", name
        assert (service["read_only"], service["cap_drop"]) == (True, ["ALL"])
        assert service["volumes"][0] == f"state:{instruction('VOLUME').split()[1]}"
