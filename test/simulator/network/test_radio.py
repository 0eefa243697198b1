"""The radio between robots and dongle: latency, losses, and repeatability."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aseba_link.wire.message import Message
from simulator.errors import WorldError
from simulator.network.radio import Direction, DropoutsConfig, Radio, RadioConfig
from simulator.world.config import load_world

TICK_S = 0.01
PERFECT = RadioConfig(
    enabled=True,
    latency_s=0.0,
    jitter_s=0.0,
    loss=0.0,
    bandwidth_messages_per_s=0.0,
    queue_messages=50,
    dropouts=DropoutsConfig(mean_interval_s=0.0, duration_s=1.0),
)


def radio(seed: int = 1, **changes: object) -> Radio:
    return Radio(replace(PERFECT, **changes), np.random.default_rng(seed))


def message(number: int) -> Message:
    return Message(1, number, b"")


def delays(air: Radio, count: int, per_tick: int = 1) -> dict[int, float]:
    """Send `count` messages to robot 1; return for each number that arrived its delay in seconds."""
    sent_s, came_s = {}, {}
    for tick in range(count // per_tick + 2000):
        for number in range(tick * per_tick, min((tick + 1) * per_tick, count)):
            sent_s[number] = tick * TICK_S
            air.send_to_robots([1], message(number))
        came_s |= {arrival.message.type: tick * TICK_S for arrival in air.receive()}
        air.advance(TICK_S)
    return {number: came_s[number] - sent_s[number] for number in came_s}


def test_perfect_radio_delivers_messages_at_once() -> None:
    air = radio()
    air.send_to_robots([1, 2], message(5))
    air.send_from_robot(2, message(6))
    arrivals = [(arrival.node_id, arrival.direction, arrival.message.type) for arrival in air.receive()]
    assert arrivals == [(1, Direction.TO_ROBOT, 5), (2, Direction.TO_ROBOT, 5), (2, Direction.FROM_ROBOT, 6)]
    assert air.receive() == []


def test_latency_delays_every_message_equally() -> None:
    assert set(np.round(list(delays(radio(latency_s=0.03), 100).values()), 6)) == {0.03}


def test_jitter_spreads_delays_evenly_between_nothing_and_its_value() -> None:
    times = list(delays(radio(latency_s=0.1, jitter_s=1.0), 4000, per_tick=1).values())
    assert min(times) >= 0.1
    assert max(times) <= 1.12


def test_loss_is_the_share_of_lost_messages() -> None:
    arrived = len(delays(radio(loss=0.1), 20_000, per_tick=20))
    # three standard deviations of a binomial distribution
    assert arrived / 20_000 == pytest.approx(0.9, abs=3.0 * (0.1 * 0.9 / 20_000) ** 0.5)


def test_robots_miss_messages_independently() -> None:
    air = radio(loss=0.5)
    for number in range(200):
        air.send_to_robots([1, 2], message(number))
    arrivals = air.receive()
    received = [{arrival.message.type for arrival in arrivals if arrival.node_id == node_id} for node_id in (1, 2)]
    assert received[0] - received[1]
    assert received[1] - received[0]


def test_bandwidth_spaces_messages_out() -> None:
    times = delays(radio(bandwidth_messages_per_s=50.0), 20, per_tick=20)
    assert np.allclose(list(times.values()), [0.02 * (number + 1) for number in range(20)])


def test_messages_beyond_the_queue_limit_are_lost() -> None:
    times = delays(radio(bandwidth_messages_per_s=50.0, queue_messages=10), 100, per_tick=100)
    assert list(times) == list(range(11))


def test_message_to_many_robots_takes_one_turn() -> None:
    air = radio(bandwidth_messages_per_s=100.0)
    air.send_to_robots(range(1, 9), message(1))
    air.advance(TICK_S)
    assert len(air.receive()) == 8


@pytest.mark.slow
def test_robot_is_out_of_reach_for_the_configured_share_of_time() -> None:
    air = radio(dropouts=DropoutsConfig(mean_interval_s=9.0, duration_s=1.0))
    arrived = len(delays(air, 200_000))
    assert arrived / 200_000 == pytest.approx(0.9, abs=0.03)


@given(seed=st.integers(0, 1000), jitter_s=st.floats(0.0, 1.0), loss=st.floats(0.0, 0.9))
def test_messages_of_one_radio_link_arrive_in_order(seed: int, jitter_s: float, loss: float) -> None:
    air = radio(seed, jitter_s=jitter_s, loss=loss)
    for number in range(50):
        air.send_from_robot(1, message(number))
        air.advance(TICK_S)
    air.advance(2.0)
    numbers = [arrival.message.type for arrival in air.receive()]
    assert numbers == sorted(numbers)


def test_the_same_seed_gives_the_same_losses_and_delays() -> None:
    profile = {"latency_s": 0.02, "jitter_s": 0.1, "loss": 0.2}
    assert delays(radio(7, **profile), 500) == delays(radio(7, **profile), 500)
    assert delays(radio(7, **profile), 500) != delays(radio(8, **profile), 500)


@pytest.mark.parametrize(
    ("radio_keys", "problem"),
    [
        ("loss: 1.5", "radio.loss: 1.5 is greater than the maximum of 1"),
        ("latency_s: -1", "radio.latency_s: -1 is less than the minimum of 0"),
        ("bandwidth_messages_per_s: many", "radio.bandwidth_messages_per_s: 'many' is not of type 'number'"),
        ("dropouts: {duration_s: 0}", "radio.dropouts.duration_s: 0 is less than the minimum of 0.001"),
        ("latency_ms: 30", "radio.latency_ms: unknown key, did you mean 'latency_s'?"),
    ],
)
def test_bad_radio_value_is_reported_with_its_key(tmp_path: Path, radio_keys: str, problem: str) -> None:
    path = tmp_path / "world.yaml"
    robots = "robots: [{node_id: 1, x_m: 1, y_m: 1}]"
    path.write_text(f"arena: {{width_m: 2, height_m: 2}}\nradio: {{{radio_keys}}}\n{robots}")
    with pytest.raises(WorldError) as caught:
        load_world(path)
    assert f"world.yaml:2: {problem}" in str(caught.value)
