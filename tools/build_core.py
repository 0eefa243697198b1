"""Builds the compiled core (docs/decisions/0023-the-core-is-compiled.md); setup.py loads this.

mypyc writes a C file for each module and one for its entry point. Compiled alone, most of them take longer to read the
headers than to compile. Here, they are compiled in a few batches, on all cores, and all entry points as one file.
"""

import os
import runpy
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from setuptools import Extension
from setuptools.command.build_ext import build_ext

try:
    from mypyc.build import mypycify
except ModuleNotFoundError as error:
    if error.name != "mypyc":
        raise
    mypycify = None

_ROOT = Path(__file__).resolve().parents[1]
_LIST = runpy.run_path(str(_ROOT / "tools/compiled.py"))
_LIBRARY_PACKAGE = "thymio_base"  # which all other packages import
_GENERATED = Path("build")
_BATCHES = 8  # each reads the headers for 0.3 s; with fewer, a core is idle for longer at the end
_FLAGS = ["-w", "-fvisibility=hidden"]  # no warnings of generated code; direct calls within the library
_OF_HOT_MODULES = ["-O2"]  # the others have the optimization level of mypycify, at half the cost


def core_extensions() -> list[Extension]:
    """Translate the compiled modules to C; return their extensions, none without mypy or if compilation is off."""
    if mypycify is None or os.environ.get("THYMIO_FLEET_COMPILED") == "no":
        return []
    modules = _LIST["compiled_modules"](_ROOT)
    extensions: list[Extension] = mypycify(
        modules,
        group_name=f"{_LIBRARY_PACKAGE}.compiled",
        multi_file=True,
        opt_level="g",
        debug_level="0",
        target_dir=str(_GENERATED),
    )
    return extensions


class BuildCore(build_ext):
    """Compiles the library of the core in batches, and its modules' entry points as one file."""

    def build_extensions(self) -> None:
        """Build the library and the files that Python imports as its modules."""
        self.check_extensions_list(self.extensions)
        modules = [extension for extension in self.extensions if not extension.name.endswith("__mypyc")]
        for extension in self.extensions:
            if extension not in modules:
                self._build_library(extension)
        self._build_entry_points(modules)

    def _build_library(self, library: Extension) -> None:
        """Compile the sources in batches, at the same time on all cores, and link them."""
        library.include_dirs.append(str(_GENERATED / _LIBRARY_PACKAGE))
        library.extra_compile_args += _FLAGS
        hot = [source for source in library.sources if Path(source).name in _hot_names()]
        others = [source for source in library.sources if source not in hot]
        batches = [("hot", hot, _OF_HOT_MODULES)]
        batches += [(f"batch_{i}", batch, []) for i, batch in enumerate(_batches(others))]
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            library.extra_objects = list(pool.map(lambda batch: self._compiled(library, *batch), batches))
        library.sources = []
        self.build_extension(library)

    def _build_entry_points(self, modules: list[Extension]) -> None:
        """Compile all entry points as one file, and install it under the name of each module."""
        source = _entry_points(_GENERATED / "entry_points.c", [module.sources[0] for module in modules])
        first = modules[0]
        first.sources = [source]
        self.build_extension(first)
        for module in modules[1:]:
            _share(Path(self.get_ext_fullpath(first.name)), Path(self.get_ext_fullpath(module.name)))

    def _compiled(self, library: Extension, name: str, sources: list[str], flags: list[str]) -> str:
        """Compile some of the sources together; return the object file."""
        objects: list[str] = self.compiler.compile(
            [_together(_GENERATED / f"{name}.c", sources)],
            output_dir=self.build_temp,
            include_dirs=library.include_dirs,
            extra_postargs=library.extra_compile_args + flags,
        )
        return objects[0]


def _hot_names() -> set[str]:
    """Return how the C files of the hot modules are called."""
    modules = _LIST["hot_modules"](_ROOT)
    return {f"__native_{module.removesuffix('.py').replace('/', '___')}.c" for module in modules}


def _batches(sources: list[str]) -> list[list[str]]:
    """Return the sources in batches of about the same size."""
    batches: list[list[str]] = [[] for _ in range(_BATCHES)]
    sizes = [0] * _BATCHES
    for source in sorted(sources, key=_size, reverse=True):
        smallest = sizes.index(min(sizes))
        sizes[smallest] += _size(source)
        batches[smallest].append(source)
    return [batch for batch in batches if batch]


def _size(source: str) -> int:
    """Return the size of a file."""
    return Path(source).stat().st_size


def _together(path: Path, sources: list[str]) -> str:
    """Write a C file that includes others; return its path."""
    path.write_text("".join(f'#include "{Path(source).resolve()}"\n' for source in sources), encoding="utf-8")
    return str(path)


def _entry_points(path: Path, sources: list[str]) -> str:
    """Write a C file that includes all entry points, each of which defines the same spare name; return its path."""
    lines = (
        f'#define PyInit___init__ PyInit___init___{i}\n#include "{Path(source).resolve()}"\n#undef PyInit___init__\n'
        for i, source in enumerate(sources)
    )
    path.write_text("".join(lines), encoding="utf-8")
    return str(path)


def _share(file: Path, other: Path) -> None:
    """Give a file another name, or copy it where the file system has no links."""
    other.parent.mkdir(parents=True, exist_ok=True)
    other.unlink(missing_ok=True)
    try:
        os.link(file, other)
    except OSError:
        shutil.copyfile(file, other)
