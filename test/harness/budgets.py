"""How much tests repeat: a part of their full budget, or all of it under `make test-long`."""

import os
from typing import Final

IS_LONG: Final = bool(os.environ.get("THYMIO_FLEET_LONG_TESTS"))


def examples(full: int) -> int:
    """Return how many examples a property tries whose full budget takes long; a third in an ordinary run."""
    return full if IS_LONG else -(-full // 3)
