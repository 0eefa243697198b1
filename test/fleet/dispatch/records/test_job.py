import pytest

from fleet.dispatch.records.job import Job, NamedPose, PathToFollow
from fleet.geometry import Pose2D
from fleet.tasks.task_kind import TaskKind


def test_job_is_described_by_its_kind_and_its_places() -> None:
    places = (NamedPose(Pose2D(1.0, 2.0, 0.0), "press"), NamedPose(Pose2D(0.5, 0.25, 0.0)))
    assert Job("a", TaskKind.TRANSPORT, places).words == "transport press > (0.50, 0.25)"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("eight", "follow eight"),
        (' {"shape": "straight", "size_m": 0.3}', "follow straight"),
        ("{size_m: 0.3, shape: star}", "follow star"),
        ("# shape: of our floor\nlaps: 2\nshape: 'circle'\n", "follow circle"),
        ("waypoints_m:\n- [0.0, 0.0]\n- [1.0, 0.0]\n", "follow path"),
        ("", "follow path"),
    ],
)
def test_job_that_follows_a_path_is_described_by_its_shape(text: str, words: str) -> None:
    assert Job("a", TaskKind.FOLLOW_PATH, path=PathToFollow(text)).words == words
