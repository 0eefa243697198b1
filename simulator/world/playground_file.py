"""Opens playgrounds: XML, or a ZIP archive with the XML and its pictures, as saved by Thymio Suite.

Nothing is unpacked to disk, and an archive's pictures are read from the archive only.
"""

import io
import zipfile
import zlib
from pathlib import Path, PurePosixPath

from simulator.sensors.floor import read_pixels
from simulator.world.playground import Playground, read_playground
from thymio_base.errors import TextError
from thymio_base.settings_file import MAX_SIZE_BYTES, load_bytes
from thymio_base.texts.shortened import shortened
from thymio_base.texts.user_file import read_start

MAX_ARCHIVE_BYTES = 20_000_000
MAX_MEMBERS = 1000
MAX_PICTURE_BYTES = 50_000_000  # unpacked
_MAX_DIRECTORY_BYTES = 300 * MAX_MEMBERS
_END = b"PK\x05\x06"  # starts the last part of an archive; APPNOTE.TXT 4.3.16
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # used by Thymio Suite; others let a file dictate memory use
_SIGNATURES = (b"PK\x03\x04", _END)
_SNIFFED_BYTES = 256
_DAMAGES = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    LookupError,
    NotImplementedError,
    OSError,
    RuntimeError,
    ValueError,
)


def is_playground(path: Path) -> bool:
    """Whether a file is a playground, by its name or because it contains XML or an archive; False if unreadable."""
    start = _start(path)
    return (
        path.suffix.lower() == ".playground"
        or start.startswith(_SIGNATURES)
        or start.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"<")
    )


def open_playground(path: Path) -> tuple[Playground, bytes | None]:
    """Return a playground and, from an archive, its picture; a picture that cannot be shown is noted and left out.

    Raises
    ------
    TextError
        The file is not XML, not a playground, or an archive without one.
    SettingsError
        The file cannot be read or is too large.
    """
    is_archive = _start(path).startswith(_SIGNATURES)
    data = load_bytes(path, MAX_ARCHIVE_BYTES if is_archive else MAX_SIZE_BYTES)
    archive = PlaygroundArchive(data) if is_archive else None
    playground = read_playground(data if archive is None else archive.world)
    name = playground.values.get("ground_image", {}).get("file")
    if name is None:
        return playground, None
    try:
        picture = None if archive is None else archive.picture(name)
        read_pixels(path.parent / name if picture is None else io.BytesIO(picture))
        return playground, picture
    except ValueError as error:
        del playground.values["ground_image"]
        line = playground.lines["ground_image",]
        playground.notes.append(f"{line}: groundTexture {shortened(repr(name))} is not shown: {error}")
        return playground, None


def _start(path: Path) -> bytes:
    """Return the first bytes of a file; none if it cannot be read."""
    try:
        return read_start(path, _SNIFFED_BYTES)
    except OSError:
        return b""


class PlaygroundArchive:
    """An archive with a world and the pictures beside it.

    Raises
    ------
    TextError
        The archive is damaged, encrypted or too large, or contains no world.
    """

    def __init__(self, data: bytes) -> None:
        _check_directory(data)
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(data))
        except _DAMAGES as error:
            raise TextError(f"a ZIP archive that cannot be read: {error}") from error
        if len(self._zip.infolist()) > MAX_MEMBERS:
            raise TextError(f"an archive of {len(self._zip.infolist())} files; {MAX_MEMBERS} are allowed")
        world = self._world_name()
        self._folder = PurePosixPath(world).parent
        self.world = self._content(world, MAX_SIZE_BYTES)

    def picture(self, name: str) -> bytes:
        """Return the content of a file in the archive, named relative to the world.

        Raises
        ------
        ValueError
            The archive has no such file, or it cannot be read.
        """
        member = str(self._folder / name.replace("\\", "/"))
        if member not in self._zip.namelist():
            raise ValueError("the archive has no such file")
        try:
            return self._content(member, MAX_PICTURE_BYTES)
        except TextError as error:
            raise ValueError(error.problem) from error

    def _world_name(self) -> str:
        """Return the name of world.xml or a playground; of several, the one in the fewest folders."""
        names = [name for name in self._zip.namelist() if not name.startswith("__MACOSX/")]
        found = [name for name in names if PurePosixPath(name).name == "world.xml"]
        found = found or [name for name in names if name.lower().endswith(".playground")]
        if not found:
            listed = shortened(", ".join(names)) or "nothing"
            raise TextError(f"an archive without world.xml; it contains {listed}")
        return min(found, key=lambda name: name.count("/"))

    def _content(self, name: str, most_bytes: int) -> bytes:
        if self._zip.getinfo(name).compress_type not in _METHODS:
            raise TextError(f"{shortened(name)} of the archive is not compressed by Deflate")
        try:
            with self._zip.open(name) as file:
                content = file.read(most_bytes + 1)
        except _DAMAGES as error:
            raise TextError(f"{shortened(name)} of the archive cannot be read: {error}") from error
        if len(content) > most_bytes:
            raise TextError(f"{shortened(name)} of the archive has more than {most_bytes} bytes")
        return content


def _check_directory(data: bytes) -> None:
    """Refuse an archive with a huge directory, which would take seconds and much memory to read."""
    end = data.rfind(_END)
    size = int.from_bytes(data[end + 12 : end + 16], "little") if end >= 0 else 0
    if size > _MAX_DIRECTORY_BYTES:
        raise TextError(f"an archive whose directory has {size} bytes; {MAX_MEMBERS} files are allowed")
