"""Names of topics, frames and labels are judged before anything refuses them."""

import pytest

from thymio_base.names.ros_names import frame_problem, label_problem, topic_problem


@pytest.mark.parametrize("name", ["/mocap/thymio_1/pose", "pose", "~/pose", "/a__b"])
def test_names_of_topics_have_no_problem(name: str) -> None:
    assert topic_problem(name) == ""


@pytest.mark.parametrize(
    "name", ["", "/", "~/", "//pose", "/pose/", "/1st", "/mo cap", "/pose\n", "/é", "/" + 247 * "a"]
)
def test_other_texts_have_one(name: str) -> None:
    assert topic_problem(name)


@pytest.mark.parametrize(
    ("frame", "problem"),
    [
        ("map", ""),
        ("lab 2/floor", ""),
        ("/map", "it has a leading slash, which tf2 refuses; write map"),
        ("//map", "it has a leading slash, which tf2 refuses; write map"),
        ("/", "it has a leading slash, which tf2 refuses; write map"),
        ("map\n", "it has '\\n', which cannot be printed"),
        (" map", "it begins or ends with a blank"),
    ],
)
def test_frames_are_those_of_tf2(frame: str, problem: str) -> None:
    assert frame_problem(frame) == problem


def test_names_for_people_may_have_any_letters() -> None:
    assert label_problem('B é "q" <b>') == ""
    assert label_problem("a\x00") == "it has '\\x00', which cannot be printed"
