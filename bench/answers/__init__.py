"""Counts goals whose answer or end never arrives, in cases that provoke it: python -m bench.answers."""
