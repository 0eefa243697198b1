"""The simulated-contact reacher SC: writes the joint torques that a contact would cause."""

from dataclasses import dataclass

import numpy as np

from body.control.contact import torques_of
from body.description.robot_tree import Floats
from body.errors import ReacherError
from body.kinematics.chain import KinematicChain, check_links
from body.kinematics.layout import BodyLayout
from body.memory.body_board import BodyState, Share
from body.reachers.contact_chain import at_point, torque_motions
from body.reachers.reacher import EndReason, GoalEnd, idle_share, positions


@dataclass(frozen=True, slots=True)
class Contact:
    """A wrench on a link.

    Parameters
    ----------
    link : the touched link
    point : point of contact in the link's frame, shape (3,) [m]
    wrench : force and torque at the point in the link's axes, shape (6,) [N, Nm]
    duration_s : duration of the contact; 0 means until it is canceled
    """

    link: str
    point: Floats
    wrench: Floats
    duration_s: float = 0.0


class SimContactReacher:
    """Writes the torques of a simulated wrench to the joints between a base and the touched link.

    Parameters
    ----------
    layout : the body's layout
    """

    def __init__(self, layout: BodyLayout) -> None:
        self._layout = layout
        self._base_link = layout.robot.root
        self._chain: KinematicChain | None = None
        self._motions: list[int] = []
        self.contact: Contact | None = None
        self._start_ns = 0
        self._end: GoalEnd | None = None

    @property
    def is_busy(self) -> bool:
        """Whether there is a contact."""
        return self.contact is not None

    def configure(self, base_link: str) -> None:
        """Use a base link from now on, "" for the root of the tree; a change ends the contact.

        Raises
        ------
        ReacherError
            There is no such link.
        """
        link = base_link or self._layout.robot.root
        check_links(self._layout.robot, link)
        if link != self._base_link:
            self.end(EndReason.PREEMPTED)
        self._base_link = link

    def start(self, contact: Contact, now_ns: int) -> None:
        """Start a contact; a previous contact ends.

        Raises
        ------
        ReacherError
            There is no such link, or none of the joints has a torque command.
        """
        chain = KinematicChain(self._layout, self._base_link, contact.link)
        motions = torque_motions(self._layout, chain)
        if not motions:
            raise ReacherError(f"no joint between {self._base_link} and {contact.link} has a command *_torques")
        self.end(EndReason.PREEMPTED)
        self._chain, self._motions, self.contact, self._start_ns = chain, motions, contact, now_ns

    def end(self, reason: EndReason) -> None:
        """End the contact, if there is one."""
        if self.contact is not None:
            self.contact = None
            self._end = GoalEnd(reason, np.zeros(0))

    def take_end(self) -> GoalEnd | None:
        """Return the end of the contact, once."""
        end, self._end = self._end, None
        return end

    def step(self, state: BodyState, now_ns: int) -> Share:
        """Return the torques of the contact; 0 without a contact."""
        share = idle_share(self._layout)
        contact, chain = self.contact, self._chain
        if contact is None or chain is None:
            return share
        if contact.duration_s and now_ns - self._start_ns >= contact.duration_s * 1e9:
            self.end(EndReason.REACHED)
            return share
        pose, jacobian = chain.pose_and_jacobian(positions(self._layout, state))
        columns = [chain.motions.index(one) for one in self._motions]
        shifted, turned = at_point(pose, jacobian, contact.point)[:, columns], pose[:3, :3]
        wrench = np.concatenate([turned @ contact.wrench[:3], turned @ contact.wrench[3:]])
        torques, drives = share.torques.copy(), share.drives.copy()
        torques[self._motions] = torques_of(shifted, wrench)
        drives[self._motions] = 2.0
        return Share(share.velocities, torques, drives)
