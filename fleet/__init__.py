"""The fleet: what each robot is asked to do, where it is, and how its wheels get it there."""
