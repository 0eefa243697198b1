"""One run of an experiment: tasks, faults, what is recorded, its results; imports `file` and `summaries`."""
