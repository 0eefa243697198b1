"""Lines of JSON that programs append to files: what they log, and what was ordered; and the folders of these files."""
