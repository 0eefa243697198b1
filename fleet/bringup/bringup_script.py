"""The script of the bring-up: the usual one, with a guard against edges, an echo, and the motors' settings.

The guard runs on the robot, at every command and 50 times a second. Its mode 0 lets wheels turn while both ground
sensors see nothing, as in the air; mode 1, the initial one, while both see a floor. Backwards, over ground that was
just driven, mode 1 does not check.
"""

from dataclasses import replace

from aseba_link.aesl.compiler import shipped_script
from aseba_link.aesl.syntax.script import EventDefinition, Script
from aseba_link.thymio.events import Reports, script_constants

ODOMETRY_HZ = 20.0
SETTINGS = "bringup.settings"  # the variable with the motors' corrections: left, right
GUARD_RAW = 130  # ground sensors read less without a floor

_REPORTS = Reports(proximity_hz=5.0, ground_hz=5.0, accelerometer_hz=4.0, button=True, tap=True, temperature=True)
_EVENTS = (
    EventDefinition("set_guard", 2),
    EventDefinition("guard", 3),
    EventDefinition("hand", 3),
    EventDefinition("ping", 2),
    EventDefinition("pong", 1),
)
_VARIABLES = f"""
var bringup.mode = 1
var bringup.seen = 0
var bringup.stopped = 0
var {SETTINGS}[2]
"""
_START = f"""
call _system.settings.read(8, {SETTINGS}[0])
call _system.settings.read(9, {SETTINGS}[1])
timer.period[1] = 20
"""
_CHECKED = ("\tsilence = 0\n", "\tsilence = 0\n\tcallsub bringup.check\n")  # of `set_speed`, its first occurrence
_HANDLERS = f"""
sub bringup.check
bringup.seen = 0
if prox.ground.delta[0] > {GUARD_RAW} then
	bringup.seen += 1
end
if prox.ground.delta[1] > {GUARD_RAW} then
	bringup.seen += 1
end
if motor.left.target == 0 and motor.right.target == 0 then
	bringup.stopped = 0
else
	if bringup.mode == 0 and bringup.seen > 0 or bringup.mode == 1 and bringup.seen < 2 and (motor.left.target > 0 or motor.right.target > 0) then
		motor.left.target = 0
		motor.right.target = 0
		silence = COMMAND_TIMEOUT
		if bringup.stopped == 0 then
			emit guard [bringup.mode, prox.ground.delta[0], prox.ground.delta[1]]
			bringup.stopped = 1
		end
	end
end

onevent timer1
callsub bringup.check

onevent set_guard
if event.args[0] == _id then
	bringup.mode = event.args[1]
end

onevent ping
if event.args[0] == _id then
	emit pong event.args[1]
end
"""  # noqa: E501  the language has no line breaks within a condition


def bringup_script() -> Script:
    """Return the script; the ranks of its additional events match `hand_request`."""
    script = shipped_script().with_constants(script_constants(ODOMETRY_HZ, _REPORTS))
    (code,) = script.codes
    at = code.text.index("\nsub ")  # where the code that runs at the start ends
    text = _VARIABLES + code.text[:at] + _START + code.text[at:].replace(*_CHECKED, 1) + _HANDLERS
    return replace(script, events=(*script.events, *_EVENTS), codes=(replace(code, text=text),))
