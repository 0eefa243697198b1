"""Serves the page's files, read once; no other file of the machine is served."""

import mimetypes
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Final

from aiohttp import web

from fleet.dashboard.access.request_refusal import RefusalError
from fleet.dashboard.model.reason_words import words
from fleet.dashboard.web.http_answers import json_answer, text_answer
from fleet.dashboard.web.palette_sheet import palette_sheet

_ENDINGS: Final = (".html", ".js", ".css", ".svg", ".webmanifest")
_TYPES: Final = {".js": "text/javascript", ".webmanifest": "application/manifest+json"}
_INDEX: Final = "index.html"


class PageFiles:
    """Serves the page's files, the palette and the texts.

    Parameters
    ----------
    is_fresh : whether files are read again for each request, for developers of the page
    """

    def __init__(self, *, is_fresh: bool = False) -> None:
        self._is_fresh = is_fresh
        self._files = _page_files()

    async def index(self, _: web.Request) -> web.Response:
        """Return the page."""
        return self._answer(_INDEX)

    async def file(self, request: web.Request) -> web.Response:
        """Return a file of the page."""
        return self._answer(request.match_info["file"])

    async def palette(self, _: web.Request) -> web.Response:
        """Return the palette."""
        return text_answer(palette_sheet(), "text/css")

    async def words(self, _: web.Request) -> web.Response:
        """Return all texts of the page."""
        return json_answer(words())

    def _answer(self, name: str) -> web.Response:
        files = _page_files() if self._is_fresh else self._files
        if name not in files:
            raise RefusalError(404, "The page has no such file.")
        return web.Response(body=files[name], content_type=_type_of(name), charset="utf-8")


def _page_files() -> dict[str, bytes]:
    """Return the contents of all files of the page, by relative path."""
    return dict(_below(resources.files("fleet.dashboard").joinpath("page"), ""))


def _below(folder: Traversable, path: str) -> list[tuple[str, bytes]]:
    found: list[tuple[str, bytes]] = []
    for entry in folder.iterdir():
        if entry.is_dir():
            found += _below(entry, f"{path}{entry.name}/")
        elif entry.name.endswith(_ENDINGS):
            found.append((f"{path}{entry.name}", entry.read_bytes()))
    return found


def _type_of(name: str) -> str:
    ending = name[name.rfind(".") :]
    return _TYPES.get(ending) or mimetypes.guess_type(name)[0] or "application/octet-stream"
