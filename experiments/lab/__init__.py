"""The whole fleet with a simulated world in one thread, and the courses to drive; pure."""
