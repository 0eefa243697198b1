"""Reserves each robot under manual driving for one session at a time."""

from typing import Final

_RELEASED_NS: Final = 700_000_000  # after the last command; the robot itself stops after 0.5 s


class DriveClaims:
    """The robots driven by hand, each with its session."""

    def __init__(self) -> None:
        self._claims: dict[int, tuple[str, int]] = {}

    def claim(self, robot_id: int, session: str, now_ns: int) -> str | None:
        """Claim a robot; return None, or the session that already drives it."""
        holder, since_ns = self._claims.get(robot_id, (session, now_ns))
        if holder != session and now_ns - since_ns < _RELEASED_NS:
            return holder
        self._claims[robot_id] = session, now_ns
        return None

    def holders(self, now_ns: int) -> dict[str, str]:
        """Return the session that drives each robot now, by robot ID."""
        self._claims = {robot_id: claim for robot_id, claim in self._claims.items() if now_ns - claim[1] < _RELEASED_NS}
        return {str(robot_id): session for robot_id, (session, _) in self._claims.items()}
