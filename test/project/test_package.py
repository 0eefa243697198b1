import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from catkin_pkg.package import Package, parse_package

from harness.packages import PRODUCT

ROOT = Path(__file__).parents[2]
OWN = set(PRODUCT)
BESIDE = {"bench", "harness", "orchestrator"}  # not installed: the tests run in the source tree; ros2_def is optional
ROSDEP_KEYS = {  # of modules with another name than their ROS package
    "hypothesis": "python3-hypothesis",
    "catkin_pkg": "python3-catkin-pkg-modules",
    "em": "python3-empy",
    "PIL": "python3-pil",
    "aiohttp": "python3-aiohttp",
    "jsonschema": "python3-jsonschema",
    "matplotlib": "python3-matplotlib",
    "numpy": "python3-numpy",
    "packaging": "python3-packaging",
    "pytest": "python3-pytest",
    "rich": "python3-rich",
    "scipy": "python3-scipy",
    "serial": "python3-serial",
    "yaml": "python3-yaml",
    "xacro": "xacro",
}
WITHOUT_ROSDEP_KEY = {  # on PyPI only
    "axe_playwright_python",  # brings axe-core, which judges the dashboard's page in the tests
    "mcap",  # writes recordings of experiments
    "mcap_ros2",  # reads them in the tests
    "playwright",  # drives Chromium in the tests
    "paho",  # an extra, for the connector to a master control
    "psycopg",  # an extra, for books of jobs on a server
    "pyaseba",  # a peer of our compiler in the tests
    "segno",  # QR codes of the dashboard
}
MANIFESTS = {  # of all packages, by name
    "thymio_fleet": "package.xml",
    "asebaros_msgs": "interfaces/asebaros_msgs/package.xml",
    "impedance_control_msgs": "interfaces/impedance_control_msgs/package.xml",
    "orchestrator_interfaces": "interfaces/orchestrator_interfaces/package.xml",
    "rbc_actions": "interfaces/rbc_actions/package.xml",
    "rbc_msgs_srvs": "interfaces/rbc_msgs_srvs/package.xml",
    "ricaip_interfaces": "interfaces/package.xml",
    "simulation_interfaces": "tools/wheels/simulation_interfaces/package.xml",
    "tf2_msgs": "tools/wheels/tf2_msgs/package.xml",
    "thymio_fleet_interfaces": "interfaces/thymio_fleet_interfaces/package.xml",
    "thymio_msgs": "interfaces/thymio_msgs/package.xml",
    "thymio_simulator_interfaces": "interfaces/thymio_simulator_interfaces/package.xml",
}
WITH_INTERFACES = [name for name in MANIFESTS if name != "thymio_fleet"]
COPIED = {"simulation_interfaces", "tf2_msgs"}  # of ROS, and built only where there is no wheel of them


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
    """Return the top-level modules imported by sources below the folders, without our own and Python's."""
    paths = [path for folder in folders for path in (ROOT / folder).rglob("*.py")]
    helpers = {path.stem for path in paths if path.is_relative_to(ROOT / "test")}
    found = {name for path in paths for name in modules(ast.parse(path.read_text(encoding="utf-8")))}
    return found - OWN - BESIDE - helpers - set(sys.stdlib_module_names)


def modules(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            yield node.module.split(".")[0]


def keys(names: set[str]) -> set[str]:
    return {ROSDEP_KEYS.get(name, name) for name in names - WITHOUT_ROSDEP_KEY}


def test_our_package_is_an_ament_python_package() -> None:
    manifest = package("package.xml")
    assert (manifest.name, manifest.get_build_type()) == ("thymio_fleet", "ament_python")


@pytest.mark.parametrize("name", WITH_INTERFACES)
def test_interface_package_is_an_ament_cmake_package(name: str) -> None:
    manifest = package(MANIFESTS[name])
    assert (manifest.name, manifest.get_build_type()) == (name, "ament_cmake")


@pytest.mark.parametrize("name", MANIFESTS)
def test_version_and_license_agree_everywhere(name: str) -> None:
    manifest = package(MANIFESTS[name])
    assert manifest.version == ast.literal_eval(setup_argument("version"))
    assert manifest.licenses == [ast.literal_eval(setup_argument("license"))]


@pytest.mark.parametrize("name", sorted(set(WITH_INTERFACES) - COPIED))
def test_interface_package_depends_on_the_packages_found_by_its_build(name: str) -> None:
    recipe = (ROOT / MANIFESTS[name]).with_name("CMakeLists.txt").read_text(encoding="utf-8")
    manifest = package(MANIFESTS[name])
    declared = {dependency.name for dependency in manifest.buildtool_depends + manifest.build_depends}
    assert set(re.findall(r"find_package\((\w+)", recipe)) == declared


def test_repository_has_no_other_packages() -> None:
    folders = ["", "interfaces/**/", "tools/**/"]
    found = {str(path.relative_to(ROOT)) for folder in folders for path in ROOT.glob(f"{folder}package.xml")}
    assert found == set(MANIFESTS.values())


def test_set_up_builds_every_interface_package_after_those_it_uses() -> None:
    tree = ast.parse((ROOT / "tools/wheels/build_interfaces.py").read_text(encoding="utf-8"))
    values = (
        node.value for node in tree.body if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "FOLDERS"
    )
    built = [package(f"{folder}/package.xml") for folder in ast.literal_eval(next(values))]
    names = [one.name for one in built]
    assert sorted(names) == sorted(WITH_INTERFACES)
    used = [(one.name, used.name) for one in built for used in one.build_depends if used.name in names]
    assert [pair for pair in used if names.index(pair[1]) > names.index(pair[0])] == []


def test_our_programs_depend_on_every_interface_package() -> None:
    declared = {dependency.name for dependency in package("package.xml").exec_depends}
    assert set(WITH_INTERFACES) - declared == set()


@pytest.mark.slow
def test_every_import_of_the_programs_is_a_dependency() -> None:
    declared = {dependency.name for dependency in package("package.xml").exec_depends}
    assert keys(imported((*OWN, "launch"))) - declared == set()


@pytest.mark.slow
def test_every_import_of_the_tests_is_a_dependency() -> None:
    manifest = package("package.xml")
    declared = {dependency.name for dependency in manifest.exec_depends + manifest.test_depends}
    assert keys(imported(("test",))) - declared == set()


@pytest.mark.slow
def test_every_pip_installable_dependency_is_required_in_setup_py() -> None:
    names = {"PyYAML": "yaml", "pillow": "PIL", "pyserial": "serial", "paho-mqtt": "paho"}
    extras = ast.literal_eval(setup_argument("extras_require"))
    texts = [
        *ast.literal_eval(setup_argument("install_requires")),
        *(text for texts in extras.values() for text in texts),
    ]
    required = {names.get(name, name) for name in (text.partition("[")[0] for text in texts)}
    assert required == imported(tuple(OWN)) & (set(ROSDEP_KEYS) | WITHOUT_ROSDEP_KEY)


def test_every_console_script_names_a_function() -> None:
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
        "aseba_link/bridge/bridge.schema.json",
        "aseba_link/thymio/thymio.aesl",
        "config/fleet.yaml",
        "config/world.yaml",
        "description/thymio.urdf",
        "fleet/settings/calibration.schema.json",
        "experiments/scenarios/file/experiment.schema.json",
        "experiments/control_study/fleet.yaml",
        "experiments/py.typed",
        "fleet/settings/fleet.schema.json",
        "fleet/py.typed",
        "launch/fleet.launch.py",
        "launch/fleet_simulation.launch.py",
        "resource/thymio_fleet",
        "simulator/py.typed",
        "simulator/world/world.schema.json",
    ],
)
def test_every_installed_file_exists(path: str) -> None:
    assert (ROOT / path).is_file()


def test_data_files_beside_the_sources_are_installed() -> None:
    data = ast.literal_eval(setup_argument("package_data"))
    installed = {path for folder in OWN for pattern in data[folder] for path in (ROOT / folder).glob(pattern)}
    present = {
        path
        for folder in OWN
        for path in (ROOT / folder).rglob("*")
        if path.is_file() and path.suffix not in {".py", ".pyc", ".so"}
    }
    assert present - installed == set()
