import pytest

from aseba_link.aesl.syntax.script import EventDefinition, NodeCode, parse_script
from aseba_link.errors import ScriptError

SCRIPT = b"""<!DOCTYPE aesl-source>
<network>
<event size="3" name="zulu"/>
<event size="0" name="alpha"/>
<constant value="-5" name="LOW"/>
<constant value="7" name="HIGH"/>
<keywords flag="true"/>
<node nodeId="4" name="thymio-II">var a = 1 &lt; 2<toolsPlugins><x/>no code</toolsPlugins>
</node>
<node nodeId="2" name="thymio-II">two</node>
<node name="thymio-II">any</node>
<node nodeId="9" name="e-puck">epuck</node>
</network>
"""


def network(content: str) -> bytes:
    return f"<!DOCTYPE aesl-source>\n<network>\n{content}\n</network>".encode()


def test_events_stay_in_the_order_of_the_file() -> None:
    assert parse_script(SCRIPT, "s").events == (EventDefinition("zulu", 3), EventDefinition("alpha", 0))


def test_constants_are_read() -> None:
    assert parse_script(SCRIPT, "s").constants == {"LOW": -5, "HIGH": 7}


def test_code_is_the_text_of_the_node_without_elements_of_other_tools() -> None:
    assert parse_script(SCRIPT, "s").codes[0] == NodeCode("thymio-II", 4, "var a = 1 < 2\n", 8)


@pytest.mark.parametrize(
    ("name", "node_id", "text"), [("thymio-II", 2, "two"), ("thymio-II", 77, "any"), ("e-puck", 1, "epuck")]
)
def test_code_is_chosen_by_id_then_without_id(name: str, node_id: int, text: str) -> None:
    code = parse_script(SCRIPT, "s").code_for(name, node_id)
    assert code is not None
    assert code.text == text


def test_code_of_the_lowest_id_is_chosen_if_none_is_for_the_node_or_for_any() -> None:
    code = parse_script(network('<node name="n" nodeId="4">four</node><node name="n" nodeId="2">two</node>'), "s")
    chosen = code.code_for("n", 9)
    assert chosen is not None
    assert chosen.text == "two"


def test_node_of_another_name_has_no_code() -> None:
    assert parse_script(SCRIPT, "s").code_for("dummynode-0", 4) is None


def test_constants_can_be_overridden() -> None:
    script = parse_script(SCRIPT, "s")
    assert script.with_constants({"LOW": 3}).constants == {"LOW": 3, "HIGH": 7}
    assert script.constants["LOW"] == -5


def test_unknown_constant_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(ScriptError, match=r"no constant HIHG; did you mean HIGH\?"):
        parse_script(SCRIPT, "s").with_constants({"HIHG": 3})


def test_constant_beyond_16_bits_is_refused() -> None:
    with pytest.raises(ScriptError, match="40000 does not fit"):
        parse_script(SCRIPT, "s").with_constants({"HIGH": 40000})


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"", "a.aesl:1: not XML"),
        (b"<network>\n<event", "a.aesl:2: not XML"),
        (network('<node name="n">if a < b then</node>'), "a.aesl:3: not XML: .*; in code, write &lt; for <"),
        (b"\n<aesl/>", "a.aesl:2: .*starts with <aesl>"),
        (network('<event size="1"/>'), "a.aesl:3: <event> has no name"),
        (b"a = 1\0", "a.aesl: it is not text"),
        (b"a = 1 # 20\xb0", "a.aesl:1: not UTF-8"),
        (network('<event name="e" size="x"/>'), "a.aesl:3: size of event e: 'x' is not a whole number"),
        (network('<event name="e" size="259"/>'), "a.aesl:3: size of event e: 259 is not in 0 to 258"),
        (network('<event name="e" size="1"/>\n<event name="e" size="2"/>'), "a.aesl:4: event e is defined twice"),
        (network('<constant name="C" value="32768"/>'), "a.aesl:3: constant C: 32768"),
        (network('<constant name="C" value="1"/><constant name="C" value="1"/>'), "constant C is defined twice"),
        (network('<node name="n" nodeId="-1">x</node>'), "a.aesl:3: nodeId: -1"),
        (b'<!DOCTYPE n [\n<!ENTITY a "b">\n]><network/>', "a.aesl:2: the entity a is declared"),
    ],
)
def test_wrong_script_is_refused_with_file_and_line(data: bytes, problem: str) -> None:
    with pytest.raises(ScriptError, match=problem):
        parse_script(data, "a.aesl")


def test_external_entity_is_not_read() -> None:
    data = b'<!DOCTYPE n [<!ENTITY a SYSTEM "file:///etc/passwd">]><network><node name="n">&a;</node></network>'
    with pytest.raises(ScriptError, match="entity a"):
        parse_script(data, "a.aesl")


def test_node_named_by_a_uuid_counts_as_any() -> None:
    data = network('<node name="n" nodeId="{7a9b1f3c-0000-4000-8000-000000000001}">x</node>')
    assert parse_script(data, "s").codes == (NodeCode("n", 0, "x", 3),)


@pytest.mark.parametrize("encoding", ["shift_jis", "nonsense", "rot13", "idna"])
def test_encoding_that_cannot_be_read_is_refused(encoding: str) -> None:
    with pytest.raises(ScriptError, match=r"^s: "):
        parse_script(f'<?xml version="1.0" encoding="{encoding}"?><network/>'.encode(), "s")


def test_event_without_a_size_has_size_0() -> None:
    assert parse_script(network('<event name="e"/>'), "a.aesl").events == (EventDefinition("e", 0),)


def test_code_without_a_name_is_for_nodes_that_no_other_code_is_for() -> None:
    script = parse_script(network('<node>a = 1</node><node name="other">b = 1</node>'), "a.aesl")
    found = [script.code_for(name) for name in ("thymio-II", "other")]
    assert [code.text for code in found if code is not None] == ["a = 1", "b = 1"]


def test_code_alone_is_a_script_for_every_node() -> None:
    script = parse_script(b"var speed = 100\r\nif speed < 3 then speed = 3 end\n", "a.aesl")
    code = script.code_for("thymio-II", 7)
    assert code is not None
    assert (code.text, code.first_line) == ("var speed = 100\nif speed < 3 then speed = 3 end\n", 1)
