"""A simulated robot that runs the shipped script, and the messages to and from it."""

from aseba_link.aesl.compiler import compile_code, shipped_script
from aseba_link.host.upload import upload_messages
from aseba_link.thymio.events import NO_REPORTS, NODE_NAME, Event, Reports, script_constants
from aseba_link.wire.bytecode import CompiledScript
from aseba_link.wire.message import HOST_ID, from_words
from simulator.firmware.body import Body
from simulator.firmware.thymio import Thymio, thymio_description

NODE_ID = 7
ALL_REPORTS = Reports(
    proximity_hz=10.0,
    ground_hz=10.0,
    ground_raw_hz=10.0,
    accelerometer_hz=8.0,
    buttons_hz=10.0,
    button=True,
    tap=True,
    temperature=True,
    sound=True,
    remote=True,
    comm=True,
)


def running(script: CompiledScript, node_id: int) -> Thymio:
    """Return a robot that has run a script's start code."""
    thymio = Thymio(node_id, bytes(16), Body())
    for message in upload_messages(node_id, script, thymio_description()):
        thymio.handle(message)
    return thymio


def scripted(node_id: int = NODE_ID, reports: Reports = NO_REPORTS) -> Thymio:
    """Return a robot that runs the shipped script, and has not sent anything yet."""
    script = shipped_script().with_constants(script_constants(20.0, reports))
    code = script.code_for(NODE_NAME)
    assert code is not None
    thymio = running(compile_code(code.text, script.events, script.constants, thymio_description()), node_id)
    thymio.outbox.clear()
    return thymio


def send_command(thymio: Thymio, event: Event, *words: int, node_id: int = NODE_ID) -> None:
    """Send a command to a robot."""
    thymio.handle(from_words(HOST_ID, event, (node_id, *words)))


def advance(thymio: Thymio, ticks: int) -> None:
    """Let ticks of 10 ms pass."""
    for _ in range(ticks):
        thymio.advance()


def sent_events(thymio: Thymio) -> list[tuple[Event, tuple[int, ...]]]:
    """Return the events that the robot has sent since the last call, without odometry."""
    messages, thymio.outbox = thymio.outbox, []
    return [
        (Event(message.type), message.words())
        for message in messages
        if message.is_user_event and message.type != Event.ODOMETRY
    ]
