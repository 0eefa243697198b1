"""Results of runs as data, their summary with its tables, and the display of progress."""
