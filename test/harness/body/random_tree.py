"""Random trees of joints as URDF."""

from typing import Final

import numpy as np

from harness.body.urdf_text import variable

KINDS: Final = ("revolute", "continuous", "prismatic", "fixed")


def random_tree(rng: np.random.Generator, *, has_mimics: bool = True) -> str:
    """Return a tree of two to nine joints with random origins, axes, kinds and mimics."""
    count = int(rng.integers(2, 10))
    moving: list[str] = []
    parts = ["<robot name='random'>", *(f'<link name="link_{index}"/>' for index in range(count + 1))]
    for index in range(count):
        kind = str(rng.choice(KINDS))
        inside, name = "", f"joint_{index}"
        if kind != "fixed":
            if has_mimics and moving and rng.random() < 0.2:
                master = rng.choice(moving)
                inside = (
                    f'<mimic joint="{master}" multiplier="{rng.uniform(-2, 2)!r}" offset="{rng.uniform(-1, 1)!r}"/>'
                )
            else:
                own = variable("q", "state", index=index) + variable("q_ref", "cmd", index=index)
                inside = f'<rbc node="driver">{own}</rbc>'
                moving.append(name)
        parts.append(
            f'<joint name="{name}" type="{kind}"><parent link="link_{rng.integers(0, index + 1)}"/>'
            f'<child link="link_{index + 1}"/><origin xyz="{_numbers(rng.normal(0, 0.3, 3))}" '
            f'rpy="{_numbers(rng.uniform(-3, 3, 3))}"/><axis xyz="{_numbers(rng.normal(0, 1, 3))}"/>'
            f'<limit lower="-3" upper="3" velocity="1" effort="1"/>{inside}</joint>'
        )
    return "\n".join([*parts, "</robot>"])


def _numbers(values: "np.ndarray[tuple[int, ...], np.dtype[np.float64]]") -> str:
    return " ".join(repr(float(value)) for value in values)
