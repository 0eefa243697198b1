"""Shortens what a message quotes, so that the message stays readable whatever was given."""

_LONGEST = 80  # characters


def shortened(text: str, longest: int = _LONGEST) -> str:
    """Return a text, with dots instead of its middle if it is longer than `longest`."""
    if len(text) <= longest:
        return text
    end = longest // 4
    return f"{text[: longest - end - 3]}...{text[-end:]}"
