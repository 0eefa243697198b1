"""The control laws as fleet.yaml has them by default."""

from aseba_link.settings import check_values
from fleet.config import config_schema
from fleet.tracker_config import ActuationConfig, build_tracker_config

_PARTS = config_schema()["properties"]
TRACKER = build_tracker_config(check_values("tracker", {}, _PARTS["tracker"]))
ACTUATION = ActuationConfig(**check_values("actuation", {}, _PARTS["actuation"]))
