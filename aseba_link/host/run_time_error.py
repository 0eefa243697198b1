"""Describes run-time errors of nodes' scripts."""

from aseba_link.wire.message import Message, MessageType

RUN_TIME_ERRORS = {
    MessageType.ARRAY_ACCESS_OUT_OF_BOUNDS: "array access out of bounds",
    MessageType.DIVISION_BY_ZERO: "division by zero",
    MessageType.NODE_SPECIFIC_ERROR: "node specific error",
}


def run_time_error(message: Message) -> str:
    """Return a readable description of a run-time error message."""
    words = message.unsigned_words()
    place = f" at bytecode word {words[0]}" if words else ""
    detail = ""
    if message.type == MessageType.NODE_SPECIFIC_ERROR:
        text = message.payload[3 : 3 + message.payload[2]] if len(message.payload) > 2 else b""
        detail = f": {text.decode(errors='replace')}" if text else ""
    if message.type == MessageType.ARRAY_ACCESS_OUT_OF_BOUNDS and len(words) > 2:
        detail = f": index {words[2]} of an array of {words[1]} words"
    return f"run-time error of the script, {RUN_TIME_ERRORS[MessageType(message.type)]}{place}{detail}"
