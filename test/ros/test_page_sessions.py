"""The commands of the documentation, run as their reader runs them: page by page, in order, with one fleet a page."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.page_commands import REJECTED, RUN, RUN_UNTIL
from harness.pages import PAGES, commands, shown_files
from harness.ros.page_session import PageSession, needs_fleet

RUNNABLE = RUN | REJECTED | RUN_UNTIL.keys()


def place(page: Path) -> tuple[bool, str, int]:
    """Return what pages are sorted by: those that need no fleet, then those that start the same one."""
    with_fleet = [command for command in commands(page) if command in RUNNABLE and needs_fleet(command)]
    return bool(with_fleet), next((one for one in with_fleet if " up" in one), ""), len(with_fleet)


PAGES_WITH_COMMANDS = sorted((page for page in PAGES if RUNNABLE.intersection(commands(page))), key=place)


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PageSession]:
    with PageSession(tmp_path_factory.mktemp("clone")) as session:
        yield session


@pytest.mark.parametrize("page", PAGES_WITH_COMMANDS, ids=lambda page: page.stem)
def test_commands_of_a_page_work_in_their_order(session: PageSession, page: Path) -> None:
    session.open_page(shown_files(page))
    for command in commands(page):
        if command in RUN:
            session.run(command)
        elif command in REJECTED:
            session.run(command, code=1)
        elif command in RUN_UNTIL:
            session.run_until(command, RUN_UNTIL[command])
