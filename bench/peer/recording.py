"""Records the robots' reports on the course, with the same script and host for both simulators."""

import time
from collections import defaultdict
from contextlib import closing
from dataclasses import dataclass, field

from aseba_link.aesl.compiler import ScriptCompiler
from aseba_link.aesl.syntax.script import parse_script
from aseba_link.host.link_events import NodeFaulted, UserEvent
from aseba_link.host.script_policy import ScriptPolicy
from aseba_link.link.aseba_link import AsebaLink
from aseba_link.link.dialer import ThreadDialer
from bench.peer.course import Stand

COUNTED = ("motor", "buttons", "acc", "temperature", "timer0")  # local events, in the order of `Sample.counts`
MOTOR_S = 0.01  # from one motor event to the next
TIMER_MS = 20
STEP_TICKS = 60  # motor events after a step of the target, at which speeds are reported

_MOTOR = COUNTED.index("motor")
_BEGIN, _SAMPLE, _SPEED = range(3)  # ranks of the script's events
_READY_S = 120.0
_PATIENCE = 10.0  # maximum slowdown of a simulator on a busy machine
_POLL_S = 0.005
_LEAST_SAMPLES = 10  # one second
_NEAR_RAW = 3800  # about 3.7 cm: driving robots stop, and the fastest do not touch the wall

_SCRIPT = f"""<!DOCTYPE aesl-source>
<network>
<event size="3" name="begin"/>
<event size="14" name="sample"/>
<event size="2" name="speed"/>
<node nodeId="1" name="thymio-II">
var counts[5]
var since = {STEP_TICKS}
var sample[14]
call math.fill(counts, 0)
timer.period[0] = {TIMER_MS}

onevent begin
if event.args[0] == _id then
    since = 0
    motor.left.target = event.args[1]
    motor.right.target = event.args[2]
end

onevent motor
counts[0]++
if since &lt; {STEP_TICKS} then
    since++
    emit speed [since, motor.right.speed]
end

onevent buttons
counts[1]++

onevent acc
counts[2]++

onevent temperature
counts[3]++

onevent timer0
counts[4]++

onevent prox
if prox.horizontal[2] > {_NEAR_RAW} then
    motor.left.target = 0
    motor.right.target = 0
end
sample[0:4] = counts
sample[5:11] = prox.horizontal
sample[12:13] = prox.ground.delta
emit sample sample
</node>
</network>
"""


@dataclass(frozen=True, slots=True)
class CourseSample:
    """A robot's report after its sensors were read: its counts of local events so far, and readings."""

    stamp_ns: int
    counts: tuple[int, ...]
    proximity_raw: tuple[int, ...]
    ground_raw: tuple[int, ...]


@dataclass(slots=True)
class CourseRecording:
    """Robots' reports, by node id; `speeds_raw` of the right wheel at each motor event after a step of its target."""

    samples: dict[int, list[CourseSample]] = field(default_factory=lambda: defaultdict(list))
    speeds_raw: dict[int, list[int]] = field(default_factory=lambda: defaultdict(list))

    def own_ticks(self, node_id: int) -> int:
        """Return the number of a robot's motor events, 10 ms each in its own time, in its reports."""
        samples = self.samples[node_id]
        return samples[-1].counts[_MOTOR] - samples[0].counts[_MOTOR] if samples else 0

    def add(self, event: UserEvent) -> None:
        """Process an event of the script."""
        node_id, args = event.address.node_id, event.args
        if event.rank == _SAMPLE:
            self.samples[node_id].append(CourseSample(event.stamp_ns, args[:5], args[5:12], args[12:14]))
        elif event.rank == _SPEED:
            self.speeds_raw[node_id].append(args[1])


def record(targets: list[str], stands: list[Stand], duration_s: float) -> CourseRecording:
    """Run the course on the robots for a while of their own time, and return their reports.

    Raises
    ------
    RuntimeError
        A robot cannot run the script, is not found in time, or falls silent.
    """
    script_policy = ScriptPolicy(ScriptCompiler(parse_script(_SCRIPT.encode(), "course.aesl")), event_timeout_s=None)
    with closing(AsebaLink(targets, script_policy, ThreadDialer())) as link:
        _wait_for(link, len(stands))
        by_id = {address.node_id: link.node(address) for address in link.nodes}
        for stand in stands:
            if any(stand.targets_raw):
                by_id[stand.node_id].emit(_BEGIN, (stand.node_id, *stand.targets_raw))
        recording = CourseRecording()
        end_s = time.monotonic() + _PATIENCE * duration_s
        while _own_s(recording, stands) < duration_s and time.monotonic() < end_s:
            for event in _poll(link):
                recording.add(event)
    silent = [stand.node_id for stand in stands if len(recording.samples[stand.node_id]) < _LEAST_SAMPLES]
    if silent:
        raise RuntimeError(f"robots reported too little: {silent}")
    return recording


def _own_s(recording: CourseRecording, stands: list[Stand]) -> float:
    """Return the duration of the slowest robot's reports."""
    return MOTOR_S * min(recording.own_ticks(stand.node_id) for stand in stands)


def _wait_for(link: AsebaLink, count: int) -> None:
    deadline_s = time.monotonic() + _READY_S
    while len(link.nodes) < count:
        if time.monotonic() > deadline_s:
            raise RuntimeError(f"{len(link.nodes)} of {count} robots are found after {_READY_S:g} s")
        _poll(link)


def _poll(link: AsebaLink) -> list[UserEvent]:
    """Return the events of the scripts since the last call."""
    time.sleep(_POLL_S)
    events = link.poll(time.monotonic_ns())
    for event in events:
        if isinstance(event, NodeFaulted):
            raise RuntimeError(f"{event.address}: {event.reason}")
    return [event for event in events if isinstance(event, UserEvent)]
