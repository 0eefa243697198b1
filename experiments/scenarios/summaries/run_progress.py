"""Shows the progress of an experiment's runs: a bar in a terminal, otherwise occasional lines."""

from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TaskProgressColumn, TextColumn, TimeElapsedColumn

_STEP_PERCENT = 25  # progress between two lines if there is no terminal


class RunProgress:
    """Shows the progress of runs.

    Parameters
    ----------
    count : number of runs
    console : console for the progress, separate from the results
    is_quiet : whether to show nothing
    """

    def __init__(self, count: int, console: Console, *, is_quiet: bool = False) -> None:
        self._shares = [0.0] * count
        self._console = console
        self._is_quiet = is_quiet
        self._printed_percent = 0
        columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeElapsedColumn())
        self._bars = Progress(*columns, console=console, transient=True, disable=is_quiet or not console.is_terminal)
        self._bar: TaskID | None = None

    def __enter__(self) -> "RunProgress":
        self._bars.start()
        self._bar = self._bars.add_task(self._description(), total=1.0)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bars.stop()

    def update(self, index: int, share: float) -> None:
        """Record the passed share of a run; 1 when it is over."""
        self._shares[index] = share
        total = sum(self._shares) / len(self._shares)
        if self._bar is not None:
            self._bars.update(self._bar, completed=total, description=self._description())
        if not self._is_quiet and not self._console.is_terminal:
            self._print(int(100.0 * total))

    @property
    def done(self) -> int:
        """Number of completed runs."""
        return sum(share >= 1.0 for share in self._shares)

    def _print(self, percent: int) -> None:
        if percent >= self._printed_percent + _STEP_PERCENT:
            self._printed_percent = percent - percent % _STEP_PERCENT
            self._console.print(f"{self._printed_percent} % of the time: {self._description()}", highlight=False)

    def _description(self) -> str:
        if len(self._shares) == 1:
            return "the run is over" if self._shares[0] >= 1.0 else "running"
        return f"{self.done} of {len(self._shares)} runs done"
