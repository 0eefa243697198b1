"""One run of an experiment: tasks, faults, recording and results; imports `file` and `summaries`."""
