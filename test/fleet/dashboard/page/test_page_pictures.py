"""The pictures of the documentation: the page on a desktop and on a phone, in both themes."""

import runpy
import struct
from pathlib import Path

from harness.dashboard.chromium import FleetPage

ROOT = Path(__file__).parents[4]
TOOL = runpy.run_path(str(ROOT / "tools/dashboard_picture.py"))
NAMES = ("dashboard", "dashboard_dark", "dashboard_phone", "dashboard_phone_dark")


def size_of(picture: Path) -> tuple[int, int]:
    """Return width and height from the head of a PNG."""
    data = picture.read_bytes()
    assert data.startswith(b"\x89PNG")
    width, height = struct.unpack(">2I", data[16:24])
    return width, height


def test_pictures_are_taken_at_each_size_in_each_theme(page: FleetPage, tmp_path: Path) -> None:
    TOOL["take_pictures"](page.page, tmp_path)
    pictures = [tmp_path / f"{name}.png" for name in NAMES]
    assert [size_of(picture) for picture in pictures] == [(1440, 810)] * 2 + [(390, 844)] * 2
    assert len({picture.read_bytes() for picture in pictures}) == len(NAMES)


def test_documentation_has_these_pictures() -> None:
    for name in NAMES:
        assert size_of(ROOT / "docs" / f"{name}.png") == size_of_kind(name)
        pages = [ROOT / "README.md", ROOT / "docs/dashboard.md"]
        assert any(f"{name}.png" in page.read_text(encoding="utf-8") for page in pages), name


def size_of_kind(name: str) -> tuple[int, int]:
    _, width, height = TOOL["PHONE" if "phone" in name else "DESKTOP"]
    return width, height
