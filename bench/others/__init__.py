"""Other simulators, each run in a process of its own: python -m bench.others.with_ir_sim ROBOTS SECONDS."""
