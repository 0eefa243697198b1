"""Brings up sound robots in real time: simulators on pseudo-terminals, the command, and answers about the ruler."""

import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import IO, Any, Final

from bench.bringup.mutants import right_values
from bench.instruments.spinning import spinning
from fleet.bringup.bringup_report import load_report
from thymio_base.texts.yaml_text import write_yaml

_START_S: Final = 60.0
_LIMIT_S: Final = 900.0
_ANSWERS: Final = (("with a ruler", "yes"), ("Millimetres ahead", ""))  # "" stands for the ruler's reading


def live_rows(count: int, jobs: int, busy: int) -> Iterator[dict[str, Any]]:
    """Yield a row for each robot, alternating cable and radio: `jobs` at a time, beside `busy` programs."""
    with spinning(busy), ThreadPoolExecutor(jobs) as pool:
        yield from pool.map(_live_row, range(1, count + 1))


def _live_row(seed: int) -> dict[str, Any]:
    started_s = time.monotonic()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        world, port = folder / "world.yaml", folder / "thymio"
        world.write_text(write_yaml(right_values(seed, by_radio=seed % 2 == 0)), encoding="utf-8")
        options = ["--world", str(world), "--port", "0", "--no-ros", "--serial", str(port), "--helping-hand"]
        simulator = subprocess.Popen(
            [sys.executable, "-m", "simulator", *options], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        try:
            problems = _brought_up(folder, port, simulator)
        finally:
            simulator.terminate()
            simulator.wait(30.0)
    return {"live": seed, "named": not problems, "s": round(time.monotonic() - started_s), "problems": problems}


def _brought_up(folder: Path, port: Path, simulator: "subprocess.Popen[str]") -> list[str]:
    """Return what did not pass, and which stages were repeated."""
    shown: list[str] = []
    assert simulator.stdout is not None
    threading.Thread(target=_keep_rulers, args=(simulator.stdout, shown), daemon=True).start()
    end_s = time.monotonic() + _START_S
    while not port.exists():
        if time.monotonic() > end_s:
            return [f"no port within {_START_S:g} s"]
        time.sleep(0.1)
    command = [sys.executable, "-m", "fleet.commands.main", "bringup", f"ser:device={port}", "--yes"]
    bringup = subprocess.Popen(
        [*command, "--output", str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    watchdog = threading.Timer(_LIMIT_S, bringup.kill)
    watchdog.start()
    try:
        _answer(bringup, shown)
    finally:
        watchdog.cancel()
        bringup.kill()
        bringup.wait()
    (file,) = folder.glob("*.json")
    problems = []
    for result in load_report(file).results:
        problems += [f"{result.stage.value}: {symptom.cause.code}: {symptom.text}" for symptom in result.symptoms]
    return problems if bringup.returncode == 0 or problems else [f"exit code {bringup.returncode}"]


def _answer(bringup: "subprocess.Popen[str]", shown: list[str]) -> None:
    """Answer the command's questions about the ruler until it ends."""
    assert bringup.stdout is not None
    assert bringup.stdin is not None
    for line in bringup.stdout:
        for question, answer in _ANSWERS:
            if question in line:
                bringup.stdin.write((answer or _ruler(shown)) + "\n")
                bringup.stdin.flush()
    bringup.wait()


def _ruler(shown: list[str]) -> str:
    words = shown[-1].split() if shown else ["0", "mm", "0", "degrees"]
    return f"{words[words.index('mm') - 1]} {words[words.index('degrees') - 1]}"


def _keep_rulers(output: IO[str], shown: list[str]) -> None:
    for line in output:
        if "ruler of node" in line:
            shown.append(line)
