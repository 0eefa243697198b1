"""Reads, varies, runs, records and summarizes experiments from files; imports `lab`."""
