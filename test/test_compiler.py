import json
import os
import subprocess
import sys
import threading
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path

import pytest

from aseba_link.bytecode import CompiledScript, renumber_events
from aseba_link.compiled_file import CompiledFile, compiler_digest, read_compiled
from aseba_link.compiler import (
    ScriptCompiler,
    cache_directory,
    compile_afresh,
    compile_script,
    compiled_file,
    shipped_files,
    shipped_script,
    stored_script,
)
from aseba_link.errors import CompilerError
from aseba_link.script import NodeCode, Script, parse_script
from aseba_link.upload import fit_problem
from fake_node import small_description
from simulator.firmware import thymio_description

pytest.importorskip("pyaseba")

DESCRIPTION = small_description()


def aesl(code: str, events: str = "", constants: str = "") -> tuple[Script, NodeCode]:
    text = f'<network>{events}{constants}<node name="thymio-II">{code}</node></network>'
    script = parse_script(text.encode(), "test.aesl")
    return script, script.codes[0]


def compiled(code: str, events: str = "", constants: str = "") -> tuple[int, ...]:
    return compile_afresh(*aesl(code, events, constants), DESCRIPTION).bytecode


def child(source: str) -> tuple[str, ...]:
    return sys.executable, "-c", source


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "thymio_fleet" / "scripts"


@pytest.mark.parametrize("name", sorted(shipped_files()))
def test_shipped_bytecode_is_what_the_compiler_makes_of_the_shipped_script(name: str) -> None:
    shipped = shipped_files()[name]
    assert compiled_file(shipped.description) == shipped


@pytest.mark.parametrize("name", sorted(shipped_files()))
def test_shipped_bytecode_fits_into_its_node(name: str) -> None:
    shipped = shipped_files()[name]
    assert fit_problem(shipped.script, shipped.description) == ""


def test_shipped_bytecode_is_found_for_the_simulated_firmware() -> None:
    script = shipped_script()
    assert shipped_files()["firmware14"].description == thymio_description()
    assert stored_script(script, script.codes[0], thymio_description()) == shipped_files()["firmware14"].script


def test_shipped_bytecode_is_found_whatever_protocol_the_node_speaks() -> None:
    playground = shipped_files()["playground"]
    assert ScriptCompiler(shipped_script())(replace(playground.description, protocol_version=9)) == playground.script


def test_shipped_bytecode_is_not_used_with_other_constants() -> None:
    script = shipped_script().with_constants({"DEAD_BAND": 3})
    assert stored_script(script, script.codes[0], thymio_description()) is None


def test_events_are_numbered_as_in_the_file() -> None:
    events = '<event name="zulu" size="1"/><event name="alpha" size="0"/><event name="mike" size="0"/>'
    bytecode = compiled("onevent alpha\nemit zulu [_id]\nonevent zulu\nemit mike", events)
    assert set(bytecode[1 : bytecode[0] : 2]) == {0, 1}
    assert [word & 0xFFF for word in bytecode if word >> 12 == 0xB] == [0, 2]


def test_data_that_looks_like_an_event_stays_as_it_is() -> None:
    emit, large_immediate = 0xB000, 0x2000
    bytecode = (3, 0, 3, large_immediate, emit, emit, emit, 1, 0)
    assert renumber_events(bytecode, {0: 5}) == (3, 5, 3, large_immediate, emit, emit + 5, emit, 1, 0)


def test_bytecode_with_an_unknown_event_is_an_error() -> None:
    with pytest.raises(CompilerError, match="not understood"):
        renumber_events((3, 7, 3, 0), {0: 0})


def test_constants_are_compiled_in() -> None:
    with_5, with_6 = (compiled("var a = C", constants=f'<constant name="C" value="{c}"/>') for c in (5, 6))
    assert [(a, b) for a, b in zip(with_5, with_6, strict=True) if a != b] == [(0x1005, 0x1006)]


def test_compiler_error_says_what_is_wrong_and_where() -> None:
    with pytest.raises(CompilerError, match=r"thymio-II: .*Line: 2 Col: 1 : foo is not a defined variable"):
        compiled("var a = 1\nfoo = 3")


def test_missing_locale_does_not_matter(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    source = (
        "from aseba_link.compiler import compile_afresh, shipped_files, shipped_script\n"
        "shipped = shipped_files()['firmware14']; script = shipped_script()\n"
        "assert compile_afresh(script, script.codes[0], shipped.description) == shipped.script"
    )
    environment = {**os.environ, "LOCPATH": str(tmp_path / "empty"), "PYTHONPATH": os.pathsep.join(sys.path)}
    run = subprocess.run(child(source), env=environment, capture_output=True, text=True, check=False)
    assert run.stderr == ""


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        ("import time; time.sleep(60)", "not done after 0.5 s"),
        ("import os; os.abort()", "ended with status -6"),
        ("raise SystemError('broken')", "ended with status 1: SystemError: broken"),
        ("print('[1]')", r"answered '\[1\]"),
        ("print('{}')", "answered '{}"),
    ],
)
def test_compiler_that_hangs_or_dies_is_an_error(source: str, problem: str) -> None:
    with pytest.raises(CompilerError, match=problem):
        compile_afresh(*aesl("var a"), DESCRIPTION, child(source), timeout_s=0.5)


def test_compiler_that_is_not_there_is_an_error() -> None:
    with pytest.raises(CompilerError, match="cannot run"):
        compile_afresh(*aesl("var a"), DESCRIPTION, ("/nonexistent/python",))


def test_missing_pyaseba_says_how_to_install_it() -> None:
    source = "import sys; sys.modules['pyaseba'] = None\nfrom aseba_link.pyaseba_child import main\nmain()"
    with pytest.raises(CompilerError, match="pip install pyaseba"):
        compile_afresh(*aesl("var a"), DESCRIPTION, child(source))


def store(cache: Path, script: Script, code: NodeCode, bytecode: tuple[int, ...]) -> Path:
    digest = compiler_digest(script, code, DESCRIPTION)
    cache.mkdir(parents=True)
    path = cache / f"{digest}.json"
    path.write_text(CompiledFile(DESCRIPTION, digest, CompiledScript(bytecode)).to_text(), encoding="utf-8")
    return path


def test_compiled_script_is_taken_from_the_cache(cache: Path) -> None:
    script, code = aesl("var a = 1")
    store(cache, script, code, (1, 2, 3))
    assert compile_script(script, code, DESCRIPTION).bytecode == (1, 2, 3)


@pytest.mark.parametrize("damage", ["", "{", "[]", '{"digest": "x", "description": {}, "bytecode": []}', "\x00\xff"])
def test_damaged_cache_file_is_ignored_and_written_again(cache: Path, damage: str) -> None:
    script, code = aesl("var a = 1")
    path = store(cache, script, code, (1, 2, 3))
    path.write_bytes(damage.encode("latin-1"))
    expected = compile_afresh(script, code, DESCRIPTION)
    assert compile_script(script, code, DESCRIPTION) == expected
    assert read_compiled(path.read_text(encoding="utf-8")).script == expected
    assert list(cache.iterdir()) == [path]


def test_cache_that_cannot_be_written_does_not_matter(cache: Path) -> None:
    cache.parent.write_text("a file where the directory should be")
    script, code = aesl("var a = 1")
    assert compile_script(script, code, DESCRIPTION) == compile_afresh(script, code, DESCRIPTION)


def test_cache_is_in_the_users_cache_directory(tmp_path: Path) -> None:
    assert cache_directory() == tmp_path / "thymio_fleet" / "scripts"


@pytest.mark.parametrize(
    "other",
    [
        aesl("var a = 2"),
        aesl("var a = 1", events='<event name="e" size="1"/>'),
        aesl("var a = 1", constants='<constant name="C" value="1"/>'),
    ],
)
def test_digest_depends_on_code_events_and_constants(other: tuple[Script, NodeCode]) -> None:
    assert compiler_digest(*other, DESCRIPTION) != compiler_digest(*aesl("var a = 1"), DESCRIPTION)


def test_digest_depends_on_where_variables_lie() -> None:
    moved = replace(DESCRIPTION, variables=DESCRIPTION.variables[::-1])
    assert compiler_digest(*aesl("var a = 1"), moved) != compiler_digest(*aesl("var a = 1"), DESCRIPTION)


def test_nodes_of_the_same_kind_share_one_compilation() -> None:
    script, _ = aesl("var a = 1")
    compiler = ScriptCompiler(script)
    first, second = compiler(DESCRIPTION), compiler(DESCRIPTION)
    assert isinstance(first, Future)
    assert first is second
    assert first.result(30) == compile_afresh(script, script.codes[0], DESCRIPTION)


def test_compiler_gives_no_script_to_nodes_of_another_name() -> None:
    assert ScriptCompiler(shipped_script())(replace(DESCRIPTION, name="e-puck")) is None


def test_compilation_ends_with_the_compilers_error() -> None:
    future = ScriptCompiler(aesl("foo = 1")[0])(DESCRIPTION)
    assert isinstance(future, Future)
    assert isinstance(future.exception(30), CompilerError)


def test_compiled_file_is_readable() -> None:
    text = shipped_files()["firmware14"].to_text()
    assert '\n   ["_id", 1],\n' in text
    assert json.loads(text)["description"]["name"] == "thymio-II"


def test_compilations_do_not_leave_threads_behind() -> None:
    compile_afresh(*aesl("var a = 1"), DESCRIPTION)
    assert [thread.name for thread in threading.enumerate() if thread.name == "capturing node"] == []
