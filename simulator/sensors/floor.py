"""The picture on the floor: the gray at each point, averaged over a ground sensor's window."""

import math
import struct
import warnings
import zlib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray
from PIL import Image, UnidentifiedImageError

from simulator.sensors.ground import WINDOW_M
from thymio_base.texts.user_file import read_start

Array = NDArray[np.float64]

MAX_PIXELS = 50_000_000
_FORMATS = ("PNG", "JPEG", "BMP", "GIF", "PPM", "TIFF", "WEBP")  # for some others the library starts other programs
_FINE_PIXELS = 4_000_000  # the pixels of smaller pictures are split up to this number
_COARSE_PIXELS = 8_000_000  # the pixels of larger pictures are averaged
_DAMAGES = (  # raised by the library for broken files
    ArithmeticError,
    AttributeError,
    EOFError,
    Image.DecompressionBombError,
    LookupError,
    MemoryError,
    NotImplementedError,
    OSError,
    SyntaxError,
    TypeError,
    ValueError,
    struct.error,
    zlib.error,
)
_REACH = 3.0  # windows end at this many standard deviations


@dataclass(frozen=True, slots=True, eq=False)
class FloorImage:
    """A picture on the floor; `pixels` is (h, w), from 0 (black) to 1 (white); the first row has the largest y."""

    pixels: Array
    x_m: float  # of the lower-left corner
    y_m: float
    width_m: float
    height_m: float


def read_pixels(source: Path | BinaryIO) -> Array:
    """Return the gray values of an image file, (h, w), top row first; transparent pixels are white.

    Pixels of large pictures are averaged in squares, so that a file of a few kilobytes cannot take gigabytes.

    Raises
    ------
    ValueError
        The file cannot be read, is not an image, or has too many pixels; the message says why.
    """
    try:
        if isinstance(source, Path):
            read_start(source, 1)  # raises OSError unless it is a file
        with warnings.catch_warnings(action="ignore"), Image.open(source, formats=_FORMATS) as image:
            if image.width * image.height > MAX_PIXELS:
                raise ValueError(f"has {image.width} x {image.height} pixels; {MAX_PIXELS} are allowed")
            side = math.isqrt((image.width * image.height - 1) // _COARSE_PIXELS) + 1
            colored = image.convert("RGBA").reduce(side)
            drawn = Image.alpha_composite(Image.new("RGBA", colored.size, "white"), colored)
            return np.asarray(drawn.convert("L"), dtype=float) / 255.0
    except UnidentifiedImageError as error:
        raise ValueError("not an image") from error
    except _DAMAGES as error:
        raise ValueError(getattr(error, "strerror", None) or str(error) or type(error).__name__) from error


class Floor:
    """The gray of the floor beneath the lines.

    Parameters
    ----------
    gray : of the floor outside the picture
    image : the picture
    """

    def __init__(self, gray: float, image: FloorImage | None) -> None:
        self._gray = gray
        self._image = None if image is None else _refined(image)
        self._blurred: Array = np.zeros((0, 0)) if self._image is None else _blurred(self._image, gray)

    @property
    def is_plain(self) -> bool:
        """Whether there is no picture."""
        return self._image is None

    def gray(self, points_m: Array) -> Array:
        """Return the mean gray in the window around each point; (..., 2) to (...)."""
        if self._image is None:
            return np.full(points_m.shape[:-1], self._gray, dtype=float)
        column, row = _pixel_places(self._image, points_m)
        height, width = self._blurred.shape
        left = np.clip(np.floor(column), 0, width - 2).astype(np.intp)
        top = np.clip(np.floor(row), 0, height - 2).astype(np.intp)
        right_share, low_share = np.clip(column - left, 0.0, 1.0), np.clip(row - top, 0.0, 1.0)
        upper = _between(self._blurred[top, left], self._blurred[top, left + 1], right_share)
        lower = _between(self._blurred[top + 1, left], self._blurred[top + 1, left + 1], right_share)
        return _between(upper, lower, low_share)


def _between(one: Array, other: Array, share: Array) -> Array:
    return one + share * (other - one)


def _refined(image: FloorImage) -> FloorImage:
    """Split pixels larger than half a window, because gray is interpolated between pixels."""
    rows, columns = image.pixels.shape
    most = max(1, math.isqrt(_FINE_PIXELS // image.pixels.size))
    down = min(most, math.ceil(image.height_m / rows / (0.5 * WINDOW_M)))
    across = min(most, math.ceil(image.width_m / columns / (0.5 * WINDOW_M)))
    return replace(image, pixels=image.pixels.repeat(down, axis=0).repeat(across, axis=1))


def _frame(image: FloorImage) -> tuple[int, int]:
    """Return how many rows and columns of bare floor to add around a picture, so that its edge is blurred too."""
    rows, columns = image.pixels.shape
    reach_m = _REACH * WINDOW_M
    return int(np.ceil(reach_m * rows / image.height_m)) + 1, int(np.ceil(reach_m * columns / image.width_m)) + 1


def _pixel_places(image: FloorImage, points_m: Array) -> tuple[Array, Array]:
    """Return column and row of each point relative to the centres of the pixels, frame included."""
    rows, columns = image.pixels.shape
    above, aside = _frame(image)
    column = (points_m[..., 0] - image.x_m) / image.width_m * columns - 0.5 + aside
    row = (image.y_m + image.height_m - points_m[..., 1]) / image.height_m * rows - 0.5 + above
    return column, row


def _blurred(image: FloorImage, gray: float) -> Array:
    """Return the picture and its frame of bare floor, blurred by the Gaussian window at each pixel."""
    above, aside = _frame(image)
    rows, columns = image.pixels.shape
    framed = np.pad(image.pixels, ((above, above), (aside, aside)), constant_values=gray)
    framed = _smoothed(framed, WINDOW_M * rows / image.height_m)
    return np.ascontiguousarray(_smoothed(framed.T, WINDOW_M * columns / image.width_m).T)


def _smoothed(table: Array, deviation: float) -> Array:
    """Return the table smoothed along its columns: each row is the normally weighted mean of its neighbours."""
    reach = int(np.ceil(_REACH * deviation))
    weights = np.exp(-0.5 * (np.arange(-reach, reach + 1) / max(deviation, 1e-9)) ** 2)
    weights /= weights.sum()
    padded = np.pad(table, ((reach, reach), (0, 0)), mode="edge")
    smoothed: Array = np.zeros_like(table)
    for offset, weight in enumerate(weights.tolist()):
        smoothed += weight * padded[offset : offset + len(table)]
    return smoothed
