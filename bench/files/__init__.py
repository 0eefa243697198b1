"""Reads folders of other people's files."""
