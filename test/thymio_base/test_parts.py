"""WorkInParts in parts: the same result, whoever runs it, and as many parts at a time as its owner wants."""

import pytest

from thymio_base.parts import Parts, WorkInParts, batches, begun, finished


def counted(parts: int, done: list[int]) -> Parts[str]:
    for number in range(parts):
        done.append(number)
        yield
    return "result"


@pytest.mark.parametrize("parts", [0, 1, 5])
def test_finished_work_returns_its_result(parts: int) -> None:
    done: list[int] = []
    assert finished(counted(parts, done)) == "result"
    assert len(done) == parts


def test_each_call_does_one_part() -> None:
    done: list[int] = []
    work = WorkInParts(counted(2, done))
    assert (work.do_part(), done, work.is_over) == (True, [0], False)
    assert (work.do_part(), done) == (True, [0, 1])
    assert (work.do_part(), work.is_over, work.result) == (False, True, "result")


@pytest.mark.parametrize(("most", "batch_count"), [(1, 6), (2, 3), (4, 1), (100, 0)])
def test_batches_end_once_the_measure_has_grown(most: int, batch_count: int) -> None:
    done: list[int] = []
    work = WorkInParts(batches(counted(6, done), lambda: len(done), most))
    pauses = 0
    while work.do_part():
        pauses += 1
    assert (pauses, len(done), work.result) == (batch_count, 6, "result")


@pytest.mark.parametrize(("first", "pauses"), [(1, 5), (3, 3), (5, 1), (6, 0), (100, 0)])
def test_first_parts_of_a_started_work_count_as_one(first: int, pauses: int) -> None:
    done: list[int] = []
    work = WorkInParts(begun(counted(5, done), first))
    paused = []
    while work.do_part():
        paused.append(len(done))
    assert (len(paused), paused[:1], work.result) == (pauses, [first][:pauses], "result")


def test_exception_of_a_part_reaches_the_owner() -> None:
    def broken() -> Parts[None]:
        yield
        raise ValueError("a defect")

    work = WorkInParts(broken())
    assert work.do_part()
    with pytest.raises(ValueError, match="a defect"):
        work.do_part()
