from xml.etree import ElementTree

from fleet.calibration.chart import Chart, Series, draw

SVG = "{http://www.w3.org/2000/svg}"


def drawn(*series: Series) -> ElementTree.Element:
    return ElementTree.fromstring(draw([Chart("a < b", "x [m]", "y [raw]", series)]))


def test_every_point_is_drawn_within_the_axes() -> None:
    circles = drawn(Series("points", 0, [0.0, 1.0, 2.0], [-5.0, 5.0, 0.0])).findall(f".//{SVG}circle")
    assert [80 < float(circle.get("cx", "")) < 560 for circle in circles] == [True] * 3


def test_larger_values_lie_further_right_and_up() -> None:
    low, high = drawn(Series("points", 0, [0.0, 1.0], [0.0, 1.0])).findall(f".//{SVG}circle")
    assert float(low.get("cx", "")) < float(high.get("cx", ""))
    assert float(low.get("cy", "")) > float(high.get("cy", ""))


def test_titles_are_escaped() -> None:
    texts = [text.text for text in drawn(Series("points", 0, [0.0], [0.0])).findall(f".//{SVG}text")]
    assert "a < b" in texts


def test_axes_are_drawn_for_one_value_and_for_none() -> None:
    assert drawn(Series("one", 0, [3.0], [7.0]), Series("none", 1, [], [], is_line=True)) is not None
