"""Moves a link of any coupled body to a point: python reach.py BASE_LINK END_LINK X Y Z, in the frame of BASE_LINK."""

import sys

from body.body_client import BodyClient, pose_goal

base_link, end_link = sys.argv[1:3]
with BodyClient("reach") as body:
    body.add_re("VF", "VF0")
    settings = {"base_link": base_link, "end_link": end_link, "speed_mps": 0.1, "default_precision_m": 0.005}
    body.set_params("VF0", settings | {"task_weights": [1.0, 1.0, 1.0, 0.0, 0.0, 0.0], "weight": 1.0})
    result = body.execute_action("VF0", pose_goal([float(text) for text in sys.argv[3:]]))
    print(result.reason)
    body.remove_re("VF0")
