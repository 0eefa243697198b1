import pytest
from hypothesis import given
from hypothesis import strategies as st

from aseba_link.errors import MessageError
from aseba_link.wire.description import (
    LocalEvent,
    NativeFunction,
    NodeDescription,
    Variable,
    assemble,
    decode_header,
    decode_local_event,
    decode_native_function,
    decode_variable,
    encode_description,
    encode_header,
    encode_local_event,
    encode_native_function,
    encode_variable,
)
from aseba_link.wire.message import Message, MessageType
from harness.aseba.fake_node import small_description

texts = st.text(max_size=60).filter(lambda text: len(text.encode("utf-8", "ignore")) <= 255 and text.isprintable())
sizes = st.integers(0, 0xFFFF)
variables = st.builds(Variable, texts, sizes)
local_events = st.builds(LocalEvent, texts, texts)
parameters = st.lists(st.tuples(st.integers(-0x8000, 0x7FFF), texts), max_size=5).map(tuple)
native_functions = st.builds(NativeFunction, texts, texts, parameters)
descriptions = st.builds(
    NodeDescription,
    texts,
    sizes,
    sizes,
    sizes,
    sizes,
    st.lists(variables, max_size=4).map(tuple),
    st.lists(local_events, max_size=4).map(tuple),
    st.lists(native_functions, max_size=4).map(tuple),
)


@given(variables)
def test_variable_survives_the_wire(variable: Variable) -> None:
    assert decode_variable(encode_variable(1, variable)) == variable


@given(local_events)
def test_local_event_survives_the_wire(event: LocalEvent) -> None:
    assert decode_local_event(encode_local_event(1, event)) == event


@given(native_functions)
def test_native_function_survives_the_wire(function: NativeFunction) -> None:
    assert decode_native_function(encode_native_function(1, function)) == function


@given(descriptions)
def test_header_survives_the_wire(description: NodeDescription) -> None:
    assert decode_header(encode_header(1, description.header())) == description.header()


def test_messages_of_a_description_are_header_variables_events_functions() -> None:
    description = small_description()
    header, *items = encode_description(1, description)
    assert decode_header(header) == description.header()
    parts = (
        [decode_variable(item) for item in items[:7]],
        [decode_local_event(item) for item in items[7:9]],
        [decode_native_function(item) for item in items[9:]],
    )
    assert assemble(description.header(), *parts) == description


@given(st.binary(max_size=516))
def test_random_payload_is_a_header_or_a_message_error(payload: bytes) -> None:
    for decode in (decode_header, decode_variable, decode_local_event, decode_native_function):
        try:
            decode(Message(1, MessageType.DESCRIPTION, payload))
        except MessageError as error:
            assert "ends after" in str(error)  # noqa: PT017 - an error is allowed, not demanded


@given(native_functions, st.data())
def test_truncated_function_is_a_message_error(function: NativeFunction, data: st.DataObject) -> None:
    message = encode_native_function(1, function)
    size = data.draw(st.integers(0, len(message.payload) - 1))
    with pytest.raises(MessageError):
        decode_native_function(Message(1, message.type, message.payload[:size]))


def test_variables_lie_one_after_the_other_from_word_0() -> None:
    description = small_description()
    assert [description.address(name) for name in ("_id", "event.args", "motor.left.target")] == [0, 2, 34]


def test_unknown_variable_has_no_address() -> None:
    assert small_description().address("_vbat") is None
