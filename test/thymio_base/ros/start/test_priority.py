"""Priority is raised where that is allowed; elsewhere programs run without it."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
_ASK = """
import os, threading
from thymio_base.ros.start.priority import request_priority, request_real_time, leave_real_time
{prelude}
request_priority()
done = threading.Event()
old = threading.Thread(target=done.wait)
old.start()
request_real_time(with_new_threads={with_new_threads})
{afterwards}
new = threading.Thread(target=done.wait)
new.start()
threads = [0, old.native_id, new.native_id]
print([(os.sched_getscheduler(id) & ~os.SCHED_RESET_ON_FORK, os.sched_getparam(id).sched_priority) for id in threads])
done.set()
"""
_DROP_PRIVILEGES = "os.setresuid(65534, 65534, 65534)"


def policies(prelude: str = "", afterwards: str = "", *, with_new_threads: bool = False) -> str:
    """Return policy and priority of a thread that requests real time, of an older thread, and of one started later."""
    script = _ASK.format(prelude=prelude, afterwards=afterwards, with_new_threads=with_new_threads)
    command = [sys.executable, "-c", script]
    return subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT).stdout.strip()


def _is_allowed() -> bool:
    with ThreadPoolExecutor(1) as pool:  # a policy belongs to one thread
        attempt = pool.submit(os.sched_setscheduler, 0, os.SCHED_RR, os.sched_param(1))
        return attempt.exception() is None


where_allowed = pytest.mark.skipif(not _is_allowed(), reason="real time needs CAP_SYS_NICE or an rtprio limit")


ORDINARY = (os.SCHED_OTHER, 0)


@where_allowed
def test_threads_that_exist_are_right_behind_the_requesting_one() -> None:
    assert policies() == str([(os.SCHED_RR, 2), (os.SCHED_RR, 1), ORDINARY])


@where_allowed
def test_real_time_is_inherited_by_new_threads_on_request() -> None:
    assert policies(with_new_threads=True) == str([(os.SCHED_RR, 2), (os.SCHED_RR, 1), (os.SCHED_RR, 2)])


def test_real_time_can_be_left() -> None:
    assert policies(afterwards="leave_real_time()") == str([ORDINARY] * 3)


def test_programs_without_privileges_stay_ordinary() -> None:
    prelude = _DROP_PRIVILEGES if os.geteuid() == 0 else ""
    assert policies(prelude) == str([ORDINARY] * 3)
