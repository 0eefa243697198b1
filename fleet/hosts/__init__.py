"""Claims of drivers on robots, and stops, agreed upon between hosts; pure; imports nothing."""
