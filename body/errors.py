"""Errors of the body coupler."""


class BodyError(Exception):
    """Base of every error raised by `body`."""


class DescriptionError(BodyError, ValueError):
    """A URDF has problems; `problems` lists all of them, with lines and joints."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems


class ReacherError(BodyError, ValueError):
    """A reacher or extender cannot be created, configured or started; the message says why."""


class BoardError(BodyError, RuntimeError):
    """Shared memory belongs to another version of the program, or all its rows are taken."""
