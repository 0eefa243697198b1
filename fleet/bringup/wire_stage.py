"""The stage `wire`: which nodes answer on a target, in the protocol's own messages; nothing is loaded."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from aseba_link.errors import ConnectionLostError, MessageError
from aseba_link.link.connection import Connection
from aseba_link.link.peer import Peer
from aseba_link.link.target import parse_target
from aseba_link.thymio.events import NODE_NAME
from aseba_link.thymio.firmware_variables import FIRMWARE_VARIABLES
from aseba_link.wire.description import Header, Variable, decode_header, decode_variable, locate
from aseba_link.wire.message import HOST_ID, DeviceInfo, Message, MessageType, from_words
from fleet.bringup.cause import Cause
from fleet.bringup.robot_bench import RobotBench, Steps
from fleet.bringup.stage_result import BringupStage, Measure, StageResult, Symptom

EXPECTED_PROTOCOL = 9
EXPECTED_FIRMWARE = 14
FLOOD_HZ = 60.0
_OLDEST_PROTOCOL = 5
_DIAL_S = 5.0
_LISTEN_S = 2.0
_DESCRIBE_S = 6.0
_FIRST_WORDS = 140  # they hold all named variables
_CODES = {
    "permission denied": Cause.NO_PERMISSION,
    "in use": Cause.PORT_TAKEN,
    "No such file": Cause.NO_PORT,
    "no serial port": Cause.NO_PORT,
}


@dataclass(slots=True)
class WireLog:
    """Messages received over a connection; `failure` is why it broke, `first` its first bytes."""

    messages: list[tuple[float, Message]] = field(default_factory=list)  # seconds since the connection, message
    failure: str = ""
    first: bytes = b""
    listened_s: float = 0.0

    def of(self, kind: MessageType) -> list[Message]:
        """Return the messages of one type."""
        return [message for _, message in self.messages if message.type == kind]

    @property
    def node_ids(self) -> list[int]:
        """The nodes that sent anything, in the order of their first message."""
        return list(dict.fromkeys(message.source for _, message in self.messages if message.source != HOST_ID))


def dial_symptom(failure: str) -> Symptom:
    """Return the symptom of a target that cannot be opened."""
    cause = next((cause for text, cause in _CODES.items() if text in failure), Cause.PORT_DEAD)
    return Symptom(cause, failure)


def judge_wire(log: WireLog, wanted_id: int | None) -> tuple[list[Measure], list[Symptom]]:
    """Return measures and symptoms of the robot on a target, the one with `wanted_id` if it is not alone."""
    if not log.messages:
        return [], [_silence(log)]
    ids = log.node_ids
    presents = [message.source for message in log.of(MessageType.NODE_PRESENT)]
    node_id = wanted_id if wanted_id is not None else ids[0]
    most_nodes = 1.0 if wanted_id is None else math.inf
    measures = [Measure("nodes", float(len(ids)), "", 1.0, most_nodes)]
    symptoms = [*_line_symptoms(log)]
    if node_id not in ids:
        return measures, [*symptoms, Symptom(Cause.SILENT, f"node {node_id} does not answer, but {ids} do")]
    headers = [decoded for message in log.of(MessageType.DESCRIPTION) if (decoded := _header(message, node_id))]
    if wanted_id is None and len(ids) > 1:
        symptoms.append(Symptom(Cause.MORE_ROBOTS, f"nodes {', '.join(map(str, ids))} answer"))
    uuids = _uuids(log, node_id)
    if len(uuids) > 1:
        symptoms.append(Symptom(Cause.DUPLICATE_ID, f"node {node_id} has the uuids {', '.join(sorted(uuids))}"))
    symptoms += _program_symptoms(log, node_id)
    if not headers:
        kind = Cause.BOOTLOADER if node_id in presents else Cause.NOT_ASEBA
        return measures, [*symptoms, Symptom(kind, f"node {node_id} answers, but does not describe itself")]
    header = headers[-1]
    measures.append(Measure("protocol", float(header.protocol_version), "", EXPECTED_PROTOCOL, EXPECTED_PROTOCOL))
    return measures, [*symptoms, *_description_symptoms(log, node_id, header, has_uuid=bool(uuids))]


def wire_versions(log: WireLog, node_id: int) -> dict[str, str]:
    """Return the node's identity and versions, for the report."""
    headers = [decoded for message in log.of(MessageType.DESCRIPTION) if (decoded := _header(message, node_id))]
    versions = {"node": str(node_id), "uuid": " ".join(sorted(_uuids(log, node_id)))}
    if headers:
        versions |= {"name": headers[-1].name, "protocol": str(headers[-1].protocol_version)}
        firmware = _firmware(log, node_id)
        versions |= {"firmware": "unknown" if firmware is None else str(firmware)}
    return versions


def wire_stage(bench: RobotBench) -> Steps[StageResult]:
    """Stop the nodes of the target, then ask them to identify themselves."""
    log = WireLog()
    try:
        connection = yield from _dialled(bench)
    except ConnectionLostError as error:
        return StageResult(BringupStage.WIRE, symptoms=(dial_symptom(str(error)),))
    peer = Peer(connection, bench.now_ns)
    try:
        yield from _converse(bench, peer, log)
    except (ConnectionLostError, MessageError) as error:
        log.failure = str(error)
    finally:
        connection.close()
        log.first = peer.first
    measures, symptoms = judge_wire(log, bench.options.node_id)
    if log.node_ids:
        bench.node_id = bench.options.node_id or log.node_ids[0]
        bench.versions = wire_versions(log, bench.node_id)
    notes = tuple(f"{name} {value}" for name, value in bench.versions.items() if value)
    times = [[round(time_s, 4), message.type, message.source] for time_s, message in log.messages]
    series = {"messages [s, type, source]": times}
    return StageResult(BringupStage.WIRE, tuple(measures), tuple(symptoms), series, notes)


def _dialled(bench: RobotBench) -> Steps[Connection]:
    attempt = bench.dialer.dial(parse_target(bench.options.target))
    yield from bench.wait_until(attempt.done, _DIAL_S)
    if not attempt.done():
        raise ConnectionLostError(f"no connection within {_DIAL_S:g} s")
    return attempt.result()


def _converse(bench: RobotBench, peer: Peer, log: WireLog) -> Steps[None]:
    start_ns = bench.now_ns
    peer.send([from_words(HOST_ID, MessageType.LIST_NODES, [EXPECTED_PROTOCOL])])
    yield from _listen(bench, peer, log, _LISTEN_S, start_ns)
    log.listened_s = (bench.now_ns - start_ns) * 1e-9
    if not log.node_ids:  # firmware 9 and older
        peer.send([from_words(HOST_ID, MessageType.GET_DESCRIPTION, [4])])
        yield from _listen(bench, peer, log, _LISTEN_S, start_ns)
    for node_id in log.node_ids:
        peer.send(
            [
                from_words(HOST_ID, MessageType.GET_VARIABLES, [node_id, 0, _FIRST_WORDS]),
                from_words(HOST_ID, MessageType.STOP, [node_id]),
                from_words(HOST_ID, MessageType.RESET, [node_id]),  # which stops the wheels
                from_words(HOST_ID, MessageType.GET_DEVICE_INFO, [node_id, DeviceInfo.UUID]),
                from_words(HOST_ID, MessageType.GET_NODE_DESCRIPTION, [node_id]),
            ]
        )
    for _ in range(3):  # the radio may lose a part
        yield from _listen(bench, peer, log, _DESCRIBE_S / 3.0, start_ns)
        missing = [node_id for node_id in log.node_ids if not _is_complete(log, node_id)]
        for node_id in missing:
            peer.send([from_words(HOST_ID, MessageType.GET_DEVICE_INFO, [node_id, DeviceInfo.UUID])])
            peer.send([from_words(HOST_ID, MessageType.GET_NODE_DESCRIPTION, [node_id])])
        if not missing:
            break


def _listen(bench: RobotBench, peer: Peer, log: WireLog, duration_s: float, start_ns: int) -> Steps[None]:
    end_ns = bench.now_ns + round(duration_s * 1e9)
    while bench.now_ns < end_ns:
        time_s = (bench.now_ns - start_ns) * 1e-9
        log.messages += [(time_s, message) for message in peer.receive(bench.now_ns)]
        yield None


def _silence(log: WireLog) -> Symptom:
    """Return the symptom of a target without a complete message."""
    if b"AT" in log.first[:8]:
        return Symptom(Cause.MODEM_MANAGER, f"the first bytes are {log.first!r}, as for a modem")
    if log.first:
        return Symptom(Cause.NOT_ASEBA, f"the first bytes are {log.first!r}; {log.failure or 'no message follows'}")
    return Symptom(Cause.SILENT, log.failure or "nothing answers")


def _line_symptoms(log: WireLog) -> list[Symptom]:
    symptoms = []
    if log.failure:
        symptoms.append(Symptom(Cause.LOST_BYTES, f"the connection broke: {log.failure}"))
    events = sum(message.is_user_event for time_s, message in log.messages if time_s <= log.listened_s)
    if log.listened_s > 0.0 and events / log.listened_s > FLOOD_HZ:
        symptoms.append(Symptom(Cause.FLOOD, f"{events / log.listened_s:.0f} events a second from a stored program"))
    return symptoms


def _program_symptoms(log: WireLog, node_id: int) -> list[Symptom]:
    """Return a symptom if a stored program had set wheel targets."""
    variables = _described(log, node_id) or [Variable(name, size) for name, size in FIRMWARE_VARIABLES]
    targets = []
    for name in ("motor.left.target", "motor.right.target"):
        place = locate(variables, name)
        word = None if place is None else _word(log, node_id, place[0])
        targets.append(word or 0)
    if any(targets):
        return [Symptom(Cause.STORED_PROGRAM, f"the wheels' targets were {targets[0]} and {targets[1]} at the start")]
    return []


def _word(log: WireLog, node_id: int, address: int) -> int | None:
    """Return the first value of a word of memory among the node's answers."""
    for message in log.of(MessageType.VARIABLES):
        words = message.words()
        if message.source == node_id and words and 0 <= address - words[0] < len(words) - 1:
            return words[1 + address - words[0]]
    return None


def _firmware(log: WireLog, node_id: int) -> int | None:
    place = locate(_described(log, node_id), "_fwversion")
    return None if place is None else _word(log, node_id, place[0])


def _description_symptoms(log: WireLog, node_id: int, header: Header, *, has_uuid: bool) -> list[Symptom]:
    if header.name != NODE_NAME:
        return [Symptom(Cause.OTHER_NODE, f"the node's name is {header.name!r} instead of {NODE_NAME!r}")]
    if header.protocol_version < _OLDEST_PROTOCOL:
        return [Symptom(Cause.OLD_FIRMWARE, f"the node speaks protocol {header.protocol_version}")]
    symptoms = []
    if not has_uuid:
        symptoms.append(Symptom(Cause.NO_UUID, "the robot reports no uuid", is_fatal=False))
    firmware = _firmware(log, node_id)
    is_other = header.protocol_version != EXPECTED_PROTOCOL or firmware not in (None, EXPECTED_FIRMWARE)
    if is_other:
        text = f"firmware {firmware} with protocol {header.protocol_version} instead of {EXPECTED_FIRMWARE}"
        symptoms.append(Symptom(Cause.OTHER_FIRMWARE, text, is_fatal=False))
    problems = layout_problems(_described(log, node_id))
    if problems and not is_other:
        symptoms.append(Symptom(Cause.OTHER_VARIABLES, "; ".join(problems[:5])))
    return symptoms


def layout_problems(found: Sequence[Variable]) -> list[str]:
    """Return how described variables differ from those of firmware 14; nothing if they agree."""
    if not found:
        return []
    expected = [Variable(name, size) for name, size in FIRMWARE_VARIABLES]
    problems = []
    for variable in expected:
        place, right = locate(found, variable.name), locate(expected, variable.name)
        if place is None:
            problems.append(f"{variable.name} is missing")
        elif place[1] != variable.size:
            problems.append(f"{variable.name} has {place[1]} words instead of {variable.size}")
        elif right is not None and place[0] != right[0]:
            problems.append(f"{variable.name} is at word {place[0]} instead of {right[0]}")
    missing = [problem for problem in problems if "missing" in problem]
    return missing or problems


def _is_complete(log: WireLog, node_id: int) -> bool:
    return bool(_described(log, node_id))


def _described(log: WireLog, node_id: int) -> list[Variable]:
    """Return the variables of the latest complete description; [] without one."""
    whole: list[Variable] = []
    run: list[Variable] = []
    count = -1
    for _, message in log.messages:
        if message.source != node_id:
            continue
        try:
            if message.type == MessageType.DESCRIPTION:
                count, run = decode_header(message).variable_count, []
            if message.type == MessageType.NAMED_VARIABLE_DESCRIPTION:
                run.append(decode_variable(message))
        except MessageError:
            count = -1
        if len(run) == count:
            whole = list(run)
    return whole


def _header(message: Message, node_id: int) -> Header | None:
    if message.source != node_id:
        return None
    try:
        return decode_header(message)
    except MessageError:
        return None


def _uuids(log: WireLog, node_id: int) -> set[str]:
    payloads = [message.payload for message in log.of(MessageType.DEVICE_INFO) if message.source == node_id]
    return {payload[2:18].hex() for payload in payloads if len(payload) == 18 and payload[0] == DeviceInfo.UUID}
