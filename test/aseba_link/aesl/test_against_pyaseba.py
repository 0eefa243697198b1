"""Programs behave the same with the original compiler and with ours."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, reject, settings
from hypothesis import strategies as st

import aseba_link
from aseba_link.aesl.compiler import compile_code
from aseba_link.aesl.syntax.conditional import drop_unsupported
from aseba_link.aesl.syntax.script import parse_script
from aseba_link.errors import CompilerError
from aseba_link.wire.bytecode import CompiledScript
from harness.aseba.program_strategies import CONSTANTS, EVENTS, programs
from harness.aseba.pyaseba_compiler import PeerDiedError, PyasebaCompiler
from harness.aseba.script_run import DESCRIPTION, OWN_START, ScriptRun, compiled, definitions
from harness.budgets import examples

SCRIPTS = sorted(Path(aseba_link.__file__).parent.rglob("*.aesl"))
LARGER_BY = 1.1


@pytest.fixture(scope="module")
def pyaseba() -> Iterator[PyasebaCompiler]:
    pytest.importorskip("pyaseba")
    compiler = PyasebaCompiler()
    yield compiler
    compiler.close()


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_scripts_of_this_package_compile_to_no_more_words(pyaseba: PyasebaCompiler, path: Path) -> None:
    script = parse_script(path.read_bytes(), path.name)
    for code in script.codes:
        text = drop_unsupported(code.text, DESCRIPTION)
        theirs = pyaseba.compile(text, {event.name: event.size for event in script.events}, script.constants)
        ours = compile_code(text, script.events, script.constants, DESCRIPTION)
        assert not isinstance(theirs, str), theirs
        assert len(ours.bytecode) <= LARGER_BY * len(theirs)


@settings(deadline=None, max_examples=examples(150), suppress_health_check=[HealthCheck.too_slow])
@given(program=programs(), raised=st.lists(st.tuples(st.sampled_from(sorted(EVENTS)), st.integers(-3, 3)), max_size=4))
@pytest.mark.slow
def test_programs_behave_as_from_the_original_compiler(
    pyaseba: PyasebaCompiler, program: str, raised: list[tuple[str, int]]
) -> None:
    try:
        theirs = pyaseba.compile(program, EVENTS, CONSTANTS)
    except PeerDiedError:  # for few programs: the compiler's class limits their number
        reject()
    if isinstance(theirs, str):
        _check_refused(program, theirs)
        return
    ours = compiled(program, EVENTS, CONSTANTS)
    runs = [ScriptRun(ours), ScriptRun(CompiledScript(theirs, ours.variables))]
    for run in runs:
        for name, word in raised:
            run.raise_event(sorted(EVENTS).index(name), [word] * EVENTS[name])
    assert runs[0].faults == runs[1].faults
    assert runs[0].emitted == runs[1].emitted
    if not runs[0].faults:  # a fault may interrupt an assignment half way
        size = OWN_START + sum(variable.size for variable in ours.variables)
        assert runs[0].memory(size) == runs[1].memory(size)


def _check_refused(program: str, problem: str) -> None:
    """Check that our compiler rejects a program too, except for the stack, which it counts exactly."""
    if "stack will overflow" in problem:
        return
    with pytest.raises(CompilerError):
        compile_code(program, definitions(EVENTS), CONSTANTS, DESCRIPTION)
