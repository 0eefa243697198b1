"""The notebooks in examples: each runs to its end, in IPython's shell, and in long tests in kernels as Jupyter's."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from harness.budgets import IS_LONG
from harness.pages import ROOT

NOTEBOOKS = sorted((ROOT / "examples/notebooks").glob("*.ipynb"))
DEADLINE_S = 300.0
IN_KERNEL = """
import sys
import nbformat
from nbclient import NotebookClient

NotebookClient(nbformat.read(sys.argv[1], 4), timeout=None, resources={"metadata": {"path": sys.argv[2]}}).execute()
"""


def environment(folder: Path) -> dict[str, str]:
    """Return an environment in which our commands are found, and nothing is written into the user's folders."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    places = {name: str(folder / name) for name in ("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_RUNTIME_DIR")}
    return {**os.environ, **places, "PATH": path, "MPLBACKEND": "Agg", "THYMIO_FLEET_LOG_DIR": str(folder / "logs")}


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda notebook: notebook.stem)
def test_notebook_is_committed_without_outputs(notebook: Path) -> None:
    cells = [cell for cell in json.loads(notebook.read_text())["cells"] if cell["cell_type"] == "code"]
    assert len(cells) >= 4
    assert [cell for cell in cells if cell["outputs"] or cell["execution_count"] is not None] == []


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda notebook: notebook.stem)
def test_notebook_runs_to_its_end(notebook: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "IPython", "--colors=NoColor", "--no-banner", str(notebook)]
    if IS_LONG:
        command = [sys.executable, "-c", IN_KERNEL, str(notebook), str(tmp_path)]
    done = subprocess.run(
        command,
        cwd=tmp_path,
        env=environment(tmp_path),
        capture_output=True,
        text=True,
        timeout=DEADLINE_S,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
