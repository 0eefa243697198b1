"""The names of shapes; clients load them without numpy."""

from typing import Final

SHAPE_NAMES: Final = ("straight", "square", "star", "circle", "eight")
