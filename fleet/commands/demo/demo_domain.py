"""The ROS domain of simulated robots."""

import os

from thymio_base.ros.private_domain import reserve_private_domain


def choose_domain() -> None:
    """Keep the simulation on this machine and, unless set otherwise, apart from real robots with the same names."""
    if "ROS_DOMAIN_ID" not in os.environ:
        reserve_private_domain()
    os.environ.setdefault("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
