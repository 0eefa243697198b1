"""Numbers are read from texts by one module."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from harness.packages import PRODUCT
from harness.pages import ROOT

TEXTS = """from thymio_base.texts.decimal_text import real_number
def read(text: str, maybe: str | float, size: bytes, number: float) -> None:
    float(text)
    int(maybe)
    int(size)
    int(number)
    int(text, 16)
    real_number(text)
"""


def test_no_argument_is_read_by_int_or_float() -> None:
    wrong = [
        f"{path.relative_to(ROOT)}: {found.group()}"
        for package in PRODUCT
        for path in sorted((ROOT / package).rglob("*.py"))
        for found in re.finditer(r"\btype=(int|float)\b", path.read_text(encoding="utf-8"))
    ]
    assert wrong == []


@pytest.mark.slow
def test_rule_of_mypy_finds_texts_that_int_and_float_read(tmp_path: Path) -> None:
    (tmp_path / "texts.py").write_text(TEXTS, encoding="utf-8")
    (tmp_path / "mypy.ini").write_text(f"[mypy]\nplugins = {ROOT}/tools/number_text_rule.py\n", encoding="utf-8")
    options = ["--config-file", f"{tmp_path}/mypy.ini", "--cache-dir", f"{tmp_path}/cache"]
    mypy = [sys.executable, "-m", "mypy", *options, f"{tmp_path}/texts.py"]
    printed = subprocess.run(mypy, capture_output=True, text=True, check=False).stdout
    assert re.findall(r"texts\.py:(\d+): .*\[number-text\]", printed) == ["3", "4", "5"]
