"""The same programs from the original compiler and from ours do the same."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import aseba_link
from aseba_link.aesl.conditional import keep_needed
from aseba_link.bytecode import CompiledScript
from aseba_link.compiler import compile_code
from aseba_link.errors import CompilerError
from aseba_link.script import parse_script
from program_strategies import CONSTANTS, EVENTS, programs
from pyaseba_compiler import PyasebaCompiler
from script_run import DESCRIPTION, OWN_START, ScriptRun, compiled, definitions

SCRIPTS = sorted(Path(aseba_link.__file__).parent.glob("*.aesl"))
LARGER_BY = 1.1


@pytest.fixture(scope="module")
def pyaseba() -> Iterator[PyasebaCompiler]:
    pytest.importorskip("pyaseba")
    compiler = PyasebaCompiler()
    yield compiler
    compiler.close()


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_scripts_of_this_package_get_no_longer(pyaseba: PyasebaCompiler, path: Path) -> None:
    script = parse_script(path.read_bytes(), path.name)
    for code in script.codes:
        text = keep_needed(code.text, DESCRIPTION)
        theirs = pyaseba.compile(text, {event.name: event.size for event in script.events}, script.constants)
        ours = compile_code(text, script.events, script.constants, DESCRIPTION)
        assert not isinstance(theirs, str), theirs
        assert len(ours.bytecode) <= LARGER_BY * len(theirs)


@settings(deadline=None, max_examples=150, suppress_health_check=[HealthCheck.too_slow])
@given(program=programs(), heard=st.lists(st.tuples(st.sampled_from(sorted(EVENTS)), st.integers(-3, 3)), max_size=4))
def test_programs_do_what_the_original_compiler_makes_of_them(
    pyaseba: PyasebaCompiler, program: str, heard: list[tuple[str, int]]
) -> None:
    theirs = pyaseba.compile(program, EVENTS, CONSTANTS)
    if isinstance(theirs, str):
        _check_refused(program, theirs)
        return
    ours = compiled(program, EVENTS, CONSTANTS)
    runs = [ScriptRun(ours), ScriptRun(CompiledScript(theirs, ours.variables))]
    for run in runs:
        for name, word in heard:
            run.raise_event(sorted(EVENTS).index(name), [word] * EVENTS[name])
    assert runs[0].faults == runs[1].faults
    assert runs[0].emitted == runs[1].emitted
    if not runs[0].faults:  # an assignment that a fault ends may be half done
        size = OWN_START + sum(variable.size for variable in ours.variables)
        assert runs[0].memory(size) == runs[1].memory(size)


def _check_refused(program: str, problem: str) -> None:
    """What they refuse, we do too, but we have a closer look at the stack."""
    if "stack will overflow" in problem:
        return
    with pytest.raises(CompilerError):
        compile_code(program, definitions(EVENTS), CONSTANTS, DESCRIPTION)
