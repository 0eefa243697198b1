"""Shows how far the runs of an experiment are: a bar in a terminal, otherwise a line now and then."""

from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TaskProgressColumn, TextColumn, TimeElapsedColumn

_STEP_PERCENT = 25  # between two lines where there is no terminal


class RunProgress:
    """The progress of some runs; nothing is shown if `is_quiet`.

    Parameters
    ----------
    count : number of runs
    console : where it is shown; not where the results go
    is_quiet : whether nothing is shown
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
        """Note which share of a run has passed; 1 when it is over."""
        self._shares[index] = share
        total = sum(self._shares) / len(self._shares)
        if self._bar is not None:
            self._bars.update(self._bar, completed=total, description=self._description())
        if not self._is_quiet and not self._console.is_terminal:
            self._print(int(100.0 * total))

    @property
    def done(self) -> int:
        """How many runs are over."""
        return sum(share >= 1.0 for share in self._shares)

    def _print(self, percent: int) -> None:
        if percent >= self._printed_percent + _STEP_PERCENT:
            self._printed_percent = percent - percent % _STEP_PERCENT
            self._console.print(f"{self._printed_percent} % of the time: {self._description()}", highlight=False)

    def _description(self) -> str:
        if len(self._shares) == 1:
            return "the run is over" if self._shares[0] >= 1.0 else "running"
        return f"{self.done} of {len(self._shares)} runs done"
