"""Our packages, as pyproject.toml names them: a new one is named there alone."""

import tomllib
from typing import Final

from harness.pages import ROOT

_TOOLS: Final = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]
PRODUCT: Final[tuple[str, ...]] = tuple(sorted(_TOOLS["importlinter"]["root_packages"]))
CHECKED: Final[tuple[str, ...]] = tuple(sorted(_TOOLS["mypy"]["packages"]))  # the product and its benchmarks
