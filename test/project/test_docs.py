import importlib.util
import re
from pathlib import Path

import pytest

from fleet.reason import Reason

ROOT = Path(__file__).parents[2]
PAGES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")])
STATUS = re.compile(r"^\*\*Status\.\*\* Accepted, \d{4}-\d{2}-\d{2}(; .+)?\.$", re.MULTILINE)
OUR_FILE = re.compile(
    r"`((?:aseba_link|bench|config|docs|experiments|fleet|simulator|test|thymio_base|tools)/[\w./]+)`"
)


@pytest.mark.parametrize("page", ["configuration", "python_names"])
def test_reference_is_generated_from_the_sources(page: str) -> None:
    tool = {"configuration": "configuration_reference.py", "python_names": "python_reference.py"}[page]
    spec = importlib.util.spec_from_file_location("reference", ROOT / "tools" / tool)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert (ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8") == module.reference()


def test_every_reason_is_explained() -> None:
    page = (ROOT / "docs" / "interfaces.md").read_text(encoding="utf-8")
    assert [reason.value for reason in Reason if f"| {reason.value} |" not in page] == []


def test_every_test_named_in_a_page_exists() -> None:
    sources = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "test").rglob("*.py"))
    pages = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "docs").rglob("*.md"))
    named = re.findall(r"`(test_\w+)`", pages)
    assert named
    assert [name for name in named if f"def {name}(" not in sources] == []


def test_every_decision_has_a_status_with_its_date() -> None:
    decisions = sorted((ROOT / "docs/decisions").glob("*.md"))
    assert [path.name for path in decisions if not STATUS.search(path.read_text(encoding="utf-8"))] == []


def test_every_decision_has_a_number_of_its_own() -> None:
    numbers = [path.name[:4] for path in (ROOT / "docs/decisions").glob("*.md")]
    assert sorted(numbers) == sorted(set(numbers))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_link_of_a_page_leads_to_a_file(page: Path) -> None:
    links = re.findall(r"\]\(([^)#\s]+)", page.read_text(encoding="utf-8"))
    own = [link for link in links if "://" not in link]
    assert [link for link in own if not (page.parent / link).exists()] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_file_that_a_page_names_is_there(page: Path) -> None:
    named = OUR_FILE.findall(page.read_text(encoding="utf-8"))
    assert [path for path in named if not (ROOT / path).exists()] == []


def test_the_readme_fits_100_lines() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 100


def test_the_readme_shows_the_first_example() -> None:
    _, _, program = (ROOT / "examples/hello.py").read_text(encoding="utf-8").partition('"""\n\n')
    assert program in (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(program.splitlines()) <= 5
