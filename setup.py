"""The ROS package thymio_fleet, which pip can install as well."""

from pathlib import Path

from setuptools import find_packages, setup

NAME = "thymio_fleet"


def files(pattern: str) -> list[str]:
    """Return the files of the source tree that match, relative to it."""
    root = Path(__file__).parent
    return sorted(str(path.relative_to(root)) for path in root.glob(pattern))


setup(
    name=NAME,
    version="0.1.0",
    description="A fleet service for Thymio II robots, with a simulator of them.",
    author="The thymio_fleet authors",
    license="Apache-2.0",
    license_files=["LICENSE"],
    packages=find_packages(include=["aseba_link*", "experiments*", "fleet*", "simulator*"]),
    package_data={
        "aseba_link": ["py.typed", "*.aesl", "*.json"],
        "experiments": ["py.typed", "*.json", "*.yaml"],
        "fleet": ["py.typed", "*.json"],
        "simulator": ["py.typed", "*.json"],
    },
    data_files=[
        ("share/ament_index/resource_index/packages", [f"resource/{NAME}"]),
        (f"share/{NAME}", ["package.xml"]),
        (f"share/{NAME}/config", files("config/*.yaml") + files("config/*.xml")),
        (f"share/{NAME}/description", files("description/*.urdf")),
        (f"share/{NAME}/launch", files("launch/*.launch.py")),
    ],
    python_requires=">=3.12",
    install_requires=["jsonschema", "matplotlib", "mcap", "numpy", "pillow", "pyserial", "PyYAML", "rich"],
    zip_safe=False,
    entry_points={
        "console_scripts": [
            "asebaros = aseba_link.asebaros:main",
            "multi_thymio_driver = fleet.node:main",
            "thymio-fleet = fleet.cli:main",
            "thymio_simulator = simulator.__main__:main",
        ],
    },
)
