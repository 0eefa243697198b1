"""Every command in the documentation is classified: test/ros/test_page_sessions.py runs it, or a reason is given."""

from pathlib import Path

import pytest

from fleet.commands.registry import SUBCOMMANDS
from harness.page_commands import NOT_RUN, REJECTED, RUN, RUN_UNTIL, SKIPPED
from harness.pages import PAGES, blocks, commands, inline_commands

KNOWN = RUN | REJECTED | RUN_UNTIL.keys() | SKIPPED
PROGRAMS = ("thymio-fleet ", "make ", "ros2 ", "python ", "python3 ", "sudo ", "asebaros ", "multi_thymio_driver ")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_command_of_a_page_is_classified(page: Path) -> None:
    assert [command for command in commands(page) if command not in KNOWN] == []


def test_every_classified_command_is_in_a_page() -> None:
    found = {command for page in PAGES for command in commands(page)}
    assert sorted(KNOWN - found) == []


def test_no_command_is_classified_twice() -> None:
    assert len(RUN) + len(REJECTED) + len(RUN_UNTIL) + sum(map(len, NOT_RUN.values())) == len(KNOWN)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_commands_are_in_blocks_of_the_shell(page: Path) -> None:
    others = [line for block in blocks(page) if block.language != "sh" for line in block.text.splitlines()]
    assert [line for line in others if line.startswith(PROGRAMS)] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_subcommands_in_the_text_of_a_page_exist(page: Path) -> None:
    names = {subcommand.name for subcommand in SUBCOMMANDS} | {"--help", "--version", "COMMAND"}
    used = {command.split()[1] for command in inline_commands(page)}
    assert sorted(used - names) == []
