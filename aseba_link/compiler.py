"""Compiles Aseba scripts: shipped bytecode first, then the user's cache, then pyaseba in a child process.

`python -m aseba_link.compiler` compiles the shipped files again, each for the description that it holds;
`--add NAME TARGET` takes the description of the first Thymio that is found on a target for a new file.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import Future
from importlib import resources
from pathlib import Path
from threading import Thread
from typing import Any

from aseba_link.bytecode import CompiledScript, renumber_events
from aseba_link.compiled_file import CompiledFile, compiler_digest, description_to_json, read_compiled
from aseba_link.description import NodeDescription
from aseba_link.dialer import ThreadDialer
from aseba_link.errors import AsebaLinkError, CompilerError
from aseba_link.link import AsebaLink
from aseba_link.script import NodeCode, Script, parse_script
from aseba_link.thymio import NODE_NAME

CHILD_TIMEOUT_S = 20.0
DISCOVERY_TIMEOUT_S = 20.0

_PACKAGE = resources.files("aseba_link")
CHILD = (sys.executable, "-m", "aseba_link.pyaseba_child")


class ScriptCompiler:
    """Gives each kind of node its compiled script, compiling in a thread of its own where nothing is in store."""

    def __init__(self, script: Script) -> None:
        self._script = script
        self._known: dict[str, CompiledScript | Future[CompiledScript]] = {}

    def __call__(self, description: NodeDescription) -> CompiledScript | Future[CompiledScript] | None:
        """Return the script for such a node, None if the script has no code for it; never waits.

        Where it must be compiled first, a future gives the script, or the CompilerError that says why there is none;
        nodes of the same kind share it.
        """
        code = self._script.code_for(description.name)
        if code is None:
            return None
        digest = compiler_digest(self._script, code, description)
        known = self._known.get(digest)
        if known is None or (isinstance(known, Future) and known.done() and known.exception() is not None):
            known = stored_script(self._script, code, description) or self._start(code, description)
            self._known[digest] = known
        return known

    def _start(self, code: NodeCode, description: NodeDescription) -> Future[CompiledScript]:
        future: Future[CompiledScript] = Future()
        Thread(target=self._compile, args=(code, description, future), name="AESL compiler", daemon=True).start()
        return future

    def _compile(self, code: NodeCode, description: NodeDescription, future: Future[CompiledScript]) -> None:
        try:
            future.set_result(compile_script(self._script, code, description))
        except Exception as error:  # whoever waits for the future must learn of everything
            future.set_exception(error)


def shipped_script() -> Script:
    """Return the script that this package ships, thymio.aesl."""
    return parse_script((_PACKAGE / "thymio.aesl").read_bytes(), "thymio.aesl")


def shipped_files() -> dict[str, CompiledFile]:
    """Return the compiled scripts that this package ships, by file name without its ending."""
    entries = sorted((_PACKAGE / "compiled").iterdir(), key=lambda entry: entry.name)
    return {
        entry.name.removesuffix(".json"): read_compiled(entry.read_text(encoding="utf-8"))
        for entry in entries
        if entry.name.endswith(".json")
    }


def compile_script(script: Script, code: NodeCode, description: NodeDescription) -> CompiledScript:
    """Return `code` of `script`, compiled for nodes with this description; may take seconds.

    Raises
    ------
    CompilerError
        The compiler refuses the code, cannot run, or is not done after `CHILD_TIMEOUT_S`.
    """
    stored = stored_script(script, code, description)
    if stored is not None:
        return stored
    compiled = compile_afresh(script, code, description)
    digest = compiler_digest(script, code, description)
    _write_cache(CompiledFile(description, digest, compiled))
    return compiled


def stored_script(script: Script, code: NodeCode, description: NodeDescription) -> CompiledScript | None:
    """Return the compiled script from the shipped files or the cache, or None where it must be compiled first."""
    digest = compiler_digest(script, code, description)
    for shipped in shipped_files().values():
        if shipped.digest == digest:
            return shipped.script
    return _read_cache(digest)


def compile_afresh(
    script: Script,
    code: NodeCode,
    description: NodeDescription,
    child: Sequence[str] = CHILD,
    timeout_s: float = CHILD_TIMEOUT_S,
) -> CompiledScript:
    """Return what pyaseba makes of `code`, whatever is in store; `child` is the command that runs it.

    Raises
    ------
    CompilerError
        As for `compile_script`.
    """
    request = {
        "description": description_to_json(description),
        "code": code.text,
        "events": {event.name: event.size for event in script.events},
        "constants": dict(script.constants),
    }
    answer = _ask_child(child, json.dumps(request), timeout_s)
    if "error" in answer:
        raise CompilerError(f"script for {code.name}: {answer['error']}")
    # pyaseba numbers the events by name, all other tools and the wire by their place in the file
    names = [event.name for event in script.events]
    file_ranks = {rank: names.index(name) for rank, name in enumerate(sorted(names))}
    return CompiledScript(renumber_events(tuple(answer["bytecode"]), file_ranks))


def cache_directory() -> Path:
    """Return where compiled scripts are kept: `thymio_fleet/scripts` in the user's cache directory."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "thymio_fleet" / "scripts"


def _ask_child(child: Sequence[str], request: str, timeout_s: float) -> dict[str, Any]:
    """Return the child's answer; it is killed when it is late."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(entry for entry in sys.path if entry)}
    try:
        run = subprocess.run(
            child, input=request, capture_output=True, text=True, timeout=timeout_s, env=environment, check=False
        )
        answer = json.loads(run.stdout)
    except subprocess.TimeoutExpired as error:
        raise CompilerError(f"the AESL compiler is not done after {timeout_s:g} s") from error
    except OSError as error:
        raise CompilerError(f"the AESL compiler cannot run: {error}") from error
    except ValueError as error:
        last_line = (run.stderr.strip() or "no message").splitlines()[-1]
        raise CompilerError(f"the AESL compiler ended with status {run.returncode}: {last_line}") from error
    if not isinstance(answer, dict) or not answer.keys() & {"bytecode", "error"}:
        raise CompilerError(f"the AESL compiler answered {run.stdout[:80]!r}")
    return answer


def _read_cache(digest: str) -> CompiledScript | None:
    """Return the cached script; a file that is missing or damaged counts as none."""
    try:
        cached = read_compiled((cache_directory() / f"{digest}.json").read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, CompilerError):
        return None
    return cached.script if cached.digest == digest else None


def _write_cache(compiled: CompiledFile) -> None:
    """Keep a compiled script for the next time; a cache that cannot be written is only slow."""
    directory = cache_directory()
    try:
        directory.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile("w", dir=directory, suffix=".tmp", delete=False, encoding="utf-8") as file:
            file.write(compiled.to_text())
        Path(file.name).replace(directory / f"{compiled.digest}.json")
    except OSError:
        return


def compiled_file(description: NodeDescription) -> CompiledFile:
    """Return the shipped script, freshly compiled for a description; raises CompilerError."""
    script = shipped_script()
    code = script.code_for(description.name)
    if code is None:
        raise CompilerError(f"thymio.aesl has no code for nodes called {description.name}")
    compiled = compile_afresh(script, code, description)
    return CompiledFile(description, compiler_digest(script, code, description), compiled)


def discover_description(target: str) -> NodeDescription:
    """Return the description of the first Thymio on a target, waiting for it; raises AsebaLinkError."""
    found: list[NodeDescription] = []
    link = AsebaLink([target], found.append, ThreadDialer())
    deadline_ns = time.monotonic_ns() + round(DISCOVERY_TIMEOUT_S * 1e9)
    while time.monotonic_ns() < deadline_ns:
        link.poll(time.monotonic_ns())
        for description in found:
            if description.name == NODE_NAME:
                link.close()
                return description
        time.sleep(0.01)
    link.close()
    raise AsebaLinkError(f"no node called {NODE_NAME} on {target} within {DISCOVERY_TIMEOUT_S:g} s")


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the shipped compiled scripts; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m aseba_link.compiler", description=main.__doc__)
    parser.add_argument("--add", nargs=2, metavar=("NAME", "TARGET"), help="also for the Thymio on this target")
    options = parser.parse_args(arguments)
    directory = Path(__file__).parent / "compiled"
    try:
        descriptions = {name: file.description for name, file in shipped_files().items()}
        if options.add:
            descriptions[options.add[0]] = discover_description(options.add[1])
        for name, description in descriptions.items():
            (directory / f"{name}.json").write_text(compiled_file(description).to_text(), encoding="utf-8")
            print(f"{directory / name}.json")
    except AsebaLinkError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
