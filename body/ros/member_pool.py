"""The reachers and extenders of a coupler, in separate processes or in the coupler's."""

import os
import subprocess
import sys
from dataclasses import dataclass, replace
from typing import Final, Protocol

from rclpy.executors import Executor

from body.errors import BoardError, ReacherError
from body.memory.body_board import ROWS, BoardRow, BodyBoard
from body.ros.member import Member, MemberContext, MemberType
from body.ros.member_factory import OUTPUTS, create_member
from thymio_base.fence import Fence
from thymio_base.ros.executors import retire
from thymio_base.ros.fenced_node import FencedNode

LONGEST_NAME: Final = 64  # keeps the names of an action's topics below 247 characters, the limit of ROS
_LIVE_PERIODS: Final = 3  # age beyond which a row does not count
_GOODBYE_NS: Final = 200_000_000  # time for the answers of a member in this process to reach their clients
_TERMINATE_NS: Final = 5_000_000_000  # time after which a process that has not ended is killed


class Runner(Protocol):
    """Runs one reacher or extender."""

    @property
    def is_running(self) -> bool:
        """Whether its process or node is alive."""
        ...

    def step(self, now_ns: int) -> None:
        """Step it, if it runs in this process."""
        ...

    def begin_to_end(self) -> None:
        """Ask it to end."""
        ...

    def kill(self) -> None:
        """End it at once, or clean up after it has ended."""
        ...


@dataclass(slots=True)
class Enrolled:
    """A reacher or extender of the pool.

    Parameters
    ----------
    kind : type of the member
    row : row on the board
    runner : runs the member
    ending_since_ns : time when it was asked to end; None before
    was_ready : whether it has ever written its row
    """

    kind: MemberType
    row: int
    runner: Runner
    ending_since_ns: int | None = None
    was_ready: bool = False


class Launcher(Protocol):
    """Starts reachers and extenders."""

    def launch(self, kind: MemberType, name: str, row: int) -> Runner:
        """Start a reacher or extender."""
        ...

    def close(self) -> None:
        """Release all resources."""
        ...


class MemberPool:
    """Starts and ends reachers and extenders, and reads the rows of live ones.

    Parameters
    ----------
    board : board shared with the members
    launcher : starts the members
    period_ns : period of their steps
    fence : logs exceptions of a member, so that the others continue
    """

    def __init__(self, board: BodyBoard, launcher: Launcher, period_ns: int, fence: Fence) -> None:
        self._board = board
        self._fence = fence
        self._launcher = launcher
        self._live_ns = _LIVE_PERIODS * period_ns
        self.members: dict[str, Enrolled] = {}  # in order of creation

    def create(self, kind: MemberType, name: str) -> None:
        """Start a reacher or extender.

        Raises
        ------
        ReacherError
            The name is taken.
        BoardError
            All rows are taken, or the names of all outputs together are too long.
        """
        if name in self.members:
            raise ReacherError(f"there is already a {self.members[name].kind.value} named {name}")
        taken = {one.row for one in self.members.values()}
        row = next((index for index in range(ROWS) if index not in taken), None)
        if row is None:
            raise BoardError(f"there are {ROWS} reachers and extenders already; delete one")
        self._board.clear_row(row)
        self.members[name] = Enrolled(kind, row, self._launcher.launch(kind, name, row))
        try:
            self._announce_outputs()
        except BoardError:
            self._kill(name, self.members.pop(name))
            raise

    def delete(self, name: str, now_ns: int) -> None:
        """Remove a member from the sum at once, and ask it to end.

        Raises
        ------
        ReacherError
            There is no member of that name.
        """
        member = self.members.get(name)
        if member is None:
            shown = name if name.isidentifier() and len(name) <= LONGEST_NAME else repr(name[:LONGEST_NAME])
            raise ReacherError(f"there is no {shown}; there are {', '.join(self.members) or 'none'}")
        if member.ending_since_ns is None:
            member.ending_since_ns = now_ns
            member.runner.begin_to_end()

    def rows(self, now_ns: int) -> list[BoardRow]:
        """Step the members in this process in order of creation; return the rows of all live members.

        A member is live while it runs and has written its row within the last three periods.
        """
        found = []
        for name, member in self.members.items():
            with self._fence.around(f"the row of {name}"):
                row = self._row(member, now_ns)
                if row is not None:
                    found.append(row)
        return found

    def is_live(self, name: str, now_ns: int) -> bool:
        """Whether a member counts in the sum."""
        return self._row(self.members[name], now_ns) is not None

    def tidy(self, now_ns: int) -> dict[str, Enrolled]:
        """Remove and return members that have ended; kill members that are overdue."""
        gone = {name: member for name, member in self.members.items() if not member.runner.is_running}
        for name, member in gone.items():
            del self.members[name]
            self._board.clear_row(member.row)
            self._kill(name, member)
        if gone:
            self._announce_outputs()
        for name, member in self.members.items():
            if member.ending_since_ns is not None and now_ns - member.ending_since_ns > _TERMINATE_NS:
                self._kill(name, member)
        return gone

    def close(self) -> None:
        """End all members at once."""
        for name, member in self.members.items():
            self._kill(name, member)
        self.members.clear()
        self._launcher.close()

    def _kill(self, name: str, member: Enrolled) -> None:
        with self._fence.around(f"the end of {name}"):
            member.runner.kill()

    def _row(self, member: Enrolled, now_ns: int) -> BoardRow | None:
        if member.ending_since_ns is not None or not member.runner.is_running:
            return None
        member.runner.step(now_ns)
        row = self._board.read_row(member.row)
        if not row.written_ns:
            return None
        member.was_ready = True
        return row if abs(now_ns - row.written_ns) <= self._live_ns else None  # a process may be ahead of `now_ns`

    def _announce_outputs(self) -> None:
        """Write the directory of all extenders' outputs, which existing members read, too."""
        places = {
            f"{name}/{output}": (member.row, place)
            for name, member in self.members.items()
            for place, output in enumerate(OUTPUTS.get(member.kind, ()))
        }
        self._board.write_directory(places)


class ProcessLauncher:
    """Starts each reacher or extender in a separate process.

    Parameters
    ----------
    board : board, passed to the processes by its descriptor
    urdf : text of the URDF, passed in the same way
    rate_hz : rate of their steps
    """

    def __init__(self, board: BodyBoard, urdf: str, rate_hz: float) -> None:
        self._board = board
        self._rate_hz = rate_hz
        self._urdf = os.memfd_create("urdf")
        with os.fdopen(os.dup(self._urdf), "wb") as file:
            file.write(urdf.encode())

    def launch(self, kind: MemberType, name: str, row: int) -> Runner:
        """Start a reacher or extender."""
        options = {
            "type": kind.value,
            "name": name,
            "row": row,
            "board": self._board.descriptor,
            "urdf": self._urdf,
            "parent": os.getpid(),
            "rate-hz": self._rate_hz,
        }
        arguments = [f"--{option}={value}" for option, value in options.items()]
        command = [sys.executable, "-m", "body.ros.member_process", *arguments]
        descriptors = (self._board.descriptor, self._urdf)
        # in its own process group: on Ctrl-C, the coupler ends it, with a result for its goal
        return _ProcessRunner(subprocess.Popen(command, pass_fds=descriptors, process_group=0))

    def close(self) -> None:
        """Close the URDF."""
        os.close(self._urdf)


class _ProcessRunner:
    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        self._process = process

    @property
    def is_running(self) -> bool:
        return self._process.poll() is None

    def step(self, _: int) -> None:
        """Do nothing: it steps by itself."""

    def begin_to_end(self) -> None:
        self._process.terminate()

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()


class LocalLauncher:
    """Runs all reachers and extenders in this process, stepped by the coupler.

    Parameters
    ----------
    executor : executor for their nodes
    context : surroundings of the coupler; each member gets a copy with its own row
    """

    def __init__(self, executor: Executor, context: MemberContext) -> None:
        self._executor = executor
        self._context = context

    def launch(self, kind: MemberType, name: str, row: int) -> Runner:
        """Start a reacher or extender."""
        context = replace(self._context, row=row)
        node = FencedNode(name, context.fence)
        try:
            member = create_member(kind, node, context)
        except Exception:
            node.destroy_node()
            raise
        self._executor.add_node(node)
        return _LocalRunner(member, self._executor, context)

    def close(self) -> None:
        """Do nothing: there are no resources to release."""


class _LocalRunner:
    def __init__(self, member: Member, executor: Executor, context: MemberContext) -> None:
        self._member = member
        self._executor = executor
        self._clock = context.clock
        self._closed_ns: int | None = None
        self._is_retired = False

    @property
    def is_running(self) -> bool:
        if self._is_retired or self._closed_ns is None:
            return not self._is_retired
        return not self._member.is_heard or self._clock().core_ns - self._closed_ns < _GOODBYE_NS

    def step(self, now_ns: int) -> None:
        self._member.step(now_ns)

    def begin_to_end(self) -> None:
        self._member.close()
        self._closed_ns = self._clock().core_ns

    def kill(self) -> None:
        if not self._is_retired:
            self._is_retired = True
            self._member.close()
            retire(self._executor, self._member.node)
