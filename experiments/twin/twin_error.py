"""The error of the twin's fit."""

from fleet.errors import FleetError


class TwinFitError(FleetError, ValueError):
    """A twin cannot be fitted; the message names the data, the reason and the cure."""
