"""Cases of chapter B: the topic `pose` of an idle robot."""

import math
from itertools import pairwise
from typing import Final

from conformance.cases.case import CaseTable
from conformance.record.finding import Finding, Obligation, holds, met, seen, unmet
from conformance.record.window import PoseSeen, Window, gaps

TABLE: Final = CaseTable()
case = TABLE.case
_RATE_HZ: Final = 10.0
_GAP_S: Final = 0.25
_FLAT: Final = 0.02  # largest x and y of the quaternion, about 2 degrees


def _rate_hz(times: list[float]) -> float:
    return (len(times) - 1) / (times[-1] - times[0]) if times[-1] > times[0] else math.inf


@case("B1", Obligation.MUST, "idle", "pose is published at 10 Hz, within 10 %")
def _rate(window: Window) -> Finding:
    poses = window.need_poses(5)
    received_hz, stamped_hz = _rate_hz([one.at_s for one in poses]), _rate_hz([one.stamp_s for one in poses])
    text = f"{received_hz:.2f} Hz by arrival, {stamped_hz:.2f} Hz by stamps"
    if any(abs(rate_hz - _RATE_HZ) <= 0.1 * _RATE_HZ for rate_hz in (received_hz, stamped_hz)):
        return met(text)
    return window.unless_busy(unmet("9 to 11 Hz", text), *window.span_s)


@case("B2", Obligation.SHOULD, "idle", "no gap of pose is longer than 250 ms")
def _no_gap(window: Window) -> Finding:
    poses = window.need_poses()
    longest_s, index = max((gap_s, index) for index, gap_s in enumerate(gaps(one.at_s for one in poses)))
    return window.within(longest_s, _GAP_S, "the next pose", poses[index].at_s)


@case("B3", Obligation.MUST, "idle", "stamps of pose never decrease")
def _stamps_rise(window: Window) -> Finding:
    falls = sum(later.stamp_s < earlier.stamp_s for earlier, later in pairwise(window.need_poses()))
    return holds(falls == 0, "rising stamps", f"{falls} stamps are earlier than the previous stamp")


@case("B4", Obligation.SHOULD, "idle", "stamps of pose are 0 to 0.5 s old when they arrive")
def _age(window: Window) -> Finding:
    ages = sorted(one.age_s for one in window.need_poses())
    text = f"{ages[0]:.3f} s to {ages[-1]:.3f} s"
    return window.unless_busy(holds(ages[0] >= -0.02 and ages[-1] <= 0.5, "0 to 0.5 s", text), *window.span_s)


@case("B5", Obligation.SHOULD, "idle", "the frame of pose is named, and stays the same")
def _frame(window: Window) -> Finding:
    frames = sorted({one.frame for one in window.need_poses(1)})
    return holds(len(frames) == 1 and frames[0] != "", "one frame with a name", ", ".join(map(repr, frames)))


@case("B6", Obligation.MUST, "idle", "all numbers of pose are finite")
def _finite(window: Window) -> Finding:
    odd = sum(not all(map(math.isfinite, (*one.position, *one.quaternion))) for one in window.need_poses(1))
    return holds(odd == 0, "finite numbers", f"{odd} poses with NaN or infinity")


@case("B7", Obligation.MUST, "idle", "the quaternion of pose has length 1")
def _unit(window: Window) -> Finding:
    worst = max((_length(one) for one in window.need_poses(1)), key=lambda length: abs(length - 1.0))
    return holds(abs(worst - 1.0) <= 1e-3, "1, within 0.001", f"{worst:.4f}")


def _length(pose: PoseSeen) -> float:
    return math.sqrt(sum(value * value for value in pose.quaternion))


@case("B8", Obligation.SHOULD, "idle", "pose is flat: z is 0, without roll and pitch")
def _flat(window: Window) -> Finding:
    poses = window.need_poses(1)
    z_m = max(abs(one.position[2]) for one in poses)
    tilt = max(max(abs(one.quaternion[0]), abs(one.quaternion[1])) for one in poses)
    return holds(
        z_m <= 1e-3 and tilt <= _FLAT, "z = 0 and no tilt", f"z up to {z_m:g} m, x or y of the quaternion {tilt:.3g}"
    )


@case("B9", Obligation.SHOULD, "idle", "no stamp of pose is repeated")
def _once(window: Window) -> Finding:
    stamps = [one.stamp_s for one in window.need_poses()]
    return holds(len(set(stamps)) == len(stamps), "each stamp once", f"{len(stamps) - len(set(stamps))} are repeated")


@case("B10", Obligation.INFO, "reach", "the sign of w, and the greatest speed")
def _habits(window: Window) -> Finding:
    poses = window.need_poses()
    signs = sorted({"w < 0" if one.quaternion[3] < 0.0 else "w >= 0" for one in poses})
    speeds = [
        math.dist(earlier.position, later.position) / (later.stamp_s - earlier.stamp_s)
        for earlier, later in pairwise(poses[::5])
        if later.stamp_s > earlier.stamp_s
    ]
    return seen(f"{' and '.join(signs)}, at most {max(speeds, default=0.0):.2f} m/s")


@case("B11", Obligation.SHOULD, "idle", "an idle robot stands still")
def _stands(window: Window) -> Finding:
    poses = window.need_poses()
    moved_m = max(math.dist(one.position, poses[0].position) for one in poses)
    return holds(moved_m <= 0.015, "at most 15 mm in all, noise of the pose included", f"moved {moved_m * 1e3:.0f} mm")


@case("B12", Obligation.MUST, "idle", "a late subscriber receives a pose within 1 s")
def _late(window: Window) -> Finding:
    window.need_poses()
    note = next((one for one in window.events if one.body.get("late") == "late_pose"), None)
    start_s = note.at_s if note else window.span_s[0]
    heard = window.messages("late_pose")
    if not heard:
        return window.unless_busy(unmet("a pose within 1 s", "none within 1.5 s"), start_s, start_s + 1.5)
    return window.within(heard[0].at_s - start_s, 1.0, "a pose", start_s)
