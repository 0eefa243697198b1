"""Human-readable lines about the steps and measurements of a calibration procedure."""


class StepLog:
    """The lines of a procedure with counted legs; the number of legs may be unknown before the start."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._legs = 0
        self._leg = 0

    def expect(self, legs: int) -> None:
        """Note the total number of legs."""
        self._legs = legs

    def start_leg(self, text: str) -> None:
        """Note the start of the next leg."""
        self._leg += 1
        self._lines.append(f"leg {self._leg} of {self._legs}: {text}")

    def note(self, text: str) -> None:
        """Note other information, such as a measured number."""
        self._lines.append(text)

    def pop_new(self) -> list[str]:
        """Return the lines since the last call."""
        lines, self._lines = self._lines, []
        return lines
