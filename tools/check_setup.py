"""Imports what the virtual environment was made for; an ImportError tells what is broken."""

import pyaseba
import rclpy
from ricaip_interfaces.action import TaskGoHome, TaskGoTo, TaskTransport
from ricaip_interfaces.srv import AssignedTask

import aseba_link
import fleet
import simulator

rclpy.init(args=[])
for interface in (TaskGoTo, TaskGoHome, TaskTransport, AssignedTask):
    interface.__class__.__import_type_support__()  # the compiled part
rclpy.shutdown()
print("found", aseba_link, fleet, simulator, pyaseba, sep="\n")
