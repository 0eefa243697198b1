"""Commands on a host whose driver is so busy that it is found late."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, suppress

import pytest
from geometry_msgs.msg import PoseStamped

from fleet.client.graph_client import GraphClient
from fleet.hosts.local_drivers import FLEET_ENDING, domain_folder

DEADLINE_S = 120.0
PERIOD_S = 0.1  # between two poses


@pytest.fixture
def silent_driver() -> Iterator[socket.socket]:
    """Yield a socket of a driver that runs and answers nothing."""
    folder = domain_folder(int(os.environ["ROS_DOMAIN_ID"]))
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    path = folder / f"busy{FLEET_ENDING}"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as driver:
        driver.bind(str(path))
        driver.setblocking(False)
        try:
            yield driver
        finally:
            path.unlink(missing_ok=True)


def is_asked(driver: socket.socket) -> bool:
    with suppress(BlockingIOError):
        return bool(driver.recv(16))
    return False


def test_client_waits_longer_for_a_driver_that_runs_and_does_not_answer(silent_driver: socket.socket) -> None:
    with closing(GraphClient()) as client:
        assert client.spin_until_served(lambda: is_asked(silent_driver), 0.05)


def test_client_does_not_wait_longer_without_a_driver() -> None:
    with closing(GraphClient()) as client:
        assert not client.spin_until_served(lambda: False, 0.05)


def test_view_waits_for_poses_while_a_driver_runs(silent_driver: socket.socket) -> None:
    command = [sys.executable, "-m", "fleet.commands.main", "view", "--once", "--poses", "fleet"]
    pose = PoseStamped()
    pose.header.frame_id, pose.pose.orientation.w = "map", 1.0
    with (
        closing(GraphClient()) as client,
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as view,
    ):
        deadline_s = time.monotonic() + DEADLINE_S
        # the command asks the drivers of this host when it has found no poses: they are published from then on
        while not is_asked(silent_driver):
            assert view.poll() is None, view.communicate()
            assert time.monotonic() < deadline_s, "the command does not ask the driver"
            client.spin_until(lambda: False, PERIOD_S)
        publisher = client.node.create_publisher(PoseStamped, "/factory/robot_1/pose", 10)
        while view.poll() is None:
            assert time.monotonic() < deadline_s, "the command does not end"
            publisher.publish(pose)
            client.spin_until(lambda: False, PERIOD_S)
        printed, complaint = view.communicate()
    assert view.returncode == 0, complaint
    assert "1 robot" in printed
