"""Which examples properties try: the same in every run, or new ones if --hypothesis-seed is given.

A new example that fails is news about the product, not about the change under test, so only `make test-long` looks
for them.
"""

import pytest
from hypothesis import settings


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    """Load the profile of hypothesis; on a busy machine, a slow example is not a failure."""
    is_new = config.getoption("--hypothesis-seed", None) is not None
    current = settings.get_current_profile_name()
    settings.register_profile("patient", settings.get_profile(current), deadline=None, derandomize=not is_new)
    settings.load_profile("patient")
