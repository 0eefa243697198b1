"""The colours of all pictures, tables and pages: colour shows a robot's state, never its identity.

Each state also has a sign, so that nothing depends on colour vision. On a light and on a dark ground the colours differ
from their ground by a contrast of at least 3 (WCAG 2.2, 1.4.11), and those for terminals from white and from black.
"""

from dataclasses import dataclass
from enum import Enum
from typing import Final


class Tone(Enum):
    """A robot's state as a colour with a sign, from the least to the most urgent.

    Parameters
    ----------
    label : name in a legend
    sign : one character
    light, dark : colours on `LIGHT_GROUND` and on `DARK_GROUND`, as "#rrggbb"
    terminal : colour in a terminal, whose background is unknown

    Attributes
    ----------
    urgency : rank from the least to the most urgent, from 0
    """

    IDLE = ("idle", "○", "#6b7480", "#8d97a1", "#7d8792")  # waiting for a task
    BUSY = ("driving", "●", "#0063a6", "#5ab0f0", "#2f7fc4")  # performing a task, or driven by hand
    STOPPED = ("stopped", "■", "#1c2024", "#e8eaed", "#808080")  # waiting to be resumed
    WARNING = ("warning", "▲", "#b87700", "#ffc933", "#b87700")  # someone should take a look
    ERROR = ("error", "◆", "#a8003a", "#ff5c6c", "#dc3c50")  # unable to continue
    LOST = ("lost", "◇", "#a8003a", "#ff5c6c", "#dc3c50")  # state or pose unknown

    def __init__(self, label: str, sign: str, light: str, dark: str, terminal: str) -> None:
        self.label = label
        self.sign = sign
        self.light = light
        self.dark = dark
        self.terminal = terminal
        self.urgency = len(type(self).__members__)


LIGHT_GROUND: Final = "#fbfbf9"
DARK_GROUND: Final = "#14171b"
INK: Final = "#1c2024"  # text, walls and goals, on the light ground
QUIET: Final = "#6b7480"  # secondary text, homes
TRACK: Final = "#949da8"  # where robots have been
PAPER: Final = "#f3f1ec"  # around a floor
OBJECT_FACE: Final = "#e6c9a3"  # an object that can be pushed
OBJECT_EDGE: Final = "#8a6a3c"
FIXTURE_FACE: Final = "#c9ced4"  # an object that never moves
FIXTURE_EDGE: Final = "#5f6770"
CHARGER_FACE: Final = "#dcefe4"
CHARGER_EDGE: Final = "#5d9c78"


@dataclass(frozen=True, slots=True)
class Theme:
    """The colours on a ground that do not show a robot's state; named like the constants above."""

    ground: str
    ink: str
    quiet: str
    track: str
    paper: str
    object_face: str
    object_edge: str
    fixture_face: str
    fixture_edge: str
    charger_face: str
    charger_edge: str


LIGHT: Final = Theme(
    LIGHT_GROUND,
    INK,
    QUIET,
    TRACK,
    PAPER,
    OBJECT_FACE,
    OBJECT_EDGE,
    FIXTURE_FACE,
    FIXTURE_EDGE,
    CHARGER_FACE,
    CHARGER_EDGE,
)
DARK: Final = Theme(
    DARK_GROUND,
    ink="#e8eaed",
    quiet="#8d97a1",
    track="#5b646f",
    paper="#0e1013",
    object_face="#5a4526",
    object_edge="#c9a468",
    fixture_face="#343a42",
    fixture_edge="#8d97a1",
    charger_face="#1f3a2b",
    charger_edge="#6fb38d",
)

# Okabe and Ito, Color universal design, 2008: for series in a diagram, distinguishable by colour-blind people
BLUE: Final = "#0072B2"
VERMILION: Final = "#D55E00"
GREEN: Final = "#009E73"
PURPLE: Final = "#CC79A7"
ORANGE: Final = "#E69F00"
SKY: Final = "#56B4E9"
SERIES: Final = (BLUE, VERMILION, GREEN, PURPLE, ORANGE, SKY)


def contrast(one: str, other: str) -> float:
    """Return the contrast of two colours by WCAG 2.2, from 1 to 21."""
    darker, lighter = sorted((_luminance(one), _luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: str) -> float:
    """Return the relative luminance of "#rrggbb"."""
    red, green, blue = (_linear(int(colour[start : start + 2], 16) / 255.0) for start in (1, 3, 5))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _linear(value: float) -> float:
    return value / 12.92 if value <= 0.04045 else float(((value + 0.055) / 1.055) ** 2.4)
