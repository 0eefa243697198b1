"""The compiler through its public functions."""

from dataclasses import replace

import pytest

from aseba_link.aesl.compiler import ScriptCompiler, compile_code, shipped_script
from aseba_link.aesl.syntax.script import EventDefinition, parse_script
from aseba_link.errors import CompilerError
from aseba_link.host.node import Node, NodeAddress
from aseba_link.host.upload import fit_problem
from aseba_link.thymio.events import NODE_NAME
from aseba_link.wire.description import NativeFunction, NodeDescription, Variable
from harness.aseba.fake_node import UUID, small_description
from harness.aseba.script_run import DESCRIPTION, compiled


def node(description: NodeDescription = DESCRIPTION, node_id: int = 1) -> Node:
    return Node(NodeAddress("tcp:localhost", node_id), description, UUID.hex())


def compiler(*codes: str) -> ScriptCompiler:
    return ScriptCompiler(parse_script(f"<network>{''.join(codes)}</network>".encode(), "test.aesl"))


def test_line_of_an_error_is_that_in_the_file() -> None:
    compile_script = compiler("\n", f'<node name="{NODE_NAME}">\nvar a = 1\nvar b = $\n</node>')
    with pytest.raises(CompilerError, match=r"^line 4, column 9: unexpected"):
        compile_script(node())


def test_shipped_script_fits_into_a_robot() -> None:
    script = ScriptCompiler(shipped_script())(node())
    assert script is not None
    assert fit_problem(script, DESCRIPTION) == ""


def test_nodes_of_the_same_kind_share_one_compilation() -> None:
    compile_for = ScriptCompiler(shipped_script())
    assert compile_for(node(node_id=1)) is compile_for(node(node_id=2))


def test_code_is_chosen_by_name_and_id_of_the_node() -> None:
    compile_for = compiler(
        '<node name="thymio-II" nodeId="3">var three</node>', '<node name="thymio-II">var any</node>'
    )
    scripts = [compile_for(node(node_id=node_id)) for node_id in (3, 4)]
    assert [script and script.variables for script in scripts] == [(Variable("three", 1),), (Variable("any", 1),)]


def test_node_of_another_name_gets_no_script() -> None:
    assert ScriptCompiler(shipped_script())(node(replace(DESCRIPTION, name="e-puck"))) is None


def test_nodes_with_other_variables_get_other_bytecode() -> None:
    compile_for = compiler('<node name="thymio-II">event.source = 1</node>')
    moved = replace(DESCRIPTION, variables=DESCRIPTION.variables[::-1])
    assert compile_for(node()) != compile_for(node(moved))


def test_code_that_cannot_be_compiled_is_an_error_each_time() -> None:
    compile_for = compiler('<node name="thymio-II">a = 1</node>')
    for _ in range(2):
        with pytest.raises(CompilerError, match="there is no variable a"):
            compile_for(node())


def test_constants_of_the_script_are_compiled_in() -> None:
    script = shipped_script()
    other = script.with_constants({"DEAD_BAND": 3})
    codes = [compile_code(each.codes[0].text, each.events, each.constants, DESCRIPTION) for each in (script, other)]
    assert codes[0] != codes[1]
    assert len(codes[0].bytecode) == len(codes[1].bytecode)


def test_parts_whose_needs_the_node_lacks_are_not_compiled() -> None:
    code = "var a = 1\n#@needs math.nothing\nfoo = 1\n#@end\nvar b = 2"
    assert [variable.name for variable in compiled(code).variables] == ["a", "b"]


def test_shipped_script_has_code_for_a_node_with_few_functions() -> None:
    with pytest.raises(CompilerError, match="there is no variable"):
        ScriptCompiler(shipped_script())(node(small_description()))


def test_parameter_of_size_zero_takes_any_size_and_receives_it() -> None:
    function = NativeFunction("any", "", ((0, "data"), (-2, "two"), (-1, "one"), (0, "more")))
    description = replace(DESCRIPTION, native_functions=(function,))
    script = compile_code("call any(acc, timer.period, _id, event.args)", [EventDefinition("e", 0)], {}, description)
    sizes = [3, 32, 1, 2]  # data, more, template -1, template -2
    assert [word & 0xFFF for word in script.bytecode[3:7]] == sizes[::-1]


def test_shipped_script_is_for_nodes_named_as_a_thymio() -> None:
    assert {code.name for code in shipped_script().codes} == {NODE_NAME}
