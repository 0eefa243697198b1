"""Sensors and actuators of one Thymio: the times of local events, and the values available to their handlers."""

import pytest

from simulator.firmware.body import Body, Reception, Sound
from simulator.firmware.peripherals import Peripherals
from simulator.firmware.thymio import thymio_description

SECOND = 100  # ticks
BUTTONS = ("backward", "left", "center", "forward", "right")
RANKS = {event.name: rank for rank, event in enumerate(thymio_description().local_events)}


def address(name: str) -> int:
    found = thymio_description().address(name)
    assert found is not None
    return found


class Robot:
    """A body, its firmware's variables, and the local events that were raised."""

    def __init__(self) -> None:
        self.body = Body()
        self.memory = [0] * 640
        position, addresses = 0, {}
        for variable in thymio_description().variables:
            addresses[variable.name] = (position, variable.size)
            position += variable.size
        self._peripherals = Peripherals(self.body, self.memory, addresses)
        self._peripherals.read_all()

    def advance(self, ticks: int) -> list[str]:
        """Return the events of a number of ticks, without those that always occur."""
        always = {"buttons", "prox", "acc", "temperature", "motor"}
        return [name for name in self.all_events(ticks) if name not in always]

    def all_events(self, ticks: int) -> list[str]:
        names: list[str] = []
        for _ in range(ticks):
            self._peripherals.advance(names.append)
        return names

    def words(self, name: str, count: int = 1) -> list[int]:
        return self.memory[address(name) : address(name) + count]


@pytest.mark.parametrize(("name", "per_second"), [("buttons", 50), ("prox", 10), ("acc", 16), ("motor", 100)])
def test_sensor_is_read_at_its_rate(name: str, per_second: int) -> None:
    assert Robot().all_events(10 * SECOND).count(name) == 10 * per_second


def test_quiet_robot_has_no_other_events() -> None:
    assert Robot().advance(10 * SECOND) == []


def test_events_of_a_tick_are_in_order_of_rank() -> None:
    robot = Robot()
    robot.all_events(93)
    robot.body.buttons = (True,) * 5
    robot.all_events(6)
    robot.body.receptions.append(Reception(1, (1,) * 7, (1400,) * 7))
    robot.body.is_tapped = True
    robot.body.loudness_raw = 9
    robot.body.remote = (1, 2)
    robot.body.sound = Sound("sound.freq", 440, 0.01)
    robot.memory[address("mic.threshold")] = 1
    robot.memory[address("timer.period")] = 10
    ranks = [RANKS[name] for name in robot.all_events(1)]
    assert ranks == sorted(ranks)
    assert set(ranks) == set(range(16))


@pytest.mark.parametrize("index", range(5))
def test_button_is_reported_when_pressed_and_when_released(index: int) -> None:
    robot = Robot()
    robot.body.buttons = tuple(number == index for number in range(5))
    assert robot.advance(SECOND) == [f"button.{BUTTONS[index]}"]
    assert robot.words("button.backward", 5) == [int(number == index) for number in range(5)]
    robot.body.buttons = (False,) * 5
    assert robot.advance(SECOND) == [f"button.{BUTTONS[index]}"]
    assert robot.words("button.backward", 5) == [0] * 5


def touched(robot: Robot, name: str, ticks: int) -> list[str]:
    """Return the events of a number of ticks in which a button is touched."""
    robot.body.buttons = tuple(button == name for button in BUTTONS)
    return robot.advance(ticks)


def test_button_counts_as_pressed_after_80_ms() -> None:
    robot = Robot()
    assert touched(robot, "left", 7) == []
    assert touched(robot, "left", 1) == ["button.left"]


def test_short_touches_do_not_add_up_to_a_press() -> None:
    robot = Robot()
    for _ in range(5):
        assert touched(robot, "left", 6) == []
        assert touched(robot, "none", 2) == []


def test_long_press_of_the_center_button_switches_the_robot_off() -> None:
    robot = Robot()
    touched(robot, "center", 225)
    assert robot.body.is_on
    touched(robot, "center", 1)
    assert not robot.body.is_on


def test_long_press_of_other_buttons_does_not_switch_off() -> None:
    robot = Robot()
    touched(robot, "forward", 10 * SECOND)
    assert robot.body.is_on


def test_tap_is_reported_once() -> None:
    robot = Robot()
    robot.body.is_tapped = True
    assert robot.advance(SECOND) == ["tap"]


def test_remote_control_is_reported_once_with_address_and_command() -> None:
    robot = Robot()
    robot.body.remote = (5, 80)
    assert robot.advance(SECOND) == ["rc5"]
    assert robot.words("rc5.address", 2) == [5, 80]


def test_every_reception_raises_its_own_event() -> None:
    robot = Robot()
    robot.body.receptions += [Reception(k, (k,) * 7, (1400 + k,) * 7) for k in (3, 4)]
    assert robot.advance(SECOND) == ["prox.comm"] * 2
    assert robot.words("prox.comm.rx._payloads", 14) == [4] * 7 + [1404] * 7
    assert robot.words("prox.comm.rx") == [4]


@pytest.mark.parametrize(("threshold", "count"), [(0, 0), (99, 61), (100, 0)])
def test_microphone_reports_sounds_above_its_threshold(threshold: int, count: int) -> None:
    robot = Robot()
    robot.memory[address("mic.threshold")] = threshold
    robot.body.loudness_raw = 100
    assert robot.advance(SECOND) == ["mic"] * count
    assert robot.words("mic.intensity") == [100]


@pytest.mark.parametrize("duration_s", [0.01, 0.5, 1.0])
def test_end_of_a_sound_is_reported_after_its_duration(duration_s: float) -> None:
    robot = Robot()
    robot.body.sound = Sound("sound.freq", 440, duration_s)
    assert robot.advance(round(SECOND * duration_s) - 1) == []
    assert robot.advance(1) == ["sound.finished"]
    assert robot.body.sound is None


def test_endless_sound_does_not_end() -> None:
    robot = Robot()
    robot.body.sound = Sound("sound.freq", 440, None)
    assert robot.advance(10 * SECOND) == []


def test_reflected_light_of_the_ground_adds_to_the_ambient() -> None:
    robot = Robot()
    robot.body.ground_raw, robot.body.ambient_raw = (100, 900), (50, 500)
    robot.advance(10)
    assert robot.words("prox.ground.ambiant", 6) == [50, 500, 150, 1023, 100, 900]


def test_robot_on_a_level_floor_reads_one_g() -> None:
    assert Robot().words("acc", 3) == [0, 0, 23]


def test_light_shows_what_a_script_writes_to_its_variable() -> None:
    robot = Robot()
    robot.memory[address("leds.top") : address("leds.top") + 3] = [5, 99, -1]
    robot.advance(2)
    assert robot.body.lights == {"leds.top": (5, 32, 0)}


def test_light_set_by_a_function_shows_in_its_variable() -> None:
    robot = Robot()
    robot.body.lights["leds.circle"] = (1, 2, 3, 4, 5, 6, 7, 8)
    robot.advance(2)
    assert robot.words("leds.circle", 8) == [1, 2, 3, 4, 5, 6, 7, 8]


def test_unwritten_light_variable_does_not_change_the_light() -> None:
    robot = Robot()
    robot.body.lights["leds.top"] = (1, 2, 3)
    robot.advance(10)
    robot.body.lights["leds.top"] = (4, 5, 6)
    robot.advance(10)
    assert (robot.body.lights["leds.top"], robot.words("leds.top", 3)) == ((4, 5, 6), [4, 5, 6])
