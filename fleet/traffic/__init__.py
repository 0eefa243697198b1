"""Traffic on the floor: who is where when, ways that meet nobody; pure; imports `trajectories` and below."""
