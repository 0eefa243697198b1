"""Every command of the page about the API is run with curl against a server."""

import argparse
import asyncio
import os
import re
import shutil
import time
from pathlib import Path
from typing import Any

import pytest

from fleet.commands.dashboard_command import add_dashboard
from fleet.dashboard.access.token_ring import TokenRing
from fleet.dashboard.api.openapi_document import openapi_document
from fleet.dashboard.api.webhook_book import Delivery
from fleet.dashboard.kept_files import KeptFiles
from fleet.dashboard.kept_tokens import KeptTokens
from fleet.geometry import Pose2D
from fleet.settings.station_config import StationConfig, StationRole
from harness.dashboard.scripted_fleet import ScriptedFleet
from harness.dashboard.server_stage import ServerStage, on_stage
from harness.pages import PAGES, blocks
from thymio_base.exit_code import ExitCode

PAGE = next(page for page in PAGES if page.name == "api.md")
SECRET = "whsec_a2tra2tra2tra2tra2tra2tra2tra2tra2tra2tra2s="
EXPECTED = (  # by the commands of `bash`, in their order
    '"id": 3',
    '"name": "packing"',
    '"state": "done"',
    '"id": "order-4711"',
    '"state": "done"',
    '"confirmed": [{',
    '"commands": [{',
    '"verb": "go_home"',
    '"tasks": [',
    "id: ",
    '"secret": "whsec_',
    '"url": "http://127.0.0.1:9000/fleet"',
)


def curl_commands() -> list[str]:
    """Return the commands of the page's blocks, each with its continued lines."""
    text = "\n".join(block.text for block in blocks(PAGE) if block.language == "bash").replace("\\\n", "")
    return [line for line in text.splitlines() if line.startswith("curl")]


def test_every_command_of_the_page_has_an_expected_answer() -> None:
    assert len(curl_commands()) == len(EXPECTED)


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("curl") is None, reason="needs the program curl")
def test_commands_of_the_page_work_as_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    tokens = TokenRing(KeptTokens(KeptFiles(tmp_path / "thymio_fleet")).all)

    async def scenario(stage: ServerStage) -> None:
        stations = [("press", StationRole.LOAD), ("packing", StationRole.UNLOAD)]
        places = [StationConfig(name, Pose2D(1.0 + 0.2 * len(name), 1.0, 0.0), role) for name, role in stations]
        stage.server.board.stations.configure(places)
        await stage.let_pass(1.5)
        token = told("add mes", capsys).strip()
        environment = {"TOKEN": token, "FLEET": f"{stage.url}/api/v1"}
        for command, expected in zip(curl_commands(), EXPECTED, strict=True):
            bounded = command.replace("-N", "-N --max-time 1")
            last = "-H 'Last-Event-ID: 0-0'" if "-N" in command else ""  # all that is kept
            answer = await run(stage, f"{bounded} {last}", environment)
            assert expected in answer, f"{command}\n{answer}"
        assert "mes  operator" in told("list", capsys)
        assert told("revoke mes", capsys) == "mes is revoked\n"
        await stage.let_pass(1.1)
        assert '"status": 401' in await run(stage, curl_commands()[0], environment)

    on_stage(scenario, ScriptedFleet(3, has_jobs=True), tokens=tokens)


def told(words: str, capsys: pytest.CaptureFixture[str]) -> str:
    """Return what a command of the page about tokens prints."""
    text = "\n".join(block.text for block in blocks(PAGE) if block.language == "sh")
    assert f"thymio-fleet dashboard token {words}" in text
    parser = argparse.ArgumentParser()
    add_dashboard(parser)
    options = parser.parse_args(["token", *words.split()])
    capsys.readouterr()
    assert options.run(options) == ExitCode.DONE
    return capsys.readouterr().out


async def run(stage: ServerStage, command: str, environment: dict[str, str]) -> str:
    """Run a command of the shell while the server's time passes; return what it printed."""
    process = await asyncio.create_subprocess_shell(
        command, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT, env=os.environ | environment
    )
    reading = asyncio.ensure_future(process.communicate())
    while not reading.done():
        await stage.let_pass(0.05)
    return (await reading)[0].decode()


def test_python_of_the_page_recognizes_genuine_deliveries() -> None:
    (code,) = [block.text for block in blocks(PAGE) if block.language == "python"]
    names: dict[str, Any] = {}
    exec(code, names)
    is_genuine, delivery = names["is_genuine"], Delivery("msg_1", b'{"type": "job_ended"}')
    headers = delivery.headers(SECRET, int(time.time()))
    assert is_genuine(headers, delivery.body, SECRET)
    assert not is_genuine(headers, delivery.body + b" ", SECRET)
    assert not is_genuine(headers | {"webhook-timestamp": "1700000000"}, delivery.body, SECRET)
    assert not is_genuine(delivery.headers(SECRET, 1_700_000_000), delivery.body, SECRET)


def test_page_lists_every_status_and_address_of_the_document() -> None:
    text = PAGE.read_text()
    document = openapi_document("0.1.0")
    statuses = {status for path in document["paths"].values() for one in path.values() for status in one["responses"]}
    assert [status for status in sorted(statuses) if status not in text and status not in ("201", "204", "500")] == []
    addresses = {re.sub("^/api/v1|/commands/[a-z_]+$", "", path) for path in document["paths"]} - {""}
    assert [address for address in sorted(addresses) if address not in text] == []
