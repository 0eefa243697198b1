from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thymio_base.errors import TextError
from thymio_base.texts.xml_text import read_xml, xml_element


def test_tags_know_their_lines_children_and_own_text() -> None:
    root = read_xml(b'<a b="1">x<c>y</c>z\n<c/>\n</a>')
    assert (root.name, root.attributes, root.line, root.text) == ("a", {"b": "1"}, 1, "xz\n\n")
    assert [(tag.text, tag.line) for tag in root.all("c")] == [("y", 1), ("", 2)]
    assert root.first("d") is None


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"<a><b></a>", "line 1: not XML: mismatched tag"),
        (b"", "line 1: not XML: no element found"),
        (b"<a>&nbsp;</a>", "line 1: not XML: undefined entity"),
        (b'<!DOCTYPE a [\n<!ENTITY b "c">\n]><a>&b;</a>', "line 2: the entity b is declared; entities are refused"),
        (b"<a>" * 100_000, "line 1: elements are nested more than 32 deep"),
        (b'<?xml version="1.0" encoding="klingon"?><a/>', "not XML: unknown encoding: klingon"),
        (b"\xff\xfe<", "line 1: not XML: unclosed token"),
    ],
    ids=["tag", "empty", "name", "entity", "deep", "encoding", "bytes"],
)
def test_text_that_is_not_accepted_is_refused_with_its_line(data: bytes, problem: str) -> None:
    with pytest.raises(TextError) as caught:
        read_xml(data)
    assert str(caught.value).startswith(problem)


def test_element_to_change_is_guarded_in_the_same_way() -> None:
    assert xml_element('<a><b c="1"/></a>')[0].get("c") == "1"
    with pytest.raises(TextError, match="entities are refused"):
        xml_element('<!DOCTYPE a [<!ENTITY b "c">]><a/>')


@given(st.binary() | st.text("<>/a=\"'&;!?[] \n", max_size=30).map(str.encode))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    with suppress(TextError):
        read_xml(data)


@pytest.mark.parametrize("before", [" ", "\n\n", "\r\n\t"])
def test_blanks_before_the_declaration_are_read_and_lines_still_count(before: str) -> None:
    text = f'{before}<?xml version="1.0"?>\n<a><b/></a>'
    assert read_xml(text.encode()).children[0].line == text.count("\n") + 1
    assert xml_element(text).tag == "a"
