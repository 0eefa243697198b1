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
from thymio_base.priority import request_priority, request_real_time, leave_real_time
{prelude}
request_priority()
request_real_time(with_new_threads={with_new_threads})
{afterwards}
policies = [os.sched_getscheduler(0) & ~os.SCHED_RESET_ON_FORK]
thread = threading.Thread(target=lambda: policies.append(os.sched_getscheduler(0)))
thread.start()
thread.join()
print(policies)
"""
_DROP_PRIVILEGES = "os.setresuid(65534, 65534, 65534)"


def policies(prelude: str = "", afterwards: str = "", *, with_new_threads: bool = False) -> str:
    """Return the policies of a thread that requests real time and of a thread that it starts."""
    script = _ASK.format(prelude=prelude, afterwards=afterwards, with_new_threads=with_new_threads)
    command = [sys.executable, "-c", script]
    return subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT).stdout.strip()


def _is_allowed() -> bool:
    with ThreadPoolExecutor(1) as pool:  # a policy belongs to one thread
        attempt = pool.submit(os.sched_setscheduler, 0, os.SCHED_RR, os.sched_param(1))
        return attempt.exception() is None


where_allowed = pytest.mark.skipif(not _is_allowed(), reason="real time needs CAP_SYS_NICE or an rtprio limit")


@where_allowed
def test_real_time_applies_to_the_requesting_thread_alone() -> None:
    assert policies() == str([os.SCHED_RR, os.SCHED_OTHER])


@where_allowed
def test_real_time_is_inherited_by_new_threads_on_request() -> None:
    assert policies(with_new_threads=True) == str([os.SCHED_RR, os.SCHED_RR])


def test_real_time_can_be_left() -> None:
    assert policies(afterwards="leave_real_time()") == str([os.SCHED_OTHER, os.SCHED_OTHER])


def test_programs_without_privileges_stay_ordinary() -> None:
    prelude = _DROP_PRIVILEGES if os.geteuid() == 0 else ""
    assert policies(prelude) == str([os.SCHED_OTHER, os.SCHED_OTHER])
