"""pyaseba's compiler as a peer of ours: `PyasebaCompiler` sends requests to this file, run as a child process.

pyaseba sends its bytecode only to a node. So the child serves a simulated Thymio's description on loopback, and
receives the upload. Requests and answers are lines of JSON.
"""

import json
import os
import queue
import select
import socket
import struct
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from aseba_link.wire.description import NodeDescription, encode_description
from aseba_link.wire.message import Message, MessageType, encode, from_words
from aseba_link.wire.stream import MessageStream
from harness import peer_deaths
from simulator.firmware.thymio import thymio_description

NODE_ID = 1
UPLOAD_TIMEOUT_S = 20.0
ANSWER_TIMEOUT_S = 90.0  # also while it starts on a busy machine
ENDING_S = 1.0
ATTEMPTS = 3  # for one program
MAX_DEATHS = 20  # of one test file
MAX_GIVEN_UP = 3  # programs at which it died every time
COMMAND = (sys.executable, str(Path(__file__)))
PROTOCOL_VERSION = 5  # the whole description is sent at once, without fragments that pyaseba may miss
# pyaseba's compiler insists on en_US.UTF-8; for the child that name means one of these
LOCALES = (Path("/usr/lib/locale/C.utf8"), Path("/usr/lib/locale/C.UTF-8"), Path("/usr/lib64/locale/C.utf8"))


class PeerDiedError(Exception):
    """The original compiler's process died every time on this program."""


class PyasebaCompiler:
    """The original AESL compiler, for the simulated Thymio; it numbers events by name.

    Its process sometimes dies or hangs on programs that it compiles on the next try. So it is restarted, at most
    `MAX_DEATHS` times, and the request is repeated.
    """

    def __init__(self, command: Sequence[str] = COMMAND, on_death: Callable[[str], None] = peer_deaths.record) -> None:
        self.deaths: list[str] = []
        self.given_up: list[str] = []
        self._command = command
        self._on_death = on_death
        self._child = self._start()

    def compile(
        self, code: str, events: Mapping[str, int] | None = None, constants: Mapping[str, int] | None = None
    ) -> tuple[int, ...] | str:
        """Return the bytecode, or the compiler's error.

        Raises
        ------
        PeerDiedError
            The compiler's process died at this program every time.
        """
        request = json.dumps({"code": code, "events": dict(events or {}), "constants": dict(constants or {})})
        for _ in range(ATTEMPTS):
            line = self._request(request)
            if line.endswith("\n"):
                answer = json.loads(line)
                return answer["error"] if "error" in answer else tuple(answer["bytecode"])
            self._start_again()
        self.given_up.append(code)
        assert len(self.given_up) <= MAX_GIVEN_UP, f"the compiler cannot be used: it died at each of {self.given_up}"
        raise PeerDiedError(self.deaths[-1])

    def close(self) -> None:
        """End the compiler's process."""
        self._child.kill()
        self._child.communicate()

    def _request(self, request: str) -> str:
        """Return the line of the answer; less than a line if the process died or hangs."""
        stdin, stdout = self._child.stdin, self._child.stdout
        assert stdin is not None
        assert stdout is not None
        try:
            stdin.write(f"{request}\n".encode())
            stdin.flush()
        except BrokenPipeError:
            return ""
        has_answer = select.select([stdout], [], [], ANSWER_TIMEOUT_S)[0]
        return stdout.readline().decode() if has_answer else ""

    def _start(self) -> subprocess.Popen[bytes]:
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(entry for entry in sys.path if entry)}
        return subprocess.Popen(self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment)

    def _start_again(self) -> None:
        end = f"exit code {self._child.wait()}" if self._has_ended() else "no answer"
        self.deaths.append(end)
        self._on_death(f"pyaseba's compiler: {end}")
        self.close()
        assert len(self.deaths) <= MAX_DEATHS, f"the compiler cannot be used: {self.deaths}"
        self._child = self._start()

    def _has_ended(self) -> bool:
        """Whether the process ended by itself; its pipes may have closed a moment before."""
        with suppress(subprocess.TimeoutExpired):
            self._child.wait(ENDING_S)
        return self._child.returncode is not None


class CapturingNode:
    """A node that implements just enough to be discovered and to receive bytecode."""

    def __init__(self, description: NodeDescription) -> None:
        self._description = replace(description, protocol_version=PROTOCOL_VERSION)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._words: dict[int, int] = {}
        self.uploads: queue.Queue[list[int]] = queue.Queue()
        self.port: int = self._listener.getsockname()[1]
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        peer, _ = self._listener.accept()
        stream = MessageStream()
        while data := peer.recv(4096):
            for message in stream.feed(data):
                for answer in self._answer(message):
                    peer.sendall(encode(answer))

    def _answer(self, message: Message) -> list[Message]:
        if message.type == MessageType.LIST_NODES:
            return [from_words(NODE_ID, MessageType.NODE_PRESENT, [PROTOCOL_VERSION])]
        if message.type == MessageType.GET_NODE_DESCRIPTION:
            return encode_description(NODE_ID, self._description)
        if message.type == MessageType.SET_BYTECODE:
            _, start, *words = struct.unpack(f"<{len(message.payload) // 2}H", message.payload)
            self._words.update(enumerate(words, start))
        if message.type == MessageType.RUN:
            self.uploads.put([self._words[position] for position in sorted(self._words)])
            self._words.clear()
        return []


def answer(client: Any, node: CapturingNode, request: dict[str, Any]) -> dict[str, Any]:
    try:
        client.load_script(NODE_ID, request["code"], events=request["events"], constants=request["constants"])
        client.cmd_run(NODE_ID)
    except (RuntimeError, ValueError, TypeError) as error:
        return {"error": str(error).strip()}
    return {"bytecode": node.uploads.get(timeout=UPLOAD_TIMEOUT_S)}


def serve() -> None:
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # output of the library must not mix with our answers
    import pyaseba.client._client_impl as pyaseba  # noqa: PLC0415 - its locale and output are set up before

    pyaseba._set_logger_level("off")  # its loggers dead-lock with Python's interpreter lock
    node = CapturingNode(thymio_description())
    client = pyaseba.Client(ping_period_ms=100)
    client._start()
    assert client.connect(f"tcp:host=127.0.0.1;port={node.port}")
    assert client.wait_node(NODE_ID, wait_ms=10_000)[1]
    for line in sys.stdin:
        answers.write(json.dumps(answer(client, node, json.loads(line))) + "\n")
        answers.flush()
    os._exit(0)  # closing pyaseba's client may hang


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="locale_") as directory:
        for locale in LOCALES:
            if locale.is_dir():
                (Path(directory) / "en_US.UTF-8").symlink_to(locale)
                os.environ["LOCPATH"] = directory
                break
        serve()
