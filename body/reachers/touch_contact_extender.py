"""The touch-contact extender TC: estimates the force or wrench at a contact from the joints' external torques."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from body.control.contact import WrenchEstimate, estimate_wrench
from body.description.robot_tree import Floats
from body.errors import ReacherError
from body.kinematics.chain import KinematicChain, check_links
from body.kinematics.layout import BodyLayout
from body.memory.body_board import BodyState
from body.reachers.contact_chain import at_point
from body.reachers.reacher import positions

TORQUE_STATE: Final = "torque"  # name of the state variables with external torques
_AXES: Final = ("fx", "fy", "fz", "tx", "ty", "tz")
OUTPUT_NAMES: Final = (*_AXES, *(f"std_{axis}" for axis in _AXES), "force")


@dataclass(frozen=True, slots=True)
class TouchSettings:
    """Settings of a touch-contact extender.

    Parameters
    ----------
    base_link : base of the joints that feel the contact; "" means the root
    contact_link : touched link; "" means the link of the latest point
    has_torque : whether the contact may also apply a torque
    noise_nm : standard deviation of the torques: one for all joints, or one for each joint between the links
    """

    base_link: str = ""
    contact_link: str = ""
    has_torque: bool = False
    noise_nm: tuple[float, ...] = (0.05,)


class TouchContactExtender:
    """Estimates the wrench at a point of a link, in the axes of the link.

    Parameters
    ----------
    layout : the body's layout
    """

    output_names = OUTPUT_NAMES

    def __init__(self, layout: BodyLayout) -> None:
        self._layout = layout
        self._settings = TouchSettings()
        self.link = ""
        self.point = np.zeros(3)
        self._chain: KinematicChain | None = None
        self._columns: list[int] = []
        self._variables: list[int] = []
        self._zero: dict[int, float] = {}

    def configure(self, settings: TouchSettings) -> None:
        """Use other settings from now on.

        Raises
        ------
        ReacherError
            There is no such link, or the noise does not fit the joints.
        """
        check_links(self._layout.robot, *filter(None, (settings.base_link, settings.contact_link)))
        before, self._settings = self._settings, settings
        try:
            self._use(settings.contact_link or self.link)
        except ReacherError:
            self._settings = before
            raise

    def touch(self, link: str, point: Floats) -> None:
        """Set the point of contact, in the frame of a link, shape (3,) [m].

        Raises
        ------
        ReacherError
            There is no such link, it is not `contact_link`, no joint feels it, or the point is not finite.
        """
        wanted = self._settings.contact_link
        if wanted and link != wanted:
            raise ReacherError(f"the contact is on {link}, and the parameter contact_link is {wanted}")
        if not np.isfinite(point).all():
            raise ReacherError("the point of contact is not finite")
        self._use(link)
        self.point = point

    def tare(self, state: BodyState) -> None:
        """Take the present torques as zero: as those without a contact."""
        self._zero = {
            index: float(state.values[index])
            for index, variable in enumerate(self._layout.variables)
            if variable.name == TORQUE_STATE and not variable.is_command and state.stamps_ns[index] > 0
        }

    def estimate(self, state: BodyState, now_ns: int) -> WrenchEstimate | None:
        """Return the wrench in the link's axes; None before a contact is set, and while torques are unknown."""
        chain = self._chain
        if chain is None or not self._are_known(state, now_ns):
            return None
        pose, jacobian = chain.pose_and_jacobian(positions(self._layout, state))
        shifted = at_point(pose, jacobian, self.point)[:, self._columns]
        turned = np.concatenate([pose[:3, :3].T @ shifted[:3], pose[:3, :3].T @ shifted[3:]])
        torques = np.array([state.values[index] - self._zero.get(index, 0.0) for index in self._variables])
        return estimate_wrench(turned, torques, self._noise(), has_torque=self._settings.has_torque)

    def outputs(self, estimate: WrenchEstimate) -> Floats:
        """Return the outputs, in the order of `output_names`."""
        strength = float(np.linalg.norm(estimate.wrench[:3]))
        return np.concatenate([estimate.wrench, estimate.deviations, [strength]])

    def _are_known(self, state: BodyState, now_ns: int) -> bool:
        timeouts = [round(self._layout.variables[index].timeout_s * 1e9) for index in self._variables]
        stamps = state.stamps_ns[self._variables]
        return bool(((stamps > 0) & (now_ns - stamps <= timeouts)).all())

    def _noise(self) -> Floats:
        given = self._settings.noise_nm
        return np.array(given * len(self._columns) if len(given) == 1 else given)

    def _use(self, link: str) -> None:
        if not link:
            self._chain = None
            return
        chain = KinematicChain(self._layout, self._settings.base_link or self._layout.robot.root, link)
        columns, variables = [], []
        for column, motion in enumerate(chain.motions):
            index = self._layout.variable_index(f"{self._layout.motions[motion].joint}/{TORQUE_STATE}")
            if index is not None:
                columns.append(column)
                variables.append(index)
        if not columns:
            raise ReacherError(f"no joint between the base and {link} has a state {TORQUE_STATE!r}")
        given = len(self._settings.noise_nm)
        if given not in (1, len(columns)):
            raise ReacherError(f"noise_nm has {given} numbers; write 1, or {len(columns)} for the joints to {link}")
        self._chain, self._columns, self._variables, self.link = chain, columns, variables, link
