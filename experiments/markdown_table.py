"""Tables in Markdown."""

from collections.abc import Iterable, Sequence


def markdown_table(titles: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    """Return a table in Markdown; a bar in a cell does not end it."""
    rows = (titles, ["---"] * len(titles), *lines)
    escaped = ([cell.replace("|", r"\|") for cell in cells] for cells in rows)
    return "\n".join(f"| {' | '.join(cells)} |" for cells in escaped)


def or_dash(value: float | None) -> str:
    """Return a number with one decimal place, or a dash for None."""
    return "-" if value is None else f"{value:.1f}"
