"""Traffic on the floor: the timetable, ways without conflicts, right of way. Pure; imports `trajectories` and below."""
