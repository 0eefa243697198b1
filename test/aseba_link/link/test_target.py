import pytest

from aseba_link.errors import TargetError
from aseba_link.link.target import SerialTarget, Target, TcpTarget, parse_target, target_problems


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("tcp:host=127.0.0.1;port=34000", TcpTarget("127.0.0.1", 34000)),
        ("tcp:port=34000;host=robots.local", TcpTarget("robots.local", 34000)),
        ("tcp:localhost;33334", TcpTarget("localhost", 33334)),
        ("tcp:localhost", TcpTarget("localhost", 33333)),
        ("tcp:host=::1;port=5", TcpTarget("::1", 5)),
        ("tcp:host=[::1];port=5", TcpTarget("::1", 5)),
        ("tcp:host=fe80::1%eth0", TcpTarget("fe80::1%eth0", 33333)),
        ("tcp:host=robot_1.müller-lab.example", TcpTarget("robot_1.müller-lab.example", 33333)),
        ("tcp:localhost;port=7", TcpTarget("localhost", 7)),
        ("ser:device=/dev/ttyACM0", SerialTarget(device="/dev/ttyACM0")),
        ("ser:device=/dev/ttyACM0;baud=115200;dtr=true", SerialTarget(device="/dev/ttyACM0")),
        ("ser:/dev/ttyACM1", SerialTarget(device="/dev/ttyACM1")),
        ("ser:name=Thymio-II", SerialTarget(name="Thymio-II")),
        (" tcp: localhost ; 33334 ", TcpTarget("localhost", 33334)),
    ],
)
def test_target_string_names_a_target(text: str, target: Target) -> None:
    assert parse_target(text) == target


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "does not start with 'tcp:'"),
        ("localhost", "does not start with 'tcp:'"),
        ("udp:localhost", "only tcp and ser"),
        ("tcp://localhost:33333", "write tcp:host=localhost;port=33333"),
        ("tcp://[::1]:33333/", "write tcp:host=::1;port=33333"),
        ("tcp:localhost:33333", "write tcp:host=localhost;port=33333"),
        ("localhost:33333", "write tcp:host=localhost;port=33333"),
        ("10.0.0.7:33333", "write tcp:host=10.0.0.7;port=33333"),
        ("/dev/ttyACM0", "write ser:device=/dev/ttyACM0"),
        ("tcp://localhost", "has '/'"),
        ("tcp:host=local host;port=33333", "host 'local host' has ' '"),
        ("tcp:host=127.0.0.300", "is not an IPv4 address"),
        ("tcp:", "host is empty"),
        ("tcp:port=33333", "host is empty"),
        ("tcp:host=[::1", "is not an IPv6 address"),
        ("tcp:localhost;many", "'many' is not a number"),
        ("tcp:localhost;0", "port 0 is not in"),
        ("tcp:localhost;70000", "port 70000 is not in"),
        ("tcp:localhost;1;2", "'2' is one value too many"),
        ("tcp:hots=localhost", "unknown key 'hots'"),
        ("tcp:host=a;host=b", "host is given twice"),
        ("ser:", "either device or name"),
        ("ser:port=1", "unknown key 'port'"),
        ("ser:device=/dev/ttyACM0;name=Thymio", "either device or name"),
    ],
)
def test_wrong_target_string_is_refused_with_its_text(text: str, problem: str) -> None:
    with pytest.raises(TargetError, match=problem) as refusal:
        parse_target(text)
    assert repr(text) in str(refusal.value)


def test_two_spellings_of_one_host_are_one() -> None:
    assert dict(target_problems(["tcp:Lab-PC.local", "tcp:host=lab-pc.local.;port=33333"])) == {
        1: "tcp:host=lab-pc.local.;port=33333 is the same as tcp:Lab-PC.local"
    }


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("tcp:localhost", "tcp:127.0.0.1"),
        ("tcp:LocalHost.", "tcp:host=::ffff:127.0.0.1;port=33333"),
        ("tcp:host=::1", "tcp:host=0:0:0:0:0:0:0:1"),
        ("tcp:host=FE80::1%eth0", "tcp:host=fe80:0::1%eth0"),
        ("ser:/dev/ttyACM0", "ser:device=/dev/../dev//ttyACM0"),
    ],
)
def test_two_spellings_of_one_target_are_one(one: str, other: str) -> None:
    assert dict(target_problems([one, other])) == {1: f"{other} is the same as {one}"}


def test_own_port_is_found_in_every_spelling_of_this_host() -> None:
    targets = ["tcp:host=0:0::1;port=44444", "tcp:host=::ffff:7f00:1;port=44444"]
    assert list(dict(target_problems(targets, own_port=44444))) == [0, 1]


def test_targets_that_are_the_same_or_our_own_are_reported() -> None:
    targets = [
        "tcp:localhost;33333",
        "tcp:host=localhost;port=33333",
        "ser:name=Thymio",
        "tcp:127.0.0.1;44444",
        "ftp:x",
    ]
    problems = dict(target_problems(targets, own_port=44444))
    assert list(problems) == [1, 3, 4]
    assert problems[1] == "tcp:host=localhost;port=33333 is the same as tcp:localhost;33333"
    assert problems[3] == "tcp:127.0.0.1;44444 is the port that we open ourselves"
