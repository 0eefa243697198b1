"""Records survive their way into a book and back."""

import json

from hypothesis import given
from hypothesis import strategies as st

from fleet.dispatch.records.job import Job, JobState
from fleet.dispatch.records.job_record import Attempt, Hold, JobEnd, JobRecord
from fleet.dispatch.records.record_values import record_from_values, record_to_values
from fleet.geometry import Pose2D
from fleet.reason import Explanation, Reason
from fleet.tasks.task_kind import TaskKind
from fleet.work.work import PathWish, Place, Work
from harness.route_legs import route_legs

numbers = st.floats(-10, 10)
instants = st.integers(0, 2**62)
explanations = st.builds(Explanation, st.sampled_from(Reason), st.text(max_size=20))
jobs = st.builds(
    Job,
    job_id=st.text(min_size=1, max_size=20),
    work=st.builds(
        Work,
        kind=st.sampled_from(TaskKind),
        places=st.lists(st.builds(Place, st.builds(Pose2D, numbers, numbers, numbers), st.text(max_size=9))).map(tuple),
        path=st.none() | st.builds(PathWish, st.text(max_size=30), numbers, st.integers(0, 9), st.text(max_size=9)),
        route=st.lists(route_legs(), max_size=3).map(tuple),
    ),
    robots=st.lists(st.integers(1, 99)).map(tuple),
    priority=st.integers(0, 9),
    not_before_ns=instants,
    deadline_ns=instants,
    after=st.lists(st.text(max_size=9)).map(tuple),
)
records = st.builds(
    JobRecord,
    job=jobs,
    number=instants,
    submitted_ns=instants,
    behind=st.text(max_size=9),
    hold=st.sampled_from(Hold),
    loaded_robot=st.none() | st.integers(1, 99),
    attempt_count=st.integers(0, 9),
    attempt=st.none() | st.builds(Attempt, st.integers(1, 99), st.text(), st.just(0), st.integers(0, 3), instants),
    is_canceling=st.booleans(),
    failures=st.lists(st.tuples(st.integers(1, 99), explanations), max_size=3),
    robot_id=st.none() | st.integers(1, 99),
    end=st.none() | st.builds(JobEnd, st.sampled_from(JobState), instants, st.none() | explanations),
    original=st.none() | jobs,
)


@given(records)
def test_a_record_is_the_same_after_its_way_through_json(record: JobRecord) -> None:
    assert record_from_values(json.loads(json.dumps(record_to_values(record)))) == record


@given(records)
def test_a_record_of_an_earlier_version_reads_as_an_unchanged_job(record: JobRecord) -> None:
    values = record_to_values(record)
    del values["original"]
    assert record_from_values(values).submitted == record.job
