"""The commands `thymio-fleet world ...`, which control the running simulator through its services."""
