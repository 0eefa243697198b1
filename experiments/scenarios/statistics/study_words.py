"""The statistics of a study as tables and sentences."""

from collections.abc import Iterator, Sequence
from typing import Final

from experiments.markdown_table import markdown_table
from experiments.scenarios.statistics.sample_description import Description
from experiments.scenarios.statistics.study_statistics import MEASURES, SUCCESS, ConditionStatistics, LevelComparison
from thymio_base.number_text import count_text

NO_SCIPY: Final = "Without scipy there are no p values of measures: pip install scipy."
_SHOWN: Final = ("path_max_mm", "makespan_s", "off_mm")  # shown in a terminal; the first available is compared there
_ALPHA: Final = 0.05
_LEAST_PAIRS: Final = 6  # with fewer, Wilcoxon's exact two-sided p is never below 0.05
_EFFECTS: Final = ((0.5, "large"), (0.3, "medium"), (0.1, "small"), (0.0, "negligible"))  # correlations: Cohen 1988
_TITLES: Final = ("condition", "runs", "succeeded", "95 %")
_NOTHING: Final = "-"
_MEANS: Final = "## Means\n\nA cell is the mean of all runs with its 95 % interval, and the largest value."


def statistics_page(conditions: Sequence[ConditionStatistics], compared: Sequence[LevelComparison]) -> str:
    """Return a page section in Markdown: a table of all conditions for each measure, and the differences."""
    parts = ["## Success", markdown_table(_TITLES, map(_success_cells, conditions))]
    if len(conditions[0].levels) > 1:
        parts += [_MEANS, *mean_tables(conditions)]
    for name in MEASURES:
        lines = [_measure_cells(one, one.measures[name]) for one in conditions if name in one.measures]
        if lines:
            titles = ("condition", "n", "mean", "95 % of the mean", "sd", "median", "quartiles", "least", "largest")
            parts += [f"## {name}", markdown_table(titles, lines)]
    if compared:
        parts += ["## Differences", "\n".join(f"- {line}" for line in comparison_lines(compared))]
    return "\n\n".join(parts)


def mean_tables(conditions: Sequence[ConditionStatistics]) -> Iterator[str]:
    """Yield a table for each measure and combination of factors, except the last two, which span the table."""
    *others, across, down = conditions[0].levels
    groups: dict[str, list[ConditionStatistics]] = {}
    for one in conditions:
        groups.setdefault("".join(f", {name}={one.levels[name]}" for name in others), []).append(one)
    for measure in MEASURES:
        for among, group in groups.items():
            cells = {(one.levels[down], one.levels[across]): _cell(one.measures.get(measure)) for one in group}
            if any(cell != _NOTHING for cell in cells.values()):
                rows, columns = (list(dict.fromkeys(names)) for names in zip(*cells, strict=True))
                titles = (down, *(f"{across} {column}" for column in columns))
                lines = ([row, *(cells[row, column] for column in columns)] for row in rows)
                yield f"### {measure}{among}\n\n{markdown_table(titles, lines)}"


def _cell(found: Description | None) -> str:
    if found is None:
        return _NOTHING
    mean, low, high, largest = map(_short, (found.mean, found.low, found.high, found.largest))
    return f"{mean} [{low}, {high}], {largest}"


def comparison_lines(compared: Sequence[LevelComparison]) -> list[str]:
    """Return a sentence for each comparison, after a note if p values are missing."""
    has_p = all(one.difference.p is not None for one in compared)
    return [*([] if has_p else [NO_SCIPY]), *(comparison_words(one) for one in compared)]


def most_telling(compared: Sequence[LevelComparison]) -> list[LevelComparison]:
    """Return the comparisons of success where it differs, and of the first shown measure."""
    measure = next((name for name in _SHOWN if any(one.measure == name for one in compared)), "")
    return [one for one in compared if one.measure == measure or (one.measure == SUCCESS and not _is_same(one))]


def _is_same(one: LevelComparison) -> bool:
    return one.difference.mean == 0.0 and one.difference.low == 0.0 == one.difference.high


def comparison_words(one: LevelComparison) -> str:
    """Return a comparison as a sentence."""
    found = one.difference
    among = f" with {one.among}" if one.among else ""
    where = f"{one.measure}{among}: {one.factor}={one.level}"
    if _is_same(one):
        return f"{where} is the same as {one.baseline} in {count_text(found.n, 'pair')}."
    way = "higher" if found.mean > 0.0 else "lower"
    numbers = f"{_text(abs(found.mean))} {way} than {one.baseline} on average"
    if found.mean == 0.0:
        numbers = f"on average as {one.baseline}"
    d = "" if found.d is None else f", d {found.d:+.2f}"
    size = next(word for least, word in _EFFECTS if abs(found.effect) >= least)
    effect = f"rank-biserial correlation {found.effect:+.2f}, {size}{d}"
    interval = f"95 % interval {_text(found.low)} to {_text(found.high)}, {count_text(found.n, 'pair')}"
    return f"{where} is {numbers} ({interval}; {effect}{_verdict(one)})."


def _verdict(one: LevelComparison) -> str:
    if one.difference.p is None or one.p_holm is None:
        return ""
    test = "McNemar's exact test" if one.measure == SUCCESS else "Wilcoxon's signed-rank test"
    text = f"; {test} p = {one.difference.p:.2g}, after Holm {one.p_holm:.2g}: "
    if one.p_holm < _ALPHA:
        return f"{text}significant at 5 %"
    few = f", which {count_text(one.difference.n, 'pair')} cannot be" if one.difference.n < _LEAST_PAIRS else ""
    return f"{text}not significant at 5 %{few}"


def condition_rows(conditions: Sequence[ConditionStatistics]) -> Iterator[tuple[str, ...]]:
    """Yield name, success, and means with intervals of each condition, for a terminal."""
    for one in conditions:
        means = (one.measures.get(name) for name in shown_measures(conditions))
        yield (", ".join(one.levels.values()) or "all", f"{one.succeeded}/{one.runs}", *map(_mean_text, means))


def shown_measures(conditions: Sequence[ConditionStatistics]) -> list[str]:
    """Return the measures shown in a terminal: at most two that any condition has."""
    return [name for name in _SHOWN if any(name in one.measures for one in conditions)][:2]


def _mean_text(found: Description | None) -> str:
    return _NOTHING if found is None else f"{_text(found.mean)} [{_text(found.low)}, {_text(found.high)}]"


def _success_cells(one: ConditionStatistics) -> tuple[str, ...]:
    share = f"{100.0 * one.succeeded / one.runs:.0f} %"
    interval = f"{100.0 * one.success_low:.1f} to {100.0 * one.success_high:.1f} %"
    return one.condition or "all", str(one.runs), share, interval


def _measure_cells(one: ConditionStatistics, found: Description) -> tuple[str, ...]:
    return (
        one.condition or "all",
        str(found.n),
        _text(found.mean),
        f"{_text(found.low)} to {_text(found.high)}",
        _NOTHING if found.sd is None else _text(found.sd),
        _text(found.median),
        f"{_text(found.q1)} to {_text(found.q3)}",
        _text(found.least),
        _text(found.largest),
    )


def _short(value: float) -> str:
    """Return a number with three significant digits, but never fewer than its integer part."""
    return f"{value:#.3g}".rstrip(".") if abs(value) < 1e3 else f"{value:.0f}"


def _text(value: float) -> str:
    """Return a number with four significant digits; large numbers have no exponent."""
    return f"{value:.4g}" if abs(value) < 1e4 else f"{value:.0f}"
