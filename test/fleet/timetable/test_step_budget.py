from fleet.timetable.step_budget import StepBudget


def test_steps_that_were_too_many_are_missing_in_the_next_tick() -> None:
    budget = StepBudget(100)
    budget.spend(130)
    budget.refill()
    assert budget.left == 70


def test_steps_that_are_left_are_not_saved() -> None:
    budget = StepBudget(100)
    budget.spend(10)
    budget.refill()
    assert budget.left == 100


def test_budget_may_be_overdrawn_by_a_quarter() -> None:
    budget = StepBudget(100)
    budget.spend(124)
    assert budget.may_overdraw
    budget.spend(1)
    assert not budget.may_overdraw
