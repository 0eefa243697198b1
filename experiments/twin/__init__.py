"""The command `thymio-fleet twin`: fits the simulator's robot to a report of the bring-up or to a recorded run."""
