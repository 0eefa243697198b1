import pytest


@pytest.fixture(autouse=True)
def no_plugins_of_installed_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let runs of pytest that tests start load only plugins that they name: schemathesis takes half a second."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
