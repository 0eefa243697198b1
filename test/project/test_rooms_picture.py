import runpy
from pathlib import Path

ROOT = Path(__file__).parents[2]
DRAW_ROOMS = runpy.run_path(str(ROOT / "tools/draw_rooms.py"))


def test_the_picture_of_the_rooms_agrees_with_the_tree() -> None:
    drawn = (ROOT / DRAW_ROOMS["PICTURE"]).read_text(encoding="utf-8")
    is_current = drawn == DRAW_ROOMS["picture"](ROOT)
    assert is_current, "docs/rooms.svg is stale; run: python tools/draw_rooms.py"
