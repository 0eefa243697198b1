"""The messages that load a script onto a node and start it."""

from aseba_link.wire.bytecode import CompiledScript
from aseba_link.wire.description import NodeDescription
from aseba_link.wire.message import HOST_ID, Message, MessageType, from_words

CHUNK_WORDS = 256  # together with id and start, these just fill a payload


class UploadAnswers:
    """Determines from a node's states which upload it runs: it stops and runs once per upload, in order.

    Answers to an upload may arrive after it was repeated, if the node or this program got no processor for a while.
    Mistaken for answers to the second upload, they would make the node's next stop look like another host's doing.
    """

    def __init__(self) -> None:
        self.unconfirmed = 0  # number of uploads sent and not confirmed
        self.is_running = False  # whether the node runs one of them
        self._has_stopped = False

    def forget(self) -> None:
        """Start over: no upload is in progress."""
        self.unconfirmed, self.is_running, self._has_stopped = 0, False, False

    def note_upload(self) -> None:
        """Record that the script was sent."""
        self.unconfirmed += 1

    def note_state(self, is_stopped: bool) -> None:
        """Record a state of the node; a running state that follows no stop belongs to an earlier script."""
        if is_stopped:
            self._has_stopped, self.is_running = True, False
        elif self._has_stopped:
            self._has_stopped, self.is_running = False, True
            self.unconfirmed = max(self.unconfirmed - 1, 0)


def upload_messages(node_id: int, script: CompiledScript, description: NodeDescription) -> list[Message]:
    """Return the messages with the bytecode, the command to run it, and the request for the execution state.

    The node's variable `_id` is written too: simulated robots leave it 0, and real ones lose it at each reset.
    """
    messages = [
        from_words(HOST_ID, MessageType.SET_BYTECODE, [node_id, start, *script.bytecode[start : start + CHUNK_WORDS]])
        for start in range(0, len(script.bytecode), CHUNK_WORDS)
    ]
    id_address = description.address("_id")
    if id_address is not None:
        messages.append(from_words(HOST_ID, MessageType.SET_VARIABLES, [node_id, id_address, node_id]))
    messages.append(from_words(HOST_ID, MessageType.RUN, [node_id]))
    messages.append(from_words(HOST_ID, MessageType.GET_EXECUTION_STATE, [node_id]))
    return messages


def fit_problem(script: CompiledScript, description: NodeDescription) -> str:
    """Return why `script` does not fit into a node with this description, or ""."""
    named_words = sum(variable.size for variable in description.variables)
    if named_words > description.variables_size:
        return f"the node describes variables of {named_words} words, but holds {description.variables_size}"
    if len(script.bytecode) <= description.bytecode_size:
        return ""
    return f"the script has {len(script.bytecode)} words of bytecode, the node holds {description.bytecode_size}"
