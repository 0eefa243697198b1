"""Fleet, link and simulator in one thread for tests: a lab whose robots stand a metre apart in a row, each at home."""

from pathlib import Path

from experiments.lab.lab import Lab, LinkEventListener
from harness.fleets import read
from simulator.world.config import load_world


def closed_loop(
    folder: Path,
    count: int = 1,
    *,
    settings: str = "",
    motors: str = "",
    world: str = "",
    tracked: bool = True,
    gains: float = 1.0,
    on_link_events: LinkEventListener = len,
) -> Lab:
    """Return a lab with `count` robots; robot k is node k.

    Parameters
    ----------
    folder
        for the two configuration files
    settings
        further lines of fleet.yaml
    motors
        further keys of the world's motors
    world
        further lines of world.yaml
    tracked
        whether motion capture, without noise, tracks the robots
    gains
        gains of the left wheels; the right ones are the inverse
    on_link_events
        as in a lab
    """
    topics = [f", pose_topic: /robot_{index + 1}" if tracked else "" for index in range(count)]
    robots = "\n".join(
        f"- {{id: {index + 1}, node_id: {index + 1}, home: {{x_m: {index + 1}, y_m: 1}}{topics[index]}}}"
        for index in range(count)
    )
    config = read(folder, f"{settings}\nrobots:\n{robots}\n")
    path = folder / "world.yaml"
    path.write_text(_world(count, motors, world, gains), encoding="utf-8")
    return Lab(config, load_world(path), on_link_events)


def _world(count: int, motors: str, world: str, gain: float) -> str:
    robots = "\n".join(
        f"- {{node_id: {index + 1}, x_m: {index + 1}, y_m: 1, left_wheel_gain: {gain}, right_wheel_gain: {1.0 / gain}}}"
        for index in range(count)
    )
    return f"""arena: {{width_m: {count + 1}, height_m: 2}}
motors: {{{motors}}}
motion_capture: {{rate_hz: 33.333, position_noise_m: 0, heading_noise_rad: 0}}
{world}
robots:
{robots}
"""
