"""The dashboard from a built wheel, away from the source tree: the page comes with the package, and is small."""

import gzip
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import time
import urllib.request
import venv
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urljoin

import pytest

from harness.pages import ROOT
from thymio_base.ros.private_domain import reserve_free_port

PACKAGES = ("aseba_link", "experiments", "fleet", "simulator", "thymio_base")
OTHERS = ("config", "description", "examples", "launch", "resource", "tools")
LARGEST_B = 250_000  # of all files that a browser loads, compressed
DEADLINE_S = 60.0
REFERENCE = re.compile(r"""(?:from|import|href=|src=|url\()\s*["'(]?((?:\./|\.\./|/)[\w./-]+)["')]""")


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of an environment in which pip has installed the wheel, without any index."""
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    for name in (*PACKAGES, *OTHERS):
        shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("*.so", "__pycache__"))
    for name in ("setup.py", "package.xml", "LICENSE"):
        shutil.copy(ROOT / name, source)
    environment = {**os.environ, "THYMIO_FLEET_COMPILED": "no", "PIP_NO_INDEX": "1"}
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    build = [*pip, "wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", str(folder), str(source)]
    subprocess.run(build, check=True, env=environment)
    (wheel,) = folder.glob("*.whl")
    installed = folder / "bin/python"
    venv.create(folder, symlinks=True)
    (site,) = folder.glob("lib/*/site-packages")
    others = sysconfig.get_path("purelib")  # what the wheel needs: aiohttp, ROS
    (site / "others.pth").write_text(f"import site; site.addsitedir({others!r})\n")
    install = [*pip, "--python", str(installed), "install", "--no-deps", "--no-compile", str(wheel)]
    subprocess.run(install, check=True, env=environment)
    place = [str(installed), "-c", "import fleet; print(fleet.__file__)"]
    found = subprocess.run(
        place, check=True, capture_output=True, text=True, cwd=folder, env={**environment, "PYTHONPATH": ""}
    )
    assert found.stdout.startswith(str(site))
    return installed


@pytest.fixture
def url(python: Path, tmp_path: Path) -> Iterator[str]:
    """The address of the installed dashboard."""
    port = reserve_free_port()
    environment = {**os.environ, "PYTHONPATH": "", "XDG_STATE_HOME": str(tmp_path)}
    command = [str(python), "-m", "fleet.commands.main", "dashboard", "--port", str(port)]
    with (tmp_path / "log").open("wb") as log:
        program = subprocess.Popen(command, cwd=tmp_path, env=environment, stdout=log, stderr=log)
    try:
        deadline_s = time.monotonic() + DEADLINE_S
        while "dashboard: " not in (tmp_path / "log").read_text():
            is_waiting = program.poll() is None and time.monotonic() < deadline_s
            assert is_waiting, (tmp_path / "log").read_text()
            time.sleep(0.05)
        yield f"http://127.0.0.1:{port}"
    finally:
        program.terminate()
        program.wait(DEADLINE_S)


def loaded(url: str) -> dict[str, bytes]:
    """Return everything that a browser loads for the page, by path: what is named there, and in what is named."""
    found: dict[str, bytes] = {}
    waiting = ["/", "/words.json"]
    while waiting:
        path = waiting.pop()
        if path in found:
            continue
        with urllib.request.urlopen(url + path, timeout=DEADLINE_S) as answer:
            found[path] = answer.read()
        for reference in REFERENCE.findall(found[path].decode()):
            resolved = urljoin(path, reference)
            if not resolved.startswith(("/api", "/live", "/qr")):
                waiting.append(resolved)
    return found


@pytest.mark.slow
def test_installed_page_is_complete_and_small(url: str) -> None:
    files = loaded(url)
    sources = {
        f"/page/{path.relative_to(ROOT / 'fleet/dashboard/page')}": path.read_bytes()
        for path in (ROOT / "fleet/dashboard/page").rglob("*")
        if path.is_file()
    }
    index = sources.pop("/page/index.html")
    assert files.pop("/") == index
    assert {path: content for path, content in files.items() if path.startswith("/page/")} == sources
    assert "/palette.css" in files
    assert sum(len(gzip.compress(content)) for content in [index, *files.values()]) < LARGEST_B
