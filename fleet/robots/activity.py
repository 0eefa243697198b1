"""Activities of a robot, in the words that status, tables, pictures and pages share."""

from enum import Enum


class Activity(Enum):
    """A robot's current activity; the value is the word that people read."""

    IDLE = "idle"  # it is stationary, and waits for a task
    CHARGING = "charging"  # it is in a charger
    DRIVING = "driving"  # it performs a task
    STOPPING = "stopping"  # its task is being canceled
    TO_CHARGER = "to charger"  # it has no task, and drives to be charged
    GOING_HOME = "going home"  # it has no task, and drives to its home
    PARKING = "parking"  # it has no task, and drives out of the way
    GIVING_WAY = "giving way"  # it has no task, and waits or drives aside until others have passed
    TELEOP = "teleop"  # it is driven by cmd_vel
    STOPPED = "stopped"  # it waits to be resumed
    LOST = "lost"  # it cannot be reached, or its pose is not known
    SCRIPTED = "scripted"  # it runs a user's script, and takes no tasks

    @property
    def is_free(self) -> bool:
        """Whether a robot in this activity accepts a task at once."""
        return self in (Activity.IDLE, Activity.CHARGING) or self.is_errand

    @property
    def is_errand(self) -> bool:
        """Whether a robot does this on its own, without a task."""
        return self in (Activity.TO_CHARGER, Activity.GOING_HOME, Activity.PARKING, Activity.GIVING_WAY)

    @property
    def is_busy(self) -> bool:
        """Whether a robot in this activity may move at any time."""
        return self.is_errand or self in (Activity.DRIVING, Activity.STOPPING, Activity.TELEOP)
