"""The ROS package thymio_fleet, which pip can install as well.

Code that runs for every robot in every tick is compiled ahead of time if mypy is installed, which brings the compiler
(docs/decisions/0023-the-core-is-compiled.md). Otherwise, and with THYMIO_FLEET_COMPILED=no, it runs as plain Python.
"""

import runpy
from pathlib import Path

from setuptools import find_packages, setup

ROOT = Path(__file__).parent
NAME = "thymio_fleet"
CORE = runpy.run_path(str(ROOT / "tools/build_core.py"))


def files(pattern: str) -> list[str]:
    """Return the files of the source tree that match, relative to its root."""
    return sorted(str(path.relative_to(ROOT)) for path in ROOT.glob(pattern))


setup(
    name=NAME,
    version="0.9.0",
    description="A fleet service for Thymio II robots, with a simulator of them.",
    author="The thymio_fleet authors",
    license="Apache-2.0",
    license_files=["LICENSE"],
    packages=find_packages(
        include=[
            "aseba_link*",
            "body*",
            "conformance*",
            "experiments*",
            "fleet*",
            "simulator*",
            "thymio_base*",
            "thymio_fleet*",
        ]
    ),
    package_data={
        "aseba_link": ["py.typed", "**/*.aesl", "**/*.json"],
        "body": ["py.typed"],
        "conformance": ["py.typed", "**/*.json"],
        "experiments": ["py.typed", "**/*.json", "**/*.yaml"],
        "fleet": ["py.typed", "**/*.json", "**/*.css", "**/*.html", "**/*.js", "**/*.svg", "**/*.webmanifest"],
        "simulator": ["py.typed", "**/*.json"],
        "thymio_base": ["py.typed"],
        "thymio_fleet": ["py.typed"],
    },
    data_files=[
        ("share/ament_index/resource_index/packages", [f"resource/{NAME}"]),
        (f"share/{NAME}", ["package.xml"]),
        (f"share/{NAME}/config", files("config/*.yaml") + files("config/*.xml")),
        (f"share/{NAME}/config/grafana", files("config/grafana/*.json")),
        (f"share/{NAME}/config/foxglove", files("config/foxglove/*.json")),
        (f"share/{NAME}/config/orchestrated", files("config/orchestrated/*.json")),
        (f"share/{NAME}/config/rviz", files("config/rviz/*.rviz")),
        (f"share/{NAME}/config/systemd", files("config/systemd/*")),
        (f"share/{NAME}/description", files("description/*.urdf")),
        (f"share/{NAME}/launch", files("launch/*.launch.py")),
        (f"share/{NAME}/examples/bodies", files("examples/bodies/*")),
        (f"share/{NAME}/examples/orchestrated", files("examples/orchestrated/*")),
        (f"share/{NAME}/examples/worlds", files("examples/worlds/*.yaml")),
    ],
    python_requires=">=3.11",
    install_requires=[
        "aiohttp",
        "jsonschema",
        "matplotlib",
        "mcap",
        "numpy",
        "pillow",
        "pyserial",
        "PyYAML",
        "rich",
        "segno",
        "xacro",
    ],
    extras_require={"postgresql": ["psycopg[binary]"], "statistics": ["scipy"], "vda5050": ["paho-mqtt"]},
    ext_modules=CORE["core_extensions"](),
    cmdclass={"build_ext": CORE["BuildCore"]},
    zip_safe=False,
    entry_points={
        "console_scripts": [
            "asebaros = aseba_link.ros.__main__:main",
            "multi_thymio_driver = fleet.ros.__main__:main",
            "rbc = body.ros.entries:rbc",
            "rbc_arm = body.ros.entries:rbc_arm",
            "thymio-fleet = fleet.commands.entry_point:main",
            "thymio_simulator = simulator.__main__:main",
        ],
    },
)
