"""How driver topics act on a simulated robot's body, and the body on the topics."""

import math
from collections.abc import Iterator
from pathlib import Path

import pytest
from builtin_interfaces.msg import Duration
from geometry_msgs.msg import Twist, Vector3
from sensor_msgs.msg import Imu, Joy, Temperature
from std_msgs.msg import Bool, ColorRGBA, Empty, Float32, Int8, Int16, UInt32
from std_srvs.srv import Empty as EmptyService
from thymio_msgs.msg import Comm, Led, Sound, SystemSound

from aseba_link.thymio.events import Event
from fleet.geometry import Pose2D
from fleet.interface.names import IDENTIFY_TOPIC
from fleet.interface.quality import IDENTIFY_QOS
from fleet.tasks.task import go_to
from harness.ros.driven_robot import PREFIX, DrivenRobot
from simulator.firmware.body import Reception
from thymio_base.ros.stamps import time_from_ros

BUTTONS = ("backward", "left", "center", "forward", "right")


@pytest.fixture
def robot(tmp_path: Path) -> Iterator[DrivenRobot]:
    running = DrivenRobot(tmp_path)
    try:
        running.start()
        yield running
    finally:
        running.close()


def test_led_commands_light_the_robot_and_led_off_darkens_it_completely(robot: DrivenRobot) -> None:
    lights = robot.body.lights
    robot.publish("led", Led(id=Led.CIRCLE, values=[1.0, 0.5, 0.0, 0.0, 0.0, 0.0, 0.0, 0.25]))
    robot.publish("led/body/bottom_left", ColorRGBA(r=1.0, g=0.5))
    robot.run_until(lambda: lights.get("leds.bottom.left") == (32, 16, 0), "the body to be lit")
    robot.run_until(lambda: lights.get("leds.circle") == (32, 16, 0, 0, 0, 0, 0, 8), "the circle to be lit")
    robot.publish("led/off", Empty())
    robot.run_until(lambda: len(lights) == 10, "every light to be set")
    assert not any(any(values) for values in lights.values())
    assert robot.warnings == []


def test_the_eighth_proximity_led_is_its_own(robot: DrivenRobot) -> None:
    # ros-thymio's script passed the seventh value twice
    robot.publish("led", Led(id=Led.PROXIMITY, values=[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]))
    lit = (0, 0, 0, 0, 0, 0, 0, 32)
    robot.run_until(lambda: robot.body.lights.get("leds.prox.h") == lit, "the eighth LED")


def test_gesture_animates_the_leds_until_it_is_switched_off(robot: DrivenRobot) -> None:
    states: set[tuple[int, ...]] = set()

    def moves() -> bool:
        states.add(robot.body.lights.get("leds.circle", ()))
        return len(states) > 10

    robot.publish("led/gesture/circle", Float32(data=1.0))
    robot.run_until(moves, "light that moves")
    robot.publish("led/gesture/off", Empty())
    robot.run_until(lambda: not any(robot.body.lights["leds.circle"]), "darkness")


def test_identified_robot_lights_up_beeps_and_darkens_again(robot: DrivenRobot) -> None:
    lights = robot.body.lights
    publisher = robot.peer.create_publisher(UInt32, IDENTIFY_TOPIC, IDENTIFY_QOS)
    robot.run_until(lambda: publisher.get_subscription_count() > 0, "a subscriber")
    publisher.publish(UInt32(data=99))  # a robot of another driver
    publisher.publish(UInt32(data=1))
    robot.run_until(lambda: lights.get("leds.top") == (32, 32, 32), "the body to be lit")
    robot.run_until(lambda: any(lights.get("leds.circle", ())), "the circle to blink")
    robot.run_until(lambda: robot.body.sound is not None, "the beep")
    robot.run(4.5)
    assert lights["leds.top"] == (0, 0, 0)
    robot.run_until(lambda: not any(lights["leds.circle"]), "darkness")


def test_tones_and_system_sounds_are_played(robot: DrivenRobot) -> None:
    robot.publish("sound/play", Sound(frequency=440.0, duration=Duration(sec=1)))
    robot.run_until(lambda: robot.body.sound is not None, "a tone")
    assert robot.body.sound is not None
    assert (robot.body.sound.native, robot.body.sound.argument) == ("sound.freq", 440)
    robot.publish("sound/play/system", SystemSound(sound=SystemSound.TARGET_OK))
    robot.run_until(lambda: robot.body.sound is not None and robot.body.sound.native == "sound.system", "a sound")
    assert robot.body.sound.argument == 6


def test_an_alarm_beeps_every_three_seconds_until_it_is_switched_off(robot: DrivenRobot) -> None:
    robot.publish("alarm", Bool(data=True))
    robot.run_until(lambda: robot.body.sound is not None, "the first beep")
    robot.body.sound = None
    robot.run(2.5)
    assert robot.body.sound is None
    robot.run_until(lambda: robot.body.sound is not None, "the second beep")
    robot.publish("alarm", Bool(data=False))
    robot.run(0.3)
    robot.body.sound = None
    robot.run(7.0)
    assert robot.body.sound is None


def test_sounds_above_the_threshold_are_published(robot: DrivenRobot) -> None:
    # the first threshold crashed ros-thymio's node
    received = robot.subscribe(Float32, "sound")
    robot.publish("sound_threshold", Float32(data=0.5))
    robot.run_until(lambda: robot.loop.simulation.robots[0].variable("mic.threshold") == [128], "the threshold")
    robot.body.loudness_raw = 100
    robot.run(0.5)
    assert received == []
    robot.body.loudness_raw = 204
    robot.run_until(lambda: bool(received), "a sound")
    assert received[-1].data == pytest.approx(0.8)


def test_infrared_communication_is_switched_sent_and_received(robot: DrivenRobot) -> None:
    received = robot.subscribe(Comm, "comm/rx")
    assert robot.body.communicates
    robot.publish("comm/tx", Int16(data=42))
    robot.run_until(lambda: robot.loop.simulation.robots[0].variable("prox.comm.tx") == [42], "the payload")
    robot.body.receptions.append(Reception(7, (7, 0, 0, 0, 0, 0, 0), (3000, 0, 0, 0, 0, 0, 0)))
    robot.run_until(lambda: bool(received), "a reception")
    assert (received[-1].value, list(received[-1].payloads)[:2], list(received[-1].intensities)[:2]) == (
        7,
        [7, 0],
        [3000, 0],
    )
    robot.publish("comm/enable", Bool(data=False))
    robot.run_until(lambda: not robot.body.communicates, "communication to be off")


def test_press_and_release_of_every_button_are_published(robot: DrivenRobot) -> None:
    received = {name: robot.subscribe(Bool, f"buttons/{name}") for name in BUTTONS}
    joy = robot.subscribe(Joy, "buttons")
    for index, name in enumerate(BUTTONS):
        robot.body.buttons = tuple(place == index for place in range(5))
        robot.run_until(
            lambda name=name: [message.data for message in received[name]] == [True], f"{name} to be pressed"
        )
    robot.run_until(lambda: list(joy[-1].buttons) == [0, 0, 0, 0, 1], "the right button in the joystick")
    robot.body.buttons = (False,) * 5
    robot.run_until(lambda: not received["right"][-1].data, "the right button to be released")
    assert [[message.data for message in received[name]] for name in BUTTONS] == [[True, False]] * 5


def test_a_burst_of_taps_arrives_whole(robot: DrivenRobot) -> None:
    # ros-thymio's queues were one message deep
    received = robot.subscribe(Empty, "tap")
    for _ in range(8):
        robot.emit(Event.TAP)
    robot.run_until(lambda: len(received) == 8, "eight taps")


def test_remote_control_commands_are_published(robot: DrivenRobot) -> None:
    received = robot.subscribe(Int8, "remote")
    robot.body.remote = (0, 80)
    robot.run_until(lambda: bool(received), "a key")
    assert received[-1].data == 80


def test_stamps_are_those_of_the_events(robot: DrivenRobot) -> None:
    # ros-thymio mixed them with its own clock, and left the temperature's stamp zero
    received = [robot.subscribe(Imu, "imu"), robot.subscribe(Temperature, "temperature")]
    for rank, args in ((Event.ACCELEROMETER, (0, 0, 23)), (Event.TEMPERATURE, (220,))):
        robot.emit(rank, *args)
    stamp_ns = robot.now.ros_ns
    robot.run_until(lambda: all(messages for messages in received), "both")
    assert all(stamp_ns in [time_from_ros(message.header.stamp) for message in messages] for messages in received)


@pytest.mark.parametrize(
    ("rank", "args"),
    [
        (99, ()),
        (0xFFFF, (1, 2, 3)),
        (Event.TAP, (1,)),
        (Event.PROXIMITY, (1, 2, 3)),
        (Event.GROUND, ()),
        (Event.REMOTE, (0, 5000)),
        (Event.COMM, (1,)),
        (Event.BUTTON_LEFT, ()),
    ],
)
def test_events_the_script_cannot_have_sent_are_dropped_and_counted(
    robot: DrivenRobot, rank: int, args: tuple[int, ...]
) -> None:
    robot.emit(rank, *args)
    assert robot.topics.dropped == 1


def test_nan_twist_is_refused_and_the_watchdog_stops_the_robot(robot: DrivenRobot) -> None:
    # it crashed ros-thymio's node, and the robot drove on
    robot.publish("cmd_vel", Twist(linear=Vector3(x=0.1)))
    robot.run_until(lambda: robot.loop.speed() > 0.05, "the robot to move")
    robot.publish("cmd_vel", Twist(linear=Vector3(x=math.nan)))
    robot.run_until(lambda: bool(robot.warnings), "the refusal")
    robot.run(1.0)
    assert robot.warnings == ["robot_1: cmd_vel refused: linear.x: nan is not in -100 to 100"]
    assert robot.loop.speed() == 0.0


def test_refusals_of_one_topic_are_logged_once_in_five_seconds(robot: DrivenRobot) -> None:
    bad = Float32(data=2.0)
    robot.publish("sound_threshold", *[bad] * 5)
    robot.publish("led/gesture/kit", bad, Float32(data=-1.0))
    robot.run_until(lambda: len(robot.warnings) == 2, "the refusals")
    robot.run(5.0)
    robot.publish("sound_threshold", bad)
    robot.run_until(lambda: len(robot.warnings) == 3, "the next refusal")
    assert [warning.split(" refused")[0] for warning in robot.warnings] == [
        "robot_1: sound_threshold",
        "robot_1: led/gesture/kit",
        "robot_1: sound_threshold",
    ]


def test_unreachable_robot_refuses_commands(robot: DrivenRobot) -> None:
    robot.loop.switch_off()
    robot.run(0.2)
    robot.publish("led/off", Empty())
    robot.run_until(lambda: bool(robot.warnings), "the refusal")
    assert robot.warnings[0] == "robot_1: set_led_gesture refused: the robot cannot be reached"


def test_excess_commands_are_refused(robot: DrivenRobot) -> None:
    robot.publish("led/off", *[Empty()] * 8)
    robot.run_until(lambda: bool(robot.warnings), "the refusal")
    assert "led/off refused: " in robot.warnings[0]
    assert "commands are already waiting" in robot.warnings[0]


def test_a_robot_is_switched_off_unless_it_has_a_task(robot: DrivenRobot) -> None:
    robot.loop.service.assign(1, go_to("a", Pose2D(1.3, 1.2, 0.0)), robot.loop.now_ns)
    robot.publish("shutdown", Empty())
    robot.run_until(lambda: bool(robot.warnings), "the refusal")
    assert robot.warnings == ["robot_1: shutdown refused: BUSY: it performs task 'a'"]
    robot.loop.run_until_ended("a")
    robot.publish("shutdown", Empty())
    robot.run_until(lambda: not robot.body.is_on, "the robot to be off")


def test_robot_that_was_never_ready_is_not_announced(tmp_path: Path) -> None:
    robot = DrivenRobot(tmp_path)
    try:
        robot.loop.switch_off()
        client = robot.peer.create_client(EmptyService, f"{PREFIX}/is_ready")
        robot.run(1.0)
        assert not client.service_is_ready()
        robot.loop.switch_on()
        robot.run_until(client.service_is_ready, "is_ready")
    finally:
        robot.close()


def test_disabled_topics_have_no_entities(tmp_path: Path) -> None:
    robot = DrivenRobot(tmp_path, "driver: {publish: {tap: true}}")
    try:
        topics = robot.peer.get_topic_names_and_types()
        assert [name for name, _ in topics if name.startswith(PREFIX)] == [f"{PREFIX}/tap"]
    finally:
        robot.close()
