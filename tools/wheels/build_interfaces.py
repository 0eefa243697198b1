"""Builds our interface packages for rclpy with Fast DDS, and installs them into the environment of this interpreter.

Usage: build_interfaces.py BUILD_FOLDER. It calls the generators of rosidl and the compiler directly: CMake would
configure each package for seconds, and would build type support for C++, which rclpy does not use. All packages become
one library, in a few pieces that are compiled at the same time; rclpy finds it under the names that each package gives.
Prints "STEP of STEPS" as it proceeds. BUILD_FOLDER/install_manifest.txt lists the installed files.
"""

import argparse
import json
import multiprocessing
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy
import rosidl_generator_py.generate_py_impl
import rosidl_generator_type_description
import rosidl_pycommon
from fast_templates import use_fast_templates
from rosidl_adapter import convert_to_idl
from rosidl_generator_c import generate_c
from rosidl_generator_py import generate_py
from rosidl_parser.definition import IdlFile, IdlLocator
from rosidl_parser.parser import parse_idl_file
from rosidl_typesupport_c import generate_c as generate_typesupport_c
from rosidl_typesupport_fastrtps_c import generate_typesupport_fastrtps_c
from rosidl_typesupport_introspection_c import generate_c as generate_introspection_c

ROOT = Path(__file__).resolve().parents[2]
PREFIX = Path(sys.prefix)
LIBRARIES = PREFIX / "lib"
MODULES = Path(sysconfig.get_path("platlib"))
FAST_DDS, INTROSPECTION = "rosidl_typesupport_fastrtps_c", "rosidl_typesupport_introspection_c"
MIDDLEWARE = [FAST_DDS, INTROSPECTION]  # what Fast DDS uses: the second when it announces a type
FOLDERS = (  # of the packages; each comes after those that it uses
    "interfaces",
    "interfaces/asebaros_msgs",
    "interfaces/impedance_control_msgs",
    "interfaces/orchestrator_interfaces",
    "interfaces/rbc_msgs_srvs",
    "interfaces/rbc_actions",
    "interfaces/thymio_msgs",
    "tools/wheels/tf2_msgs",
    "tools/wheels/simulation_interfaces",
    "interfaces/thymio_fleet_interfaces",
    "interfaces/thymio_simulator_interfaces",
)
ALWAYS_USED = ("action_msgs", "builtin_interfaces", "service_msgs", "unique_identifier_msgs")  # by services and actions
LIBRARY = LIBRARIES / "libthymio_fleet_interfaces__all.so"  # of all packages
FLAGS = ("-Og", "-fPIC", "-w", "-DNDEBUG")
C_SOURCES = ("rosidl_generator_c", "rosidl_generator_py", INTROSPECTION)
CPP_SOURCES = ("rosidl_typesupport_c", FAST_DDS)
# What generated files define for themselves, with names that others use as well.
OWN_NAME = re.compile(r"^(?:static [^(;=]*?|using |int8_t\n)\b(\w+)(?=\[\]| = |\()", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class InterfacePackage:
    """One package of interfaces and the folder in which it is built."""

    name: str
    source: Path
    uses: tuple[str, ...]
    build: Path

    @property
    def interfaces(self) -> list[Path]:
        """Its .msg, .srv and .action files, relative to its folder."""
        found = (path for kind in ("msg", "srv", "action") for path in self.source.glob(f"{kind}/*.{kind}"))
        return sorted(path.relative_to(self.source) for path in found)

    @property
    def idl(self) -> list[IdlLocator]:
        """Its interfaces in IDL."""
        return [IdlLocator(self.generated("idl"), path.with_suffix(".idl")) for path in self.interfaces]

    @property
    def aliases(self) -> list[Path]:
        """The names under which rclpy looks for the library: each type support, and the conversion to Python."""
        found = [LIBRARIES / f"lib{self.name}__{name}.so" for name in MIDDLEWARE]
        return [*found, MODULES / self.name / f"{self.name}_s__rosidl_typesupport_c.so"]

    def generated(self, generator: str) -> Path:
        """Return the folder of what a generator wrote for this package."""
        return self.build / generator / self.name


class ParsedFiles:
    """Parses each IDL file once for all generators, on all cores: each generator would parse all of them again."""

    def __init__(self) -> None:
        self._contents: dict[str, IdlFile] = {}

    def parse_all(self, pool: ProcessPoolExecutor, locators: Sequence[IdlLocator]) -> None:
        """Parse files, and remember what they contain."""
        for locator, content in zip(locators, pool.map(parse_idl_file, locators), strict=True):
            self._contents[str(locator.get_absolute_path())] = content

    def parsed(self, locator: IdlLocator) -> IdlFile:
        """Return what a file contains."""
        return self._contents[str(locator.get_absolute_path())]

    def share(self) -> None:
        """Give the generators this parser instead of their own."""
        for module in (rosidl_generator_py.generate_py_impl, rosidl_generator_type_description, rosidl_pycommon):
            module.parse_idl_file = self.parsed


def package(folder: str, build: Path) -> InterfacePackage:
    """Read the manifest of a package."""
    source = ROOT / folder
    manifest = ElementTree.parse(source / "package.xml").getroot()
    uses = tuple(str(element.text) for element in manifest.iter("depend"))
    name = str(manifest.findtext("name"))
    return InterfacePackage(name, source, uses, build / name)


def translate(one: InterfacePackage) -> None:
    """Translate a package's interfaces to IDL."""
    for interface in one.interfaces:
        convert_to_idl(one.source, one.name, interface, one.generated("idl"))


def describe(one: InterfacePackage) -> None:
    """Compute the hashes of a package's types, which packages after it need."""
    rosidl_generator_type_description.generate_type_hash(arguments(one, "type_description"))
    for path in (*one.generated("idl").rglob("*.idl"), *one.generated("type_description").rglob("*.json")):
        install(path, PREFIX / "share" / one.name / path.parent.name / path.name)


def arguments(one: InterfacePackage, generator: str, templates: str = "") -> str:
    """Write what a generator of rosidl reads; return the path of that file."""
    idl = [path.with_suffix(".idl") for path in one.interfaces]
    output = one.generated(generator)
    described = one.generated("type_description")
    shared = (path.parent for path in (PREFIX / "share").glob("*/msg"))
    output.mkdir(parents=True, exist_ok=True)
    values = {
        "package_name": one.name,
        "output_dir": str(output),
        "template_dir": str(PREFIX / "share" / templates / "resource"),
        "idl_tuples": [f"{one.generated('idl')}:{path}" for path in idl],
        "type_description_tuples": [f"{path}:{described / path.with_suffix('.json')}" for path in idl],
        "include_paths": [f"{path.name}:{path}" for path in shared],
        "ros_interface_dependencies": [],
        "target_dependencies": [],
    }
    file = one.build / f"{generator}.json"
    file.write_text(json.dumps(values), encoding="utf-8")
    return str(file)


def generate(one: InterfacePackage) -> None:
    """Generate the sources of a package, and install those in Python."""
    generate_c(arguments(one, "rosidl_generator_c", "rosidl_generator_c"))
    generate_typesupport_c(arguments(one, "rosidl_typesupport_c", "rosidl_typesupport_c"), MIDDLEWARE)
    generate_typesupport_fastrtps_c(arguments(one, FAST_DDS, FAST_DDS))
    generate_introspection_c(arguments(one, INTROSPECTION, INTROSPECTION))
    generate_py(arguments(one, "rosidl_generator_py", "rosidl_generator_py"), ["rosidl_typesupport_c"])
    for generator in ("rosidl_generator_c", *MIDDLEWARE):
        write_visibility(one, generator)
    modules = one.generated("rosidl_generator_py")
    (modules / "__init__.py").touch()
    for path in modules.rglob("*.py"):
        install(path, MODULES / one.name / path.relative_to(modules))


def write_visibility(one: InterfacePackage, generator: str) -> None:
    """Fill in the template of the header that marks what a library exports."""
    header = f"{generator}__visibility_control.h"
    text = (PREFIX / "share" / generator / "resource" / f"{header}.in").read_text(encoding="utf-8")
    text = text.replace("@PROJECT_NAME@", one.name).replace("@PROJECT_NAME_UPPER@", one.name.upper())
    target = one.generated(generator) / "msg" / header
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text, encoding="utf-8")


def compile_c(build: Path, packages: Sequence[InterfacePackage]) -> None:
    """Compile the types of packages in C, and their conversion from and to Python."""
    sources = (path for one in packages for generator in C_SOURCES for path in one.generated(generator).rglob("*.c"))
    source = together(build / f"{packages[0].name}.c", sources)
    run("cc", *FLAGS, *includes(build), "-c", source, folder=build)


def compile_cpp(build: Path, packages: Sequence[InterfacePackage]) -> None:
    """Compile the type support of packages."""
    sources = (path for one in packages for name in CPP_SOURCES for path in one.generated(name).rglob("*.cpp"))
    source = together(build / f"{packages[0].name}_type_support.cpp", sources)
    run("c++", "-std=c++17", *FLAGS, *includes(build), "-c", source, folder=build)


def together(path: Path, sources: Iterable[Path]) -> Path:
    """Write a source that includes others, which share large headers; return its path."""
    path.write_text("".join(map(included, sorted(sources))), encoding="utf-8")
    return path


def included(source: Path) -> str:
    """Return the lines that include a source beside others that use the same names for their own."""
    own = OWN_NAME.findall(source.read_text(encoding="utf-8"))
    prefix = re.sub(r"\W", "_", str(source.relative_to(source.parents[3])))
    before = "".join(f"#define {name} {prefix}_{name}\n" for name in own)
    after = "".join(f"#undef {name}\n" for name in own)
    return f'{before}#include "{source}"\n{after}'


def link(build: Path, packages: Sequence[InterfacePackage]) -> None:
    """Link the library, and install it under all its names."""
    needed = sorted({f"-l:{path.name}" for one in packages for path in used_libraries(one)})
    up = os.path.relpath(LIBRARIES, MODULES / packages[0].name)
    search = (f"-L{LIBRARIES}", f"-Wl,-rpath-link,{LIBRARIES}", f"-Wl,-rpath,$ORIGIN:$ORIGIN/{up}")
    options = ("-shared", "-Wl,--as-needed", "-Wl,-z,now", *search)
    run("c++", *options, "-o", build / LIBRARY.name, *sorted(build.glob("*.o")), *needed, folder=build)
    install(build / LIBRARY.name, LIBRARY)
    for alias in (alias for one in packages for alias in one.aliases):
        alias.unlink(missing_ok=True)
        alias.symlink_to(os.path.relpath(LIBRARY, alias.parent))


def used_libraries(one: InterfacePackage) -> Iterator[Path]:
    """Yield the libraries of others that a package needs at most."""
    for name in (*one.uses, *ALWAYS_USED):
        for part in ("rosidl_generator_c", "rosidl_generator_py", "rosidl_typesupport_c", *MIDDLEWARE):
            yield from LIBRARIES.glob(f"lib{name}__{part}.so")
    fast_dds = (*MIDDLEWARE, "rosidl_typesupport_fastrtps_cpp", "fastcdr", "rmw")
    for name in ("rcutils", "rosidl_runtime_c", "rosidl_typesupport_c", *fast_dds):
        yield LIBRARIES / f"lib{name}.so"


def includes(build: Path) -> Iterator[str]:
    """Yield the compiler's options for headers: generated ones, those of the ROS packages, Python's and numpy's."""
    for generator in (*C_SOURCES, *CPP_SOURCES):
        for folder in sorted(build.glob(f"*/{generator}")):
            yield f"-I{folder}"
    for folder in (PREFIX / "include", *sorted((PREFIX / "include").iterdir())):
        yield f"-isystem{folder}"
    yield f"-I{sysconfig.get_path('include')}"
    yield f"-I{numpy.get_include()}"


def register(one: InterfacePackage) -> None:
    """Enter a package into the index of ROS packages, with its manifest and its interface files."""
    index = PREFIX / "share/ament_index/resource_index"
    described = (path.with_suffix(suffix) for path in one.interfaces for suffix in (path.suffix, ".idl", ".json"))
    for kind, text in (("packages", ""), ("rosidl_interfaces", "\n".join(map(str, described)))):
        entry = one.build / kind
        entry.write_text(text, encoding="utf-8")
        install(entry, index / kind / one.name)
    for path in (Path("package.xml"), *one.interfaces):
        install(one.source / path, PREFIX / "share" / one.name / path)


def run(compiler: str, *options: str | Path, folder: Path) -> None:
    """Run the compiler in a folder.

    Raises
    ------
    subprocess.CalledProcessError
        The compiler failed; it has printed why.
    """
    subprocess.run([compiler, *map(str, options)], cwd=folder, check=True)


def install(path: Path, target: Path) -> None:
    """Copy a file into the environment."""
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(path, target)


def installed(packages: Iterable[InterfacePackage]) -> Iterator[Path]:
    """Yield every installed file of the packages."""
    yield LIBRARY
    for one in packages:
        yield from one.aliases
        yield from (PREFIX / "share/ament_index/resource_index").glob(f"*/{one.name}")
        for folder in (PREFIX / "share" / one.name, MODULES / one.name):
            yield from (path for path in folder.rglob("*") if path.is_file() and path.suffix != ".pyc")


class Steps:
    """Counts the finished steps, and prints how many there are."""

    def __init__(self, total: int) -> None:
        self._total = total
        self._done = 0

    def finish(self) -> None:
        """Note that a step is finished."""
        self._done += 1
        print(f"{self._done} of {self._total}", flush=True)

    def run_all(self, pool: ProcessPoolExecutor, calls: Iterable[tuple[Any, ...]]) -> None:
        """Make calls at the same time; each is a step."""
        for finished in as_completed([pool.submit(*call) for call in calls]):
            finished.result()
            self.finish()


def build_all(build: Path, packages: Sequence[InterfacePackage]) -> None:
    """Build and install all packages."""
    batches = list(batches_of(packages, os.cpu_count() or 1))
    steps = Steps(3 + len(packages) + 2 * len(batches))
    parsed = ParsedFiles()
    with processes() as pool:
        for one in packages:
            translate(one)
        steps.finish()
        parsed.parse_all(pool, [locator for one in packages for locator in one.idl])
    steps.finish()
    parsed.share()
    for one in packages:
        describe(one)
    with processes() as pool:  # which have what was parsed
        steps.run_all(pool, ((generate, one) for one in packages))
        steps.run_all(pool, ((work, build, batch) for work in (compile_cpp, compile_c) for batch in batches))
    link(build, packages)
    for one in packages:
        register(one)
    steps.finish()


def processes() -> ProcessPoolExecutor:
    """Return processes that have what this one has, one for each core."""
    return ProcessPoolExecutor(mp_context=multiprocessing.get_context("fork"))


def batches_of(packages: Sequence[InterfacePackage], count: int) -> Iterator[list[InterfacePackage]]:
    """Yield the packages in batches with about as many interfaces each."""
    batches: list[list[InterfacePackage]] = [[] for _ in range(count)]
    for one in sorted(packages, key=interfaces_of, reverse=True):
        min(batches, key=lambda batch: sum(map(interfaces_of, batch))).append(one)
    return (batch for batch in batches if batch)


def interfaces_of(one: InterfacePackage) -> int:
    """Return how many types a package has: a service consists of three, an action of eight."""
    return sum({".msg": 1, ".srv": 3}.get(path.suffix, 8) for path in one.interfaces)


def main() -> None:
    """Build the packages in an empty folder, and write which files were installed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", type=Path, metavar="BUILD_FOLDER")
    build = parser.parse_args().build.resolve()
    shutil.rmtree(build, ignore_errors=True)
    packages = [package(folder, build) for folder in FOLDERS]
    use_fast_templates()
    for one in packages:
        one.build.mkdir(parents=True)
    build_all(build, packages)
    manifest = "".join(f"{path}\n" for path in installed(packages))
    (build / "install_manifest.txt").write_text(manifest, encoding="utf-8")


if __name__ == "__main__":
    main()
