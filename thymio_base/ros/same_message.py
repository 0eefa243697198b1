"""Compares two messages of ROS."""

import math
from array import array
from typing import Any


def same_message(one: Any, other: Any) -> bool:
    """Whether two messages, or values of them, have the same content; NaN is the same as NaN."""
    if one == other:
        return True
    if type(one) is not type(other):
        return False
    if isinstance(one, float):
        return math.isnan(one) and math.isnan(other)
    if isinstance(one, list | array):
        return len(one) == len(other) and all(map(same_message, one, other))
    fields = one.get_fields_and_field_types() if hasattr(one, "get_fields_and_field_types") else ()
    return bool(fields) and all(same_message(getattr(one, name), getattr(other, name)) for name in fields)
