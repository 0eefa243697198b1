"""The page draws poses 100 ms after their frames, without jumps and without extrapolation."""

import pytest

from harness.dashboard.chromium import FleetPage

# Twenty frames a second; robot 1 has a new pose in every second one, robot 2 in the others. Both stand, then drive.
DRAWN = """async (speed_mps) => {
    const { FrameBuffer } = await import("/page/core/frames.js");
    const frames = new FrameBuffer();
    const row = (id, time_s) => {
        const x = speed_mps * Math.max(time_s - 1, 0);
        return [id, { id, level: 0, tone: "busy", x, y: 0, heading: 0, age_s: 0 }];
    };
    const drawn = [];
    for (let step = 0; step < 60; step += 1) {
        const time_s = 0.05 * step;
        const rows = new Map([row(1, 0.1 * Math.floor(step / 2)), row(2, 0.1 * Math.floor((step - 1) / 2) + 0.05)]);
        frames.take({ number: step, time_s, isStopped: false, rows, truths: new Map() }, 1000 * time_s);
        for (let now_ms = 1000 * time_s; now_ms < 1000 * time_s + 49; now_ms += 10) {
            const shown = frames.at(now_ms).rows;
            drawn.push([now_ms / 1000, shown.get(1).x, shown.get(2).x]);
        }
    }
    return drawn;
}"""


@pytest.mark.parametrize("robot", [1, 2])
def test_robots_whose_poses_come_in_turn_move_evenly(page: FleetPage, robot: int) -> None:
    drawn = {one[0]: one[robot] for one in page.evaluate(DRAWN, 0.2) if one[0] > 1.3}
    assert list(drawn.values()) == pytest.approx([0.2 * (time_s - 1.1) for time_s in drawn], abs=1e-9)
    assert len(drawn) > 100
