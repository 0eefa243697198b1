"""Reads folders of files that other people have made."""
