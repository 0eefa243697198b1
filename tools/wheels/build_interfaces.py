"""Builds our interface packages for rclpy with Fast DDS, and installs them into the environment of this interpreter.

Usage: build_interfaces.py BUILD_FOLDER. It calls the generators of rosidl and the compiler directly: CMake would
configure each package for seconds, and would build type support for C++, which rclpy does not use.
Prints "STEP of STEPS" as it proceeds. BUILD_FOLDER/install_manifest.txt lists the installed files.
"""

import argparse
import json
import multiprocessing
import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

import numpy
import rosidl_generator_py.generate_py_impl
import rosidl_generator_type_description
import rosidl_pycommon
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
FLAGS = ("-O1", "-fPIC", "-w", "-DNDEBUG")
C_SOURCES = ("rosidl_generator_c", "rosidl_generator_py", INTROSPECTION)
CPP_SOURCES = ("rosidl_typesupport_c", FAST_DDS)


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
    def library(self) -> Path:
        """Where its library is installed."""
        return LIBRARIES / f"lib{self.name}__rosidl.so"

    @property
    def aliases(self) -> list[Path]:
        """The names under which each type support is looked for at run time."""
        return [LIBRARIES / f"lib{self.name}__{name}.so" for name in MIDDLEWARE]

    def generated(self, generator: str) -> Path:
        """Return the folder of what a generator wrote for this package."""
        return self.build / generator / self.name


class ParsedFiles:
    """Parses each IDL file once for all generators: each would parse it again, which takes a third of their time."""

    def __init__(self) -> None:
        self._contents: dict[str, IdlFile] = {}

    def parse(self, locator: IdlLocator) -> IdlFile:
        """Return what a file contains."""
        path = str(locator.get_absolute_path())
        if path not in self._contents:
            self._contents[path] = parse_idl_file(locator)
        return self._contents[path]

    def share(self) -> None:
        """Give the generators this parser instead of their own."""
        for module in (rosidl_generator_py.generate_py_impl, rosidl_generator_type_description, rosidl_pycommon):
            module.parse_idl_file = self.parse


def package(folder: str, build: Path) -> InterfacePackage:
    """Read the manifest of a package."""
    source = ROOT / folder
    manifest = ElementTree.parse(source / "package.xml").getroot()
    uses = tuple(str(element.text) for element in manifest.iter("depend"))
    name = str(manifest.findtext("name"))
    return InterfacePackage(name, source, uses, build / name)


def describe(one: InterfacePackage) -> None:
    """Translate a package's interfaces to IDL, and compute the hashes of its types, which packages after it need."""
    for interface in one.interfaces:
        convert_to_idl(one.source, one.name, interface, one.generated("idl"))
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


def compile_c(one: InterfacePackage) -> None:
    """Compile a package's types in C, and their conversion from and to Python.

    Descriptions of types define the same static names, so that each is compiled alone.
    """
    sources = [path for generator in C_SOURCES for path in sorted(one.generated(generator).rglob("*.c"))]
    descriptions = [path for path in sources if path.stem.endswith("__description")]
    others = [path for path in sources if path not in descriptions and ".ep." not in path.name]
    run("cc", *FLAGS, *includes(one), "-c", *descriptions, together(one.build / "types.c", others), folder=one.build)


def compile_cpp(one: InterfacePackage) -> None:
    """Compile a package's type support."""
    sources = [path for generator in CPP_SOURCES for path in sorted(one.generated(generator).rglob("*.cpp"))]
    source = together(one.build / "type_support.cpp", sources)
    run("c++", "-std=c++17", *FLAGS, *includes(one), "-c", source, folder=one.build)


def together(path: Path, sources: list[Path]) -> Path:
    """Write a source that includes others, which share large headers; return its path."""
    path.write_text("".join(f'#include "{source}"\n' for source in sources), encoding="utf-8")
    return path


def link(one: InterfacePackage) -> None:
    """Link a package's library and its Python module, and register the package."""
    objects = sorted(one.build.glob("*.o"))
    needed = [f"-l:{path.name}" for path in used_libraries(one)]
    options = ("-shared", "-Wl,--as-needed", "-Wl,-z,now", f"-L{LIBRARIES}", f"-Wl,-rpath-link,{LIBRARIES}")
    library = one.build / one.library.name
    run("c++", *options, "-Wl,-rpath,$ORIGIN", "-o", library, *objects, *needed, folder=one.build)
    install(library, one.library)
    for alias in one.aliases:
        alias.unlink(missing_ok=True)
        alias.symlink_to(one.library.name)
    module = one.build / f"{one.name}_s__rosidl_typesupport_c.so"
    entry = one.generated("rosidl_generator_py") / f"_{one.name}_s.ep.rosidl_typesupport_c.c"
    up = os.path.relpath(LIBRARIES, MODULES / one.name)
    flags = (*FLAGS, *includes(one), *options, f"-Wl,-rpath,$ORIGIN/{up}")
    run("cc", *flags, "-o", module, entry, library, *needed, folder=one.build)
    install(module, MODULES / one.name / module.name)
    register(one)


def used_libraries(one: InterfacePackage) -> Iterator[Path]:
    """Yield the libraries that a package needs at most."""
    for name in (*one.uses, *ALWAYS_USED):
        yield from LIBRARIES.glob(f"lib{name}__rosidl.so")  # one of ours
        for part in ("rosidl_generator_c", "rosidl_generator_py", "rosidl_typesupport_c", *MIDDLEWARE):
            yield from LIBRARIES.glob(f"lib{name}__{part}.so")
    fast_dds = (*MIDDLEWARE, "rosidl_typesupport_fastrtps_cpp", "fastcdr", "rmw")
    for name in ("rcutils", "rosidl_runtime_c", "rosidl_typesupport_c", *fast_dds):
        yield LIBRARIES / f"lib{name}.so"


def includes(one: InterfacePackage) -> Iterator[str]:
    """Yield the compiler's options for headers: generated ones, those of the ROS packages, Python's and numpy's."""
    for generator in (*C_SOURCES, *CPP_SOURCES):
        for build in sorted(one.build.parent.glob(f"*/{generator}")):
            yield f"-I{build}"
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
    for one in packages:
        yield from (one.library, *one.aliases)
        yield from (PREFIX / "share/ament_index/resource_index").glob(f"*/{one.name}")
        for folder in (PREFIX / "share" / one.name, MODULES / one.name):
            yield from (path for path in folder.rglob("*") if path.is_file() and path.suffix != ".pyc")


def build_all(packages: list[InterfacePackage]) -> None:
    """Build and install all packages; two programs run at the same time on two cores."""
    steps = 5 * len(packages)
    done = 0
    for one in packages:
        describe(one)
        done += 1
        print(f"{done} of {steps}", flush=True)
    with ProcessPoolExecutor(mp_context=multiprocessing.get_context("fork")) as pool:
        for stage in ((generate,), (compile_cpp, compile_c)):
            for finished in as_completed([pool.submit(work, one) for work in stage for one in packages]):
                finished.result()
                done += 1
                print(f"{done} of {steps}", flush=True)
    for one in packages:
        link(one)
        done += 1
        print(f"{done} of {steps}", flush=True)


def main() -> None:
    """Build the packages in an empty folder, and write which files were installed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", type=Path, metavar="BUILD_FOLDER")
    build = parser.parse_args().build.resolve()
    shutil.rmtree(build, ignore_errors=True)
    packages = [package(folder, build) for folder in FOLDERS]
    ParsedFiles().share()
    for one in packages:
        one.build.mkdir(parents=True)
    build_all(packages)
    manifest = "".join(f"{path}\n" for path in installed(packages))
    (build / "install_manifest.txt").write_text(manifest, encoding="utf-8")


if __name__ == "__main__":
    main()
