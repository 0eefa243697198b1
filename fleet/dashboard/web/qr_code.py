"""QR codes for phones."""

import io

import segno


def qr_svg(text: str) -> bytes:
    """Return the QR code of a text as SVG, black on white with its quiet zone, as scanners need."""
    buffer = io.BytesIO()
    code = segno.make(text, error="m", micro=False)
    code.save(buffer, kind="svg", scale=8, dark="#000", light="#fff", xmldecl=False, svgclass=None, lineclass=None)
    return buffer.getvalue()


def qr_terminal(text: str) -> str:
    """Return the QR code of a text as lines for a terminal."""
    buffer = io.StringIO()
    segno.make(text, error="m", micro=False).terminal(buffer, compact=True)
    return buffer.getvalue()
