"""The ROS domain of this program; loads nothing of ROS, so that it is known before ROS is loaded."""

import os
import re
from typing import Final

from thymio_base.texts.decimal_text import whole_number

HIGHEST_DOMAIN: Final = 232  # RTPS 2.2, 9.6.1.1: higher domains would have ports above 65535

_NUMBER: Final = re.compile(r"0|[1-9][0-9]{0,2}")  # ROS itself reads 010 as 8, and 5x as 5


def ros_domain_id() -> int:
    """Return the ROS domain of programs in this environment; 0 if ROS_DOMAIN_ID is unset or not a domain."""
    text = os.environ.get("ROS_DOMAIN_ID", "")
    return whole_number(text) if _is_domain(text) else 0


def domain_problem() -> str:
    """Return what is wrong with ROS_DOMAIN_ID, and the cure, in a sentence; "" if nothing is."""
    text = os.environ.get("ROS_DOMAIN_ID", "")
    if not text or _is_domain(text):
        return ""
    return f"ROS_DOMAIN_ID is {text[:40]!r}: write a whole number from 0 to {HIGHEST_DOMAIN}, or unset it"


def _is_domain(text: str) -> bool:
    return _NUMBER.fullmatch(text) is not None and whole_number(text) <= HIGHEST_DOMAIN
