"""A Thymio II as a node: its variables, local events, natives, and answers to hosts.

The tables are those of firmware 14, which speaks protocol 9.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from aseba_link.thymio.events import NODE_NAME
from aseba_link.thymio.firmware_variables import ARGS_SIZE
from aseba_link.wire.bytecode import FIRST_LOCAL_EVENT
from aseba_link.wire.description import NodeDescription, Variable, encode_description
from aseba_link.wire.message import Message, MessageType, from_words
from simulator.firmware.body import Body
from simulator.firmware.device_info import DeviceIdentity
from simulator.firmware.firmware_tables import LOCAL_EVENTS, VARIABLES
from simulator.firmware.hardware import SOUND, HardwareConfig, StoredProgram
from simulator.firmware.peripherals import TICK_S, Peripherals
from simulator.firmware.thymio_natives import power_natives, system_natives, thymio_natives
from simulator.machine.deque import DEQUES
from simulator.machine.natives import Random, mathematics
from simulator.machine.processor import DescribedNative, signed
from simulator.machine.vm import VirtualMachine
from thymio_base.fence import Fence

PROTOCOL_VERSION: Final = 9
_BYTECODE_SIZE: Final = 1534  # words
_STACK_SIZE: Final = 32
_VARIABLES_SIZE: Final = 640
_MAX_STEPS: Final = 65_535  # instructions that firmware 14 runs for an event without a pause; a longer event ...
_FURTHER_STEPS: Final = 4096  # ... continues with this many in each tick, so waiting for a sensor costs little
_VARIABLES_CHUNK: Final = 47  # words in one VARIABLES message, as the firmware splits them for its radio
_STORED_SPEED_RAW: Final = 150
_FLOOD_EVENTS: Final = 2  # every 10 ms
_EARLY_S: Final = 1e-6  # sums of steps may fall short by this much
_FLOOD_RANK: Final = 99
_OTHER_UUID: Final = bytes(range(16))
_PROTOCOLS: Final = {9: 4, 12: 5, 13: 7}  # of older firmware
_LATER_VARIABLES: Final = {"buttons._mean", "buttons._noise", "prox.comm.rx._payloads", "prox.comm.rx._intensities"}
_PRODUCT_ID: Final = 8
_SOURCE: Final = 1  # address of an event's source
_ARGS: Final = 2  # address of an event's arguments

_EVENT_IDS: Final = {event.name: FIRST_LOCAL_EVENT - rank for rank, event in enumerate(LOCAL_EVENTS)}


class Thymio:
    """A node: `handle` processes a received message, `advance` a tick of 10 ms; `outbox` holds messages to send.

    Parameters
    ----------
    node_id : 1 to 65535
    uuid : 16 bytes
    body : sensors and actuators
    fence : notes an unexpected exception, which puts this robot out of order; None raises it
    hardware : the robot's faults

    Attributes
    ----------
    fault : why the robot is out of order, stands still and ignores messages; "" if it works
    """

    def __init__(
        self, node_id: int, uuid: bytes, body: Body, fence: Fence | None = None, hardware: HardwareConfig = SOUND
    ) -> None:
        self.node_id = node_id
        self._hardware = hardware
        self._protocol = _PROTOCOLS.get(hardware.firmware, PROTOCOL_VERSION)
        self._stored_program = hardware.stored_program
        self._ticks = 0
        self._behind_s = 0.0
        self.body = body
        self.fault = ""
        self._fence = fence
        self.outbox: list[Message] = []
        self._identity = DeviceIdentity(node_id, uuid)
        natives = [
            *system_natives(hardware.motor_settings),
            *mathematics(Random(node_id)),
            *DEQUES,
            *thymio_natives(body),
            *power_natives(body),
        ]
        self.description = _describe(natives, hardware, self._protocol)
        self._fragments = encode_description(node_id, self.description)
        self._addresses = _addresses(self.description)
        self._left_target = self._addresses["motor.left.target"][0]
        self._right_target = self._addresses["motor.right.target"][0]
        self._machine = VirtualMachine(
            _BYTECODE_SIZE,
            _STACK_SIZE,
            _VARIABLES_SIZE,
            natives=natives,
            send=self._send_from_machine,
            emit=self._send,
        )
        self._reported: list[int] = []
        self._waiting: dict[str, None] = {}  # local events in order of arrival, while an earlier event is still running
        every_place = _with_all_variables(self._addresses)
        self._peripherals = Peripherals(body, self._machine.variables, every_place)
        self._commands = self._command_table()
        self._start_variables()

    def _command_table(self) -> dict[int, Callable[[Sequence[int]], None]]:
        """Return the function of each command for this node; it gets the words that follow the node's id."""
        return {
            MessageType.SET_BYTECODE: self._set_bytecode,
            MessageType.RESET: lambda _: self._reset(),
            MessageType.RUN: lambda _: self._run(),
            MessageType.PAUSE: lambda _: self._machine.pause(),
            MessageType.STEP: lambda _: self._machine.step(),
            MessageType.STOP: lambda _: self._machine.stop(),
            MessageType.GET_EXECUTION_STATE: lambda _: self._machine.send_state(),
            MessageType.BREAKPOINT_SET: self._set_breakpoint,
            MessageType.BREAKPOINT_CLEAR: self._clear_breakpoint,
            MessageType.BREAKPOINT_CLEAR_ALL: lambda _: self._machine.breakpoints.clear(),
            MessageType.GET_VARIABLES: self._send_variables,
            MessageType.SET_VARIABLES: self._set_variables,
            MessageType.REBOOT: lambda _: self._reboot(),
            MessageType.GET_NODE_DESCRIPTION: lambda _: self._send_description(),
            MessageType.GET_NODE_DESCRIPTION_FRAGMENT: self._send_fragment,
            MessageType.GET_DEVICE_INFO: self._send_device_info,
            MessageType.GET_CHANGED_VARIABLES: lambda _: self._send_changed_variables(),
        }

    @property
    def targets_raw(self) -> tuple[int, int]:
        """The script's wheel targets (left, right), in motor units."""
        if not self.works:
            return 0, 0
        if self._stored_program is StoredProgram.DRIVES:
            return _STORED_SPEED_RAW, _STORED_SPEED_RAW
        variables = self._machine.variables
        return variables[self._left_target], variables[self._right_target]

    @property
    def works(self) -> bool:
        """Whether the robot is on and not out of order."""
        return self.body.is_on and not self.fault

    @property
    def handlers(self) -> Mapping[int, int]:
        """Addresses of the handlers, by event; a new object for each new script."""
        return self._machine.vectors

    def variable(self, name: str) -> list[int]:
        """Return the words of a variable."""
        start, size = self._addresses[name]
        return self._machine.variables[start : start + size]

    def handle(self, message: Message) -> None:
        """Process a message from the network; malformed messages and those for other nodes are ignored."""
        if not self.works or self._hardware.silent:
            return
        if not self._understands(message.type):
            return
        try:
            self._handle(message)
        except Exception as error:
            self._fail(error, message)

    def _handle(self, message: Message) -> None:
        if message.is_user_event:
            self.receive_event(message.type, message.source, message.words())
        elif message.type == MessageType.LIST_NODES:
            self._send(MessageType.NODE_PRESENT, (self._protocol,))
        elif message.type == MessageType.GET_DESCRIPTION:
            words = message.unsigned_words()
            if words and words[0] <= 4:  # nodes with later protocols are queried one by one
                self._send_description()
        elif message.type == MessageType.SET_DEVICE_INFO:
            self._identity.change(message)
        elif message.addressee == self.node_id:
            command = self._commands.get(message.type)
            if command is not None:
                command(message.unsigned_words()[1:])

    def receive_event(self, event: int, source: int, args: tuple[int, ...]) -> None:
        """Process a script event from the network: its rank, sender, and arguments as signed words."""
        machine = self._machine
        if not (self.works and machine.accepts(event)):
            return
        memory = machine.variables
        memory[_SOURCE] = signed(source)
        for index in range(min(len(args), ARGS_SIZE)):
            memory[_ARGS + index] = args[index]
        try:
            machine.handle(event, _MAX_STEPS)
        except Exception as error:
            self._fail(error, event)

    def advance(self) -> None:
        """Advance by 10 ms: read sensors and raise due local events; a robot that is off does nothing."""
        self._behind_s += TICK_S
        if self.works and self._behind_s >= self._hardware.motor_period_s - _EARLY_S:
            self._behind_s -= self._hardware.motor_period_s
            self._advance_faults()
            was_busy = self._machine.is_busy
            try:
                self._peripherals.advance(self._raise_event)
                if was_busy or self._waiting:
                    self._go_on()
            except Exception as error:
                self._fail(error, None)

    def _understands(self, message_type: int) -> bool:
        """Return whether its firmware knows this type of message."""
        if self._hardware.bootloader:
            return message_type == MessageType.LIST_NODES
        if self._hardware.firmware == 9:
            return message_type == MessageType.GET_DESCRIPTION
        return self._hardware.firmware != 12 or message_type != MessageType.GET_DEVICE_INFO

    def _advance_faults(self) -> None:
        """Flood the network, or restart, if the hardware is faulty in this way."""
        self._ticks += 1
        if self._stored_program is StoredProgram.FLOODS:
            for _ in range(_FLOOD_EVENTS):
                self._send(_FLOOD_RANK, (self._ticks & 0x7FFF,))
        every_s = self._hardware.restarts_every_s
        if every_s > 0.0 and self._ticks % round(every_s * 100.0) == 0:
            self._reboot()

    def _fail(self, error: Exception, request: object) -> None:
        """Put the robot out of order after an exception; without a fence, raise the exception."""
        if self._fence is None:
            raise error
        self.fault = self._fence.note(f"the firmware of node {self.node_id}", error, request)

    def _raise_event(self, name: str) -> None:
        """Raise a local event; while another is still running, it waits, but at most once."""
        if self._machine.is_busy:
            self._waiting.setdefault(name)
        else:
            self._handle_local(name)

    def _go_on(self) -> None:
        """Continue the running event, then raise the local events that waited for its end."""
        self._machine.execute(_FURTHER_STEPS)
        while self._waiting and not self._machine.is_busy:
            name = next(iter(self._waiting))
            del self._waiting[name]
            self._handle_local(name)

    def _handle_local(self, name: str) -> None:
        """Run the handler of a local event, with the robot itself as source."""
        self._machine.variables[_SOURCE] = signed(self.node_id)
        self._machine.handle(_EVENT_IDS[name], _MAX_STEPS)

    def _write(self, name: str, words: Sequence[int]) -> None:
        start, size = self._addresses[name]
        self._machine.variables[start : start + size] = words

    def _start_variables(self) -> None:
        """Set every variable except the robot's identity to 0; this also stops the wheels."""
        self._machine.variables[:] = [0] * _VARIABLES_SIZE
        self._reported = list(self._machine.variables)
        self._write("_id", (signed(self.node_id),))
        if "_fwversion" in self._addresses:
            self._write("_fwversion", (self._hardware.firmware, 1))
        self._write("_productId", (_PRODUCT_ID,))
        self.body.switch_off_outputs()
        self._peripherals.read_all()

    # Commands; each gets the words that follow the node's id

    def _set_bytecode(self, words: Sequence[int]) -> None:
        self._stored_program = StoredProgram.NONE
        if words and self._machine.set_bytecode(words[0], words[1:]):
            self._reset()

    def _reset(self) -> None:
        self._waiting.clear()
        if self._stored_program is StoredProgram.DRIVES:
            self._stored_program = StoredProgram.NONE
        self._start_variables()
        self._machine.reset()

    def _run(self) -> None:
        if self._hardware.ignores_run:
            return
        self._machine.run()
        self._machine.execute(_MAX_STEPS)

    def _reboot(self) -> None:
        """Restart without a script, as after power-on."""
        self._machine.set_bytecode(0, [0] * _BYTECODE_SIZE)
        self._reset()
        self._run()

    def _set_breakpoint(self, words: Sequence[int]) -> None:
        if words:
            self._send(MessageType.BREAKPOINT_SET_RESULT, (words[0], int(self._machine.breakpoints.add(words[0]))))

    def _clear_breakpoint(self, words: Sequence[int]) -> None:
        if words:
            self._machine.breakpoints.remove(words[0])

    def _send_variables(self, words: Sequence[int]) -> None:
        if len(words) < 2 or words[0] + words[1] > _VARIABLES_SIZE:
            return
        start, end = words[0], words[0] + words[1]
        if self._stored_program is StoredProgram.DRIVES:
            self._machine.variables[self._left_target] = self._machine.variables[self._right_target] = _STORED_SPEED_RAW
        for chunk in range(start, end, _VARIABLES_CHUNK):
            values = self._machine.variables[chunk : min(chunk + _VARIABLES_CHUNK, end)]
            self._send(MessageType.VARIABLES, (chunk, *values))

    def _set_variables(self, words: Sequence[int]) -> None:
        if words and words[0] + len(words) - 1 <= _VARIABLES_SIZE:
            values = [signed(word) for word in words[1:]]
            self._machine.variables[words[0] : words[0] + len(values)] = values

    def _send_changed_variables(self) -> None:
        content: list[int] = []
        for name, (start, size) in self._addresses.items():
            values = self.variable(name)
            if values != self._reported[start : start + size]:
                content += (start, size, *values)
        self._reported = list(self._machine.variables)
        self._send(MessageType.CHANGED_VARIABLES, content)

    def _send_description(self) -> None:
        self.outbox += self._fragments

    def _send_fragment(self, words: Sequence[int]) -> None:
        """Send one message of the description: -1 is the first, -2 all of them, k the k-th after the first."""
        if len(words) < 2:
            return
        fragment = signed(words[1])
        if fragment == -2:
            self._send_description()
        elif -1 <= fragment < len(self._fragments) - 1:
            self.outbox.append(self._fragments[fragment + 1])

    def _send_device_info(self, words: Sequence[int]) -> None:
        self.outbox += self._identity.answer(words[0]) if words else []
        if words and self._hardware.doubled:
            self.outbox += DeviceIdentity(self.node_id, _OTHER_UUID).answer(words[0])

    # Messages that the node sends

    def _send(self, message_type: int, words: Sequence[int]) -> None:
        self.outbox.append(from_words(self.node_id, message_type, words))

    def _send_from_machine(self, message_type: int, words: Sequence[int], text: str) -> None:
        """Send a message of the virtual machine; text follows the words, preceded by its length."""
        message = from_words(self.node_id, message_type, words)
        if text:
            message = Message(self.node_id, message_type, message.payload + bytes([len(text)]) + text.encode())
        self.outbox.append(message)


def thymio_description() -> NodeDescription:
    """Return the description that every simulated Thymio sends."""
    return Thymio(1, bytes(16), Body()).description


def _describe(natives: Sequence[DescribedNative], hardware: HardwareConfig, protocol: int) -> NodeDescription:
    return NodeDescription(
        name=hardware.node_name or NODE_NAME,
        protocol_version=protocol,
        bytecode_size=min(hardware.bytecode_words, _BYTECODE_SIZE),
        stack_size=_STACK_SIZE,
        variables_size=_VARIABLES_SIZE,
        variables=_variables(hardware),
        local_events=LOCAL_EVENTS,
        native_functions=tuple(description for description, _ in natives),
    )


def _variables(hardware: HardwareConfig) -> tuple[Variable, ...]:
    """Return the named variables; older firmware lacks some."""
    variables = [
        variable
        for variable in VARIABLES
        if variable.name != hardware.missing_variable
        and not (hardware.firmware < 13 and variable.name in _LATER_VARIABLES)
    ]
    if hardware.moved_variables:
        variables.insert(-1, Variable("extra", 3))
        variables.insert(5, Variable("other", 2))
    return tuple(variables)


def _with_all_variables(addresses: dict[str, tuple[int, int]]) -> dict[str, tuple[int, int]]:
    """Return the places of all variables; those without a name lie at the end, beyond the scripts' variables."""
    places, position = dict(addresses), _VARIABLES_SIZE - sum(variable.size for variable in VARIABLES)
    for variable in VARIABLES:
        if variable.name not in places:
            places[variable.name] = (position, variable.size)
        position += variable.size
    return places


def _addresses(description: NodeDescription) -> dict[str, tuple[int, int]]:
    found, position = {}, 0
    for variable in description.variables:
        found[variable.name] = (position, variable.size)
        position += variable.size
    return found
