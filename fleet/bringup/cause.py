"""The causes that the bring-up names, and their cures."""

from enum import Enum
from typing import Final


class Cause(Enum):
    """Why a stage fails or warns; the values are those of reports."""

    NO_PORT = "no_port"
    NO_PERMISSION = "no_permission"
    PORT_TAKEN = "port_taken"
    PORT_DEAD = "port_dead"
    MODEM_MANAGER = "modem_manager"
    SILENT = "silent"
    NOT_ASEBA = "not_aseba"
    LOST_BYTES = "lost_bytes"
    OLD_FIRMWARE = "old_firmware"
    BOOTLOADER = "bootloader"
    NO_UUID = "no_uuid"
    OTHER_FIRMWARE = "other_firmware"
    OTHER_NODE = "other_node"
    DUPLICATE_ID = "duplicate_id"
    MORE_ROBOTS = "more_robots"
    OTHER_VARIABLES = "other_variables"
    STORED_PROGRAM = "stored_program"
    FLOOD = "flood"
    SCRIPT_FAILS = "script_fails"
    SCRIPT_STOPS = "script_stops"
    RESTARTS = "restarts"
    OTHER_PERIOD = "other_period"
    LOSS = "loss"
    DROPOUTS = "dropouts"
    LATENCY = "latency"
    LOW_CAPACITY = "low_capacity"
    BLIND_SENSOR = "blind_sensor"
    STUCK_SENSOR = "stuck_sensor"
    SWAPPED_SENSORS = "swapped_sensors"
    WEAK_SENSOR = "weak_sensor"
    GROUND_SENSOR = "ground_sensor"
    GROUND_SWAPPED = "ground_swapped"
    DARK_FLOOR = "dark_floor"
    ACCELEROMETER = "accelerometer"
    BUTTON_DEAD = "button_dead"
    BUTTON_STUCK = "button_stuck"
    BUTTON_SWAPPED = "button_swapped"
    MICROPHONE = "microphone"
    TEMPERATURE = "temperature"
    NO_ANSWER = "no_answer"
    LIGHTS_DARK = "lights_dark"
    NO_SOUND = "no_sound"
    BATTERY_LOW = "battery_low"
    BATTERY_GAUGE = "battery_gauge"
    BATTERY_OLD = "battery_old"
    NOT_CHARGING = "not_charging"
    NOT_LIFTED = "not_lifted"
    WHEEL_DEAD = "wheel_dead"
    WHEEL_REVERSED = "wheel_reversed"
    WHEELS_SWAPPED = "wheels_swapped"
    WHEEL_WEAK = "wheel_weak"
    SATURATION = "saturation"
    DEAD_BAND = "dead_band"
    LAG = "lag"
    NOISY_SPEED = "noisy_speed"
    SLOW_BRAKE = "slow_brake"
    KEEPS_DRIVING = "keeps_driving"
    FALSE_TAPS = "false_taps"
    MOTOR_SETTINGS = "motor_settings"
    NO_POSES = "no_poses"
    POSE_RATE = "pose_rate"
    POSE_NOISE = "pose_noise"
    POSE_JUMPS = "pose_jumps"
    POSE_UNITS = "pose_units"
    POSE_AXES = "pose_axes"
    POSE_MIRRORED = "pose_mirrored"
    POSE_LATE = "pose_late"
    OTHER_BODY = "other_body"
    MARKER_OFFSET = "marker_offset"
    NOT_MOVED = "not_moved"
    EDGE = "edge"
    WHEEL_UNITS = "wheel_units"
    WHEEL_RATIO = "wheel_ratio"
    AXLE = "axle"
    TURN_SIGN = "turn_sign"
    SLIP = "slip"
    TASK_FAILS = "task_fails"
    NOT_STOPPED = "not_stopped"
    NOT_BACK = "not_back"
    LOST = "lost"


CURES: Final = {
    Cause.NO_PORT: "plug in the robot or its dongle; many micro-USB cables only charge: try another cable and port",
    Cause.NO_PERMISSION: "install the udev rule of docs/hardware.md, or join the group of serial ports; plug in again",
    Cause.PORT_TAKEN: "close Aseba Studio, Thymio Suite, other drivers and serial terminals, or the named program",
    Cause.PORT_DEAD: "this is not a serial port: give the path of one, such as /dev/ttyACM0",
    Cause.MODEM_MANAGER: "install the udev rule of docs/hardware.md, which keeps ModemManager away, and plug in again",
    Cause.SILENT: "switch the robot on; for a dongle, pair it again; on a cable elsewhere it has no radio",
    Cause.NOT_ASEBA: "no Aseba node answers: another device has this port, or a program probes it as a modem",
    Cause.LOST_BYTES: "use a shorter cable, another port, or a dongle on an extension lead away from USB 3 devices",
    Cause.OLD_FIRMWARE: "update the firmware to 14 with Thymio Suite",
    Cause.BOOTLOADER: "an update has failed: flash the firmware again with Thymio Suite",
    Cause.NO_UUID: "update the firmware to 14 with Thymio Suite; until then give the robot a `target`, not a `uuid`",
    Cause.OTHER_FIRMWARE: "update the firmware to 14 with Thymio Suite; it brakes later than the one this is made for",
    Cause.OTHER_NODE: "this node is not a Thymio II; give the target of one",
    Cause.DUPLICATE_ID: "two robots have one id: switch one off, and pair it again with Thymio's wireless configurator",
    Cause.MORE_ROBOTS: "switch off all other robots of this target, or name the robot with --node",
    Cause.OTHER_VARIABLES: "update the firmware to 14 with Thymio Suite; programs by name would use wrong variables",
    Cause.STORED_PROGRAM: "remove the memory card, or store an empty program with Aseba Studio",
    Cause.FLOOD: "a stored program sends too many events: remove the memory card, or store an empty program",
    Cause.SCRIPT_FAILS: "the script does not start: repeat by cable; if it fails there too, flash the firmware again",
    Cause.SCRIPT_STOPS: "another program loads scripts, or a cell is weak: close other programs, and charge the robot",
    Cause.RESTARTS: "the robot restarts by itself: charge it; if it goes on, its battery or a contact is faulty",
    Cause.OTHER_PERIOD: "the robot's clock differs: distances by time will be wrong; flash the firmware again",
    Cause.LOSS: "bring the dongle nearer, on an extension lead, and choose another radio channel",
    Cause.DROPOUTS: "the robot is out of reach for seconds: bring the dongle nearer, and choose another radio channel",
    Cause.LATENCY: "many robots or programs fill the radio, or the computer is busy; set `link.budgets_hz`",
    Cause.LOW_CAPACITY: "use fewer robots on this dongle, or a lower `rates.odometry_hz`",
    Cause.BLIND_SENSOR: "wipe the sensor's window; if it stays blind, the sensor is broken",
    Cause.STUCK_SENSOR: "clear 20 cm around the robot, wipe the windows, and keep it out of the sun",
    Cause.SWAPPED_SENSORS: "another sensor answers: cover the named one; otherwise their cables are swapped",
    Cause.WEAK_SENSOR: "wipe the window, then calibrate: `thymio-fleet calibrate ID --method wall-front`",
    Cause.GROUND_SENSOR: "wipe the ground sensors; they must see the floor and lose it when lifted",
    Cause.GROUND_SWAPPED: "the left ground sensor answers for the right one: their cables are swapped",
    Cause.DARK_FLOOR: "use a lighter floor: on this one an edge cannot be told from the floor",
    Cause.ACCELEROMETER: "stand the robot level; if it stands level, its sensor is turned or broken",
    Cause.BUTTON_DEAD: "wipe the buttons dry, and press in their middle",
    Cause.BUTTON_STUCK: "wipe the buttons dry, and take everything off them",
    Cause.BUTTON_SWAPPED: "another button answers: press the named one; otherwise their cables are swapped",
    Cause.MICROPHONE: "clap beside the robot; if it hears nothing, its microphone is broken",
    Cause.TEMPERATURE: "let the robot come to room temperature; otherwise its sensor is broken",
    Cause.NO_ANSWER: "nobody did what was asked for: run the bring-up again beside the robot",
    Cause.LIGHTS_DARK: "the lights stay dark: charge the robot; otherwise they are broken",
    Cause.NO_SOUND: "no tone was heard: the loudspeaker is broken or its cable is loose",
    Cause.BATTERY_LOW: "charge the robot until its lamp is full",
    Cause.BATTERY_GAUGE: "the voltage is none of a lithium cell: the battery's contacts or gauge are faulty",
    Cause.BATTERY_OLD: "the voltage falls too much under load: replace the battery",
    Cause.NOT_CHARGING: "try another cable and charger; if the lamp stays dark, the socket or the battery is broken",
    Cause.NOT_LIFTED: "hold the robot up so that both ground sensors see nothing",
    Cause.WHEEL_DEAD: "the wheel does not turn: remove hair and dust; otherwise the motor or its cable is broken",
    Cause.WHEEL_REVERSED: "the wheel turns backwards: the motor's cable is reversed",
    Cause.WHEELS_SWAPPED: "left and right motors are swapped",
    Cause.WHEEL_WEAK: "the wheel is slower than commanded: remove hair and dust, and charge the robot",
    Cause.SATURATION: "limit the fleet's speed below the measured one, or charge the robot",
    Cause.DEAD_BAND: "the wheels start late: remove hair and dust; slow motion and docking will be poor",
    Cause.LAG: "the wheels follow late: remove hair and dust; use lower speeds",
    Cause.NOISY_SPEED: "the measured speed varies: clean wheels and gears",
    Cause.SLOW_BRAKE: "the wheels roll on after a stop: update the firmware to 14, and keep larger gaps",
    Cause.KEEPS_DRIVING: "without commands the robot goes on: do not let it drive; flash the firmware again",
    Cause.FALSE_TAPS: "vibration is reported as taps: ignore taps while driving",
    Cause.MOTOR_SETTINGS: "the robot's own motor correction is not neutral: hold left and right for 2 s, motor menu",
    Cause.NO_POSES: "start the motion-capture system, and check `pose_topic`",
    Cause.POSE_RATE: "raise the rate of motion capture to 10 Hz or more",
    Cause.POSE_NOISE: "poses vary while the robot stands: calibrate the cameras, and use a larger marker",
    Cause.POSE_JUMPS: "poses jump: remove reflections, and use markers that cannot be confused",
    Cause.POSE_UNITS: "poses are not in metres: set `motion_capture.unit`",
    Cause.POSE_AXES: "the heading is not the direction of motion: set the robot's `marker` or `motion_capture.up`",
    Cause.POSE_MIRRORED: "poses turn the other way round: the capture's frame is left-handed; set its axes",
    Cause.POSE_LATE: "poses are too old: shorten the chain of programs, or lower the capture's smoothing",
    Cause.OTHER_BODY: "the pose belongs to another robot: exchange the `pose_topic`s or the markers",
    Cause.MARKER_OFFSET: "the marker is not above the axle's middle: set the robot's `marker`",
    Cause.NOT_MOVED: "the wheels turned but the robot did not move: put it on the floor, free of obstacles",
    Cause.EDGE: "the robot's ground sensors saw an edge: use a larger or lighter floor",
    Cause.WHEEL_UNITS: "both wheels roll further or less than counted: `thymio-fleet calibrate ID`",
    Cause.WHEEL_RATIO: "one wheel rolls further than the other: `thymio-fleet calibrate ID`, or clean the tyres",
    Cause.AXLE: "turns differ from the counted ones: `thymio-fleet calibrate ID` measures the axle",
    Cause.TURN_SIGN: "the robot turns the other way round: left and right motors are swapped",
    Cause.SLIP: "the runs differ: clean tyres and floor",
    Cause.TASK_FAILS: "read the reason in docs/troubleshooting.md; most often the floor, the poses or the wheels",
    Cause.NOT_STOPPED: "do not drive this robot: its commands to stop come late; look for loss and delay of the radio",
    Cause.NOT_BACK: "unplug it again; if it does not return, its port has another name: use a path below /dev/serial",
    Cause.LOST: "the robot no longer answers: check battery, cable and radio, then continue with --resume",
}
