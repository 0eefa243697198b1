"""Bridges an Aseba network to ROS under the names of asebaros: its nodes, scripts, variables and events."""

from collections.abc import Callable, Iterable, Sequence

from asebaros_msgs.msg import Node as NodeMessage
from asebaros_msgs.msg import NodeList
from asebaros_msgs.srv import GetNodeList
from diagnostic_msgs.msg import DiagnosticStatus
from rclpy.node import Node as RosNode

from aseba_link.aesl.program import Program
from aseba_link.bridge.accepted_nodes import AcceptedNodes, Admit, NodePlace
from aseba_link.bridge.node_programs import LoadResult, NodePrograms
from aseba_link.bridge.variable_reader import VariableReader
from aseba_link.errors import CompilerError, MessageError
from aseba_link.host.link_events import (
    AnonymousEvent,
    LinkEvent,
    NodeDisconnected,
    NodeFaulted,
    NodeFound,
    NodeLost,
    NodeReady,
    UserEvent,
    VariablesRead,
)
from aseba_link.host.node import Node, NodeAddress
from aseba_link.link.aseba_link import AsebaLink
from aseba_link.ros.anonymous_events import AnonymousEvents
from aseba_link.ros.bridge_status import network_status, node_status
from aseba_link.ros.bridged_node import LATCHED, BridgedNode
from thymio_base.instant import Instant
from thymio_base.ros.answers import Answers
from thymio_base.ros.diagnostics import Diagnostics


class Bridge:
    """Serves the accepted nodes of a link, driven by the link's events.

    Parameters
    ----------
    ros : owns the topics and services
    link : link to the nodes; the owner polls it
    admit : decides which nodes are accepted
    program : default program of accepted nodes
    loads : whether the bridge loads that program; otherwise the link does
    diagnostics : publishes the state of the network and of each node
    clock : returns the current instant
    answers : sends the answers of the services
    sets_id_variable : whether to write each node's id to the variable named by its rule
    reloads : whether to reload programs onto nodes that reconnect
    """

    def __init__(
        self,
        ros: RosNode,
        link: AsebaLink,
        *,
        admit: Admit,
        program: Program | None,
        loads: bool,
        diagnostics: Diagnostics,
        clock: Callable[[], Instant],
        answers: Answers,
        sets_id_variable: bool = False,
        reloads: bool = True,
    ) -> None:
        self.programs = NodePrograms(link, program, loads=loads)
        self._sets_id_variable = sets_id_variable
        self._reloads = reloads
        self._ros = ros
        self._link = link
        self._diagnostics = diagnostics
        self._clock = clock
        self._answers = answers
        self._reader = VariableReader()
        self._accepted_nodes = AcceptedNodes(admit)
        self._bridged: dict[NodeAddress, BridgedNode] = {}
        self._starting: dict[NodeAddress, Program] = {}  # running programs whose topics are yet to be created
        self._reported_refusals: dict[NodeAddress, str] = {}
        self._is_changed = False
        self._nodes = ros.create_publisher(NodeList, "aseba/nodes", LATCHED)
        self._anonymous = AnonymousEvents(ros, link, clock)
        answers.create_service(ros, GetNodeList, "aseba/get_nodes", self._on_get_nodes)
        diagnostics.add("Aseba Network", self._network_status)
        self._publish_nodes()

    def _network_status(self) -> DiagnosticStatus:
        return network_status(self._link.targets, self._accepted_nodes, self._answers.fence)

    def select(self, node_ids: Sequence[int]) -> list[Node]:
        """Return the accepted nodes with these ids, connected or not; all nodes if there are no ids."""
        nodes = [bridged.node for bridged in self._bridged.values()]
        return [node for node in nodes if not node_ids or node.address.node_id in node_ids]

    @property
    def accepted(self) -> tuple[Node, ...]:
        """Accepted nodes that are connected."""
        return tuple(place.node for place in self._accepted_nodes.accepted.values() if place.is_connected)

    def handle(self, events: Iterable[LinkEvent]) -> None:
        """Handle the events of the link; call after every poll."""
        for event in events:
            self._answers.fence.call("an event of the link", self._handle_event, event)
        self._reader.advance(self._clock().core_ns)
        if self._starting:
            self._answers.fence.call("topics of a node", self._start_next)
        if self._is_changed:
            self._publish_nodes()

    def _start_next(self) -> None:
        """Create the topics of one started node, which takes 10 ms for a script with thirty events.

        Not one topic per poll: for each batch of new topics, the executor examines all entities of all nodes again.
        """
        address, program = next(iter(self._starting.items()))
        del self._starting[address]
        self._start(self._bridged[address], program)

    def load(self, program: Program, node: Node, result: LoadResult) -> None:
        """Load a program onto an accepted node, now and at each reconnection; `result` receives the problem or None."""
        bridged = self._bridged.get(node.address)
        if bridged is None:
            result("it is no longer accepted")
            return
        self._start_program(program, bridged, [result])

    def _start_program(self, program: Program, bridged: BridgedNode, results: Sequence[LoadResult] = ()) -> None:
        try:
            if not self.programs.load(program, bridged.node, results):
                self._fail(bridged, "it is not connected; the script is loaded when it reconnects", results)
        except CompilerError as error:
            self._fail(bridged, error, results)

    def _fail(self, bridged: BridgedNode, problem: CompilerError | str, results: Sequence[LoadResult] = ()) -> None:
        bridged.problem = str(problem)
        self._ros.get_logger().error(f"{bridged.node.address}: {problem}")
        for result in results:
            result(problem)

    def _handle_event(self, event: LinkEvent) -> None:
        match event:
            case UserEvent(address):
                bridged = self._bridged.get(address)
                if bridged is None or not bridged.publish_event(event):
                    self._anonymous.publish(event)
            case AnonymousEvent():
                self._anonymous.publish(event)
            case VariablesRead():
                self._reader.on_read(event)
            case _:
                self._handle_change(event)

    def _handle_change(self, event: LinkEvent) -> None:
        """Handle an event that changes the list of nodes."""
        self._is_changed = True
        match event:
            case NodeFound(node):
                self._accepted_nodes.add(node)
                self._update_bridged(node)
            case NodeDisconnected(address, reason):
                self._on_disconnected(address, reason)
            case NodeReady(node, is_loaded):
                self._on_ready(node.address, is_loaded)
            case NodeLost(address):
                self._halt(address)
            case NodeFaulted(address, reason):
                self._on_fault(address, reason)

    def _update_bridged(self, found: Node | None = None) -> None:
        """Update the bridged nodes to match the accepted nodes; start programs on new and reconnected nodes."""
        for bridged in [bridged for bridged in self._bridged.values() if not self._is_served_as(bridged)]:
            self._drop(bridged)
        for address, place in self._accepted_nodes.accepted.items():
            is_new = address not in self._bridged
            if is_new:
                self._add(place)
            self._bridged[address].node = place.node
            if place.is_connected and (is_new or (found is not None and found.address == address)):
                self._on_appeared(self._bridged[address], is_new)
        for address, reason in self._accepted_nodes.ignored.items():
            if self._reported_refusals.get(address) != reason:
                self._ros.get_logger().info(f"{address} gets no topics for scripts: {reason}")
        self._reported_refusals = dict(self._accepted_nodes.ignored)

    def _is_served_as(self, bridged: BridgedNode) -> bool:
        """Return whether a node is still accepted with the same name and admission, as another may have replaced it."""
        place = self._accepted_nodes.accepted.get(bridged.node.address)
        if place is None:
            return False
        is_same = place.node.description.name == bridged.node.description.name
        return is_same and place.admission == bridged.admission

    def _add(self, place: NodePlace) -> None:
        address = place.node.address
        bridged = BridgedNode(
            self._ros,
            self._link.node(address),
            self._reader,
            node=place.node,
            admission=place.admission,
            title=self._title(place.node),
            clock=self._clock,
            answers=self._answers,
        )
        self._bridged[address] = bridged
        self._diagnostics.add(bridged.title, lambda: node_status(bridged, self._accepted_nodes.accepted[address]))

    def _title(self, node: Node) -> str:
        """Return a node's name in diagnostics, with its target if another node has the same id, as on USB."""
        title = f"Aseba Node {node.description.name} {node.address.node_id}"
        is_used = any(bridged.title == title for bridged in self._bridged.values())
        return f"{title} on {node.address.target}" if is_used else title

    def _drop(self, bridged: BridgedNode) -> None:
        address = bridged.node.address
        del self._bridged[address]
        self.programs.answer(address, "it is no longer accepted")
        self.programs.forget(address)
        self._diagnostics.remove(bridged.title)
        self._starting.pop(address, None)
        bridged.destroy()

    def _on_appeared(self, bridged: BridgedNode, is_new: bool) -> None:
        """Load a node's program after it has connected or reconnected."""
        self._write_id(bridged)
        program = self.programs.program_for(bridged.node.address)
        if program is not None and (is_new or self._reloads):
            self._start_program(program, bridged)

    def _write_id(self, bridged: BridgedNode) -> None:
        """Write the node's id to the variable named by its rule; a new script clears it."""
        address, variable = bridged.node.address, bridged.admission.rule.id_variable
        if not (self._sets_id_variable and variable):
            return
        try:
            if not bridged.handle.set_variable(variable, [address.node_id]):
                self._ros.get_logger().warning(f"{address} has no variable {variable!r} for its id")
        except MessageError as error:
            self._ros.get_logger().warning(f"{address}: {error}")

    def _on_disconnected(self, address: NodeAddress, reason: str) -> None:
        self._halt(address)
        if address in self._bridged:
            self._ros.get_logger().warning(f"{address} disconnected: {reason}")
        self.programs.answer(address, f"it disconnected: {reason}")
        self._accepted_nodes.mark_disconnected(address)
        self._update_bridged()

    def _on_ready(self, address: NodeAddress, is_loaded: bool) -> None:
        bridged = self._bridged.get(address)
        program = self.programs.running_on(address, is_loaded)
        if bridged is None or program is None:
            return
        self._starting[address] = program

    def _start(self, bridged: BridgedNode, program: Program) -> None:
        """Serve the events of the program that a node runs, and report success."""
        bridged.run(program)
        address = bridged.node.address
        self._write_id(bridged)
        self._ros.get_logger().info(f"{address} runs {program.name}")
        self.programs.answer(address, None)
        self._is_changed = True

    def _halt(self, address: NodeAddress) -> None:
        self._starting.pop(address, None)
        bridged = self._bridged.get(address)
        if bridged is not None:
            bridged.is_running = False

    def _on_fault(self, address: NodeAddress, reason: str) -> None:
        self._halt(address)
        bridged = self._bridged.get(address)
        if bridged is not None:
            self._fail(bridged, reason)
            self.programs.answer(address, reason)

    def _list(self, with_ignored: bool) -> list[NodeMessage]:
        nodes = [
            NodeMessage(
                id=address.node_id,
                name=place.node.description.name,
                name_space=place.admission.namespace,
                running=self._bridged[address].is_running,
                connected=place.is_connected,
            )
            for address, place in self._accepted_nodes.accepted.items()
        ]
        if with_ignored:
            nodes += [
                NodeMessage(id=node.address.node_id, name=node.description.name, ignored=True, connected=True)
                for node in self._accepted_nodes.ignored_nodes
            ]
        return nodes

    def _publish_nodes(self) -> None:
        self._is_changed = False
        self._nodes.publish(NodeList(nodes=self._list(False)))

    def _on_get_nodes(self, request: GetNodeList.Request, response: GetNodeList.Response) -> GetNodeList.Response:
        response.nodes = self._list(bool(request.ignored))
        return response
