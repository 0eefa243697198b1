import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from catkin_pkg.package import Package, parse_package

ROOT = Path(__file__).parent.parent
OWN = {"aseba_link", "fleet", "simulator"}
ROSDEP_KEYS = {  # of modules that are not called like their ROS package
    "hypothesis": "python3-hypothesis",
    "catkin_pkg": "python3-catkin-pkg-modules",
    "jsonschema": "python3-jsonschema",
    "numpy": "python3-numpy",
    "pytest": "python3-pytest",
    "rich": "python3-rich",
    "serial": "python3-serial",
    "yaml": "python3-yaml",
}
WITHOUT_ROSDEP_KEY = {"pyaseba"}  # an extra of setup.py
HEADER = "geometry_msgs/PoseStamped"
INTERFACES = {
    "action/TaskGoTo.action": [[("string", "task_id"), (HEADER, "goal_pose")], [("bool", "success")], []],
    "action/TaskGoHome.action": [[("string", "task_id")], [("bool", "success")], []],
    "action/TaskTransport.action": [
        [("string", "task_id"), (HEADER, "pose_from"), (HEADER, "pose_to")],
        [("bool", "success")],
        [],
    ],
    "srv/AssignedTask.srv": [[], [("string", "id")]],
}


def package(path: str) -> Package:
    return parse_package(str(ROOT / path), warnings=[])


def setup_call() -> ast.Call:
    """The call of setup() in setup.py."""
    tree = ast.parse((ROOT / "setup.py").read_text(encoding="utf-8"))
    return next(
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "setup"
    )


def setup_argument(name: str) -> ast.expr:
    return next(keyword.value for keyword in setup_call().keywords if keyword.arg == name)


def imported(folders: tuple[str, ...]) -> set[str]:
    """The top-level modules, beside our own and Python's, that the sources below the folders import."""
    paths = [path for folder in folders for path in (ROOT / folder).rglob("*.py")]
    helpers = {path.stem for path in paths if path.is_relative_to(ROOT / "test")}
    found = {name for path in paths for name in modules(ast.parse(path.read_text(encoding="utf-8")))}
    return found - OWN - helpers - set(sys.stdlib_module_names)


def modules(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            yield node.module.split(".")[0]


def keys(names: set[str]) -> set[str]:
    return {ROSDEP_KEYS.get(name, name) for name in names - WITHOUT_ROSDEP_KEY}


def fields(text: str) -> list[list[tuple[str, str]]]:
    """The fields of each part of an interface file, without comments."""
    parts = re.split(r"^---$", text, flags=re.MULTILINE)
    lines = [[line.partition("#")[0].split() for line in part.splitlines()] for part in parts]
    return [[(words[0], words[1]) for words in part if words] for part in lines]


def test_our_package_is_an_ament_python_package() -> None:
    manifest = package("package.xml")
    assert (manifest.name, manifest.get_build_type()) == ("thymio_fleet", "ament_python")


def test_the_interface_package_has_the_customers_name() -> None:
    manifest = package("interfaces/package.xml")
    assert (manifest.name, manifest.get_build_type()) == ("ricaip_interfaces", "ament_cmake")


@pytest.mark.parametrize("path", ["package.xml", "interfaces/package.xml"])
def test_version_and_license_are_the_same_everywhere(path: str) -> None:
    manifest = package(path)
    assert manifest.version == ast.literal_eval(setup_argument("version"))
    assert manifest.licenses == [ast.literal_eval(setup_argument("license"))]


def test_what_the_programs_import_is_a_dependency() -> None:
    declared = {dependency.name for dependency in package("package.xml").exec_depends}
    assert keys(imported((*OWN, "launch"))) - declared == set()


def test_what_the_tests_import_is_a_dependency() -> None:
    manifest = package("package.xml")
    declared = {dependency.name for dependency in manifest.exec_depends + manifest.test_depends}
    assert keys(imported(("test",))) - declared == set()


def test_what_pip_can_install_is_a_requirement_of_setup_py() -> None:
    names = {"PyYAML": "yaml", "pyserial": "serial"}
    required = {names.get(name, name) for name in ast.literal_eval(setup_argument("install_requires"))}
    assert required == imported(tuple(OWN)) & (set(ROSDEP_KEYS) | {"pyaseba"}) - WITHOUT_ROSDEP_KEY


def test_every_console_script_has_its_function() -> None:
    scripts = ast.literal_eval(setup_argument("entry_points"))["console_scripts"]
    targets = [script.partition(" = ")[2].partition(":") for script in scripts]
    missing = [target for target in targets if not defines(ROOT / f"{target[0].replace('.', '/')}.py", target[2])]
    assert missing == []


def defines(path: Path, function: str) -> bool:
    body = ast.parse(path.read_text(encoding="utf-8")).body
    return any(isinstance(node, ast.FunctionDef) and node.name == function for node in body)


@pytest.mark.parametrize(
    "path",
    [
        "LICENSE",
        "aseba_link/py.typed",
        "aseba_link/thymio.aesl",
        "config/fleet.yaml",
        "config/world.yaml",
        "fleet/fleet.schema.json",
        "fleet/py.typed",
        "launch/fleet.launch.py",
        "launch/fleet_simulation.launch.py",
        "resource/thymio_fleet",
        "simulator/py.typed",
        "simulator/world.schema.json",
    ],
)
def test_a_file_that_is_installed_exists(path: str) -> None:
    assert (ROOT / path).is_file()


def test_data_beside_the_sources_is_installed() -> None:
    data = ast.literal_eval(setup_argument("package_data"))
    installed = {path for folder in OWN for pattern in data[folder] for path in (ROOT / folder).glob(pattern)}
    present = {
        path
        for folder in OWN
        for path in (ROOT / folder).rglob("*")
        if path.is_file() and path.suffix not in {".py", ".pyc"}
    }
    assert present - installed == set()


def test_there_are_the_customers_interfaces_and_no_others() -> None:
    found = (ROOT / "interfaces").rglob("*.*")
    kinds = {".action", ".msg", ".srv"}
    assert {str(path.relative_to(ROOT / "interfaces")) for path in found if path.suffix in kinds} == set(INTERFACES)


@pytest.mark.parametrize("path", INTERFACES)
def test_an_interface_has_the_customers_fields(path: str) -> None:
    assert fields((ROOT / "interfaces" / path).read_text(encoding="utf-8")) == INTERFACES[path]


@pytest.mark.parametrize("path", INTERFACES)
def test_an_interface_is_built(path: str) -> None:
    assert f"  {path}\n" in (ROOT / "interfaces" / "CMakeLists.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("path", INTERFACES)
def test_every_field_of_an_interface_has_a_comment(path: str) -> None:
    lines = (ROOT / "interfaces" / path).read_text(encoding="utf-8").splitlines()
    bare = [line for before, line in zip(["", *lines], lines, strict=False) if is_field(line) and before[:1] != "#"]
    assert bare == []


def is_field(line: str) -> bool:
    return bool(line) and not line.startswith(("#", "---"))
