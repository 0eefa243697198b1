"""Benchmarks; each is a program that prints what it measured, with ratios taken in one run."""
