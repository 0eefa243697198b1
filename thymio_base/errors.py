"""Errors of the ground floor."""


class ThymioBaseError(Exception):
    """Base of every error raised by `thymio_base`."""


class SettingsError(ThymioBaseError, ValueError):
    """A settings file has problems; `problems` lists all of them."""

    def __init__(self, path: str, problems: "list[str]") -> None:
        super().__init__("\n".join(problems))
        self.path = path
        self.problems = problems


class TextError(ThymioBaseError, ValueError):
    """A text does not have the expected format; `problem` says why, `line` says where, None if unknown."""

    def __init__(self, problem: str, line: int | None = None) -> None:
        super().__init__(problem if line is None else f"line {line}: {problem}")
        self.problem = problem
        self.line = line
