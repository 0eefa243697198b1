"""Errors of the ground floor."""


class ThymioBaseError(Exception):
    """Base of every error raised by `thymio_base`."""


class SettingsError(ThymioBaseError, ValueError):
    """A settings file has problems; `problems` lists all of them."""

    def __init__(self, path: str, problems: "list[str]") -> None:
        super().__init__("\n".join(problems))
        self.path = path
        self.problems = problems
