"""The floor that robots drive on: walls, keep-out areas, room for a body; pure; imports `geometry`."""
