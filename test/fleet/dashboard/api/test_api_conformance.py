import asyncio
import sys
from pathlib import Path

import pytest

from fleet.dashboard.access.roles import Role
from fleet.dashboard.api.operations import OPERATIONS
from harness.dashboard.scripted_dashboard import TOKENS
from harness.dashboard.scripted_fleet import ScriptedFleet
from harness.dashboard.server_stage import ServerStage, on_stage

_RUN = (
    *("--seed", "1", "--max-examples", "2", "--phases", "fuzzing", "--continue-on-failure", "--no-color"),
    *("--exclude-operation-id", "event_stream"),  # it has no end
    *("--suppress-health-check", "all", "--generation-codec", "ascii"),
)


@pytest.mark.slow
def test_server_keeps_its_document_whatever_it_is_asked(tmp_path: Path) -> None:
    async def scenario(stage: ServerStage) -> None:
        command = [sys.executable, "-m", "schemathesis.cli", "run", f"{stage.url}/openapi.json", *_RUN]
        command += ["--header", f"Authorization: Bearer {TOKENS[Role.TEACHER]}"]
        process = await asyncio.create_subprocess_exec(
            *command, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT, cwd=tmp_path
        )
        reading = asyncio.ensure_future(process.communicate())
        while not reading.done():
            await stage.let_pass(0.05)  # twenty times as fast as real time: commands are waited for
        output = (await reading)[0].decode()
        assert process.returncode == 0, output
        assert f"Tested: {len(OPERATIONS) - 1}\n" in output, output

    on_stage(scenario, ScriptedFleet(3, has_jobs=True))
