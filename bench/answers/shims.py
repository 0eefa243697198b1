"""Provides a network that loses datagrams, and a widened race, by preloaded libraries."""

import subprocess
from pathlib import Path

_SOURCES = Path(__file__).parent
_WARNINGS = ("-Wall", "-Wextra")


def build_dropping(folder: Path) -> Path:
    """Build the library that drops datagrams; return its path."""
    return _build(["gcc"], "drop_datagrams.c", folder)


def build_widening(folder: Path) -> Path:
    """Build the library that widens the race; return its path."""
    return _build(["g++"], "widen_race.cpp", folder)


def dropping(library: Path, percent: float, seed: int) -> list[str]:
    """Return the command prefix that drops some of a program's sent datagrams."""
    return ["env", f"LD_PRELOAD={library}", f"DROP_PERCENT={percent:g}", f"DROP_SEED={seed}"]


def widening(library: Path, width_us: int) -> list[str]:
    """Return the command prefix that widens the race to `width_us`."""
    return ["env", f"LD_PRELOAD={library}", f"WIDEN_US={width_us}"]


def on_udp_alone(profile: Path) -> list[str]:
    """Return the command prefix for UDP only, with the same profile as our programs."""
    variables = ("FASTRTPS_DEFAULT_PROFILES_FILE", "FASTDDS_DEFAULT_PROFILES_FILE")
    return ["env", "ROS_AUTOMATIC_DISCOVERY_RANGE=SYSTEM_DEFAULT", *(f"{name}={profile}" for name in variables)]


def _build(compiler: list[str], source: str, folder: Path) -> Path:
    library = folder / f"{Path(source).stem}.so"
    options = ["-shared", "-fPIC", "-O2", *_WARNINGS, "-o", str(library), str(_SOURCES / source), "-ldl"]
    subprocess.run([*compiler, *options], check=True)
    return library
