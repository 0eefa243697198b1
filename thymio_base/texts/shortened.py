"""Shortens quoted texts, so that messages stay readable whatever was given."""

_LONGEST = 80  # characters


def printable(text: str) -> str:
    """Return a text with unprintable characters escaped, and half characters, which no file can hold."""
    return "".join(one if one.isprintable() else ascii(one)[1:-1] for one in text)


def shortened(text: str, longest: int = _LONGEST) -> str:
    """Return a text with its middle replaced by dots if it is longer than `longest`."""
    if len(text) <= longest:
        return text
    end = longest // 4
    return f"{text[: longest - end - 3]}...{text[-end:]}"
