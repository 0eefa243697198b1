"""Collects a node's description from answers without an index, which may be lost, repeated or for another host."""

from collections.abc import Callable
from typing import Protocol

from aseba_link.errors import MessageError
from aseba_link.wire.description import (
    Header,
    LocalEvent,
    NativeFunction,
    NodeDescription,
    Variable,
    assemble,
    decode_header,
    decode_local_event,
    decode_native_function,
    decode_variable,
)
from aseba_link.wire.message import HOST_ID, Message, MessageType, from_words

PROTOCOL_VERSION = 9  # the newest supported
RETRY_S = 0.3  # an unanswered request is repeated after this time
WINDOW_RETRY_S = 1.0  # the first of many answers may take longer: other nodes may answer first
QUIET_S = 1.0  # after answers out of order, a node's answers count again only after this much silence
WINDOW = 8  # items requested at a time initially, while no answer is lost
WIDEST_WINDOW = 64
MAX_ITEMS = 4096  # of each kind; a Thymio has 60

_HEADER_FRAGMENT = 0xFFFF  # -1: the header only

Item = Variable | LocalEvent | NativeFunction

_DECODERS: dict[int, Callable[[Message], Item]] = {
    MessageType.NAMED_VARIABLE_DESCRIPTION: decode_variable,
    MessageType.LOCAL_EVENT_DESCRIPTION: decode_local_event,
    MessageType.NATIVE_FUNCTION_DESCRIPTION: decode_native_function,
}


class DescriptionCollector(Protocol):
    """A way to request a node's description; `pause_s` is how long the node may be silent before `request_again`."""

    pause_s: float

    def widen(self) -> None:
        """Request more at a time from now on, because answers arrive quickly."""

    def request_again(self) -> list[Message]:
        """Return the requests to send initially, and whenever the node was silent for `pause_s`."""

    def receive(self, message: Message) -> list[Message]:
        """Process an answer and return the next requests; a malformed one raises MessageError and changes nothing."""

    def complete(self) -> NodeDescription | None:
        """Return the description once it is complete."""


class WholeCollector:
    """Requests everything at once, as protocols up to 7 require, and all of it again if anything is missing."""

    pause_s = RETRY_S

    def __init__(self, node_id: int, protocol_version: int) -> None:
        self._request = from_words(HOST_ID, MessageType.GET_NODE_DESCRIPTION, [node_id, protocol_version])
        self._header: Header | None = None
        self._items = _Items()

    def widen(self) -> None:
        """See `DescriptionCollector.widen`; everything is requested at once anyway."""

    def request_again(self) -> list[Message]:
        """See `DescriptionCollector.request_again`."""
        self._header = None
        return [self._request]

    def receive(self, message: Message) -> list[Message]:
        """See `DescriptionCollector.receive`; each header starts a new collection."""
        if message.type == MessageType.DESCRIPTION:
            self._header = _checked_header(message)
            self._items = _Items()
        elif self._header is not None:
            item = _DECODERS[message.type](message)
            if not self._items.has(item):
                self._items.add_announced(item, self._header)
        return []

    def complete(self) -> NodeDescription | None:
        """See `DescriptionCollector.complete`."""
        return None if self._header is None else self._items.assembled(self._header)


class FragmentCollector:
    """Requests item by item (protocol 8 and later), several at a time until an answer is missing or unexpected.

    From then on it requests strictly one item at a time: an answer with a new name can then only belong to the one open
    request, and an answer with a known name is a late repetition.
    """

    def __init__(self, node_id: int) -> None:
        self.pause_s = WINDOW_RETRY_S
        self._node_id = node_id
        self._header: Header | None = None
        self._items = _Items()
        self._batch: list[Item] = []
        self._window = WINDOW
        self._batch_size = 0  # number of requests whose answers make up the batch
        self._listening = True
        self._has_requested = False
        self._repeated = False

    def widen(self) -> None:
        """See `DescriptionCollector.widen`; after a missing answer, items are always requested one at a time."""
        if self._window > 1:
            self._window = min(2 * self._window, WIDEST_WINDOW)

    def request_again(self) -> list[Message]:
        """See `DescriptionCollector.request_again`."""
        if self._listening and self._has_requested and self._header is not None and self._window > 1:
            self._wait_for_quiet()
            return []
        self._repeated = self._has_requested and self._listening
        self._listening = True
        self._has_requested = True
        self.pause_s = RETRY_S if self._window == 1 else WINDOW_RETRY_S
        return self._next_requests()

    def receive(self, message: Message) -> list[Message]:
        """See `DescriptionCollector.receive`."""
        if message.type == MessageType.DESCRIPTION:
            return self._receive_header(_checked_header(message))
        if self._header is None or not self._listening:
            return []
        item = _DECODERS[message.type](message)
        if not self._is_expected(item, self._header):
            if not self._repeated:
                self._start_over()
            return []
        self._batch.append(item)
        if len(self._batch) < self._batch_size:
            return []
        for received in self._batch:
            self._items.add(received)
        self._batch = []
        return self._next_requests()

    def complete(self) -> NodeDescription | None:
        """See `DescriptionCollector.complete`."""
        return None if self._header is None else self._items.assembled(self._header)

    def _receive_header(self, header: Header) -> list[Message]:
        if self._header is None and self._listening:
            self._header = header
            return self._next_requests()
        if self._header not in (None, header):
            self._start_over()
        return []

    def _next_requests(self) -> list[Message]:
        if self._header is None:
            return [self._request(_HEADER_FRAGMENT)]
        first = self._items.count()
        self._batch_size = min(self._window, _total(self._header) - first)
        return [self._request(fragment) for fragment in range(first, first + self._batch_size)]

    def _request(self, fragment: int) -> Message:
        words = [self._node_id, PROTOCOL_VERSION, fragment]
        return from_words(HOST_ID, MessageType.GET_NODE_DESCRIPTION_FRAGMENT, words)

    def _is_expected(self, item: Item, header: Header) -> bool:
        """Return whether `item` can be the answer to the first open request."""
        place = self._items.count() + len(self._batch)
        if place >= _total(header):
            return False
        # a variable and an event may have the same name
        is_in_batch = any(item.name == other.name and type(item) is type(other) for other in self._batch)
        return isinstance(item, _kind_at(place, header)) and not is_in_batch and not self._items.has(item)

    def _wait_for_quiet(self) -> None:
        """Discard the unfinished batch, and continue one by one once no late answer to it can arrive."""
        self._window = 1
        self._batch = []
        self._listening = False
        self.pause_s = QUIET_S

    def _start_over(self) -> None:
        """Start over: an unrequested answer shows that another host sends requests too, which mixes up the order."""
        self._header = None
        self._items = _Items()
        self._wait_for_quiet()


class _Items:
    """Items of a description, in the order they were added."""

    def __init__(self) -> None:
        self._variables: dict[str, Variable] = {}
        self._local_events: dict[str, LocalEvent] = {}
        self._native_functions: dict[str, NativeFunction] = {}

    def add(self, item: Item) -> None:
        """Append an item to those of its kind."""
        if isinstance(item, Variable):
            self._variables[item.name] = item
        elif isinstance(item, LocalEvent):
            self._local_events[item.name] = item
        else:
            self._native_functions[item.name] = item

    def add_announced(self, item: Item, header: Header) -> None:
        """Append an item; raise MessageError if the header announced no more items of its kind."""
        kinds = (
            (Variable, self._variables, header.variable_count),
            (LocalEvent, self._local_events, header.event_count),
            (NativeFunction, self._native_functions, header.function_count),
        )
        for kind, known, announced in kinds:
            if isinstance(item, kind) and len(known) >= announced:
                raise MessageError(f"{item.name!r} is one more {kind.__name__} than the {announced} announced")
        self.add(item)

    def has(self, item: Item) -> bool:
        """Return whether an item of that kind and name exists."""
        if isinstance(item, Variable):
            return item.name in self._variables
        if isinstance(item, LocalEvent):
            return item.name in self._local_events
        return item.name in self._native_functions

    def count(self) -> int:
        """Return the number of items of all kinds."""
        return len(self._variables) + len(self._local_events) + len(self._native_functions)

    def assembled(self, header: Header) -> NodeDescription | None:
        """Return the description, or None until the announced counts are reached."""
        counts = (len(self._variables), len(self._local_events), len(self._native_functions))
        if counts != (header.variable_count, header.event_count, header.function_count):
            return None
        return assemble(
            header,
            list(self._variables.values()),
            list(self._local_events.values()),
            list(self._native_functions.values()),
        )


def _total(header: Header) -> int:
    return header.variable_count + header.event_count + header.function_count


def _kind_at(place: int, header: Header) -> type[Item]:
    """Return the kind of item number `place`: variables come first, then local events, then native functions."""
    if place < header.variable_count:
        return Variable
    if place < header.variable_count + header.event_count:
        return LocalEvent
    return NativeFunction


def _checked_header(message: Message) -> Header:
    header = decode_header(message)
    if max(header.variable_count, header.event_count, header.function_count) > MAX_ITEMS:
        raise MessageError(f"a node that claims more than {MAX_ITEMS} variables, events or functions")
    return header
