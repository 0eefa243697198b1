"""What asebaros gives to ROS: the nodes of an Aseba network, their scripts, variables and events, under its names."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from asebaros_msgs.msg import AnonymousEvent as AnonymousEventMessage
from asebaros_msgs.msg import Node as NodeMessage
from asebaros_msgs.msg import NodeList
from asebaros_msgs.srv import GetNodeList
from diagnostic_msgs.msg import DiagnosticStatus, KeyValue
from rclpy.node import Node as RosNode
from rclpy.time import Time

from aseba_link.bridged_node import EVENT_DEPTH, LATCHED, BridgedNode
from aseba_link.diagnostics import Diagnostics
from aseba_link.errors import CompilerError, MessageError
from aseba_link.event import (
    AnonymousEvent,
    LinkEvent,
    NodeFaulted,
    NodeFound,
    NodeGone,
    NodeLost,
    NodeReady,
    UserEvent,
    VariablesRead,
)
from aseba_link.instant import Instant
from aseba_link.link import AsebaLink
from aseba_link.message import HOST_ID
from aseba_link.node import Node, NodeAddress
from aseba_link.program import Program
from aseba_link.roster import Admit, Place, Roster
from aseba_link.variable_reader import VariableReader

LoadResult = Callable[[CompilerError | str | None], None]  # None: it runs; else why it does not


class Bridge:
    """Serves the accepted nodes of a link, whose events it is given in the order in which they happened.

    Parameters
    ----------
    ros : owns the topics and services
    link : reaches the nodes; somebody else polls it
    admit : decides which nodes are accepted
    program : what accepted nodes run
    loads : whether the bridge gives nodes that program, or somebody else does
    diagnostics : where the state of the network and of every node is published
    clock : tells the time
    sets_id_variable : whether a node's id is written into the variable that its rule names
    reloads : whether nodes that come back get their program again
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
        sets_id_variable: bool = False,
        reloads: bool = True,
    ) -> None:
        self.program = program
        self._sets_id_variable = sets_id_variable
        self._reloads = reloads
        self._ros = ros
        self._link = link
        self._loads = loads
        self._diagnostics = diagnostics
        self._clock = clock
        self._reader = VariableReader(link)
        self._roster = Roster(admit)
        self._bridged: dict[NodeAddress, BridgedNode] = {}
        self._programs: dict[NodeAddress, Program] = {}  # given to single nodes
        self._loading: dict[NodeAddress, tuple[Program, list[LoadResult]]] = {}
        self._told_refusals: dict[NodeAddress, str] = {}
        self._is_changed = False
        self._nodes = ros.create_publisher(NodeList, "aseba/nodes", LATCHED)
        self._anonymous = ros.create_publisher(AnonymousEventMessage, "aseba/anonymous_events", EVENT_DEPTH)
        ros.create_subscription(AnonymousEventMessage, "aseba/anonymous_events", self._on_anonymous, EVENT_DEPTH)
        ros.create_service(GetNodeList, "aseba/get_nodes", self._on_get_nodes)
        diagnostics.add("Aseba Network", self._diagnostic)
        self._publish_nodes()

    def select(self, node_ids: Sequence[int]) -> list[Node]:
        """Return the accepted nodes with these ids, connected or not; all of them where no id is given."""
        nodes = [bridged.node for bridged in self._bridged.values()]
        return [node for node in nodes if not node_ids or node.address.node_id in node_ids]

    @property
    def accepted(self) -> tuple[Node, ...]:
        """The accepted nodes that are connected."""
        return tuple(place.node for place in self._roster.accepted.values() if place.is_connected)

    def handle(self, events: Iterable[LinkEvent]) -> None:
        """Take in what the link told; call it after every poll."""
        for event in events:
            self._take(event)
        self._reader.advance(self._clock().core_ns)
        if self._is_changed:
            self._publish_nodes()

    def load(self, program: Program, node: Node, result: LoadResult) -> None:
        """Give an accepted node a program, now and each time that it comes back; `result` is told how it went."""
        bridged = self._bridged.get(node.address)
        if bridged is None:
            result("it is not accepted any more")
            return
        self._programs[node.address] = program
        self._begin(program, bridged, result)

    def _begin(self, program: Program, bridged: BridgedNode, result: LoadResult | None) -> None:
        address = bridged.node.address
        results = [result] if result else []
        try:
            is_known = self._give(program, bridged.node)
        except CompilerError as error:
            self._fail(bridged, error, results)
            return
        if is_known:
            self._supersede(address)
            self._loading[address] = (program, results)
        else:
            self._fail(bridged, "it is not connected; it gets the script when it is back", results)

    def _give(self, program: Program, node: Node) -> bool:
        if program is self.program and not self._loads:
            return self._link.restore(node.address)
        return self._link.load(node.address, program.compiled_for(node))

    def _supersede(self, address: NodeAddress) -> None:
        """Tell those who wait for an earlier program that another one came."""
        _, results = self._loading.pop(address, (None, []))
        for result in results:
            result("another script was loaded meanwhile")

    def _fail(self, bridged: BridgedNode, problem: CompilerError | str, results: Sequence[LoadResult]) -> None:
        bridged.problem = str(problem)
        self._ros.get_logger().error(f"{bridged.node.address}: {problem}")
        for result in results:
            result(problem)

    def _take(self, event: LinkEvent) -> None:
        match event:
            case UserEvent(address):
                bridged = self._bridged.get(address)
                if bridged is None or not bridged.publish_event(event):
                    self._publish_anonymous(event)
            case AnonymousEvent():
                self._publish_anonymous(event)
            case VariablesRead():
                self._reader.on_read(event)
            case _:
                self._take_change(event)

    def _take_change(self, event: LinkEvent) -> None:
        """Take in what changes the list of nodes."""
        self._is_changed = True
        match event:
            case NodeFound(node):
                self._roster.find(node)
                self._seat(node)
            case NodeGone(address, reason):
                self._on_gone(address, reason)
            case NodeReady(node, is_loaded):
                self._on_ready(node.address, is_loaded)
            case NodeLost(address):
                self._halt(address)
            case NodeFaulted(address, reason):
                self._on_fault(address, reason)

    def _seat(self, found: Node | None = None) -> None:
        """Make the bridged nodes those of the roster, and start the program of those that are new or back."""
        for address in self._bridged.keys() - self._roster.accepted.keys():
            self._drop(address)
        for address, place in self._roster.accepted.items():
            is_new = address not in self._bridged
            if is_new:
                self._add(place)
            if place.is_connected and (is_new or (found is not None and found.address == address)):
                self._greet(self._bridged[address], is_new)
        for address, reason in self._roster.ignored.items():
            if self._told_refusals.get(address) != reason:
                self._ros.get_logger().info(f"{address} is ignored: {reason}")
        self._told_refusals = dict(self._roster.ignored)

    def _add(self, place: Place) -> None:
        address = place.node.address
        self._bridged[address] = BridgedNode(
            self._ros,
            self._link,
            self._reader,
            node=place.node,
            admission=place.admission,
            clock=self._clock,
        )
        self._diagnostics.add(self._task(place.node), lambda: self._node_diagnostic(address))

    def _drop(self, address: NodeAddress) -> None:
        bridged = self._bridged.pop(address)
        self._supersede(address)
        self._programs.pop(address, None)
        self._diagnostics.remove(self._task(bridged.node))
        bridged.destroy()

    def _greet(self, bridged: BridgedNode, is_new: bool) -> None:
        """Write the node's id where the rule says, and give it its program."""
        address, variable = bridged.node.address, bridged.admission.rule.id_variable
        if self._sets_id_variable and variable:
            self._link.set_variable(address, variable, [address.node_id])
        program = self._programs.get(address, self.program if self._loads else None)
        if program is not None and (is_new or self._reloads):
            self._begin(program, bridged, None)

    def _on_gone(self, address: NodeAddress, reason: str) -> None:
        self._halt(address)
        bridged = self._bridged.get(address)
        _, results = self._loading.pop(address, (None, []))
        if bridged is not None:
            bridged.program = None
            self._ros.get_logger().warning(f"{address} is gone: {reason}")
        for result in results:
            result(f"it is gone: {reason}")
        self._roster.lose(address)
        self._seat()

    def _on_ready(self, address: NodeAddress, is_loaded: bool) -> None:
        bridged = self._bridged.get(address)
        if bridged is None:
            return
        program, results = self._loading.pop(address, (bridged.program if is_loaded else self.program, []))
        if program is not None:
            bridged.run(program)
            self._ros.get_logger().info(f"{address} runs {program.name}")
        for result in results:
            result(None)

    def _halt(self, address: NodeAddress) -> None:
        bridged = self._bridged.get(address)
        if bridged is not None:
            bridged.is_running = False

    def _on_fault(self, address: NodeAddress, reason: str) -> None:
        bridged = self._bridged.get(address)
        if bridged is None:
            return
        bridged.is_running = False
        _, results = self._loading.pop(address, (None, []))
        self._fail(bridged, reason, results)

    # What is told

    def _list(self, with_ignored: bool) -> list[NodeMessage]:
        nodes = [
            NodeMessage(
                id=address.node_id,
                name=place.node.description.name,
                name_space=place.admission.namespace,
                running=self._bridged[address].is_running if address in self._bridged else False,
                connected=place.is_connected,
            )
            for address, place in self._roster.accepted.items()
        ]
        if with_ignored:
            nodes += [
                NodeMessage(id=node.address.node_id, name=node.description.name, ignored=True, connected=True)
                for node in self._roster.ignored_nodes
            ]
        return nodes

    def _publish_nodes(self) -> None:
        self._is_changed = False
        self._nodes.publish(NodeList(nodes=self._list(False)))

    def _on_get_nodes(self, request: GetNodeList.Request, response: GetNodeList.Response) -> GetNodeList.Response:
        response.nodes = self._list(bool(request.ignored))
        return response

    def _publish_anonymous(self, event: UserEvent | AnonymousEvent) -> None:
        stamp = Time(nanoseconds=self._clock().to_ros(event.stamp_ns)).to_msg()
        message = AnonymousEventMessage(stamp=stamp, source=event.address.node_id, type=event.rank, data=event.args)
        self._anonymous.publish(message)

    def _on_anonymous(self, message: AnonymousEventMessage) -> None:
        """Emit what was published by others: `source` is 0, while what nodes said has their id."""
        if message.source != HOST_ID:
            return
        try:
            self._link.broadcast(message.type, list(message.data))
        except MessageError as error:
            self._ros.get_logger().warning(f"aseba/anonymous_events: {error}", throttle_duration_sec=1.0)

    # Diagnostics

    def _diagnostic(self) -> DiagnosticStatus:
        places = self._roster.accepted
        targets = self._link.targets
        lost = [target for target, is_connected in targets.items() if not is_connected]
        return DiagnosticStatus(
            level=DiagnosticStatus.WARN if lost else DiagnosticStatus.OK,
            message=f"Connecting to {', '.join(lost)}" if lost else "Connected",
            values=[
                KeyValue(key="Connected nodes", value=_count([a for a, p in places.items() if p.is_connected])),
                KeyValue(key="Ignored nodes", value=_count(list(self._roster.ignored))),
                KeyValue(key="Unconnected nodes", value=_count([a for a, p in places.items() if not p.is_connected])),
                *(KeyValue(key=target, value="connected" if up else "lost") for target, up in targets.items()),
            ],
        )

    def _node_diagnostic(self, address: NodeAddress) -> DiagnosticStatus:
        bridged, place = self._bridged[address], self._roster.accepted[address]
        level, message = DiagnosticStatus.OK, "Connected"
        if not place.is_connected:
            level, message = DiagnosticStatus.WARN, "Not Connected"
        elif bridged.problem:
            level, message = DiagnosticStatus.ERROR, bridged.problem
        program = bridged.program if bridged.is_running else None
        values: dict[str, Any] = {
            "Type": bridged.node.description.name,
            "Id": address.node_id,
            "ROS Namespace": bridged.admission.namespace,
            "Loaded script": program.name if program else "-",
        }
        return DiagnosticStatus(
            level=level, message=message, values=[KeyValue(key=key, value=str(value)) for key, value in values.items()]
        )

    @staticmethod
    def _task(node: Node) -> str:
        return f"Aseba Node {node.description.name} {node.address.node_id}"


def _count(addresses: Sequence[NodeAddress]) -> str:
    if not addresses:
        return "no node"
    ids = ", ".join(str(address.node_id) for address in addresses)
    return f"{len(addresses)} node{'s' if len(addresses) > 1 else ''} ({ids})"
