import pytest

from simulator.simulation.step_fence import MOST_FAILURES, StepFence
from thymio_base.fence import Fence

pytestmark = pytest.mark.fenced


def fail() -> None:
    raise RuntimeError("broken")


def test_simulation_goes_on_after_steps_that_fail_unless_all_do() -> None:
    fence = Fence(lambda _: None)
    step = StepFence(fence)
    for _ in range(MOST_FAILURES - 1):
        step.perform(fail)
    step.perform(lambda: None)
    for _ in range(MOST_FAILURES - 1):
        step.perform(fail)
    with pytest.raises(RuntimeError, match="broken"):
        step.perform(fail)
    assert fence.total == 2 * MOST_FAILURES - 1
