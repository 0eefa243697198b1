"""Waits for the readers of publishers: what is published before a reader is matched never reaches it."""

import time
from collections.abc import Iterable
from typing import Final

from rclpy.publisher import Publisher

_LOOK_S: Final = 0.01


def wait_for_readers(publishers: Iterable[Publisher], timeout_s: float = 30.0) -> list[str]:
    """Wait until each publisher has a reader; return the topics of those that have none in time."""
    end_s = time.monotonic() + timeout_s
    unread = list(publishers)
    while unread := [one for one in unread if not one.get_subscription_count()]:
        if time.monotonic() > end_s:
            break
        time.sleep(_LOOK_S)
    return [one.topic_name for one in unread]
