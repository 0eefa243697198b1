"""URDF texts for tests of the body coupler."""

from collections.abc import Iterable

MESSAGE = '<msg type="test.msg.Numbers" field="numbers" field_array="true" index="{index}" index_type="float"/>'


def variable(name: str, kind: str, *, topic: str = "", index: int = 0, more: str = "") -> str:
    topic = topic or f"driver/{kind}"
    return f'<var name="{name}" init="0.0" topic="{topic}" type="{kind}" {more}>{MESSAGE.format(index=index)}</var>'


def joint(
    name: str,
    parent: str,
    child: str,
    *,
    kind: str = "revolute",
    inside: str = "",
    variables: Iterable[str] | None = None,
    limit: str = '<limit lower="-2" upper="2" velocity="1.5" effort="1"/>',
) -> str:
    """Return a joint about z, a metre along x; with variables q and q_ref unless told otherwise."""
    index = sum(map(ord, name))
    own = (
        [variable("q", "state", index=index), variable("q_ref", "cmd", index=index)] if variables is None else variables
    )
    rbc = f'<rbc node="driver">{"".join(own)}</rbc>' if own else ""
    return (
        f'<joint name="{name}" type="{kind}"><origin xyz="1 0 0"/><parent link="{parent}"/><child link="{child}"/>'
        f'<axis xyz="0 0 1"/>{limit}{inside}{rbc}</joint>\n'
    )


def robot(*parts: str, links: Iterable[str] = ("a", "b")) -> str:
    """Return a robot with links and the joints given."""
    return (
        "<robot name='test'>\n"
        + "".join(f'<link name="{link}"/>' for link in links)
        + "\n"
        + "".join(parts)
        + "</robot>"
    )
