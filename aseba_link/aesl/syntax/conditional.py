"""Conditional compilation of parts of a node's code.

Code between the lines `#@needs NAME [NAME...]` and `#@end` is only for nodes that have all the named variables,
native functions and local events. To other tools these two lines are comments.
"""

from aseba_link.errors import CompilerError
from aseba_link.wire.description import NodeDescription

_MARK = "#@"
_NEEDS = f"{_MARK}needs"
_END = f"{_MARK}end"


def drop_unsupported(text: str, description: NodeDescription) -> str:
    """Replace code that a node cannot run by blank lines, which keeps the line numbers, and return the result.

    Raises
    ------
    CompilerError
        A part has no end or names nothing, or an end has no start.
    """
    if _MARK not in text:
        return text
    provided = {variable.name for variable in description.variables}
    provided |= {function.name for function in description.native_functions}
    provided |= {event.name for event in description.local_events}
    opened: list[tuple[int, bool]] = []  # line number, and whether its needs are met
    lines = []
    for number, line in enumerate(text.split("\n"), 1):
        words = line.split()
        if words[:1] == [_NEEDS]:
            if len(words) == 1:
                raise CompilerError(f"{_NEEDS} names nothing", number, line.index(_NEEDS) + 1)
            opened.append((number, provided.issuperset(words[1:])))
        elif words[:1] == [_END]:
            if not opened:
                raise CompilerError(f"{_END} without {_NEEDS}", number, line.index(_END) + 1)
            opened.pop()
        lines.append(line if all(is_met for _, is_met in opened) else "")
    if opened:
        raise CompilerError(f"{_NEEDS} has no {_END}", opened[-1][0], 1)
    return "\n".join(lines)
