"""Launches the driver alone, for robots or a simulator that are already running."""

from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument
from launch.substitutions import LaunchConfiguration, PathJoinSubstitution
from launch_ros.actions import Node
from launch_ros.substitutions import FindPackageShare


def generate_launch_description() -> LaunchDescription:
    """Describe the arguments and the driver."""
    shipped = PathJoinSubstitution([FindPackageShare("thymio_fleet"), "config", "fleet.yaml"])
    return LaunchDescription(
        [
            DeclareLaunchArgument("config", default_value=shipped, description="fleet file"),
            DeclareLaunchArgument("log_level", default_value="info", description="debug, info, warn, error or fatal"),
            DeclareLaunchArgument("use_sim_time", default_value="false", description="follow the simulator's /clock"),
            Node(
                package="thymio_fleet",
                executable="multi_thymio_driver",
                arguments=["--config", LaunchConfiguration("config")],
                parameters=[{"use_sim_time": LaunchConfiguration("use_sim_time")}],
                ros_arguments=["--log-level", LaunchConfiguration("log_level")],
                output="screen",
            ),
        ]
    )
