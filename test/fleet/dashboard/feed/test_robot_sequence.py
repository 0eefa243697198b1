"""In which order the simulator has its robots is read off the names of its entities."""

from fleet.dashboard.feed.robot_sequence import node_ids_of


def test_robots_are_found_among_objects_in_the_order_of_the_simulator() -> None:
    assert node_ids_of(["thymio_7", "thymio_12", "crate_1", "thymio_x", "thymio_07", "thymio_3"]) == (7, 12, 3)
