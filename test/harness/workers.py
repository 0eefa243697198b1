"""The option --workers N: tests are collected once, and run file by file by N forks of this process.

Collecting takes as long as hundreds of tests, so no worker repeats it. Workers that wait for robots and workers that
compute go side by side; see `harness.run_order`.
"""

import atexit
import faulthandler
import gc
import os
import signal
import sys
import time
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, Pipe, wait
from pathlib import Path
from typing import Any

import pytest

from harness import fence_record, left_behind
from harness.budgets import IS_LONG
from harness.run_order import Durations, groups_of

PATIENCE_S = 1800.0 if IS_LONG else 300.0
_DUMP_S = 1.0  # a worker writes the stacks of its threads
_STACKS = "stacks"  # file in the folder of a worker


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--workers", type=int, default=0, metavar="N", help="run tests in N processes; 0: in this one")
    text = "kill a worker whose test takes longer, or that times the load of a core (default: %(default)s)"
    parser.addoption("--patience", type=float, default=PATIENCE_S, metavar="S", help=text)


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> bool | None:
    """Let workers run the tests."""
    options = session.config.option
    if (
        options.workers == 0
        or options.collectonly
        or (session.testsfailed and not options.continue_on_collection_errors)
    ):
        return None
    crew = _Crew(session)
    try:
        crew.run(options.workers)
    finally:
        crew.end()
    if session.shouldfail or session.shouldstop:
        raise session.Failed(session.shouldfail) if session.shouldfail else session.Interrupted(session.shouldstop)
    return True


@dataclass(slots=True)
class _Worker:
    """A fork: the tests that it should run, the first of which it runs, and the file of its stacks."""

    pid: int
    channel: Connection
    stacks: Path
    tests: deque[int] = field(default_factory=deque)
    heard_s: float = 0.0
    is_hung: bool = False

    def run_next(self) -> None:
        """Let it run its first test."""
        self.heard_s = time.monotonic()
        following = self.tests[1] if len(self.tests) > 1 else None
        self.channel.send((self.tests[0], following))

    def kill_hung(self) -> None:
        """Kill it, once it has written where its threads are."""
        self.is_hung = True
        os.kill(self.pid, signal.SIGUSR1)
        time.sleep(_DUMP_S)
        os.kill(self.pid, signal.SIGKILL)

    def death(self, status: int) -> str:
        """Return how it died."""
        if self.is_hung:
            return f"the worker was killed: this test did not end\n{self.stacks.read_text(errors='replace')}"
        return f"the worker died in this test: exit code {os.waitstatus_to_exitcode(status)}"


class _Crew:
    """The workers, and the groups of tests that none of them has begun."""

    def __init__(self, session: pytest.Session) -> None:
        self._session = session
        self._durations = Durations(session.config)
        self._groups = deque(groups_of(session.items, self._durations))
        self._workers: dict[Any, _Worker] = {}
        self._number = 0
        self._base = session.config._tmp_path_factory.getbasetemp()  # type: ignore[attr-defined]

    def run(self, count: int) -> None:
        """Run all tests."""
        gc.collect()
        gc.freeze()  # what is there already is not searched again and again by each worker
        for _ in range(min(count, len(self._groups))):
            self._start(self._groups.popleft())
        while self._workers:
            for channel in wait(list(self._workers), 1.0):
                self._serve(self._workers[channel])
            self._kill_hung()

    def end(self) -> None:
        """Interrupt workers that still run tests, wait for their end, and keep how long tests took."""
        for worker in self._workers.values():
            with suppress(ProcessLookupError):
                os.kill(worker.pid, signal.SIGINT)
        for worker in self._workers.values():
            worker.channel.close()
            os.waitpid(worker.pid, 0)
        self._durations.save()

    def _kill_hung(self) -> None:
        """Kill workers that have reported nothing for too long; a busy machine has more patience."""
        patience_s = self._session.config.option.patience * max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))
        for worker in self._workers.values():
            if not worker.is_hung and time.monotonic() - worker.heard_s > patience_s:
                worker.kill_hung()

    def _serve(self, worker: _Worker) -> None:
        """Take a report of a worker, or the news that its test is over."""
        worker.heard_s = time.monotonic()
        config = self._session.config
        try:
            message = worker.channel.recv()
        except EOFError:
            self._replace(worker)
            return
        if message is not None:
            report = config.hook.pytest_report_from_serializable(config=config, data=message)
            self._durations.add(report)
            config.hook.pytest_runtest_logreport(report=report)
            return
        worker.tests.popleft()
        if self._session.shouldfail or self._session.shouldstop:
            worker.tests.clear()
            self._groups.clear()
        if not worker.tests and self._groups:
            worker.tests.extend(self._groups.popleft())
        if worker.tests:
            worker.run_next()
        else:
            self._dismiss(worker)

    def _replace(self, worker: _Worker) -> None:
        """Report the test in which a worker died; let another one run the rest of its tests."""
        del self._workers[worker.channel]
        _, status = os.waitpid(worker.pid, 0)
        item = self._session.items[worker.tests.popleft()]
        report = pytest.TestReport(item.nodeid, item.location, {}, "failed", worker.death(status), "call")
        item.ihook.pytest_runtest_logreport(report=report)
        rest = worker.tests or (self._groups.popleft() if self._groups else ())
        if rest and not self._session.shouldfail:
            self._start(rest)

    def _dismiss(self, worker: _Worker) -> None:
        worker.channel.send(None)
        del self._workers[worker.channel]
        os.waitpid(worker.pid, 0)

    def _start(self, tests: "deque[int] | tuple[int, ...]") -> None:
        self._number += 1
        folder = self._base / f"worker{self._number}"
        ours, theirs = Pipe()
        sys.stdout.flush()
        sys.stderr.flush()
        pid = os.fork()
        if pid == 0:
            ours.close()
            _work(self._session, theirs, folder)
        theirs.close()
        worker = self._workers[ours] = _Worker(pid, ours, folder / _STACKS, deque(tests))
        worker.run_next()


class _Reporter:
    """Sends the reports of a worker."""

    def __init__(self, config: pytest.Config, channel: Connection) -> None:
        self._config = config
        self._channel = channel

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Send a report."""
        self._channel.send(self._config.hook.pytest_report_to_serializable(config=self._config, report=report))


def _work(session: pytest.Session, channel: Connection, folder: Any) -> None:
    """Run tests until there are none; ends this process."""
    code = 1
    try:
        guard = _settle(session.config, channel, folder)
        for item, following in _tests(session, channel):
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            channel.send(None)
        code = 0
    except (KeyboardInterrupt, pytest.exit.Exception):
        session._setupstate.teardown_exact(None)
    finally:
        atexit._run_exitfuncs()
        fence_record.end()
        guard.communicate()
        os._exit(code)


def _tests(session: pytest.Session, channel: Connection) -> Iterator[tuple[pytest.Item, pytest.Item | None]]:
    """Yield the tests that this worker gets, each with the one that follows in its group."""
    for number, following in iter(channel.recv, None):
        yield session.items[number], None if following is None else session.items[following]


def _settle(config: pytest.Config, channel: Connection, folder: Any) -> Any:
    """Give this worker what it must not share with others; return the guard of its programs."""
    folder.mkdir(mode=0o700)
    faulthandler.register(signal.SIGUSR1, (folder / _STACKS).open("w"))
    config._tmp_path_factory._basetemp = folder  # type: ignore[attr-defined]
    capture = config.pluginmanager.getplugin("capturemanager")
    capture.stop_global_capturing()  # its files are those of the process that was forked
    capture.start_global_capturing()
    capture.suspend_global_capture()
    config.pluginmanager.unregister(name="terminalreporter")
    config.pluginmanager.register(_Reporter(config, channel))
    fence_record.begin()
    return left_behind.mark_children()
