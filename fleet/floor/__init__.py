"""The floor that robots drive on: walls, areas to keep out of, room for a body; pure; imports `geometry`."""
