"""Where a robot shall drive, and when: paths made of pieces, and trajectories, which are paths with times."""
