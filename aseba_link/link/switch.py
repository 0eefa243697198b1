"""Lets other Aseba programs (Studio, asebacmd) share our targets; each message reaches robots and other clients."""

from collections import deque
from collections.abc import Iterable, Sequence
from typing import Protocol

from aseba_link.errors import ConnectionLostError, MessageError
from aseba_link.link.connection import MAX_QUEUED, MAX_RECEIVED, Connection
from aseba_link.link.peer import Peer
from aseba_link.wire.message import Message, encode

MAX_CLIENTS = 64
RATE = 100_000  # bytes per second from all clients together: a script has 3000 bytes, a dongle carries far less


class Acceptor(Protocol):
    """Accepts clients; no call ever blocks."""

    def accept(self) -> Iterable[Connection]:
        """Return a connection for each client that has connected since the last call."""

    def close(self) -> None:
        """Stop accepting clients."""


class Switch:
    """Joins any number of clients to our targets.

    Messages pass unchanged, even unknown types and ids. No client can disturb the others: it is disconnected if it
    sends bytes that are not Aseba, stops in the middle of a message, or does not read. With `MAX_CLIENTS` connected,
    a client that has never sent a message makes room for a new one, so that forgotten connections lock nobody out.

    Parameters
    ----------
    acceptor
        Accepts the clients; the switch closes it.
    loop
        Whether clients also receive their own messages.

    `dropped` counts clients disconnected for their behaviour, or because `MAX_CLIENTS` were already connected.
    """

    def __init__(self, acceptor: Acceptor, loop: bool) -> None:
        self.dropped = 0
        self._acceptor = acceptor
        self._loop = loop
        self._clients: deque[Peer] = deque()
        self._allowance = MAX_RECEIVED
        self._refilled_ns: int | None = None

    @property
    def clients(self) -> int:
        """Number of clients."""
        return len(self._clients)

    def exchange(self, from_targets: Sequence[Message], now_ns: int) -> list[Message]:
        """Pass messages between clients, and from targets to clients; return the clients' messages.

        Parameters
        ----------
        from_targets
            Messages from robots and from our own link, for the clients.
        now_ns
            The time.

        Returns
        -------
        list[Message]
            Messages from clients, for the targets and our own link; messages beyond `RATE` wait in their connection.
        """
        for connection in self._acceptor.accept():
            self._admit(connection, now_ns)
        self._refill(now_ns)
        received = self._receive(now_ns)
        for sender, messages in received:
            self._broadcast(messages, None if self._loop else sender)
        self._broadcast(from_targets)
        return [message for _, messages in received for message in messages]

    def close(self) -> None:
        """Disconnect all clients and accept no more."""
        for client in self._clients:
            client.connection.close()
        self._clients.clear()
        self._acceptor.close()

    def _admit(self, connection: Connection, now_ns: int) -> None:
        silent = next((client for client in self._clients if not client.has_spoken), None)
        if len(self._clients) >= MAX_CLIENTS and silent is not None:
            self._drop(silent)
        if len(self._clients) < MAX_CLIENTS:
            self._clients.append(Peer(connection, now_ns))
        else:
            connection.close()
            self.dropped += 1

    def _refill(self, now_ns: int) -> None:
        """Renew the clients' allowance for the time since the last call."""
        passed_ns = 0 if self._refilled_ns is None else max(0, now_ns - self._refilled_ns)
        self._refilled_ns = now_ns
        self._allowance = min(self._allowance + RATE * passed_ns // 1_000_000_000, MAX_RECEIVED)

    def _receive(self, now_ns: int) -> list[tuple[Peer, list[Message]]]:
        """Receive from clients in turn, within their allowance; sending first would lose a client's last bytes.

        The client that was served last comes last in the next call.
        """
        received: list[tuple[Peer, list[Message]]] = []
        for _ in range(len(self._clients)):
            if self._allowance <= 0:
                break
            client = self._clients[0]
            self._clients.rotate(-1)
            try:
                received.append((client, client.receive(now_ns)))
                self._allowance -= client.received_size
            except ConnectionLostError:
                self._remove(client)
            except MessageError:
                self._drop(client)
        return received

    def _broadcast(self, messages: Sequence[Message], sender: Peer | None = None) -> None:
        """Send messages to every client except their sender."""
        if not messages:
            return
        data = b"".join(encode(message) for message in messages)
        for client in [client for client in self._clients if client is not sender]:
            if client.connection.queued + len(data) > MAX_QUEUED:
                self._drop(client)
            else:
                self._send(client, data)

    def _send(self, client: Peer, data: bytes) -> None:
        try:
            client.connection.send(data)
        except ConnectionLostError:
            self._remove(client)

    def _drop(self, client: Peer) -> None:
        self.dropped += 1
        self._remove(client)

    def _remove(self, client: Peer) -> None:
        client.connection.close()
        self._clients.remove(client)
