"""One robot: its state machine, status, battery and teleoperation; pure; imports `tasks` and below."""
