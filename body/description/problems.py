"""Collects the problems of a URDF while its attributes are read."""

from collections.abc import Sequence
from contextlib import suppress

from body.errors import DescriptionError
from thymio_base.errors import TextError
from thymio_base.texts.decimal_text import real_number, whole_number
from thymio_base.texts.xml_text import XmlTag

_LARGEST = 1e15  # largest number: products of a few such numbers stay finite


class Problems:
    """Problems and warnings of one document, with lines and joints."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.warnings: list[str] = []

    def add(self, line: int, where: str, text: str) -> None:
        """Add a problem of a joint or link."""
        self.texts.append(f"line {line}: {where}: {text}")

    def warn(self, line: int, where: str, text: str) -> None:
        """Add a warning about a joint or link."""
        self.warnings.append(f"line {line}: {where}: {text}")

    def raise_if_any(self) -> None:
        """Raise all problems at once.

        Raises
        ------
        DescriptionError
            There is at least one problem.
        """
        if self.texts:
            raise DescriptionError(sorted(self.texts, key=_line_number))

    def text(self, tag: XmlTag, name: str, where: str) -> str:
        """Return an attribute; if it is missing, add a problem and return ""."""
        value = tag.attributes.get(name, "").strip()
        if not value:
            self.add(tag.line, where, f"<{tag.name}> has no {name}")
        return value

    def number(self, tag: XmlTag, name: str, where: str, default: float = 0.0) -> float:
        """Return a finite number; the default if it is missing, or, with a problem, if it is invalid."""
        text = tag.attributes.get(name, "").strip()
        if not text:
            return default
        numbers = _numbers(text)
        if numbers is None or len(numbers) != 1:
            self.add(tag.line, where, f"{name} of <{tag.name}> is {text!r}, which is not a finite number")
            return default
        return numbers[0]

    def limit(self, tag: XmlTag, name: str, where: str, default: float = 0.0) -> float:
        """Return a finite number as `number` does; huge numbers, written for "no limit", are clipped."""
        text = tag.attributes.get(name, "").strip()
        with suppress(TextError):
            return max(-_LARGEST, min(_LARGEST, real_number(text)))
        return self.number(tag, name, where, default)

    def vector(self, tag: XmlTag | None, name: str, where: str, default: Sequence[float]) -> list[float]:
        """Return three finite numbers; the default if they are missing, or, with a problem, if they are invalid."""
        text = "" if tag is None else tag.attributes.get(name, "").strip()
        if tag is None or not text:
            return list(default)
        numbers = _numbers(text)
        if numbers is None or len(numbers) != len(default):
            self.add(tag.line, where, f"{name} of <{tag.name}> is {text!r}; write three finite numbers")
            return list(default)
        return numbers


def _numbers(text: str) -> list[float] | None:
    try:
        numbers = [real_number(part) for part in text.split()]
    except TextError:
        return None
    return numbers if max(map(abs, numbers), default=0.0) <= _LARGEST else None


def _line_number(problem: str) -> int:
    return whole_number(problem.removeprefix("line ").partition(":")[0])
