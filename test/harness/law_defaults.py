"""The default control laws of fleet.yaml."""

from fleet.control.tracker_config import ActuationConfig, build_tracker_config
from fleet.settings.config import config_schema
from thymio_base.settings_file import check_values

_PARTS = config_schema()["properties"]
TRACKER = build_tracker_config(check_values("tracker", {}, _PARTS["tracker"]))
ACTUATION = ActuationConfig(**check_values("actuation", {}, _PARTS["actuation"]))
