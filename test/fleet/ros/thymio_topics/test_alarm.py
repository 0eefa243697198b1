from fleet.ros.thymio_topics.command_topics import Alarm

S = 1_000_000_000


def beeps(alarm: Alarm, instants_s: list[float]) -> list[float]:
    return [instant_s for instant_s in instants_s if alarm.beeps(round(instant_s * S))]


def test_an_alarm_that_is_off_never_beeps() -> None:
    assert beeps(Alarm(), [0.0, 1.0, 10.0]) == []


def test_an_alarm_beeps_at_once_and_every_three_seconds() -> None:
    alarm = Alarm()
    alarm.switch(True)
    assert beeps(alarm, [5.0, 5.05, 7.95, 8.0, 10.9, 11.1]) == [5.0, 8.0, 11.1]


def test_switching_on_again_does_not_beep_sooner() -> None:
    alarm = Alarm()
    alarm.switch(True)
    first = beeps(alarm, [0.0])
    alarm.switch(True)
    assert (first, beeps(alarm, [1.0, 3.0])) == ([0.0], [3.0])


def test_alarm_is_silent_when_off_and_beeps_at_once_when_switched_on_again() -> None:
    alarm = Alarm()
    alarm.switch(True)
    first = beeps(alarm, [0.0])
    alarm.switch(False)
    silent = beeps(alarm, [3.0])
    alarm.switch(True)
    assert (first, silent, beeps(alarm, [4.0])) == ([0.0], [], [4.0])
