"""Writes the course as files of both simulators."""

import struct
import zlib
from pathlib import Path

import yaml

from bench.peer.course import BLACK_M, WIDTH_M, Stand, height_m

_FLOOR = "floor.png"
_CM = 100.0  # per metre


def write_world(folder: Path, stands: list[Stand]) -> Path:
    """Write the world of our simulator."""
    top_m = height_m(stands)
    black = {"x1_m": BLACK_M / 2, "y1_m": 0.0, "x2_m": BLACK_M / 2, "y2_m": top_m, "width_m": BLACK_M, "gray": 0.0}
    robots = [
        {"node_id": stand.node_id, "x_m": stand.x_m, "y_m": stand.y_m, "heading_rad": stand.heading_rad}
        for stand in stands
    ]
    path = folder / "world.yaml"
    world = {"arena": {"width_m": WIDTH_M, "height_m": top_m}, "lines": [black], "robots": robots}
    path.write_text(yaml.safe_dump(world), encoding="utf-8")
    return path


def write_playground(folder: Path, stands: list[Stand], ports: dict[int, int]) -> Path:
    """Write the world of the Aseba playground, and its floor; `ports` are the robots' ports, by id."""
    robots = "\n".join(
        f'<robot type="thymio2" x="{_CM * stand.x_m:.6f}" y="{_CM * stand.y_m:.6f}" angle="{stand.heading_rad:.8f}" '
        f'port="{ports[stand.node_id]}" nodeId="{stand.node_id}" name="robot {stand.node_id}"/>'
        for stand in stands
    )
    path = folder / "world.playground"
    path.write_text(
        f"""<!DOCTYPE aseba-playground>
<aseba-playground>
<color name="white" r="1" g="1" b="1"/>
<world w="{_CM * WIDTH_M:g}" h="{_CM * height_m(stands):g}" color="white" groundTexture="{_FLOOR}"/>
{robots}
</aseba-playground>
""",
        encoding="utf-8",
    )
    (folder / _FLOOR).write_bytes(_png_row([0, 255, 255]))  # the texture is stretched over the floor
    return path


def _png_row(grays: list[int]) -> bytes:
    """Return a picture of a single row of pixels, 8 bits each (Portable Network Graphics, ISO/IEC 15948)."""
    header = struct.pack(">IIBBBBB", len(grays), 1, 8, 0, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(bytes([0, *grays]))), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in chunks
    )
