"""Other simulators, each run in a separate process: python -m bench.others.with_ir_sim ROBOTS SECONDS."""
