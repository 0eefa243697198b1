from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aseba_link.aesl.syntax.lexer import KEYWORDS, TokenKind, tokenize
from aseba_link.errors import CompilerError


def test_tokens_have_their_places() -> None:
    tokens = tokenize("var a.b[3]\r\n\t_c <<= 0x1F # no\n#* no\n*# end")
    assert [(str(token), token.line, token.column) for token in tokens] == [
        ("'var'", 1, 1),
        ("'a.b'", 1, 5),
        ("'['", 1, 8),
        ("'3'", 1, 9),
        ("']'", 1, 10),
        ("'_c'", 2, 2),
        ("'<<='", 2, 5),
        ("'0x1F'", 2, 9),
        ("'end'", 4, 4),
        ("the end of the code", 4, 7),
    ]


def test_kinds_of_tokens_are_distinguished() -> None:
    kinds = [token.kind for token in tokenize("end ending 1 <")]
    assert kinds == [TokenKind.MARK, TokenKind.NAME, TokenKind.NUMBER, TokenKind.MARK, TokenKind.END]


def test_longest_sign_is_matched() -> None:
    signs = "+ ++ += - -- -= * *= / % | ^ &= ~ == = != < << <= <<= > >> >= >>= ( ) [ ] : ,"
    assert [token.text for token in tokenize(signs)] == [*signs.split(), ""]
    assert [token.text for token in tokenize("a<<=b--c")] == ["a", "<<=", "b", "--", "c", ""]


@pytest.mark.parametrize(
    ("text", "value"), [("0", 0), ("0099", 99), ("65535", 65535), ("0xfFfF", -1), ("0x7fff", 32767), ("0b11", 3)]
)
def test_literals_have_their_values(text: str, value: int) -> None:
    assert tokenize(text)[0].value == value


@given(
    st.text(max_size=30) | st.lists(st.sampled_from([*sorted(KEYWORDS), "#*", "*#", "\n", "a", "1", "?"])).map(" ".join)
)
def test_any_text_gives_tokens_or_an_error_with_its_place(text: str) -> None:
    with suppress(CompilerError):
        kinds = [token.kind for token in tokenize(text)]
        assert kinds.index(TokenKind.END) == len(kinds) - 1
