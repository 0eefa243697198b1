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


def test_long_work_leaves_a_quarter_of_a_tick_to_work_that_cannot_be_divided() -> None:
    assert StepBudget(1000).share() == 750


def test_long_tasks_share_a_tick_equally_from_the_second_tick_on() -> None:
    budget = StepBudget(1000)
    for _ in range(5):
        budget.share()
    budget.refill()
    assert [budget.share() for _ in range(5)] == [200] * 5


def test_long_work_goes_on_a_little_in_a_tick_that_is_used_up() -> None:
    budget = StepBudget(1000)
    budget.spend(1000)
    assert budget.share() == 50
    budget.spend(251)
    assert budget.share() == 0


def test_steps_are_kept_in_the_next_tick_for_what_cannot_be_divided() -> None:
    budget, owner = StepBudget(1000), object()
    assert not budget.reserve(600, owner)
    budget.refill()
    assert budget.left == 400
    assert budget.reserve(600, owner)
    assert budget.left == 1000


def test_only_one_owner_has_steps_kept_in_a_tick() -> None:
    budget, owners = StepBudget(1000), [object(), object()]
    granted = []
    for _ in range(4):
        granted.append([budget.reserve(600, owner) for owner in owners])
        budget.refill()
    assert granted == [[False, False], [True, False], [False, True], [False, False]]


def test_steps_that_are_kept_for_an_owner_who_does_not_come_are_lost_for_one_tick_only() -> None:
    budget = StepBudget(1000)
    budget.reserve(600, object())
    budget.refill()
    budget.refill()
    assert budget.left == 1000
