import pytest

from fleet.dashboard.access.frame_credit import FrameCredit
from fleet.dashboard.access.rate_limit import RateLimit
from fleet.dashboard.access.roles import Role, allowed_verbs, least_role
from fleet.dashboard.orders.fleet_orders import Verb

SECOND = 1_000_000_000


def sent(credit: FrameCredit, *numbers: int) -> FrameCredit:
    for number in numbers:
        credit.on_sent(number, number * SECOND // 10)
    return credit


def test_six_frames_may_be_unanswered() -> None:
    credit = sent(FrameCredit(), *range(1, 6))
    assert credit.is_due(True, SECOND)
    sent(credit, 6)
    assert not credit.is_due(True, SECOND)
    assert credit.skipped == 1


def test_answer_gives_credit_back_for_all_frames_before() -> None:
    credit = sent(FrameCredit(), *range(1, 7))
    credit.on_answer(77)
    assert not credit.is_due(True, SECOND)
    credit.on_answer(2)
    sent(credit, 7)
    assert credit.is_due(True, SECOND)
    credit.on_answer(1)
    sent(credit, 8)
    assert not credit.is_due(True, SECOND)


def test_frames_are_seldom_while_nothing_changes() -> None:
    credit = sent(FrameCredit(), 10)
    assert not credit.is_due(False, SECOND + SECOND // 2)
    assert credit.is_due(False, 2 * SECOND)


def test_hidden_page_is_sent_nothing_and_is_not_given_up() -> None:
    credit = sent(FrameCredit(), 1, 2, 3)
    credit.set_visible(False)
    assert not any(credit.is_due(True, number * SECOND) for number in range(200))
    assert not credit.is_dead
    credit.set_visible(True)
    assert credit.is_due(True, 100 * SECOND)


def test_page_that_does_not_answer_for_ten_seconds_is_given_up() -> None:
    credit = sent(FrameCredit(), *range(1, 7))
    for look in range(200):
        credit.is_due(True, look * SECOND // 20)
    assert not credit.is_dead
    credit.is_due(True, 10 * SECOND)
    assert credit.is_dead


def test_pause_of_the_server_is_not_the_silence_of_its_pages() -> None:
    credit = sent(FrameCredit(), 1)
    credit.is_due(True, 60 * SECOND)
    assert not credit.is_dead
    credit.on_answer(1)
    for look in range(200):
        credit.is_due(True, 60 * SECOND + look * SECOND // 10)
    assert not credit.is_dead


def test_rate_is_limited_for_each_browser() -> None:
    limit = RateLimit(3)
    assert [limit.allows("a", 0) for _ in range(4)] == [True, True, True, False]
    assert limit.allows("b", 0)
    assert not limit.allows("a", SECOND - 1)
    assert limit.allows("a", SECOND)


def test_many_addresses_take_no_memory_for_ever() -> None:
    limit = RateLimit(3)
    for number in range(5000):
        limit.allows(str(number), number * SECOND)
    assert limit.size <= 1002


@pytest.mark.parametrize(
    ("verb", "viewers_may_stop", "expected"),
    [
        (Verb.STOP, True, Role.VIEWER),
        (Verb.STOP, False, Role.OPERATOR),
        (Verb.RESUME, True, Role.OPERATOR),
        (Verb.GO_TO, True, Role.OPERATOR),
        (Verb.PUSH, True, Role.TEACHER),
        (Verb.NAME, False, Role.VIEWER),
    ],
)
def test_each_verb_has_a_least_role(verb: Verb, viewers_may_stop: bool, expected: Role) -> None:
    assert least_role(verb, viewers_may_stop=viewers_may_stop) is expected


def test_faults_are_allowed_in_simulation_alone() -> None:
    simulated = allowed_verbs(Role.TEACHER, viewers_may_stop=True, is_simulation=True)
    real = allowed_verbs(Role.TEACHER, viewers_may_stop=True, is_simulation=False)
    assert set(simulated) - set(real) == {"push", "link", "battery", "teleport"}
    assert allowed_verbs(Role.VIEWER, viewers_may_stop=True, is_simulation=True) == ["stop", "name", "key"]


def test_a_limit_says_what_it_limits() -> None:
    assert (RateLimit(20).text, RateLimit(40, "moves").text) == ("20 commands a second", "40 moves a second")
