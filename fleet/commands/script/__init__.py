"""The commands `thymio-fleet script ...`, which load scripts into robots through the bridge."""
