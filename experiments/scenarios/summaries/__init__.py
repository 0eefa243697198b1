"""Results of runs as data, their summary over all runs, its tables, and the progress shown meanwhile."""
