"""Benchmarks; each is a program that prints its measurements, with ratios taken in one run."""
