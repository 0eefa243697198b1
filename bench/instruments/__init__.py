"""The instruments of benchmarks: lateness, growth, process usage, an observer of the fleet."""
