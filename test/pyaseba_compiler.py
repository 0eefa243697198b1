"""pyaseba's compiler as a peer of ours: `PyasebaCompiler` asks this file, run as a child process.

pyaseba gives its bytecode only to a node. So the child serves it, on loopback, a simulated Thymio's description, and
takes what it uploads. Requests and answers are lines of JSON.
"""

import json
import os
import queue
import socket
import struct
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from aseba_link.description import NodeDescription, encode_description
from aseba_link.message import Message, MessageType, encode, from_words
from aseba_link.stream import MessageStream
from simulator.firmware import thymio_description

NODE_ID = 1
UPLOAD_TIMEOUT_S = 20.0
PROTOCOL_VERSION = 5  # the whole description comes in one go, without fragments that pyaseba may miss
# pyaseba's compiler insists on en_US.UTF-8; for the child that name means one of these
LOCALES = (Path("/usr/lib/locale/C.utf8"), Path("/usr/lib/locale/C.UTF-8"), Path("/usr/lib64/locale/C.utf8"))


class PyasebaCompiler:
    """The original AESL compiler, for the simulated Thymio; it numbers events by name."""

    def __init__(self) -> None:
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(entry for entry in sys.path if entry)}
        command = [sys.executable, str(Path(__file__))]
        self._child = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
        )

    def compile(
        self, code: str, events: Mapping[str, int] | None = None, constants: Mapping[str, int] | None = None
    ) -> tuple[int, ...] | str:
        """Return the bytecode, or the compiler's error."""
        assert self._child.stdin is not None
        assert self._child.stdout is not None
        request = {"code": code, "events": dict(events or {}), "constants": dict(constants or {})}
        self._child.stdin.write(json.dumps(request) + "\n")
        self._child.stdin.flush()
        answer = json.loads(self._child.stdout.readline())
        return answer["error"] if "error" in answer else tuple(answer["bytecode"])

    def close(self) -> None:
        self._child.kill()
        self._child.communicate()


class CapturingNode:
    """A node that understands just enough to be discovered and to be given bytecode."""

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
    os.dup2(2, 1)  # whatever the library prints must not stand in our answers
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
