from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from fleet.calibration.chart import Chart, Series
from fleet.calibration.chart_figure import charts_figure, save_charts

POINTS = Series("points", 0, [0.0, 1.0, 2.0], [-5.0, 5.0, 0.0])
CURVE = Series("", 0, [0.0, 2.0], [1.0, 2.0], is_line=True)
CHARTS = [Chart("a < b", "x [m]", "y [raw]", [POINTS, CURVE]), Chart("other", "turn", "error", [POINTS])]


def test_each_chart_has_axes_with_its_title_and_labels() -> None:
    drawn = [(axes.get_title(), axes.get_xlabel(), axes.get_ylabel()) for axes in charts_figure(CHARTS).axes]
    assert drawn == [("a < b", "x [m]", "y [raw]"), ("other", "turn", "error")]


def test_every_point_is_drawn_at_its_values() -> None:
    points, curve = charts_figure(CHARTS).axes[0].lines
    assert np.array_equal(points.get_xydata(), [[0.0, -5.0], [1.0, 5.0], [2.0, 0.0]])
    assert np.array_equal(curve.get_xydata(), [[0.0, 1.0], [2.0, 2.0]])


def test_points_are_not_joined_and_lines_have_no_points() -> None:
    points, curve = charts_figure(CHARTS).axes[0].lines
    assert (points.get_linestyle(), points.get_marker()) == ("None", "o")
    assert (curve.get_linestyle(), curve.get_marker()) == ("-", "None")


def test_series_of_one_colour_number_look_alike() -> None:
    points, curve = charts_figure(CHARTS).axes[0].lines
    assert points.get_color() == curve.get_color()


def test_legend_names_the_series_that_have_a_name() -> None:
    legend = charts_figure(CHARTS).axes[0].get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == ["points"]


@pytest.mark.parametrize("series", [Series("one", 0, [3.0], [7.0]), Series("none", 1, [], [], is_line=True)])
def test_series_of_one_value_or_none_is_drawn(series: Series, tmp_path: Path) -> None:
    save_charts([Chart("few", "x", "y", [series])], tmp_path / "few.svg")
    assert (tmp_path / "few.svg").stat().st_size > 0


def test_texts_of_the_file_remain_texts(tmp_path: Path) -> None:
    save_charts(CHARTS, tmp_path / "fit.svg")
    texts = [text.text for text in ElementTree.parse(tmp_path / "fit.svg").iter("{http://www.w3.org/2000/svg}text")]
    assert {"a < b", "x [m]", "y [raw]", "points", "other", "turn", "error"} <= set(texts)


def test_file_is_svg_whatever_its_name(tmp_path: Path) -> None:
    save_charts(CHARTS, tmp_path / "fit.picture")
    assert ElementTree.parse(tmp_path / "fit.picture").getroot().tag == "{http://www.w3.org/2000/svg}svg"


def test_the_same_charts_are_the_same_file(tmp_path: Path) -> None:
    for name in ("one.svg", "other.svg"):
        save_charts(CHARTS, tmp_path / name)
    assert (tmp_path / "one.svg").read_bytes() == (tmp_path / "other.svg").read_bytes()
