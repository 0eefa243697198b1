import importlib.util
import re
from pathlib import Path

from fleet.reason import Reason

ROOT = Path(__file__).parent.parent


def test_the_configuration_page_is_made_of_the_schemas() -> None:
    spec = importlib.util.spec_from_file_location("reference", ROOT / "tools" / "configuration_reference.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert (ROOT / "docs" / "configuration.md").read_text(encoding="utf-8") == module.reference()


def test_every_reason_is_explained() -> None:
    page = (ROOT / "docs" / "interfaces.md").read_text(encoding="utf-8")
    assert [reason.value for reason in Reason if f"| {reason.value} |" not in page] == []


def test_every_test_that_a_page_names_is_there() -> None:
    sources = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "test").rglob("*.py"))
    pages = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "docs").rglob("*.md"))
    named = re.findall(r"`(test_\w+)`", pages)
    assert named
    assert [name for name in named if f"def {name}(" not in sources] == []
