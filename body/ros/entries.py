"""Entry points of `rbc` and `rbc_arm`."""

from thymio_base.ros.start.ros_environment import run_program


def rbc() -> int:
    """Load and run the coupler; return its exit code."""
    return run_program("body.ros.rbc_program:main")


def rbc_arm() -> int:
    """Load and run the simulated arm; return its exit code."""
    return run_program("body.ros.arm_program:main")
