"""What a Thymio's sensors and battery read; pure; imports `outlines` and `numbers`."""
