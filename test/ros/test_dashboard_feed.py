"""The dashboard's feed reads robots of any server."""

from diagnostic_msgs.msg import DiagnosticStatus, KeyValue

from fleet.dashboard.feed.ros_feed import RosFeed
from fleet.dashboard.model.story import Story
from fleet.interface.quality import STATUS_QOS
from harness.ros.program import program

ROBOTS = range(1, 51)
STEP_NS = 50_000_000


def test_statuses_of_more_robots_than_are_read_in_a_step_all_arrive() -> None:
    with program("server") as server, program("page") as page:
        for robot_id in ROBOTS:
            name = f"/factory/robot_{robot_id}/status"
            status = DiagnosticStatus(level=b"\0", values=[KeyValue(key="busy", value="no")])
            server.node.create_publisher(DiagnosticStatus, name, STATUS_QOS).publish(status)
        story, feed, instants = Story(0), RosFeed(page.node), iter(range(0, 10**12, STEP_NS))

        def has_all() -> bool:
            feed.take(story, next(instants))
            return [robot.robot_id for robot in story.picture if robot.report.word == "idle"] == list(ROBOTS)

        server.spin_until(has_all, "statuses of all robots")
