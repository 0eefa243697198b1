"""Where `rbc` and `rbc_arm` begin: check the environment; Ctrl-C ends them at once while they are loaded."""

from thymio_base.ros.start.ros_environment import end_if_ros_cannot_start
from thymio_base.stop_signal import end_at_once, ended_with_its_reader


def rbc() -> int:
    """Load and run the coupler; return its exit code."""
    end_at_once()
    end_if_ros_cannot_start()
    from body.ros.rbc_program import main  # noqa: PLC0415  loading takes up to a second

    with ended_with_its_reader():
        return main()


def rbc_arm() -> int:
    """Load and run the simulated arm; return its exit code."""
    end_at_once()
    end_if_ros_cannot_start()
    from body.ros.arm_program import main  # noqa: PLC0415  loading takes up to a second

    with ended_with_its_reader():
        return main()
