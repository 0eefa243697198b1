"""HTTP answers: JSON, errors in a common shape, and the headers of every answer."""

from html import escape
from typing import Any, Final

from aiohttp import web

SECURITY_HEADERS: Final = {
    "Content-Security-Policy": "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
    "Server": "thymio_fleet",
}
_CODES: Final = {
    400: "bad_request",
    401: "no_key",
    403: "not_allowed",
    404: "not_found",
    405: "wrong_method",
    409: "conflict",
    413: "too_large",
    415: "not_json",
    421: "wrong_host",
    429: "too_many",
    500: "internal",
    503: "no_server",
}


def error_answer(status: int, text: str) -> web.Response:
    """Return an error in the common shape."""
    return json_answer({"error": {"code": _CODES.get(status, "failed"), "text": text}}, status)


def refused_key_answer(status: int, text: str) -> web.Response:
    """Return an HTML page for a person who opened an address with an invalid key."""
    page = f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Thymio fleet</title><link rel="stylesheet" href="/palette.css">
<link rel="stylesheet" href="/page/style.css"></head><body class="note">
<p>{escape(text)} A key that the dashboard prints works once, in one browser.</p>
<p><a href="/">Open the page without a key</a>: a browser that has used one keeps its role.
On the dashboard's own machine, others may look on.
For another key, enter <code>thymio-fleet dashboard</code>, with <code>--role teacher</code> if you need that role.</p>
</body></html>
"""
    return web.Response(text=page, content_type="text/html", status=status)


def json_answer(values: Any, status: int = 200) -> web.Response:
    """Return values as JSON."""
    return web.json_response(values, status=status)


def binary_answer(data: bytes) -> web.Response:
    """Return binary data."""
    return web.Response(body=data, content_type="application/octet-stream")


def text_answer(text: str, content_type: str) -> web.Response:
    """Return a text."""
    return web.Response(text=text, content_type=content_type)
