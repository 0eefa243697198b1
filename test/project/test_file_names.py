"""Whether a file exists is asked of names that users give by `may_exist`: `Path.exists` raises for a name too long."""

import re

from harness.packages import PRODUCT
from harness.pages import ROOT

ASKING = re.compile(r"\.(exists|is_file|is_dir)\(\)")
BY_THEMSELVES = {  # modules that may ask, and why
    "aseba_link/aesl/program.py": "its caller says why a script cannot be read",
    "aseba_link/link/pty_port.py": "an error is the reason why it cannot listen",
    "body/expansion/package_folders.py": "an error is the reason why xacro cannot expand a file",
    "body/expansion/xacro_process.py": "an error is the reason why xacro cannot expand a file",
    "experiments/orchestrated/stack.py": "after may_exist",
    "experiments/scenarios/provenance.py": "files of a folder that it lists",
    "fleet/books/sqlite_backup.py": "after may_exist",
    "fleet/commands/processes.py": "beside Python",
    "fleet/dashboard/web/page_files.py": "shipped files",
    "thymio_base/logs/rotated_lines.py": "an error is the reason why logs cannot be written",
    "thymio_base/program_version.py": "in our own tree",
    "thymio_base/ros/log_folder.py": "a folder that raises cannot be written",
    "thymio_base/shipped_files.py": "shipped files",
    "thymio_base/texts/user_file.py": "is may_exist",
}


def test_only_modules_that_handle_names_too_long_ask_whether_files_exist() -> None:
    asking = {
        str(path.relative_to(ROOT))
        for package in PRODUCT
        for path in (ROOT / package).rglob("*.py")
        if ASKING.search(path.read_text(encoding="utf-8"))
    }
    assert asking == set(BY_THEMSELVES)
