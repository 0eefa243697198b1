"""Prints what each module of the compiled core costs to compile, and its share of the time of interpreted ticks.

Usage: THYMIO_FLEET_COMPILED=no python tools/core_cost.py, in an uncompiled tree; takes two minutes. `C` is the share of
the generated code; the longer it is, the longer it compiles. `ticks` is the share of the processor time of
`bench.traffic_cost` or `bench.simulator`, including builtins; `-` if neither runs the module, as with the ROS edge of
the driver, the body coupler and what several drivers share. In tools/compiled.txt, a module whose ticks are close to
zero stands after a minus, and one with a large share after a plus. What the benchmarks and mypyc print goes to stderr.
"""

import contextlib
import cProfile
import pstats
import runpy
import sys
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import setuptools  # noqa: F401 -- mypyc requires that it is imported first
from mypyc.build import mypycify

ROOT = Path(__file__).resolve().parents[1]
BENCHMARKS = (("bench.traffic_cost", "--robots", "10"), ("bench.simulator", "--robots", "5", "20"))


def code_sizes(modules: list[str]) -> dict[str, int]:
    """Return the number of characters of C of each module, without indentation."""
    with tempfile.TemporaryDirectory() as folder:
        mypycify(modules, group_name="core", multi_file=True, target_dir=folder)
        names = {module: f"__native_{module.removesuffix('.py').replace('/', '___')}.c" for module in modules}
        return {module: _length(Path(folder) / name) for module, name in names.items()}


def _length(path: Path) -> int:
    with path.open(encoding="utf-8") as lines:
        return sum(len(line.strip()) for line in lines)


def time_shares(command: Sequence[str]) -> dict[str, float]:
    """Return the share of each file in the time of a benchmark, in percent."""
    profile = cProfile.Profile()
    sys.argv = list(command)
    with contextlib.suppress(SystemExit):
        profile.runcall(runpy.run_module, command[0], run_name="__main__", alter_sys=True)
    stats = pstats.Stats(profile)
    spent: dict[str, float] = defaultdict(float)
    for (file, _, _), (_, _, own_s, _, callers) in stats.stats.items():  # type: ignore[attr-defined]  # of typeshed
        if file == "~":  # a builtin counts for its callers
            for (caller, _, _), (_, _, called_s, _) in callers.items():
                spent[caller] += called_s
        else:
            spent[file] += own_s
    total_s = sum(spent.values())
    return {file: 100.0 * own_s / total_s for file, own_s in spent.items()}


def main() -> None:
    """Print a line for each module, the most expensive for its gain first."""
    sys.path.insert(0, str(ROOT))
    modules = runpy.run_path(str(ROOT / "tools/compiled.py"))["compiled_modules"](ROOT)
    with contextlib.redirect_stdout(sys.stderr):
        shares = [time_shares(command) for command in BENCHMARKS]
        sizes = code_sizes(modules)
    total = sum(sizes.values())
    gains = {module: max(one.get(str(ROOT / module), 0.0) for one in shares) for module in modules}
    for module in sorted(modules, key=lambda module: gains[module] / sizes[module]):
        gain = f"{gains[module]:7.3f} %" if gains[module] else "      -"
        print(f"{module:50} C {100.0 * sizes[module] / total:6.2f} %  ticks {gain}")


if __name__ == "__main__":
    main()
