"""Launches the simulator and the driver of its robots."""

from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, IncludeLaunchDescription
from launch.substitutions import LaunchConfiguration, PathJoinSubstitution
from launch_ros.actions import Node
from launch_ros.substitutions import FindPackageShare


def generate_launch_description() -> LaunchDescription:
    """Describe the arguments, the simulator, and the driver with the arguments of fleet.launch.py."""
    share = FindPackageShare("thymio_fleet")
    world = PathJoinSubstitution([share, "config", "world.yaml"])
    return LaunchDescription(
        [
            DeclareLaunchArgument("world", default_value=world, description="world file"),
            DeclareLaunchArgument("speed", default_value="1", description="simulated seconds per second, or max"),
            DeclareLaunchArgument("use_sim_time", default_value="false", description="needed at any speed except 1"),
            Node(
                package="thymio_fleet",
                executable="thymio_simulator",
                arguments=["--world", LaunchConfiguration("world"), "--speed", LaunchConfiguration("speed")],
                parameters=[{"use_sim_time": LaunchConfiguration("use_sim_time")}],
                output="screen",
            ),
            IncludeLaunchDescription(PathJoinSubstitution([share, "launch", "fleet.launch.py"])),
        ]
    )
