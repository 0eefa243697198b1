"""Shortens what a message quotes, so that the message stays readable whatever was given."""

_LONGEST = 80  # characters


def printable(text: str) -> str:
    """Return a text with escapes for what cannot be printed, and for halves of characters, which no file can hold."""
    return "".join(one if one.isprintable() else ascii(one)[1:-1] for one in text)


def shortened(text: str, longest: int = _LONGEST) -> str:
    """Return a text, with dots instead of its middle if it is longer than `longest`."""
    if len(text) <= longest:
        return text
    end = longest // 4
    return f"{text[: longest - end - 3]}...{text[-end:]}"
