"""The child process in which pyaseba compiles; `aseba_link.compiler` starts it and reads what it prints.

pyaseba gives its bytecode only to a node. So we serve it, on loopback, a node with the wanted description, and take
what it uploads. Standard input: {"description", "code", "events", "constants"}; output: {"bytecode"} or {"error"}.
"""

import json
import os
import socket
import struct
import sys
import tempfile
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

from aseba_link.compiled_file import description_from_json
from aseba_link.description import NodeDescription, encode_description
from aseba_link.message import Message, MessageType, encode, from_words
from aseba_link.stream import MessageStream

NODE_ID = 1
NODE_TIMEOUT_MS = 10_000
PING_PERIOD_MS = 100  # how often pyaseba looks for nodes
UPLOAD_TIMEOUT_S = 5.0
PROTOCOL_VERSION = 5  # the whole description comes in one go, without fragments that pyaseba may miss

_C_LOCALES = (Path("/usr/lib/locale/C.utf8"), Path("/usr/lib/locale/C.UTF-8"), Path("/usr/lib64/locale/C.utf8"))


class CapturingNode:
    """A node that understands just enough to be discovered and to be given bytecode."""

    def __init__(self, description: NodeDescription) -> None:
        self._description = replace(description, protocol_version=PROTOCOL_VERSION)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._uploaded = threading.Event()
        self._words: dict[int, int] = {}
        self.port: int = self._listener.getsockname()[1]
        threading.Thread(target=self._serve, name="capturing node", daemon=True).start()

    def wait_for_bytecode(self) -> list[int] | None:
        """Return the words that came before RUN, or None if RUN does not come."""
        if not self._uploaded.wait(UPLOAD_TIMEOUT_S):
            return None
        return [self._words[position] for position in sorted(self._words)]

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
            self._uploaded.set()
        return []


def provide_locale(directory: str) -> None:
    """Make `en_US.UTF-8`, which pyaseba's compiler insists on, mean the system's C.UTF-8 for this process."""
    for locale in _C_LOCALES:
        if locale.is_dir():
            (Path(directory) / "en_US.UTF-8").symlink_to(locale)
            os.environ["LOCPATH"] = directory
            return


def compile_with_pyaseba(request: dict[str, Any]) -> dict[str, Any]:
    """Return {"bytecode": words} with pyaseba's own (alphabetical) event ids, or {"error": text}."""
    try:
        import pyaseba.client._client_impl as pyaseba  # noqa: PLC0415 - only now, its absence is an answer
    except ImportError as error:
        return {"error": f"pyaseba is not usable ({error}); install it with: pip install pyaseba"}
    pyaseba._set_logger_level("off")  # its loggers dead-lock with Python's interpreter lock
    node = CapturingNode(description_from_json(request["description"]))
    client = pyaseba.Client(ping_period_ms=PING_PERIOD_MS)
    client._start()
    if not client.connect(f"tcp:host=127.0.0.1;port={node.port}"):
        return {"error": "pyaseba does not connect to the node that we serve"}
    if not client.wait_node(NODE_ID, wait_ms=NODE_TIMEOUT_MS)[1]:
        return {"error": "pyaseba does not find the node that we serve"}
    try:
        client.load_script(NODE_ID, request["code"], events=request["events"], constants=request["constants"])
        client.cmd_run(NODE_ID)
    except (RuntimeError, ValueError, TypeError) as error:
        return {"error": str(error).strip()}
    bytecode = node.wait_for_bytecode()
    return {"error": "pyaseba uploaded no bytecode"} if bytecode is None else {"bytecode": bytecode}


def main() -> None:
    """Compile what stands on standard input."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # whatever the library prints must not stand in our answer
    with tempfile.TemporaryDirectory(prefix="thymio_fleet_locale_") as directory:
        provide_locale(directory)
        json.dump(compile_with_pyaseba(json.load(sys.stdin)), answers)
        answers.flush()
    os._exit(0)  # closing pyaseba's client may hang


if __name__ == "__main__":
    main()
