import argparse

import pytest

from fleet.commands.jobs.submit_command import add_submit
from fleet.work.kinds import KIND_NAMES


@pytest.mark.parametrize("name", [name.replace("_", "-") for name in KIND_NAMES])
def test_help_of_every_kind_of_job_can_be_shown(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    parser = argparse.ArgumentParser()
    add_submit(parser)
    with pytest.raises(SystemExit, match="0"):
        parser.parse_args([name, "--help"])
    assert "--priority" in capsys.readouterr().out
