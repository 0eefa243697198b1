"""What users of the dashboard can command, and the outcomes: pure."""
