"""Experiment files: read, resolved, checked, varied for each repetition."""
