"""Worlds as Thymio Suite saves them, and others that people have: read, with notes on what is left out or moved."""

import io
import math
import random
import zipfile
import zlib
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from experiments.checks.file_check import check_file
from experiments.checks.file_kind import FileKind
from simulator.errors import WorldError
from simulator.simulation.simulation import Simulation
from simulator.world import playground_file
from simulator.world.config import WorldConfig, load_world

ROOM = """<!DOCTYPE aseba-playground>
<aseba-playground>
  {further}
  <world w="100" h="80" {texture}/>
  <robot type="thymio2" x="50" y="40" port="33333" angle="0" name="A" nodeId="1"/>
</aseba-playground>
"""


def room(further: str = "", texture: str = "") -> str:
    return ROOM.replace("{further}", further).replace("{texture}", texture)


def picture(gray: int = 128) -> bytes:
    data = io.BytesIO()
    Image.new("L", (10, 8), gray).save(data, "png")
    return data.getvalue()


def chunk(content: bytes) -> bytes:
    """Return a chunk of a PNG; its content begins with its name."""
    return (len(content) - 4).to_bytes(4) + content + zlib.crc32(content).to_bytes(4)


def broken_picture() -> bytes:
    """Return a PNG whose pixels end within a chunk that has no name."""
    return picture()[:33] + chunk(b"IDAT" + picture()[41:46]) + chunk(b"I\xffND")


def huge_picture() -> bytes:
    """Return a PNG of a few bytes that says that it has 60 000 times 60 000 pixels."""
    return picture()[:8] + chunk(b"IHDR" + (60_000).to_bytes(4) * 2 + picture()[24:29]) + picture()[33:]


def saved(folder: Path, members: dict[str, bytes | str], name: str = "room.playground") -> Path:
    path = folder / name
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for member, content in members.items():
            archive.writestr(member, content)
    return path


def written(folder: Path, text: str) -> Path:
    path = folder / "room.playground"
    path.write_text(text, encoding="utf-8")
    return path


def notes(config: WorldConfig) -> list[str]:
    return [note.rpartition("room.playground:")[2] for note in config.notes]


def refusal(path: Path) -> str:
    with pytest.raises(WorldError) as caught:
        load_world(path)
    return str(caught.value).rpartition("room.playground: ")[2]


@pytest.mark.parametrize("name", ["world.xml", "my lab/world.xml", "lab.playground"])
def test_archive_is_read_with_its_picture(tmp_path: Path, name: str) -> None:
    beside = Path(name).parent / "floor.png"
    text = room(texture='groundTexture="floor.png"')
    path = saved(tmp_path, {"__MACOSX/world.xml": "junk", name: text, str(beside): picture(), "thymio.aesl": "x"})
    config = load_world(path)
    assert (config.arena.width_m, len(config.robots), config.notes) == (1.0, 1, ())
    assert config.ground_image is not None
    assert config.ground_image.pixels[0, 0] == pytest.approx(128 / 255)


def test_archive_needs_no_special_name(tmp_path: Path) -> None:
    assert load_world(saved(tmp_path, {"world.xml": room()}, "lab.zip")).arena.height_m == 0.8


def test_check_detects_the_kind_of_an_archive(tmp_path: Path) -> None:
    found = check_file(saved(tmp_path, {"world.xml": room("<door/>")}))
    assert (found.kind, found.mistakes, len(found.notes)) == (FileKind.WORLD, (), 1)


@pytest.mark.parametrize("texture", ["gone.png", "../secret.png", "/etc/secret.png", "a/../../secret.png"])
def test_archive_yields_only_its_own_pictures(tmp_path: Path, texture: str) -> None:
    (tmp_path / "secret.png").write_bytes(picture())
    (tmp_path / "in").mkdir()
    config = load_world(saved(tmp_path / "in", {"world.xml": room(texture=f'groundTexture="{texture}"')}))
    assert config.ground_image is None
    assert notes(config) == [f"4: groundTexture {texture!r} is not shown: the archive has no such file"]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (None, "No such file or directory"),
        (b"no picture", "not an image"),
        (b"", "not an image"),
        (b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n%%EndComments\n", "not an image"),
        (broken_picture(), "broken PNG file (chunk b'I\\xffND')"),
        (huge_picture(), "Image size (3600000000 pixels) exceeds limit"),
    ],
    ids=["gone", "text", "empty", "PostScript", "broken", "huge"],
)
def test_picture_that_cannot_be_shown_is_noted(tmp_path: Path, content: bytes | None, reason: str) -> None:
    if content is not None:
        (tmp_path / "floor.png").write_bytes(content)
    config = load_world(written(tmp_path, room(texture='groundTexture="floor.png"')))
    (note,) = notes(config)
    assert note.startswith(f"4: groundTexture 'floor.png' is not shown: {reason}")


def test_archive_without_a_world_is_refused_with_its_contents(tmp_path: Path) -> None:
    assert refusal(saved(tmp_path, {"notes.txt": "x"})) == "an archive without world.xml; it contains notes.txt"
    assert refusal(saved(tmp_path, {})).endswith("it contains nothing")


def test_small_archive_of_a_large_world_is_refused(tmp_path: Path) -> None:
    path = saved(tmp_path, {"world.xml": b" " * 5_000_000})
    assert path.stat().st_size < 100_000
    assert refusal(path) == "world.xml of the archive has more than 1000000 bytes"


def test_archive_of_many_files_is_refused(tmp_path: Path) -> None:
    path = saved(tmp_path, {f"{number}": "" for number in range(playground_file.MAX_MEMBERS + 1)})
    assert refusal(path) == "an archive of 1001 files; 1000 are allowed"


def test_directory_of_an_archive_that_is_huge_is_not_read(tmp_path: Path) -> None:
    end = b"PK\x05\x06" + bytes(8) + (19_000_000).to_bytes(4, "little") + bytes(6)
    path = tmp_path / "room.playground"
    path.write_bytes(b"PK\x03\x04" + bytes(19_000_000) + end)
    assert refusal(path) == "an archive whose directory has 19000000 bytes; 1000 files are allowed"


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_archive_of_another_compression_is_refused(tmp_path: Path, method: int) -> None:
    path = tmp_path / "room.playground"
    with zipfile.ZipFile(path, "w", method) as archive:
        archive.writestr("world.xml", room())
    assert refusal(path) == "world.xml of the archive is not compressed by Deflate"


def test_large_archive_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "room.playground"
    with path.open("wb") as file:
        file.write(b"PK\x03\x04")
        file.truncate(playground_file.MAX_ARCHIVE_BYTES + 1)
    assert refusal(path).startswith("has 20000001 bytes")


@pytest.mark.parametrize("seed", range(20))
def test_damaged_archive_is_refused_or_read(tmp_path: Path, seed: int) -> None:
    path = saved(tmp_path, {"world.xml": room(), "floor.png": picture()})
    draw, data = random.Random(seed), bytearray(path.read_bytes())
    for _ in range(3):
        data[draw.randrange(4, len(data))] = draw.randrange(256)
    path.write_bytes(data[: draw.randrange(len(data) // 2, len(data) + 1)])
    found = check_file(path)
    assert found.mistakes or found.summary.startswith("world of")


def test_named_characters_of_html_are_text(tmp_path: Path) -> None:
    further = '<description lang="en">Ports 33333&ndash;33336,&nbsp;caf&eacute; &amp; &lt;more&gt;</description>'
    assert load_world(written(tmp_path, room(further))).notes == ()


def test_other_entities_are_refused_alone(tmp_path: Path) -> None:
    with pytest.raises(WorldError) as caught:
        load_world(written(tmp_path, room("<license>&unheard;</license>")))
    assert str(caught.value).splitlines() == [f"{tmp_path}/room.playground:3: not XML: undefined entity"]


def test_description_that_is_not_xml_is_left_out(tmp_path: Path) -> None:
    further = '<description lang="de"/>\n<description lang="en"><ol><li>Push\n the box<ol></description>\n<licence/>'
    found = notes(load_world(written(tmp_path, room(further))))
    assert found == ["5: <description> is left out: not XML: mismatched tag", "6: <licence> is unknown, and left out"]


def test_metadata_and_unknown_elements_are_left_out(tmp_path: Path) -> None:
    further = '<externalLink lang="en" type="wiki" target="en:a"/><license>free</license>'
    assert notes(load_world(written(tmp_path, room(further)))) == ["3: <license> is unknown, and left out"]


def test_mistake_of_an_element_is_not_followed_by_its_consequences(tmp_path: Path) -> None:
    text = room().replace('w="100"', 'w="1OO"')
    with pytest.raises(WorldError) as caught:
        load_world(written(tmp_path, text))
    assert str(caught.value).splitlines() == [f"{tmp_path}/room.playground:4: world[0]: w='1OO' is not a number"]


def run(config: WorldConfig, steps: int = 100) -> np.ndarray:
    simulation = Simulation(config)
    for _ in range(steps):
        simulation.world.step(0.01)
    return np.array(simulation.world.poses.truth())


@pytest.mark.parametrize(
    ("further", "note"),
    [
        ('<cylinder x="52" y="40" r="3" h="5" mass="50"/>', "overlaps objects[0]; it is pushed out at the start"),
        ('<cylinder x="52" y="40" r="3" h="5"/>', "overlaps objects[0]; it is pushed out at the start"),
        ('<wall x="58" y="40" l1="2" l2="60" h="5"/>', "stands in walls[1]; it is pushed out at the start"),
    ],
)
def test_robot_that_touches_something_is_pushed_out(tmp_path: Path, further: str, note: str) -> None:
    config = load_world(written(tmp_path, room(further)))
    assert f"5: robots[0]: {note}" in notes(config)
    moved = math.dist(run(config)[0, :2], (0.5, 0.4))
    assert moved < 0.1


def test_robots_in_one_place_are_pushed_apart_and_rest(tmp_path: Path) -> None:
    second = '<robot x="50" y="40" nodeId="2"/><robot x="51" y="41" nodeId="3"/>'
    config = load_world(written(tmp_path, room(second)))
    poses = run(config)
    gaps = [math.dist(poses[first, :2], poses[second, :2]) for first, second in ((0, 1), (0, 2), (1, 2))]
    assert 0.08 < min(gaps) < max(gaps) < 0.4
    assert np.allclose(poses, run(config, 200))


def test_robot_and_object_outside_start_at_the_edge(tmp_path: Path) -> None:
    further = '<robot x="-30" y="40" angle="0" nodeId="2"/><cylinder x="99" y="200" r="3" h="5" mass="50"/>'
    config = load_world(written(tmp_path, room(further)))
    assert (config.robots[0].x_m, config.objects[0].x_m, config.objects[0].y_m) == pytest.approx((0.03, 0.97, 0.77))
    assert notes(config)[0] == "3: robots[0]: (-0.3, 0.4) is outside of the arena; it starts at (0.03, 0.4)"


def drawn(seed: int) -> str:
    """Returns a world as people draw them: bodies anywhere, even within each other or outside, and words about it."""
    draw = random.Random(seed)

    def place() -> str:
        return f'x="{draw.uniform(-10, 110):.3f}" y="{draw.uniform(-10, 90):.3f}" angle="{draw.uniform(-4, 4):.2f}"'

    parts = [
        draw.choice(
            ["", "<author name='A &amp; B'/>", "<thanks/>", "<description lang='fr'>L&rsquo;ar&egrave;ne</description>"]
        ),
        draw.choice(["", '<externalLink lang="en" type="wiki" target="x"/>', '<camera x="1"/>', "<levels/>"]),
        '<color name="c" r="0.9" g="0" b="0"/>',
        *(f'<wall {place()} l1="{draw.randint(1, 30)}" l2="2" h="5" color="c"/>' for _ in range(draw.randrange(5))),
        *(f'<cylinder {place()} r="2" h="5" mass="{draw.choice([-1, 20])}"/>' for _ in range(draw.randrange(5))),
        *(f'<robot {place()} port="{33334 + n}" nodeId="1"/>' for n in range(draw.randrange(4))),
    ]
    return room("\n".join(parts), draw.choice(["", 'groundTexture="floor.png"', 'groundTexture="map.jpg"']))


@pytest.mark.parametrize("seed", range(20))
def test_worlds_as_people_draw_them_run(tmp_path: Path, seed: int) -> None:
    text = drawn(seed)
    path = saved(tmp_path, {"world.xml": text, "floor.png": picture()}) if seed % 2 else written(tmp_path, text)
    config = load_world(path)
    poses = run(config, 20)
    assert len(poses) == len(config.robots)
    assert np.all((poses[:, :2] > -0.1) & (poses[:, :2] < (1.1, 0.9)))
