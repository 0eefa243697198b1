"""Reads, resolves and checks experiment files, and varies them for each repetition."""
