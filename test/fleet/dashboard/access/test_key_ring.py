from itertools import count

import pytest

from fleet.dashboard.access.key_ring import KeyRing, WrongKeyError, printable_name
from fleet.dashboard.access.roles import Role

KEYS = {Role.VIEWER: "v", Role.OPERATOR: "o", Role.TEACHER: "t"}
MINUTE = 60_000_000_000


def ring() -> KeyRing:
    numbers = count()
    return KeyRing(KEYS, "secret", lambda: f"token{next(numbers)}")


def test_key_opens_a_session_of_its_role() -> None:
    keys = ring()
    session = keys.open("o", "a", 0)
    assert session.role is Role.OPERATOR
    assert keys.session(session.token) is session


def test_one_time_key_works_once() -> None:
    keys = ring()
    key = keys.one_time_key(Role.TEACHER)
    assert keys.open(key, "a", 10 * MINUTE).role is Role.TEACHER
    with pytest.raises(WrongKeyError, match="not ours, or was used"):
        keys.open(key, "a", 10 * MINUTE)


def test_one_time_key_ends_when_its_time_is_over() -> None:
    keys = ring()
    key = keys.one_time_key(Role.OPERATOR, until_ns=MINUTE)
    with pytest.raises(WrongKeyError):
        keys.open(key, "a", MINUTE)


def test_after_five_wrong_keys_an_address_has_to_wait_a_minute() -> None:
    keys = ring()
    for _ in range(5):
        with pytest.raises(WrongKeyError, match="not ours"):
            keys.open("wrong", "evil", 0)
    with pytest.raises(WrongKeyError, match="wait a minute"):
        keys.open("o", "evil", 0)
    assert keys.open("o", "good", 0).role is Role.OPERATOR
    assert keys.open("o", "evil", MINUTE).role is Role.OPERATOR


def test_cookie_outlives_the_server() -> None:
    token = ring().open("o", "a", 0).token
    session = ring().session(token)
    assert session is not None
    assert session.role is Role.OPERATOR


def test_forged_cookies_are_refused() -> None:
    keys = ring()
    token = keys.open("v", "a", 0).token
    forged = token.replace("viewer", "teacher")
    for one in (None, "", "x", forged, f"{token}0", "teacher.x.", KeyRing(KEYS, "other", str).open("o", "a", 0).token):
        assert keys.session(one) is None


def test_sessions_are_numbered_and_named() -> None:
    keys = ring()
    first, second = keys.guest(), keys.open("o", "a", 0)
    assert (first.label, first.role, second.label) == ("s1", Role.VIEWER, "s2")
    second.name = "Anna"
    assert second.label == "Anna"


@pytest.mark.parametrize(("name", "expected"), [(" Anna ", "Anna"), ("a\nb\x1b[31m", "ab[31m"), ("x" * 60, "x" * 40)])
def test_name_is_made_printable(name: str, expected: str) -> None:
    assert printable_name(name) == expected
