"""The services that load scripts: that of asebaros, without a result, and another with a result for each node."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

from asebaros_msgs.msg import Constant
from asebaros_msgs.srv import LoadScript
from rclpy.node import Node as RosNode
from rclpy.task import Future
from thymio_fleet_interfaces.msg import ScriptResult
from thymio_fleet_interfaces.srv import LoadScript as LoadScriptVerbosely

from aseba_link.aesl.program import Program, parse_program, read_program
from aseba_link.errors import CompilerError, ScriptError
from aseba_link.host.node import Node
from aseba_link.ros.bridge import Bridge
from thymio_base.ros.answers import Answers

INLINE_NAME = "the script in the request"


class LoadServices:
    """Serves aseba/load_script and aseba/x/load_script; both respond once every node runs or refuses the script."""

    def __init__(self, ros: RosNode, bridge: Bridge, answers: Answers) -> None:
        self._ros = ros
        self._bridge = bridge
        answers.create_service(ros, LoadScript, "aseba/load_script", self._on_load)
        answers.create_service(ros, LoadScriptVerbosely, "aseba/x/load_script", self._on_load_verbosely)

    def _on_load(self, request: LoadScript.Request, response: LoadScript.Response) -> Any:
        try:
            program = read_program(request.file_name, _constants(request.constants))
            return self._start(program, request, lambda _: response)
        except ScriptError as error:
            self._ros.get_logger().error(f"aseba/load_script: {error}")
            return response

    def _on_load_verbosely(self, request: LoadScriptVerbosely.Request, response: LoadScriptVerbosely.Response) -> Any:
        try:
            return self._start(self._requested(request), request, _verbose_response)
        except ScriptError as error:
            self._ros.get_logger().error(f"aseba/x/load_script: {error}")
            response.message = str(error)
            return response

    def _requested(self, request: LoadScriptVerbosely.Request) -> Program:
        """Return the requested program: from a file, from the text of a script, or else the default program."""
        constants = _constants(request.constants)
        if request.file_name and request.text:
            raise ScriptError(f"both a file, {request.file_name}, and the text of a script are given")
        if request.file_name:
            return read_program(request.file_name, constants)
        if request.text:
            return parse_program(INLINE_NAME, request.text.encode(), constants)
        if self._bridge.programs.default is None:
            raise ScriptError("neither a file nor the text of a script is given, and there is no default script")
        return self._bridge.programs.default

    def _start(self, program: Program, request: Any, respond: Callable[[list[ScriptResult]], Any]) -> Future:
        """Start loading; the future gets the response once every node runs the program or has refused it."""
        if request.set_as_default:
            self._bridge.programs.set_default(program)
        nodes = self._bridge.select(list(request.node_ids))
        results = self._unknown(request.node_ids, nodes)
        expected = len(nodes) + len(results)
        answered = Future()

        def on_result(node: Node, problem: CompilerError | str | None) -> None:
            results.append(_result(node, problem))
            if len(results) == expected:
                answered.set_result(respond(results))

        for node in nodes:
            self._bridge.load(program, node, partial(on_result, node))
        if not nodes:
            answered.set_result(respond(results))
        return answered

    def _unknown(self, node_ids: Iterable[int], nodes: Sequence[Node]) -> list[ScriptResult]:
        """Return results for ids that belong to no accepted node."""
        known = {node.address.node_id for node in nodes}
        unknown = [node_id for node_id in dict.fromkeys(node_ids) if node_id not in known]
        for node_id in unknown:
            self._ros.get_logger().error(f"load_script: there is no node {node_id}")
        return [ScriptResult(node_id=node_id, message=f"there is no node {node_id}") for node_id in unknown]


def _verbose_response(results: list[ScriptResult]) -> LoadScriptVerbosely.Response:
    return LoadScriptVerbosely.Response(
        success=bool(results) and all(result.success for result in results),
        message="" if results else "there is no node",
        results=sorted(results, key=lambda result: result.node_id),
    )


def _result(node: Node, problem: CompilerError | str | None) -> ScriptResult:
    result = ScriptResult(node_id=node.address.node_id, node_name=node.description.name, success=problem is None)
    if problem is not None:
        result.message = str(problem)
    if isinstance(problem, CompilerError):
        result.line, result.column = problem.line, problem.column
    return result


def _constants(constants: list[Constant]) -> dict[str, int]:
    return {constant.name: constant.value for constant in constants}
