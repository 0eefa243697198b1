"""Errors of the Aseba link.

Bytes from the network never raise these: malformed input is dropped and counted (see `stream`).
"""


class AsebaLinkError(Exception):
    """Base of every error raised by `aseba_link`."""


class MessageError(AsebaLinkError, ValueError):
    """A message cannot be encoded, or its payload does not match its type."""


class TargetError(AsebaLinkError, ValueError):
    """A Dashel target string is malformed, or refers to a target that this link cannot open."""


class ScriptError(AsebaLinkError, ValueError):
    """An .aesl file or a script in it cannot be used; the message names the file or the line."""


class CompilerError(ScriptError):
    """The AESL compiler rejected a script; line and column count from 1, 0 if unknown.

    Lines are counted in the script's file if it is known, otherwise in the node's code.
    """

    def __init__(self, message: str, line: int = 0, column: int = 0) -> None:
        super().__init__(f"line {line}, column {column}: {message}" if line else message)
        self._message = message
        self.line = line
        self.column = column

    def below(self, lines: int) -> "CompilerError":
        """Return the same error for code that starts after this number of lines of its file."""
        return CompilerError(self._message, self.line + lines if self.line else 0, self.column)


class InvalidValueError(AsebaLinkError, ValueError):
    """A value that a Thymio or its script does not accept; the message names the parameter and the value."""


class ConnectionLostError(AsebaLinkError, ConnectionError):
    """The peer closed the connection, or the device was removed."""


class ListenError(AsebaLinkError, OSError):
    """A port is taken, or an address does not belong to this machine; the message names both."""
