"""Experiment files: read, varied, run, recorded, summarized; imports `lab`."""
