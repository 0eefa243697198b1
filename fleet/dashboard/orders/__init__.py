"""What users of the dashboard can command, and what became of it: pure."""
