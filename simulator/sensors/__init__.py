"""The readings of a Thymio's sensors and battery; pure; imports `outlines` and `numbers`."""
