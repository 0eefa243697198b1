"""The error of the twin."""

from fleet.errors import FleetError


class TwinFitError(FleetError, ValueError):
    """A twin cannot be fitted; the message says to what, why, and what to do."""
