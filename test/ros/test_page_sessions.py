"""The commands of the documentation, run as their reader runs them: page by page, in order, with one fleet a page."""

from pathlib import Path

import pytest

from harness.page_commands import REJECTED, RUN, RUN_UNTIL
from harness.pages import PAGES, commands, shown_files
from harness.ros.page_session import PageSession

RUNNABLE = RUN | REJECTED | RUN_UNTIL.keys()
PAGES_WITH_COMMANDS = [page for page in PAGES if RUNNABLE.intersection(commands(page))]


@pytest.mark.parametrize("page", PAGES_WITH_COMMANDS, ids=lambda page: page.stem)
def test_commands_of_a_page_work_in_their_order(page: Path, tmp_path: Path) -> None:
    with PageSession(tmp_path, shown_files(page)) as session:
        for command in commands(page):
            if command in RUN:
                session.run(command)
            elif command in REJECTED:
                session.run(command, code=1)
            elif command in RUN_UNTIL:
                session.run_until(command, RUN_UNTIL[command])
