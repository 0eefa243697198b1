"""Benchmarks of the body coupler; `python -m bench.body`."""
