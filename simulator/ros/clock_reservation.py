"""Reserves the clock of a ROS domain on this machine for a single program."""

import socket
import struct
from typing import Final

from simulator.errors import ClockTakenError

_CREDENTIALS: Final = struct.Struct("3i")  # process, user and group


class ClockReservation:
    """A reservation that lasts until it is closed or the process ends, however it ends.

    Parameters
    ----------
    domain_id : the ROS domain

    Raises
    ------
    ClockTakenError
        Another simulator on this machine publishes the domain's clock.
    """

    def __init__(self, domain_id: int) -> None:
        name = f"\0thymio_simulator_clock_{domain_id}"  # in Linux's abstract namespace, which needs no file
        self._holder = socket.socket(socket.AF_UNIX)
        try:
            self._holder.bind(name)
        except OSError as error:
            self._holder.close()
            raise ClockTakenError(
                f"the simulator of process {_holder_of(name)}, node /thymio_simulator, already publishes /clock on ROS "
                f"domain {domain_id}: end it, set another ROS_DOMAIN_ID, or start this one with --no-clock"
            ) from error
        self._holder.listen()

    def close(self) -> None:
        """Release the clock."""
        self._holder.close()


def _holder_of(name: str) -> str:
    """Return the id of the process that holds a reservation; "?" if it has just ended."""
    with socket.socket(socket.AF_UNIX) as probe:
        try:
            probe.connect(name)
            credentials = probe.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
        except OSError:
            return "?"
    return str(_CREDENTIALS.unpack(credentials)[0])
