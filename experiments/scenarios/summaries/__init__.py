"""The summary of an experiment: computed over all runs, printed, and the progress shown meanwhile."""
