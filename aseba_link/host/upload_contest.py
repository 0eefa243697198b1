"""Decides when two hosts that keep loading scripts into the same node should stop.

Each of them would load its own script again and again. A host that has lost the node several times within a short time
gives up: it resets the node, so that its wheels stop and the other host notices and gives up too. While waiting, it
requests a variable of the node from time to time, to signal its interest to other waiting hosts. When no other host
has addressed the node for a while, it loads its script again.

Some switches send our own commands back to us. Our script and another host's may be equal, so each upload is preceded
by a request for a variable that depends on the time: if it does not come back, neither does the upload.
"""

from typing import Final

from aseba_link.wire.message import HOST_ID, Message, MessageType, from_words

LOSSES: Final = 3  # of our script to other hosts ...
WITHIN_S: Final = 30.0  # ... within this time; after a single upload the node is reclaimed
QUIET_S: Final = 10.0  # without commands from other hosts to the node, before our script is loaded again
SIGN_PERIOD_S: Final = 2.0  # between two signs of interest


class UploadContest:
    """The contest for a node.

    Parameters
    ----------
    node_id : the node's id
    """

    def __init__(self, node_id: int) -> None:
        self.is_echoed = False  # whether the latest sign came back
        self._node_id = node_id
        self._losses_ns: list[int] = []
        self._heard_ns = 0
        self._sign_ns = 0
        self._sign = Message(HOST_ID, MessageType.GET_VARIABLES)

    def lose(self, now_ns: int) -> bool:
        """Record that another host has replaced or reset our script; return whether to give up."""
        since_ns = now_ns - int(WITHIN_S * 1e9)
        self._losses_ns = [loss_ns for loss_ns in self._losses_ns if loss_ns > since_ns]
        self._losses_ns.append(now_ns)
        self._heard_ns = now_ns
        return len(self._losses_ns) >= LOSSES

    def hear(self, message: Message, now_ns: int) -> None:
        """Note a command to the node from another host, or one of ours that came back."""
        if message.type == self._sign.type and message.payload == self._sign.payload:
            self.is_echoed = True
        else:
            self._heard_ns = now_ns

    def sign(self, memory_words: int, now_ns: int) -> Message:
        """Return a request for one of the node's variables that will hardly ever equal another host's."""
        self.is_echoed = False
        self._sign_ns = now_ns + int(SIGN_PERIOD_S * 1e9)
        word = now_ns // 1_000_000 % max(memory_words, 1)
        self._sign = from_words(HOST_ID, MessageType.GET_VARIABLES, [self._node_id, word, 1])
        return self._sign

    def is_sign_due(self, now_ns: int) -> bool:
        """Whether it is time for another sign of interest."""
        return now_ns >= self._sign_ns

    def is_over(self, now_ns: int) -> bool:
        """Whether no other host has addressed the node for a while."""
        return now_ns - self._heard_ns >= QUIET_S * 1e9

    def restart(self) -> None:
        """Forget earlier losses."""
        self._losses_ns = []
